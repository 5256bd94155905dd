import type * as SqlClient from "@effect/sql/SqlClient"
import * as SqlError from "@effect/sql/SqlError"
import type * as Statement from "@effect/sql/Statement"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"

export const isPostgres = (sql: SqlClient.SqlClient): boolean =>
  sql.onDialectOrElse({ pg: () => true, orElse: () => false })

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const decode = (bytes: unknown): ReadonlyArray<unknown> => {
  if (!(bytes instanceof ArrayBuffer || bytes instanceof Uint8Array)) return []
  const values: unknown = JSON.parse(utf8.decode(bytes))
  return Array.isArray(values) ? values : []
}

/** The most columns of one JSON text: a function of SQLite takes 100 arguments. */
const columnsAtOnce = 100

/** A column of SQLite for a JSON text. An integer that a JavaScript number does not have is text, and a blob, which no export writes, is no UTF-8. */
const toJson = (sql: SqlClient.SqlClient, name: string) => {
  const column = sql(name)
  return sql`CASE typeof(${column}) WHEN 'integer' THEN CASE WHEN ${column} BETWEEN ${sql.literal(String(-Number.MAX_SAFE_INTEGER))} AND ${sql.literal(String(Number.MAX_SAFE_INTEGER))} THEN ${column} ELSE CAST(${column} AS TEXT) END WHEN 'blob' THEN CAST(X'FF' AS TEXT) ELSE ${column} END`
}

/**
 * Selects columns of a table. In SQLite, the columns of a row are one JSON text, which is read as bytes and decoded here: the client takes several times as
 * long for as many values, and it aborts the process at text that is not UTF-8, which a damaged file can contain.
 */
export const select = <A extends Readonly<Record<string, unknown>>>(
  sql: SqlClient.SqlClient,
  columns: ReadonlyArray<keyof A & string>,
  rest: Statement.Fragment
): Effect.Effect<ReadonlyArray<A>, SqlError.SqlError> => {
  if (isPostgres(sql)) return sql<A>`SELECT ${sql.csv(columns.map((name) => sql`${sql(name)}`))} ${rest}`
  const texts = Arr.chunksOf(columns, columnsAtOnce).map(
    (some, index) =>
      sql`CAST(json_array(${sql.csv(some.map((name) => toJson(sql, name)))}) AS BLOB) AS ${sql(`venue_${index}`)}`
  )
  const rows = sql<Readonly<Record<string, unknown>>>`SELECT ${sql.csv(texts)} ${rest}`
  return Effect.flatMap(rows, (found) =>
    Effect.try({
      try: () =>
        found.map((row) => {
          const values = texts.flatMap((_, index) => decode(row[`venue_${index}`]))
          // The columns are those of the query.
          return Object.fromEntries(columns.map((name, index) => [name, values[index]])) as unknown as A
        }),
      catch: () => {
        const cause = new Error("text in it is not UTF-8: the file is damaged")
        return new SqlError.SqlError({ cause, message: cause.message })
      }
    })
  )
}
