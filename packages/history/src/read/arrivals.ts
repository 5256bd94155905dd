import * as Json from "@effect-venue/schemas/siblings/Json"
import { inOneLine } from "@effect-venue/schemas/siblings/ShownText"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Dataset from "../model/Dataset.js"
import * as Manifest from "../model/Manifest.js"
import * as Cell from "../formats/cell.js"
import * as Rows from "../formats/Rows.js"
import * as Verbatim from "../model/verbatim.js"

/** A row as its text, with all that is needed of its fields: it is parsed with its page, and not again. */
export interface Arrival {
  readonly at: number | undefined
  readonly text: string
  /** See `Rows.key`. */
  readonly key: string
  /** Whether the row has a status that will change. */
  readonly isPending: boolean
  /** The fields and values that the schema of its record does not have. */
  readonly drift: ReadonlyArray<string>
  readonly mismatch: Dataset.Mismatch | undefined
}

const none: ReadonlyArray<string> = []

/** Names the fields and values of a row that its schema, or the type of a column, does not have. */
const findDrift = (
  dataset: Dataset.Dataset<never, unknown>
): ((row: Dataset.Row, text: string) => ReadonlyArray<string>) => {
  const columns = new Map(dataset.columns.map((column) => [column.name, column]))
  return (row, text) => {
    const unfit = Cell.findUnfit(dataset.columns, row, text)
    let found: Array<string> | undefined = unfit.length === 0 ? undefined : unfit.map(Manifest.inExtraAnomaly)
    for (const name in row) {
      if (!Object.hasOwn(row, name)) continue
      const column = columns.get(name)
      if (column === undefined) (found ??= []).push(`unknownField ${inOneLine(name)}`)
      else if (column.isKnown !== undefined) {
        const value = row[name]
        const text = typeof value === "string" || typeof value === "number" ? String(value) : ""
        if (text !== "" && !column.isKnown(text))
          (found ??= []).push(`unknownValue ${name}=${inOneLine(text.slice(0, 64))}`)
      }
    }
    return found ?? none
  }
}

/** Reads rows of a dataset as they arrive: `row` is the value of `text` by `Json.parse`. */
export const reading = (dataset: Dataset.Dataset<never, unknown>) => {
  const drift = findDrift(dataset)
  return (row: Dataset.Row, text: string): Arrival => {
    const verbatim = Json.mayHaveOddNumber(text) ? Verbatim.line(text).row : row
    const decoded = dataset.decode(row)
    return {
      at: Rows.instant(dataset, verbatim),
      text,
      key: Rows.key(dataset, verbatim),
      isPending: dataset.settling.isPending(verbatim),
      drift: drift(verbatim, text),
      mismatch: Either.isLeft(decoded) ? decoded.left : undefined
    }
  }
}

/** The instants by which the service can file a row (see `Rows.instants`). */
export const instantsOf = (
  dataset: Dataset.Dataset<never, unknown>,
  { at, text }: Pick<Arrival, "at" | "text">
): ReadonlyArray<number> => {
  if (at === undefined) return []
  return Option.isNone(dataset.filedBy) ? [at] : Rows.instants(dataset, Verbatim.line(text).row)
}

/** An arrival as one line. JSON escapes tabs, so the first one ends the facts. */
export const pack = ({ drift, isPending, key, mismatch, text }: Arrival): string => {
  const isPlain = !isPending && drift.length === 0 && mismatch === undefined
  return `${JSON.stringify(isPlain ? [key] : [key, isPending, drift, mismatch])}\t${text}`
}

/** The arrival that was packed. */
export const unpack = (at: number | undefined, packed: string): Arrival => {
  const end = packed.indexOf("\t")
  // It was printed by `pack`.
  const [key, isPending = false, drift = none, mismatch] = JSON.parse(packed.slice(0, end)) as [
    key: string,
    isPending?: boolean,
    drift?: ReadonlyArray<string>,
    mismatch?: Dataset.Mismatch | null
  ]
  return { at, text: packed.slice(end + 1), key, isPending, drift, mismatch: mismatch ?? undefined }
}
