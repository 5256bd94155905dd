import * as Json from "@effect-venue/schemas/siblings/Json"
import * as Option from "effect/Option"
import * as Column from "../model/Column.js"
import type * as Dataset from "../model/Dataset.js"
import type * as Part from "../model/Part.js"
import * as Cell from "../formats/cell.js"
import type * as Verbatim from "../model/verbatim.js"

type Value = string | number | boolean | null

/** A value in the type of its column. An integer that a JavaScript number does not have is text, which the column converts. */
const valueOf = (isPostgres: boolean, column: Column.Column, value: unknown, line: Verbatim.Line): Value => {
  const { kind } = column
  if (value === null || value === undefined) return null
  if (kind === "text" && value === "") return ""
  if (Cell.isNothing(value)) return null
  if (Column.isInstant(kind)) return Cell.toMillis(kind, value) ?? null
  if (kind === "integer") {
    const integer = Cell.toInteger(value) ?? 0n
    return Number.isSafeInteger(Number(integer)) ? Number(integer) : String(integer)
  }
  if (kind === "boolean") return isPostgres ? Cell.toBoolean(value) === true : Number(Cell.toBoolean(value))
  return Cell.textOf(column, value, line)
}

/** A key as stored in its column: as JSON if a database cannot store it, or if it looks like JSON. */
export const toStoredKey = (key: string): string =>
  Cell.isStorable(key) && !key.startsWith('"') ? key : JSON.stringify(key)

/** The export, part and window of a row. */
interface RowPlace {
  readonly name: string
  readonly part: Part.Part<unknown, unknown>
  readonly window: number
}

/** A row of a table: the common columns, and those of its dataset. */
interface TableRow {
  readonly venue_key: string
  [column: string]: Value
}

/** Makes records of a table. Fields that fit no column are in `venue_extra`, as JSON with the notation of the row. */
export const recordsOf = ({ name, part, window }: RowPlace, isPostgres: boolean) => {
  const { columns } = part.dataset
  const split = Cell.splitter<Value>(columns, null, (...value) => valueOf(isPostgres, ...value))
  const account = Option.getOrNull(part.account)
  const category = part.parameters.category ?? null
  return (key: string, line: Verbatim.Line): TableRow => {
    const { cells, extra } = split(line)
    return {
      venue_export: name,
      venue_part: part.name,
      venue_key: toStoredKey(key),
      venue_window: window,
      venue_account: account,
      venue_category: category,
      ...Object.fromEntries(columns.map((column, index) => [column.name, cells[index] ?? null])),
      venue_extra: extra === "" ? null : extra
    }
  }
}

/** Converts a record of a table to the wire side, if it can be derived. */
export const wireOf = (
  dataset: Dataset.Dataset<never, unknown>,
  record: Readonly<Record<string, unknown>>
): Dataset.Row => ({
  ...Object.fromEntries(
    dataset.columns.map(({ kind, name }) => {
      const value = record[name]
      if (value === null || value === undefined) return [name, ""]
      if (Column.isInstant(kind)) return [name, Cell.inWireUnit(kind, Number(value))]
      if (kind === "json" && typeof value === "string") return [name, Json.parseVerbatim(value)]
      return [name, kind === "boolean" ? Boolean(value) : value]
    })
  ),
  ...Cell.extraFields(record.venue_extra)
})
