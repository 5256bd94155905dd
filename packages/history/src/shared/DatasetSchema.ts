/**
 * Schemas of a dataset for other programs, with the meaning of each column: JSON Schema, and tables of DuckDB, Postgres and BigQuery.
 */
import * as OpenApi from "@effect-venue/schemas/OpenApi"
import * as Option from "effect/Option"
import type * as Dataset from "../Dataset.js"
import { extra } from "../internal/formats/csv.js"
import * as Ddl from "../internal/formats/ddl.js"
import { fieldsOf, meaningOf, meaningOfExtra } from "../internal/formats/meanings.js"

type AnyDataset = Pick<
  Dataset.Dataset<never, unknown>,
  "caveat" | "columns" | "instant" | "key" | "name" | "record" | "summary"
>

/** The databases that `createTable` writes for. */
export type Dialect = keyof typeof Ddl.dialects

/** Every `Dialect`. */
export const dialects: ReadonlyArray<Dialect> = ["duckdb", "postgres", "bigquery"]

/** The properties of a table besides its columns. */
const commentOf = ({ caveat, instant, key, summary }: AnyDataset): string =>
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
export const jsonSchema = (dataset: AnyDataset): OpenApi.Json => {
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
  dataset: AnyDataset,
  dialect: Dialect,
  options: { readonly table?: string | undefined } = {}
): string => {
  const fields = fieldsOf(dataset)
  return Ddl.createTable(dialect, {
    name: options.table ?? dataset.name.replaceAll("-", "_"),
    comment: commentOf(dataset),
    columns: [
      { name: "account", kind: "text", comment: "name of the account, or its UID" },
      { name: "category", kind: "text", comment: "category of the rows; empty if the dataset has none" },
      ...dataset.columns.map(({ kind, name }) => ({ name, kind, comment: meaningOf(fields[name]) })),
      { name: extra, kind: "text", comment: meaningOfExtra }
    ]
  })
}
