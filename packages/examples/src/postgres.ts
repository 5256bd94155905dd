/**
 * History in the Postgres that an application has: the rows, how far the export has come, and what was read, in one database.
 *
 * @since 0.1.0
 */
import * as Datasets from "@effect-venue/history/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as SqlSink from "@effect-venue/history/SqlSink"
import type * as Windows from "@effect-venue/transport/Windows"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/**
 * Brings the tables up to date: the first call exports the whole range, each later one what is new since.
 *
 * @since 0.1.0
 * @category examples
 */
export const update = (range: Windows.Range) =>
  History.runAll(
    [Part.make(Datasets.executions, { category: "linear" }), Part.make(Datasets.deposits, {})],
    range,
    SqlSink.make(),
    {
      incremental: true
    }
  )

/**
 * Fees by symbol, exactly: amounts are NUMERIC.
 *
 * @since 0.1.0
 * @category examples
 */
export const fees = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly symbol: string; readonly fee: string; readonly fills: string }>`
    SELECT symbol, sum(${sql("execFee")})::text AS fee, count(*) AS fills FROM venue_executions
    WHERE venue_export = 'export' AND ${sql("execType")} = 'Trade' GROUP BY symbol ORDER BY symbol`
)
