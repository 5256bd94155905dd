import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Column from "../Column.js"
import type * as Dataset from "../Dataset.js"
import * as Manifest from "../Manifest.js"
import * as CheckpointFile from "./checkpointFile.js"

/** The table of the rows of a dataset. */
export const rowsTable = (dataset: string, prefix: string): string => `${prefix}${dataset.replaceAll("-", "_")}`

/** The name of an export whose caller gives none. */
export const defaultName = "export"

export const isPostgres = (sql: SqlClient.SqlClient): boolean =>
  sql.onDialectOrElse({ pg: () => true, orElse: () => false })

/** The columns of a table; none when there is no such table. */
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

/** The columns of tables, by name, in one statement where that is possible; a table that is not there has none. */
const columnsOfAll = (
  sql: SqlClient.SqlClient,
  tables: ReadonlyArray<string>
): Effect.Effect<ReadonlyMap<string, ReadonlyArray<string>>, SqlError.SqlError> =>
  Effect.gen(function* () {
    const found = new Map<string, Array<string>>(tables.map((table) => [table, []]))
    if (!isPostgres(sql)) {
      for (const table of tables) found.set(table, [...(yield* columnsOf(sql, table))])
      return found
    }
    const rows = yield* sql<{ readonly table: string; readonly name: string }>`
      SELECT relname AS table, attname AS name FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      WHERE ${sql.in("relname", tables)} AND pg_table_is_visible(pg_class.oid) AND attnum > 0 AND NOT attisdropped`
    for (const { name, table } of rows) found.get(table)?.push(name)
    return found
  })

/** Whether a table was written by a version that did not distinguish the exports of one database. */
export const isOld = (columns: ReadonlyArray<string>): boolean =>
  columns.length > 0 && !columns.includes("venue_export")

interface Table {
  readonly name: string
  /** Its dataset, unless it has rows of all. */
  readonly dataset: string | undefined
  readonly columns: ReadonlyArray<readonly [name: string, type: string]>
  /** Its primary key; empty for none. */
  readonly key: ReadonlyArray<string>
}

const typesOf = (isPostgres: boolean): Readonly<Record<Column.Kind, string>> => ({
  text: "TEXT",
  decimal: isPostgres ? "NUMERIC" : "TEXT",
  integer: "BIGINT",
  boolean: isPostgres ? "BOOLEAN" : "INTEGER",
  flag: "TEXT",
  millis: "BIGINT",
  seconds: "BIGINT",
  instant: "BIGINT",
  json: "TEXT"
})

const exportColumn = ["venue_export", `TEXT NOT NULL DEFAULT '${defaultName}'`] as const
const partColumn = ["venue_part", "TEXT NOT NULL"] as const

/** Whose rows they are, and of which category; null where a part has none. */
const labelColumns = [
  ["venue_account", "TEXT"],
  ["venue_category", "TEXT"]
] as const

const windowsOf = (prefix: string): Table => ({
  name: `${prefix}windows`,
  dataset: undefined,
  columns: [
    exportColumn,
    partColumn,
    ["number", "INTEGER NOT NULL"],
    ["first", "BIGINT NOT NULL"],
    ["past", "BIGINT NOT NULL"],
    ["row_count", "BIGINT NOT NULL"],
    ["moved", "BIGINT NOT NULL"],
    ["digest", "TEXT NOT NULL"]
  ],
  key: ["venue_export", "venue_part", "number"]
})

/** The table of the checkpoints of parts: lines, in their order. */
export const checkpointsTable = (prefix: string): string => `${prefix}checkpoints`

const checkpointsOf = (prefix: string): Table => ({
  name: checkpointsTable(prefix),
  dataset: undefined,
  columns: [exportColumn, partColumn, ["number", "INTEGER NOT NULL"], ["line", "TEXT NOT NULL"]],
  key: ["venue_export", "venue_part", "number"]
})

const rejectedOf = (prefix: string): Table => ({
  name: `${prefix}rejected`,
  dataset: undefined,
  columns: [exportColumn, partColumn, ["line", "TEXT NOT NULL"]],
  key: []
})

const rowsOf = (dataset: Dataset.Dataset<never, unknown>, prefix: string, isPostgres: boolean): Table => {
  const types = typesOf(isPostgres)
  return {
    name: rowsTable(dataset.name, prefix),
    dataset: dataset.name,
    columns: [
      exportColumn,
      partColumn,
      ["venue_key", "TEXT NOT NULL"],
      ...dataset.columns.map(({ kind, name }) => [name, types[kind]] as const),
      ["venue_extra", "TEXT"],
      ["venue_window", "INTEGER NOT NULL"],
      ...labelColumns
    ],
    key: ["venue_export", "venue_part", "venue_key"]
  }
}

/** `name` instead of the table's own: that of one which is about to replace it. */
const create = (sql: SqlClient.SqlClient, { columns, key, name: own }: Table, name = own) => {
  const primary = key.length === 0 ? [] : [sql`PRIMARY KEY (${sql.csv(key.map((column) => sql`${sql(column)}`))})`]
  return sql`CREATE TABLE IF NOT EXISTS ${sql(name)} (${sql.csv([
    ...columns.map(([column, type]) => sql`${sql(column)} ${sql.literal(type)}`),
    ...primary
  ])})`
}

/** In place, so that views and rights stay. */
const amendPostgres = (sql: SqlClient.SqlClient, { key, name }: Table, owner: string) =>
  Effect.gen(function* () {
    const table = sql(name)
    yield* sql`ALTER TABLE ${table} ADD COLUMN venue_export ${sql.literal(exportColumn[1])}`
    yield* sql`UPDATE ${table} SET venue_export = ${owner}`
    const constraints = yield* sql<{ readonly name: string }>`SELECT conname AS name FROM pg_constraint
      WHERE conrelid = to_regclass(quote_ident(${name})) AND contype = 'p'`
    for (const constraint of constraints) yield* sql`ALTER TABLE ${table} DROP CONSTRAINT ${sql(constraint.name)}`
    if (key.length > 0) {
      yield* sql`ALTER TABLE ${table} ADD PRIMARY KEY (${sql.csv(key.map((column) => sql`${sql(column)}`))})`
    }
  })

/** SQLite changes no primary key: the table is copied. Indexes and triggers of the application are made again. */
const copySqlite = (sql: SqlClient.SqlClient, table: Table, owner: string, columns: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const next = `${table.name}_next`
    const names = sql.csv(columns.map((column) => sql`${sql(column)}`))
    const more = yield* sql<{ readonly sql: string }>`SELECT sql FROM sqlite_master
      WHERE tbl_name = ${table.name} AND type IN ('index', 'trigger') AND sql IS NOT NULL`
    yield* create(sql, table, next)
    yield* sql`INSERT INTO ${sql(next)} (venue_export, ${names}) SELECT ${owner}, ${names} FROM ${sql(table.name)}`
    yield* sql`DROP TABLE ${sql(table.name)}`
    yield* sql`ALTER TABLE ${sql(next)} RENAME TO ${sql(table.name)}`
    for (const statement of more) yield* sql.unsafe(statement.sql)
  })

/** An export under way: what its parts have in common, and how far each has come. */
export interface Saved {
  readonly head: CheckpointFile.Head
  readonly states: ReadonlyArray<CheckpointFile.State>
  /** Whether an earlier version wrote it. */
  readonly isOld: boolean
}

/** Reads how far an export has come, from the text of its head; fails with what cannot be read. */
export const readSaved = (
  sql: SqlClient.SqlClient,
  prefix: string,
  name: string,
  text: string
): Effect.Effect<Saved, string | SqlError.SqlError> =>
  Effect.gen(function* () {
    const { head, states } = yield* Either.mapLeft(
      CheckpointFile.decode(text),
      (detail) => `${prefix}exports ${detail}`
    )
    if (states !== undefined) return { head, states, isOld: true }
    const table = checkpointsTable(prefix)
    const lines = yield* sql<{ readonly part: string; readonly line: string }>`SELECT venue_part AS part, line
      FROM ${sql(table)} WHERE venue_export = ${name} ORDER BY venue_part, number`
    const read = yield* Effect.forEach(head.plan.parts, (part) =>
      Either.mapLeft(
        CheckpointFile.replay(lines.filter((line) => line.part === part.name).map(({ line }) => line)),
        (detail) => `${table} ${detail}`
      )
    )
    return { head, states: read, isOld: false }
  })

/** Appends lines to the checkpoint of a part, after those that it has. */
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

interface Stored {
  readonly name: string
  readonly checkpoint: string | null
  readonly manifest: string | null
}

/** The parts of an export; undefined where they cannot be read. */
const partsOf = ({ checkpoint, manifest }: Stored): ReadonlyArray<Manifest.Subject> | undefined => {
  const begun = checkpoint === null ? [] : Either.getOrUndefined(CheckpointFile.decode(checkpoint))?.head.plan.parts
  const finished = manifest === null ? [] : Either.getOrUndefined(Manifest.decode(manifest))?.parts
  return begun === undefined || finished === undefined ? undefined : [...begun, ...finished]
}

/** Adds the columns of the labels to a table that an earlier version wrote, and fills them as the manifests say. */
const addLabels = (sql: SqlClient.SqlClient, { dataset, name }: Table, exports: ReadonlyArray<Stored>) =>
  Effect.gen(function* () {
    const table = sql(name)
    const there = yield* columnsOf(sql, name)
    for (const [column, type] of labelColumns) {
      if (!there.includes(column)) yield* sql`ALTER TABLE ${table} ADD COLUMN ${sql(column)} ${sql.literal(type)}`
    }
    for (const stored of exports) {
      for (const part of (partsOf(stored) ?? []).filter((part) => part.dataset === dataset)) {
        yield* sql`UPDATE ${table} SET venue_account = ${part.account}, venue_category = ${part.parameters.category ?? null}
          WHERE venue_export = ${stored.name} AND venue_part = ${part.name}`
      }
    }
  })

/** Old tables whose rows may belong to any of several exports. */
export interface Ambiguous {
  readonly _tag: "Ambiguous"
  readonly table: string
  readonly exports: ReadonlyArray<string>
}

interface Found {
  readonly table: Table
  readonly columns: ReadonlyArray<string>
}

/** Which tables are not as this version creates them. */
const surveyOf = (tables: ReadonlyArray<Table>, columns: ReadonlyMap<string, ReadonlyArray<string>>) => {
  const found = tables.map((table): Found => ({ table, columns: columns.get(table.name) ?? [] }))
  return {
    columns,
    old: found.filter(({ columns }) => isOld(columns)),
    unlabelled: found.filter(
      ({ columns, table }) => table.dataset !== undefined && columns.length > 0 && !columns.includes("venue_account")
    )
  }
}

/**
 * Creates the tables that are missing. Tables of a version that keyed rows by part alone are brought up to date when one export wrote
 * them, and left alone when several did: which rows are whose is lost. Called in a transaction.
 */
export const prepare = (
  prefix: string,
  name: string,
  datasets: ReadonlyArray<Dataset.Dataset<never, unknown>>,
  parts: ReadonlyArray<{ readonly dataset: Dataset.Dataset<never, unknown> }>
): Effect.Effect<void, SqlError.SqlError | Ambiguous, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const onPostgres = isPostgres(sql)
    const exports = sql(`${prefix}exports`)
    const shared = [windowsOf(prefix), rejectedOf(prefix), checkpointsOf(prefix)]
    const own = parts.map(({ dataset }) => rowsOf(dataset, prefix, onPostgres))
    const others = datasets
      .map((dataset) => rowsOf(dataset, prefix, onPostgres))
      .filter((table) => own.every(({ name }) => name !== table.name))
    const tables = [...shared, ...own, ...others]
    const survey = Effect.map(columnsOfAll(sql, [`${prefix}exports`, ...tables.map(({ name }) => name)]), (columns) =>
      surveyOf(tables, columns)
    )
    // Of two that create a table at once Postgres refuses one, whatever IF NOT EXISTS says. Where none is missing no other has to wait.
    if (onPostgres) {
      const { columns, old, unlabelled } = yield* survey
      const isThere = [`${prefix}exports`, ...[...shared, ...own].map(({ name }) => name)].every(
        (table) => (columns.get(table) ?? []).length > 0
      )
      if (isThere && old.length + unlabelled.length === 0) return
      yield* sql`SELECT pg_advisory_xact_lock(hashtext(${`${prefix}exports`}))`
    }
    yield* sql`CREATE TABLE IF NOT EXISTS ${exports} (name TEXT PRIMARY KEY, runner TEXT, checkpoint TEXT, manifest TEXT)`
    const { old, unlabelled } = yield* survey
    const rows =
      old.length + unlabelled.length === 0
        ? []
        : yield* sql<Stored>`SELECT name, checkpoint, manifest FROM ${exports}
            WHERE checkpoint IS NOT NULL OR manifest IS NOT NULL ORDER BY name`
    if (old.length > 0) {
      for (const { columns, table } of old) {
        const { dataset } = table
        const owners = rows
          .filter((row) => dataset === undefined || partsOf(row)?.some((part) => part.dataset === dataset) !== false)
          .map((row) => row.name)
        if (owners.length > 1) {
          return yield* Effect.fail<Ambiguous>({ _tag: "Ambiguous", table: table.name, exports: owners })
        }
        const owner = owners[0] ?? name
        yield* onPostgres ? amendPostgres(sql, table, owner) : copySqlite(sql, table, owner, columns)
      }
    }
    for (const { table } of unlabelled) yield* addLabels(sql, table, rows)
    for (const table of [...shared, ...own]) yield* create(sql, table)
  })
