import * as Json from "@effect-venue/schemas/shared/Json"
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Column from "../../shared/Column.js"
import * as Verbatim from "../model/verbatim.js"

/** Whether a cell is empty. */
export const isNothing = (value: unknown): value is null | undefined | "" =>
  value === null || value === undefined || value === ""

const plain = (value: unknown): string =>
  typeof value === "string"
    ? value
    : typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : JSON.stringify(value)

/** The text of a value in a table: instants as ISO text, everything else verbatim. */
export const text = ({ kind }: Column.Column, value: unknown): string => {
  if (isNothing(value)) return ""
  if (kind === "json") return JSON.stringify(value)
  const at = Column.isInstant(kind) ? Column.millis(kind, value) : undefined
  return at === undefined ? plain(value) : new Date(at).toISOString()
}

/** Whether a cell shows a value as JSON. */
export const isJson = ({ kind }: Column.Column, value: unknown): boolean =>
  kind === "json" ? !isNothing(value) : typeof value === "object" && value !== null

/**
 * Whether every store can keep a value unchanged. Postgres rejects U+0000, and half of a surrogate pair is not valid UTF-8; JSON escapes both.
 */
export const isStorable = (value: unknown): boolean =>
  typeof value !== "string" || !(value.includes("\0") || /\p{Surrogate}/u.test(value))

/** The cell of a row, with the notation of the row's text; "" if the value has no cell. */
export const ofLine = (column: Column.Column, line: Verbatim.Line): string => {
  const value = line.row[column.name]
  if (!isStorable(value)) return ""
  return isJson(column, value) ? Verbatim.fieldText(line, column.name) : text(column, value)
}

const iso = /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** An instant in the unit of the wire. */
export const counted = (kind: Column.Kind, at: number): number => (kind === "seconds" ? at / 1000 : at)

/** The wire value for a text written by `text`, if it can be derived. */
export const wire = ({ kind }: Column.Column, shown: string): unknown => {
  if (Column.isInstant(kind) && iso.test(shown)) return counted(kind, Date.parse(shown))
  if (kind === "json" && shown !== "") return Json.parseVerbatim(shown)
  return shown
}

/** A text that is equal for equal values in different notations, such as `1.5` and `1.50`. */
export const canonical = (column: Column.Column, value: unknown): string => {
  const isNumber = column.kind === "decimal" || column.kind === "integer"
  if (!isNumber || typeof value !== "string") return text(column, value)
  return Option.match(Decimal.parse(value), {
    onNone: () => value,
    onSome: (decimal) => Decimal.format(BigDecimal.normalize(decimal))
  })
}
