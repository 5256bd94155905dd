import * as Json from "@effect-venue/schemas/siblings/Json"
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Column from "../model/Column.js"
import type * as Dataset from "../model/Dataset.js"
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

/** Whether every store can keep a text unchanged. Postgres rejects U+0000, and half of a surrogate pair is not valid UTF-8; JSON escapes both. */
export const isStorable = (text: string): boolean => !(text.includes("\0") || /\p{Surrogate}/u.test(text))

/** The column for fields without a cell. */
export const extra = "extra"

/** A row as the cells of its columns, in their order. */
interface Split<A> {
  readonly cells: ReadonlyArray<A>
  /** The fields that no cell holds, as JSON with the notation of the row; "" if there are none. */
  readonly extra: string
}

/**
 * Splits rows into cells. `cellOf` returns `undefined` for a value that its column cannot hold: its cell is `empty`, and its field is in `extra`, as are
 * fields without a column.
 */
export const splitter = <A>(
  columns: ReadonlyArray<Column.Column>,
  empty: A,
  cellOf: (column: Column.Column, value: unknown, line: Verbatim.Line) => A | undefined,
  onUnfit: (column: string) => void = () => undefined
): ((line: Verbatim.Line) => Split<A>) => {
  const known = new Set(columns.map(({ name }) => name))
  return (line) => {
    const { row, text } = line
    // Only an escape spells a text that cannot be stored.
    const mayNotBeStorable = text.includes("\\u")
    const unfit = new Set<string>()
    const cells = columns.map((column) => {
      const value = row[column.name]
      const isKept = !mayNotBeStorable || typeof value !== "string" || isStorable(value)
      const cell = isKept ? cellOf(column, value, line) : undefined
      if (cell !== undefined) return cell
      unfit.add(column.name)
      onUnfit(column.name)
      return empty
    })
    const others = Object.keys(row).filter((name) => !known.has(name) || unfit.has(name))
    return { cells, extra: Verbatim.select(line, others) }
  }
}

/** The fields of an `extra` cell. An empty or changed cell has none. */
export const extraFields = (cell: unknown): Dataset.Row => {
  const fields = typeof cell === "string" && cell !== "" ? Json.parseVerbatim(cell) : undefined
  return Predicate.isRecord(fields) ? fields : {}
}

const iso = /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** An instant in the unit of the wire. */
export const inWireUnit = (kind: Column.Kind, at: number): number => (kind === "seconds" ? at / 1000 : at)

/** The wire value for a text written by `text`, if it can be derived. */
export const wire = ({ kind }: Column.Column, shown: string): unknown => {
  if (Column.isInstant(kind) && iso.test(shown)) return inWireUnit(kind, Date.parse(shown))
  if (kind === "json" && shown !== "") return Json.parseVerbatim(shown)
  return shown
}

/** A decimal that its canonical text spells so. */
const canonicalDecimal = /^(0|-?[1-9]\d*|-?(0|[1-9]\d*)\.\d*[1-9])$/

/** A text that is equal for equal values in different notations, such as `1.5` and `1.50`. */
export const canonical = (column: Column.Column, value: unknown): string => {
  const isNumber = column.kind === "decimal" || column.kind === "integer"
  if (!isNumber || typeof value !== "string") return text(column, value)
  if (canonicalDecimal.test(value)) return value
  return Option.match(Decimal.parse(value), {
    onNone: () => value,
    onSome: (decimal) => Decimal.format(BigDecimal.normalize(decimal))
  })
}
