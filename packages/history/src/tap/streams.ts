/** Converts rows to Singer records that match the schema of their stream for every response of the service. Pure. */
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as Option from "effect/Option"
import * as Column from "../model/Column.js"
import type * as Dataset from "../model/Dataset.js"
import * as Cell from "../formats/cell.js"
import { fieldsOf, meaningOf, meaningOfExtra } from "../formats/DatasetSchema.js"
import type * as Verbatim from "../model/verbatim.js"
import type { Json } from "./Singer.js"

/** The property that is unique in a stream. */
export const keyName = "venue_key"

/** The property that marks a record as deleted, by the convention of targets. */
export const deletedName = "_sdc_deleted_at"

const nullable = (type: string, description: string, more: Readonly<Record<string, Json>> = {}): Json => ({
  type: ["null", type],
  ...more,
  ...(description === "" ? {} : { description })
})

const propertyOf = ({ kind }: Column.Column, meaning: string): Json => {
  if (kind === "decimal") return nullable("string", meaning, { format: "singer.decimal" })
  if (Column.isInstant(kind)) return nullable("string", meaning, { format: "date-time" })
  return kind === "integer" || kind === "boolean" ? nullable(kind, meaning) : nullable("string", meaning)
}

/** The JSON Schema of the records of a dataset, with the meanings of its columns. */
export const schemaOf = (dataset: Pick<Dataset.Dataset<never, unknown>, "columns" | "record">): Json => {
  const fields = fieldsOf(dataset)
  return {
    type: "object",
    additionalProperties: false,
    required: [keyName],
    properties: {
      [keyName]: { type: "string", description: "unique in the stream" },
      ...Object.fromEntries(
        dataset.columns.map((column) => [column.name, propertyOf(column, meaningOf(fields[column.name]))])
      ),
      [Cell.extra]: nullable("string", meaningOfExtra),
      [deletedName]: nullable("string", "when a later version replaced this record", { format: "date-time" })
    }
  }
}

const integer = (value: unknown): number | undefined => {
  const count =
    typeof value === "number"
      ? value
      : typeof value === "string" && /^-?\d{1,16}$/.test(value)
        ? Number(value)
        : undefined
  return Number.isSafeInteger(count) ? count : undefined
}

/** A value as its property has it; `undefined` if the property cannot hold it. */
const valueOf = (column: Column.Column, value: unknown): Json | undefined => {
  const { kind } = column
  if (value === null || value === undefined || value === "") return null
  if (kind === "integer") return integer(value)
  if (kind === "boolean") return typeof value === "boolean" ? value : undefined
  if (kind === "json") return Cell.text(column, value)
  if (Column.isInstant(kind)) {
    const at = Cell.toMillis(kind, value)
    return at === undefined ? undefined : new Date(at).toISOString()
  }
  if (typeof value === "object") return undefined
  const text = Cell.text({ ...column, kind: "text" }, value)
  return kind === "decimal" && Option.isNone(Decimal.parse(text)) ? undefined : text
}

/** The record of a row, with its key. Fields that no property holds are in `extra`, as JSON. */
export const recordOf = ({ columns }: Pick<Dataset.Dataset<never, unknown>, "columns">) => {
  const split = Cell.splitter<Json>(columns, null, valueOf)
  return (key: string, line: Verbatim.Line): Readonly<Record<string, Json>> => {
    const { cells, extra } = split(line)
    return {
      [keyName]: key,
      ...Object.fromEntries(columns.map(({ name }, index) => [name, cells[index] ?? null])),
      [Cell.extra]: extra === "" ? null : extra
    }
  }
}
