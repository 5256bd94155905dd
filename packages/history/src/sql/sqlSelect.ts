import type * as SqlClient from "@effect/sql/SqlClient"
import * as SqlError from "@effect/sql/SqlError"
import type * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"

export const isPostgres = (sql: SqlClient.SqlClient): boolean =>
  sql.onDialectOrElse({ pg: () => true, orElse: () => false })

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const textOf = (value: unknown): unknown =>
  value instanceof ArrayBuffer || value instanceof Uint8Array ? utf8.decode(value) : value

/**
 * Selects columns of a table. In SQLite, text is read as bytes and decoded here: a damaged file can contain text that is not UTF-8, at which
 * the client aborts the process. An integer that a JavaScript number does not have is text too. A blob, which no export writes, is read as bytes that are not UTF-8.
 */
export const select = <A extends Readonly<Record<string, unknown>>>(
  sql: SqlClient.SqlClient,
  columns: ReadonlyArray<keyof A & string>,
  rest: Statement.Fragment
): Effect.Effect<ReadonlyArray<A>, SqlError.SqlError> => {
  const plain = isPostgres(sql)
  const list = sql.csv(
    columns.map((name) => {
      const column = sql(name)
      return plain
        ? sql`${column}`
        : sql`CASE typeof(${column}) WHEN 'integer' THEN CASE WHEN ${column} BETWEEN ${-Number.MAX_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER} THEN ${column} ELSE CAST(CAST(${column} AS TEXT) AS BLOB) END WHEN 'text' THEN CAST(${column} AS BLOB) WHEN 'blob' THEN X'FF' ELSE ${column} END AS ${column}`
    })
  )
  const rows = sql<A>`SELECT ${list} ${rest}`
  if (plain) return rows
  return Effect.flatMap(rows, (found) =>
    Effect.try({
      try: () =>
        found.map(
          // Decode the text columns.
          (row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, textOf(value)])) as unknown as A
        ),
      catch: () => {
        const cause = new Error("text in it is not UTF-8: the file is damaged")
        return new SqlError.SqlError({ cause, message: cause.message })
      }
    })
  )
}
