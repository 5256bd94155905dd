import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import type * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Column from "../model/Column.js"
import type * as Dataset from "../model/Dataset.js"
import * as CheckpointFile from "../files/checkpointFile.js"
import { isPostgres, select } from "./sqlSelect.js"

/** The table of the rows of a dataset. */
export const rowsTable = (dataset: string, prefix: string): string => `${prefix}${dataset.replaceAll("-", "_")}`

/** The default name of an export. */
export const defaultName = "export"

/** The columns of a table; none if the table does not exist. */
export const columnsOf = (
  sql: SqlClient.SqlClient,
  table: string
): Effect.Effect<ReadonlyArray<string>, SqlError.SqlError> =>
  Effect.map(
    isPostgres(sql)
      ? sql<{ readonly name: string }>`SELECT attname AS name FROM pg_attribute
          WHERE attrelid = to_regclass(quote_ident(${table})) AND attnum > 0 AND NOT attisdropped`
      : sql<{ readonly name: string }>`SELECT name FROM pragma_table_info(${table})`,
    (columns) => columns.map(({ name }) => name)
  )

interface TableDefinition {
  readonly name: string
  readonly columns: ReadonlyArray<readonly [name: string, type: string]>
  /** Its primary key; empty for none. */
  readonly key: ReadonlyArray<string>
}

const typeOf = (kind: Column.Kind, isPostgres: boolean): string => {
  if (kind === "decimal") return isPostgres ? "NUMERIC" : "TEXT"
  if (kind === "boolean") return isPostgres ? "BOOLEAN" : "INTEGER"
  return kind === "integer" || Column.isInstant(kind) ? "BIGINT" : "TEXT"
}

const exportColumn = ["venue_export", "TEXT NOT NULL"] as const
const partColumn = ["venue_part", "TEXT NOT NULL"] as const

/** The table with the number of rows of every window, their digest, and that of its rejected rows. */
export const windowsTable = (prefix: string): string => `${prefix}windows`

/** The table of the rejected rows: lines. */
export const nameOfRejected = (prefix: string): string => `${prefix}rejected`

/** The table of the exports, with their manifests. */
const exportsTable = (prefix: string): string => `${prefix}exports`

/** The table of the checkpoints of parts: lines, in order. */
export const checkpointsTable = (prefix: string): string => `${prefix}checkpoints`

/** The tables of all exports, beside those of their rows. */
const tablesOfAll = (prefix: string): ReadonlyArray<TableDefinition> => [
  {
    name: exportsTable(prefix),
    columns: [
      ["name", "TEXT NOT NULL"],
      ["runner", "TEXT"],
      ["checkpoint", "TEXT"],
      ["manifest", "TEXT"]
    ],
    key: ["name"]
  },
  {
    name: windowsTable(prefix),
    columns: [
      exportColumn,
      partColumn,
      ["number", "INTEGER NOT NULL"],
      ["first", "BIGINT NOT NULL"],
      ["past", "BIGINT NOT NULL"],
      ["row_count", "BIGINT NOT NULL"],
      ["moved", "BIGINT NOT NULL"],
      ["digest", "TEXT NOT NULL"],
      ["rejected", "TEXT NOT NULL"]
    ],
    key: ["venue_export", "venue_part", "number"]
  },
  { name: nameOfRejected(prefix), columns: [exportColumn, partColumn, ["line", "TEXT NOT NULL"]], key: [] },
  {
    name: checkpointsTable(prefix),
    columns: [exportColumn, partColumn, ["number", "INTEGER NOT NULL"], ["line", "TEXT NOT NULL"]],
    key: ["venue_export", "venue_part", "number"]
  }
]

const rowsOf = (dataset: Dataset.Dataset<never, unknown>, prefix: string, isPostgres: boolean): TableDefinition => ({
  name: rowsTable(dataset.name, prefix),
  columns: [
    exportColumn,
    partColumn,
    // Keys of one id follow each other in the order of their bytes.
    ["venue_key", isPostgres ? 'TEXT COLLATE "C" NOT NULL' : "TEXT NOT NULL"],
    ...dataset.columns.map(({ kind, name }) => [name, typeOf(kind, isPostgres)] as const),
    ["venue_extra", "TEXT"],
    ["venue_window", "INTEGER NOT NULL"],
    // Null if a part has none.
    ["venue_account", "TEXT"],
    ["venue_category", "TEXT"]
  ],
  key: ["venue_export", "venue_part", "venue_key"]
})

/** The instant by which the rows of a window are read; the number of the window without one. */
export const instantOf = (sql: SqlClient.SqlClient, { instant }: Pick<Dataset.Dataset<never, unknown>, "instant">) =>
  Option.match(instant, { onNone: () => sql`venue_window`, onSome: ({ name }) => sql`COALESCE(${sql(name)}, 0)` })

/**
 * Creates the index by which rows are read, if it is missing. Called at the end of an export: an index that is made of all rows at once is cheaper than one
 * that grows with each row.
 */
export const createIndex = (
  sql: SqlClient.SqlClient,
  dataset: Dataset.Dataset<never, unknown>,
  prefix: string
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.gen(function* () {
    const table = rowsTable(dataset.name, prefix)
    const index = `${table}_by_instant`
    const existing = isPostgres(sql)
      ? sql`SELECT 1 FROM pg_class WHERE relname = ${index} AND relkind = 'i' AND pg_table_is_visible(oid)`
      : sql`SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ${index}`
    if ((yield* existing).length > 0) return
    yield* lockTables(sql, prefix)
    yield* sql`CREATE INDEX IF NOT EXISTS ${sql(index)} ON ${sql(table)}
      (venue_export, venue_part, venue_window, (${instantOf(sql, dataset)}), venue_key)`
  })

/** The columns of the table of a dataset's rows. */
export const rowColumns = (dataset: Dataset.Dataset<never, unknown>): ReadonlyArray<string> =>
  rowsOf(dataset, "", false).columns.map(([name]) => name)

const create = (sql: SqlClient.SqlClient, { columns, key, name }: TableDefinition) => {
  const primary = key.length === 0 ? [] : [sql`PRIMARY KEY (${sql.csv(key.map((column) => sql`${sql(column)}`))})`]
  return sql`CREATE TABLE IF NOT EXISTS ${sql(name)} (${sql.csv([
    ...columns.map(([column, type]) => sql`${sql(column)} ${sql.literal(type)}`),
    ...primary
  ])})`
}

/** Decodes the progress of an export from the text of its head. Fails with the unreadable field. */
export const readSaved = (
  sql: SqlClient.SqlClient,
  prefix: string,
  name: string,
  text: string
): Effect.Effect<CheckpointFile.Saved, string | SqlError.SqlError> =>
  CheckpointFile.readSaved(text, exportsTable(prefix), (part) => {
    const at = checkpointsTable(prefix)
    const found = select<{ readonly line: string }>(
      sql,
      ["line"],
      sql`FROM ${sql(at)} WHERE venue_export = ${name} AND venue_part = ${part.name} ORDER BY number`
    )
    return Effect.map(found, (lines) => ({ at, lines: lines.map(({ line }) => line) }))
  })

/** Appends a line to the checkpoint of a part. */
export const appendLine = (
  sql: SqlClient.SqlClient,
  prefix: string,
  { line, name, part }: { readonly name: string; readonly part: string; readonly line: string }
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.gen(function* () {
    const table = sql(checkpointsTable(prefix))
    const [counted] = yield* sql<{ readonly n: number | string }>`SELECT count(*) AS n FROM ${table}
      WHERE venue_export = ${name} AND venue_part = ${part}`
    yield* sql`INSERT INTO ${table} ${sql.insert({ venue_export: name, venue_part: part, number: Number(counted?.n ?? 0), line })}`
  })

/** The number of rows in memory at once. */
export const rowsAtOnce = 1000

/**
 * The rows of a dataset that a condition selects, some at a time, in the order of the table of SQLite: no index is read, because it can be damaged while the table is
 * not, and the reverse. Ends at a row that is out of this order.
 */
const pagesByRow = (
  sql: SqlClient.SqlClient,
  columns: ReadonlyArray<string>,
  table: string,
  condition: Statement.Fragment
) =>
  Stream.paginateEffect(Number.MIN_SAFE_INTEGER, (after) =>
    Effect.map(
      select(
        sql,
        ["rowid", ...columns],
        sql`FROM ${sql(table)} NOT INDEXED WHERE ${condition} AND rowid > ${after} ORDER BY rowid LIMIT ${rowsAtOnce}`
      ),
      (rows) => {
        const last = Number(rows.at(-1)?.rowid)
        return [rows, rows.length < rowsAtOnce || !(last > after) ? Option.none() : Option.some(last)]
      }
    )
  )

/** The rows of a dataset that a condition selects, by their keys, some at a time. */
export const pagesByKey = (
  sql: SqlClient.SqlClient,
  dataset: Dataset.Dataset<never, unknown>,
  prefix: string,
  condition: Statement.Fragment
) =>
  Stream.paginateEffect("", (after) =>
    Effect.map(
      select(
        sql,
        rowColumns(dataset),
        sql`FROM ${sql(rowsTable(dataset.name, prefix))} WHERE ${condition} AND venue_key > ${after}
          ORDER BY venue_key LIMIT ${rowsAtOnce}`
      ),
      (rows) => [rows, rows.length < rowsAtOnce ? Option.none() : Option.some(String(rows.at(-1)?.venue_key))]
    )
  )

/** The rows of a dataset that a condition selects, in any order, some at a time. In SQLite no index is read. */
export const pages = (
  sql: SqlClient.SqlClient,
  dataset: Dataset.Dataset<never, unknown>,
  prefix: string,
  condition: Statement.Fragment
) =>
  isPostgres(sql)
    ? pagesByKey(sql, dataset, prefix, condition)
    : pagesByRow(sql, rowColumns(dataset), rowsTable(dataset.name, prefix), condition)

/** The lines of rejected rows that a condition selects, in any order, some at a time. */
export const readRejectedLines = (sql: SqlClient.SqlClient, prefix: string, condition: Statement.Fragment) =>
  isPostgres(sql)
    ? Stream.map(
        Stream.grouped(
          sql<{ readonly line: string }>`SELECT line FROM ${sql(nameOfRejected(prefix))} WHERE ${condition}`.stream,
          rowsAtOnce
        ),
        (rows) => Array.from(rows, ({ line }) => line)
      )
    : Stream.map(pagesByRow(sql, ["line"], nameOfRejected(prefix), condition), (rows) =>
        rows.map(({ line }) => String(line))
      )

/** The columns of the table of a dataset whose types in SQLite are not those that it was created with. */
export const findChangedTypes = (
  sql: SqlClient.SqlClient,
  dataset: Dataset.Dataset<never, unknown>,
  prefix: string
): Effect.Effect<ReadonlyArray<string>, SqlError.SqlError> => {
  const { columns, name } = rowsOf(dataset, prefix, false)
  const found = select<{ readonly name: string; readonly type: string }>(
    sql,
    ["name", "type"],
    sql`FROM pragma_table_info(${name})`
  )
  return Effect.map(found, (all) => {
    const types = new Map(all.map(({ name, type }) => [name, type]))
    return columns.flatMap(([column, type]) => (types.get(column) === type.split(" ")[0] ? [] : [column]))
  })
}

/**
 * Locks the tables of a prefix until the transaction ends. If two sessions create a table at once, Postgres refuses one of them in spite of IF NOT
 * EXISTS.
 */
const lockTables = (sql: SqlClient.SqlClient, prefix: string) =>
  isPostgres(sql) ? sql`SELECT pg_advisory_xact_lock(hashtext(${exportsTable(prefix)}))` : Effect.void

/** Creates the tables that are missing. Called in a transaction. */
export const prepare = (
  prefix: string,
  parts: ReadonlyArray<{ readonly dataset: Dataset.Dataset<never, unknown> }>
): Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const onPostgres = isPostgres(sql)
    const tables = [...tablesOfAll(prefix), ...parts.map(({ dataset }) => rowsOf(dataset, prefix, onPostgres))]
    // No lock is needed if no table is missing.
    if (onPostgres) {
      const names = [...new Set(tables.map(({ name }) => name))]
      const existing = yield* sql`SELECT relname FROM pg_class
        WHERE ${sql.in("relname", names)} AND relkind IN ('r', 'p') AND pg_table_is_visible(oid)`
      if (existing.length === names.length) return
      yield* lockTables(sql, prefix)
    }
    for (const table of tables) yield* create(sql, table)
  })
