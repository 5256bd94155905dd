/**
 * The columns of a dataset: those of its tables (CSV, Parquet, SQL), always the same and in the same order.
 */
import * as Schema from "effect/Schema"

/**
 * The type of a column.
 *
 * | kind | on the wire |
 * |---|---|
 * | `text` | text |
 * | `decimal` | decimal text |
 * | `integer` | a whole number, as text or as a number |
 * | `boolean` | true or false |
 * | `flag` | 0 or 1, as text or as a number |
 * | `millis`, `seconds` | an instant, counted so, as text or as a number |
 * | `instant` | an instant in seconds or milliseconds, by its size (docs/reference/contradictions.md#units-of-instants) |
 * | `json` | anything |
 */
export const Kind = Schema.Literal(
  "text",
  "decimal",
  "integer",
  "boolean",
  "flag",
  "millis",
  "seconds",
  "instant",
  "json"
)

export type Kind = typeof Kind.Type

/** A column as described in manifests and Parquet files. It depends only on the dataset, never on rows. */
export const Described = Schema.Struct({ name: Schema.String, kind: Kind })

export type Described = typeof Described.Type

/** Columns as manifests and Parquet files describe them. */
export const described = (columns: ReadonlyArray<Column>): ReadonlyArray<Described> =>
  columns.map(({ kind, name }) => ({ name, kind }))

export interface Column {
  /** Its name on the wire. */
  readonly name: string
  readonly kind: Kind
  /** Whether a value is a known one; of open enumerations. */
  readonly isKnown?: ((value: string) => boolean) | undefined
}

/** A kind, or the enumeration that a text belongs to. */
export type Spec = Kind | { readonly isKnown: (value: string) => boolean }

/** Columns from a table of them, in its order. */
export const make = (specs: Iterable<readonly [name: string, spec: Spec]>): ReadonlyArray<Column> =>
  Array.from(specs, ([name, spec]) =>
    typeof spec === "string"
      ? { name, kind: spec }
      : { name, kind: "text", isKnown: (value: string) => spec.isKnown(value) }
  )

/** Digits, or an unquoted number in another spelling (`1.5e12`), which is read as text. */
const numberText = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

/** Of the kind `instant`, counts smaller than this are seconds: as milliseconds they are before 1973, as seconds after the year 5000. */
export const border = 100_000_000_000

/** The furthest instants that a date can be, from 1970 in milliseconds. */
const furthest = 8_640_000_000_000_000

/** The instant of a wire value, in milliseconds; `undefined` if it is no instant. */
export const millis = (kind: Kind, value: unknown): number | undefined => {
  const count =
    typeof value === "number" ? value : typeof value === "string" && numberText.test(value) ? Number(value) : Number.NaN
  if (!Number.isInteger(count)) return undefined
  const at = kind === "seconds" || (kind === "instant" && Math.abs(count) < border) ? count * 1000 : count
  return Math.abs(at) <= furthest ? at : undefined
}

/** Whether a column holds instants. */
export const isInstant = (kind: Kind): boolean => kind === "millis" || kind === "seconds" || kind === "instant"
