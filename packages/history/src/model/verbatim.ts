import * as Json from "@effect-venue/schemas/siblings/Json"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"

/** A record as its text, which is on one line, and as what `Json.parseVerbatim` reads there. */
export interface Line {
  readonly text: string
  readonly row: Readonly<Record<string, unknown>>
}

/** The line of a record. Throws if the text is no record. */
export const line = (text: string): Line => {
  const row = Json.parseVerbatim(text)
  if (!Predicate.isRecord(row)) throw new Error("expected an object")
  return { text, row }
}

/** The value of a line as `Json.parse` reads it: numbers as numbers, in any spelling. */
export const valueOf = ({ row, text }: Line): unknown =>
  Json.mayHaveOddNumber(text) ? Option.getOrElse(Json.parse(text), () => row) : row

/** JSON without the space between its tokens. */
const compact = (json: string): string => json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1")

/** The text of a field whose cell is JSON: in the spelling of the line, without space between tokens. */
export const fieldText = ({ text }: Line, name: string): string => compact(Json.fieldTexts(text).get(name) ?? "null")

/** A record of some fields of a line in their spelling, without space between tokens; "" without any. */
export const select = ({ text }: Line, names: ReadonlyArray<string>): string => {
  if (names.length === 0) return ""
  const fields = Json.fieldTexts(text)
  return `{${names.map((name) => `${JSON.stringify(name)}:${compact(fields.get(name) ?? "null")}`).join(",")}}`
}

/** Objects as lists of their fields in one order, so that equal values have equal texts. */
const sortFields = (_name: string, value: unknown): unknown =>
  Predicate.isRecord(value) && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
    : value

/** Whether two JSON texts have the same value in any spelling. */
export const isSameValue = (first: string, second: string): boolean => {
  if (first === second) return true
  const [left, right] = [Json.parse(first), Json.parse(second)]
  return (
    Option.isSome(left) &&
    Option.isSome(right) &&
    JSON.stringify(left.value, sortFields) === JSON.stringify(right.value, sortFields)
  )
}
