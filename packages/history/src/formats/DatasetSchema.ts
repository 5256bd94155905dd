/**
 * Schemas of a dataset for other programs, with the meaning of each column: JSON Schema, and tables of DuckDB, Postgres and BigQuery.
 *
 * @sibling
 */
import * as OpenApi from "@effect-venue/schemas/OpenApi"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Dataset from "../model/Dataset.js"
import { extra } from "./cell.js"
import * as DuckDb from "./duckdb.js"
import * as Column from "../model/Column.js"

type DescribedDataset = Pick<
  Dataset.Dataset<never, unknown>,
  "caveat" | "columns" | "instant" | "key" | "name" | "record" | "summary"
>

/** The JSON Schemas of the fields of a record, by name. */
export const fieldsOf = ({
  record
}: Pick<Dataset.Dataset<never, unknown>, "record">): Readonly<Record<string, unknown>> => {
  const { properties } = OpenApi.jsonSchema(record)
  return Predicate.isRecord(properties) ? properties : {}
}

/** The meaning of a field, and its unit; empty if it has none. */
export const meaningOf = (field: unknown): string => {
  if (!Predicate.isRecord(field) || !Predicate.isString(field.description)) return ""
  const meaning = field.description
  return Predicate.isString(field["x-unit"]) ? `${meaning}. Unit: ${field["x-unit"]}` : meaning
}

/** The meaning of the column `extra`. */
export const meaningOfExtra = "fields that are no column or do not fit their column, as JSON"

/** A column of a table, with its comment. */
interface DescribedColumn {
  readonly name: string
  readonly kind: Column.Kind
  readonly comment: string
}

/** A table with its comment. */
interface DescribedTable {
  readonly name: string
  readonly comment: string
  readonly columns: ReadonlyArray<DescribedColumn>
}

/** The SQL dialect of a database. */
interface Sql {
  /** The SQL type of each kind. */
  readonly types: Readonly<Record<"decimal" | "integer" | "boolean" | "instant" | "text", string>>
  readonly name: (text: string) => string
  readonly create: (
    table: DescribedTable,
    columns: ReadonlyArray<readonly [column: DescribedColumn, definition: string]>
  ) => string
}

const list = (definitions: ReadonlyArray<string>): string => definitions.map((line) => `  ${line}`).join(",\n")

const plainTable = (table: DescribedTable, definitions: ReadonlyArray<string>): string =>
  `CREATE TABLE ${DuckDb.name(table.name)} (\n${list(definitions)}\n);\n`

/** A statement for each comment: DuckDB and Postgres have the same. */
const withComments: Sql["create"] = (table, columns) =>
  [
    plainTable(
      table,
      columns.map(([, definition]) => definition)
    ),
    `COMMENT ON TABLE ${DuckDb.name(table.name)} IS ${DuckDb.text(table.comment)};\n`,
    ...columns.map(
      ([{ comment, name }]) =>
        `COMMENT ON COLUMN ${DuckDb.name(table.name)}.${DuckDb.name(name)} IS ${DuckDb.text(comment)};\n`
    )
  ].join("")

const inBackquotes = (text: string): string => `\`${text.replaceAll("`", "\\`")}\``

const description = (comment: string): string =>
  `OPTIONS(description = '${comment.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}')`

const databases = {
  duckdb: {
    types: {
      decimal: "DECIMAL(38, 18)",
      integer: "BIGINT",
      boolean: "BOOLEAN",
      instant: "TIMESTAMP",
      text: "VARCHAR"
    },
    name: DuckDb.name,
    create: withComments
  },
  postgres: {
    types: { decimal: "NUMERIC", integer: "BIGINT", boolean: "BOOLEAN", instant: "TIMESTAMPTZ", text: "TEXT" },
    name: DuckDb.name,
    create: withComments
  },
  bigquery: {
    types: {
      decimal: "BIGNUMERIC(38, 18)",
      integer: "INT64",
      boolean: "BOOL",
      instant: "TIMESTAMP",
      text: "STRING"
    },
    name: inBackquotes,
    create: (table, columns) =>
      `CREATE TABLE ${inBackquotes(table.name)} (\n${list(
        columns.map(([{ comment }, definition]) => `${definition} ${description(comment)}`)
      )}\n)\n${description(table.comment)};\n`
  }
} as const satisfies Readonly<Record<string, Sql>>

const typeOf = (kind: Column.Kind): keyof Sql["types"] => {
  if (Column.isInstant(kind)) return "instant"
  return kind === "flag" || kind === "json" ? "text" : kind
}

/** The databases that `createTable` writes for. */
export type Dialect = keyof typeof databases

/** Every `Dialect`. */
export const dialects: ReadonlyArray<Dialect> = ["duckdb", "postgres", "bigquery"]

/** The properties of a table besides its columns. */
const commentOf = ({ caveat, instant, key, summary }: DescribedDataset): string =>
  [
    `${summary}.`,
    key === "content" ? "Records have no id." : `Id: ${key.join(", ")}.`,
    ...Option.match(instant, { onNone: () => [], onSome: ({ name }) => [`Instant: ${name}.`] }),
    ...Option.toArray(caveat)
  ].join(" ")

/**
 * The schema of a row of NDJSON, JSON Schema draft 2020-12: the record as the service sends it. Decimals are text. `description` is the
 * meaning of a column, `x-unit` what its number counts. Unknown fields are allowed, since rows are verbatim; a row that does not fit the schema is named
 * in the manifest as `rejected`.
 */
export const jsonSchema = (dataset: DescribedDataset): OpenApi.Json => {
  const fields = fieldsOf(dataset)
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: dataset.name,
    description: commentOf(dataset),
    ...OpenApi.jsonSchema(dataset.record),
    properties: Object.fromEntries(dataset.columns.map(({ name }) => [name, fields[name] ?? {}]))
  }
}

/**
 * The SQL that creates a table for the rows of a dataset, with a comment for each column: `account`, `category`, the columns of the dataset and `extra`, which
 * are those of CSV and Parquet files. `table` defaults to the name of the dataset with `_` for `-`.
 */
export const createTable = (
  dataset: DescribedDataset,
  dialect: Dialect,
  options: { readonly table?: string | undefined } = {}
): string => {
  const fields = fieldsOf(dataset)
  const { create, name, types }: Sql = databases[dialect]
  const table: DescribedTable = {
    name: options.table ?? dataset.name.replaceAll("-", "_"),
    comment: commentOf(dataset),
    columns: [
      { name: "account", kind: "text", comment: "name of the account, or its UID" },
      { name: "category", kind: "text", comment: "category of the rows; empty if the dataset has none" },
      ...dataset.columns.map(({ kind, name }) => ({ name, kind, comment: meaningOf(fields[name]) })),
      { name: extra, kind: "text", comment: meaningOfExtra }
    ]
  }
  return create(
    table,
    table.columns.map((column) => [column, `${name(column.name)} ${types[typeOf(column.kind)]}`] as const)
  )
}
