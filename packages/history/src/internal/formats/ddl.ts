import * as Column from "../../shared/Column.js"
import * as DuckDb from "./duckdb.js"

/** A column of a table, with its comment. */
export interface Described {
  readonly name: string
  readonly kind: Column.Kind
  readonly comment: string
}

/** A table with its comment. */
export interface Table {
  readonly name: string
  readonly comment: string
  readonly columns: ReadonlyArray<Described>
}

/** The SQL dialect of a database. */
interface Dialect {
  /** The SQL type of each kind. */
  readonly types: Readonly<Record<"decimal" | "integer" | "boolean" | "instant" | "text", string>>
  readonly name: (text: string) => string
  readonly create: (table: Table, columns: ReadonlyArray<readonly [column: Described, definition: string]>) => string
}

const list = (definitions: ReadonlyArray<string>): string => definitions.map((line) => `  ${line}`).join(",\n")

const plainTable = (table: Table, definitions: ReadonlyArray<string>): string =>
  `CREATE TABLE ${DuckDb.name(table.name)} (\n${list(definitions)}\n);\n`

/** A statement for each comment: DuckDB and Postgres have the same. */
const withComments: Dialect["create"] = (table, columns) =>
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

export const dialects = {
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
} as const satisfies Readonly<Record<string, Dialect>>

const typeOf = (kind: Column.Kind): keyof Dialect["types"] => {
  if (Column.isInstant(kind)) return "instant"
  return kind === "flag" || kind === "json" ? "text" : kind
}

/** The statements that create a table. */
export const createTable = (dialect: keyof typeof dialects, table: Table): string => {
  const { create, name, types }: Dialect = dialects[dialect]
  return create(
    table,
    table.columns.map((column) => [column, `${name(column.name)} ${types[typeOf(column.kind)]}`] as const)
  )
}
