/** History in an application's Postgres: the rows, the progress of the export, and the results in one database. */
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as SqlSink from "@effect-venue/history/SqlSink"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Updates the tables: the first call exports the whole range, each later call only new rows. */
export const update = (range: History.Range) =>
  History.runAll(
    [Part.make(History.executions, { category: "linear" }), Part.make(History.deposits, {})],
    range,
    SqlSink.make(),
    {
      incremental: true
    }
  )

/** The exact fees by symbol; amounts are NUMERIC. */
export const fees = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly symbol: string; readonly fee: string; readonly fills: string }>`
    SELECT symbol, sum(${sql("execFee")})::text AS fee, count(*) AS fills FROM venue_executions
    WHERE venue_export = 'export' AND ${sql("execType")} = 'Trade' GROUP BY symbol ORDER BY symbol`
)
