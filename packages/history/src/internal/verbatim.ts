import * as Json from "@effect-venue/schemas/Json"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"

// Positions in JSON text that is valid already. Nothing here recurses: a row may be nested deeper than the stack is.

const quote = 34
const comma = 44
const minus = 45
const backslash = 92
const openBrace = 123
const closeBrace = 125
const openBracket = 91
const closeBracket = 93

/** Brackets and braces differ in this bit only. */
const braceBit = 32

const afterSpace = (text: string, from: number): number => {
  let at = from
  for (let code = text.charCodeAt(at); code <= 32; code = text.charCodeAt(at)) at++
  return at
}

/** Behind the string that begins at `from`: behind the next quote that an even number of backslashes is before. */
const afterString = (text: string, from: number): number => {
  for (let end = text.indexOf('"', from + 1); ; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === backslash) before--
    if ((end - before) % 2 === 1) return end + 1
  }
}

/** Behind the list or object that begins at `from`. */
const afterNested = (text: string, from: number): number => {
  let depth = 0
  for (let at = from; ;) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = afterString(text, at)
      continue
    }
    at++
    if ((code | braceBit) === openBrace) depth++
    else if ((code | braceBit) === closeBrace && --depth === 0) return at
  }
}

/** Behind the number or word that begins at `from`. */
const afterWord = (text: string, from: number): number => {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code <= 32 || code === comma || code === closeBrace || code === closeBracket) return at
  }
  return text.length
}

const afterValue = (text: string, from: number): number => {
  const code = text.charCodeAt(from)
  if (code === quote) return afterString(text, from)
  return code === openBrace || code === openBracket ? afterNested(text, from) : afterWord(text, from)
}

/** Visits the members of the object that begins at `from`; `visit` returns the position behind the value. */
const forEachMember = (text: string, from: number, visit: (name: string, value: number) => number): number => {
  let at = afterSpace(text, from + 1)
  while (text.charCodeAt(at) !== closeBrace) {
    const end = afterString(text, at)
    const name = text.slice(at, end)
    const colon = afterSpace(text, end)
    at = afterSpace(text, visit(name, afterSpace(text, colon + 1)))
    if (text.charCodeAt(at) === comma) at = afterSpace(text, at + 1)
  }
  return at + 1
}

/** What a name, in quotes, says. */
const unquoted = (name: string): string => (name.includes("\\") ? String(JSON.parse(name)) : name.slice(1, -1))

/** The items of the list that begins at `from`, and the position behind it. */
const itemsOf = (text: string, from: number): readonly [items: ReadonlyArray<string>, end: number] => {
  const items: Array<string> = []
  let at = afterSpace(text, from + 1)
  while (text.charCodeAt(at) !== closeBracket) {
    const end = afterValue(text, at)
    items.push(text.slice(at, end))
    at = afterSpace(text, end)
    if (text.charCodeAt(at) === comma) at = afterSpace(text, at + 1)
  }
  return [items, at + 1]
}

/** A line break is only ever between tokens: within a string JSON escapes it. */
const onOneLine = (text: string): string => text.replace(/\r\n|[\r\n]/g, " ")

/**
 * The items of `result.<list>` of an answer, each as the text that it has there, with a space instead of each line break. The answer has
 * been parsed already, and has such a list. Of members of one name the last one counts, as `JSON.parse` has it.
 */
export const itemTexts = (answer: string, list: string): ReadonlyArray<string> => {
  let found: ReadonlyArray<string> = []
  forEachMember(answer, afterSpace(answer, 0), (member, result) => {
    if (unquoted(member) !== "result" || answer.charCodeAt(result) !== openBrace) return afterValue(answer, result)
    found = []
    return forEachMember(answer, result, (name, value) => {
      if (unquoted(name) !== list || answer.charCodeAt(value) !== openBracket) return afterValue(answer, value)
      const [items, end] = itemsOf(answer, value)
      found = items
      return end
    })
  })
  return answer.includes("\n") || answer.includes("\r") ? found.map(onOneLine) : found
}

/** Whether text may have a number that is not spelled as this language prints it. Text inside strings may look like one. */
const mayHaveOddNumber = (text: string): boolean => /[:,[]\s*(?:-0|-?\d+[.eE]|-?\d{16})/.test(text)

/** JSON text with quotes around the numbers that this language would print otherwise. */
const quoteOddNumbers = (text: string): string => {
  let quoted = ""
  let done = 0
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === quote) at = afterString(text, at)
    else if (code === minus || (code >= 48 && code <= 57)) {
      const end = afterWord(text, at)
      const token = text.slice(at, end)
      if (String(Number(token)) !== token) {
        quoted += `${text.slice(done, at)}"${token}"`
        done = end
      }
      at = end
    } else at++
  }
  return done === 0 ? text : quoted + text.slice(done)
}

/**
 * Reads JSON text so that nothing of its spelling is lost: a number that this language would print otherwise, such as `1.50` or
 * `9007199254740993`, is read as its own text.
 */
export const parse = (text: string): unknown => JSON.parse(mayHaveOddNumber(text) ? quoteOddNumbers(text) : text)

/** A record as its text, which is on one line, and as what `parse` reads there. */
export interface Line {
  readonly text: string
  readonly row: Readonly<Record<string, unknown>>
}

/** The line of a record; fails where the text is none. */
export const line = (text: string): Line => {
  const row = parse(text)
  if (!Predicate.isRecord(row)) throw new Error("expected an object")
  return { text, row }
}

/** What `Json.parse` reads from the text of a line: numbers as numbers, however they are spelled. */
export const valueOf = ({ row, text }: Line): unknown =>
  mayHaveOddNumber(text) ? Option.getOrElse(Json.parse(text), () => row) : row

/** The text of each field of a record, by its name. */
export const fieldTexts = (record: string): ReadonlyMap<string, string> => {
  const fields = new Map<string, string>()
  forEachMember(record, afterSpace(record, 0), (name, value) => {
    const end = afterValue(record, value)
    fields.set(unquoted(name), record.slice(value, end))
    return end
  })
  return fields
}

/** The text of a value that a field has, where a cell shows the value as JSON. */
export const fieldText = ({ text }: Line, name: string): string => fieldTexts(text).get(name) ?? "null"

/** A record of some fields of a line, as they are spelled there; "" where there are none. */
export const select = ({ text }: Line, names: ReadonlyArray<string>): string => {
  if (names.length === 0) return ""
  const fields = fieldTexts(text)
  return `{${names.map((name) => `${JSON.stringify(name)}:${fields.get(name) ?? "null"}`).join(",")}}`
}

/** Objects as lists of their fields in one order, so that equal values have equal texts. */
const sorted = (_name: string, value: unknown): unknown =>
  Predicate.isRecord(value) && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value

/** Whether two JSON texts say the same, however they are spelled. */
export const isSameValue = (one: string, other: string): boolean => {
  if (one === other) return true
  const [left, right] = [Json.parse(one), Json.parse(other)]
  return (
    Option.isSome(left) &&
    Option.isSome(right) &&
    JSON.stringify(left.value, sorted) === JSON.stringify(right.value, sorted)
  )
}
