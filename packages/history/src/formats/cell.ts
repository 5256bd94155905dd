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

/** The text of a value: instants as ISO text, everything else verbatim. */
export const text = ({ kind }: Column.Column, value: unknown): string => {
  if (isNothing(value)) return ""
  if (kind === "json") return JSON.stringify(value)
  const at = Column.isInstant(kind) ? Column.millis(kind, value) : undefined
  return at === undefined ? plain(value) : new Date(at).toISOString()
}

/** The digits of a DECIMAL, and those after its point. */
export const precision = 38
export const scale = 18

const limit = 10n ** BigInt(precision)
const one = 10n ** BigInt(scale)

/** The value of a DECIMAL in units of its last digit; `undefined` if it does not fit. */
export const toUnits = (value: unknown): bigint | undefined => {
  if (typeof value !== "string" && typeof value !== "number") return undefined
  const parsed = Option.getOrUndefined(Decimal.parse(String(value)))
  if (parsed === undefined) return undefined
  // Without its trailing zeros the value can still fit.
  const decimal = parsed.scale > scale || parsed.scale < -precision ? BigDecimal.normalize(parsed) : parsed
  if (decimal.scale > scale || decimal.scale < -precision) return undefined
  const units = decimal.value * 10n ** BigInt(scale - decimal.scale)
  return -limit < units && units < limit ? units : undefined
}

/** The value of a BIGINT; `undefined` if it does not fit. */
export const toInteger = (value: unknown): bigint | undefined => {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value)
  const units = toUnits(value)
  if (units === undefined || units % one !== 0n) return undefined
  const integer = units / one
  return BigInt.asIntN(64, integer) === integer ? integer : undefined
}

/** The value of a BOOLEAN; `undefined` if it does not fit. */
export const toBoolean = (value: unknown): boolean | undefined =>
  value === true || value === "true" ? true : value === false || value === "false" ? false : undefined

/** The instants of four-digit years, which every database has. */
const [firstInstant, lastInstant] = [-62_135_596_800_000, 253_402_300_799_999]

// Nearly all values are spelled so: they need no arithmetic of large numbers.
const plainDecimal = /^-?\d{1,20}(\.\d{1,18})?$/
const plainInteger = /^\d{1,13}$/
const isPlainInteger = (value: unknown): value is string | number =>
  typeof value === "string" ? plainInteger.test(value) : Number.isSafeInteger(value)

/** The value of a TIMESTAMP in milliseconds; `undefined` if it does not fit. */
export const toMillis = (kind: Column.Kind, value: unknown): number | undefined => {
  const count = isPlainInteger(value) ? value : toInteger(value)
  const at = count === undefined ? undefined : Column.millis(kind, Number(count))
  return at !== undefined && at >= firstInstant && at <= lastInstant ? at : undefined
}

/** Whether the type of a column has a value exactly. */
export const fits = ({ kind }: Column.Column, value: unknown): boolean => {
  if (kind === "text" || isNothing(value)) return true
  if (kind === "decimal") {
    return (typeof value === "string" && plainDecimal.test(value)) || toUnits(value) !== undefined
  }
  if (kind === "integer") return isPlainInteger(value) || toInteger(value) !== undefined
  if (kind === "boolean") return toBoolean(value) !== undefined
  return !Column.isInstant(kind) || toMillis(kind, value) !== undefined
}

/** Whether every store can keep a text unchanged. Postgres rejects U+0000, and half of a surrogate pair is not valid UTF-8; JSON escapes both. */
export const isStorable = (text: string): boolean => !(text.includes("\0") || /\p{Surrogate}/u.test(text))

/** Whether a column has a value of a row exactly. */
const isHeld = (column: Column.Column, value: unknown, mayNotBeStorable: boolean): boolean =>
  fits(column, value) && (!mayNotBeStorable || column.kind === "json" || typeof value !== "string" || isStorable(value))

/** Whether a JSON text can contain a text that cannot be stored: only an escape spells it. */
const canBeUnstorable = (json: string): boolean => json.includes("\\u")

const none: ReadonlyArray<string> = []

/** The columns that do not have the value of a row exactly: it is in `extra` instead, in every format. */
export const findUnfit = (
  columns: ReadonlyArray<Column.Column>,
  row: Dataset.Row,
  json: string
): ReadonlyArray<string> => {
  const mayNotBeStorable = canBeUnstorable(json)
  let unfit: Array<string> | undefined
  for (const column of columns) {
    if (!isHeld(column, row[column.name], mayNotBeStorable)) (unfit ??= []).push(column.name)
  }
  return unfit ?? none
}

/** The column for fields without a cell. */
export const extra = "extra"

/** A row as the cells of its columns, in their order. */
interface Split<A> {
  readonly cells: ReadonlyArray<A>
  /** The fields that no cell holds, as JSON with the notation of the row; "" if there are none. */
  readonly extra: string
}

/**
 * Splits rows into cells. `cellOf` returns `undefined` for a value that its column does not have, as no column has one that does not fit its type: the cell is
 * `empty`, and the field is in `extra`, as are fields without a column.
 */
export const splitter = <A>(
  columns: ReadonlyArray<Column.Column>,
  empty: A,
  cellOf: (column: Column.Column, value: unknown, line: Verbatim.Line) => A | undefined
): ((line: Verbatim.Line) => Split<A>) => {
  const names = new Set(columns.map(({ name }) => name))
  return (line) => {
    const { row, text } = line
    const mayNotBeStorable = canBeUnstorable(text)
    const unfit = new Set<string>()
    const cells = columns.map((column) => {
      const value = row[column.name]
      const cell = isHeld(column, value, mayNotBeStorable) ? cellOf(column, value, line) : undefined
      if (cell !== undefined) return cell
      unfit.add(column.name)
      return empty
    })
    const others = Object.keys(row).filter((name) => !names.has(name) || unfit.has(name))
    return { cells, extra: Verbatim.select(line, others) }
  }
}

/** The text of a value in a text column: lists and objects as JSON, with the notation of the row. */
export const textOf = (column: Column.Column, value: unknown, line: Verbatim.Line): string =>
  column.kind === "json" || (typeof value === "object" && value !== null)
    ? Verbatim.fieldText(line, column.name)
    : plain(value)

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
