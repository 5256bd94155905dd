/** Reads the rows of a finished export in tables. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Dataset from "../model/Dataset.js"
import * as FindDataset from "../requests/findDataset.js"
import type { ReadOptions } from "./SqlSink.js"
import { wireOf } from "./sqlRecords.js"
import { select } from "./sqlSelect.js"
import * as Tables from "./sqlTables.js"
import type * as Manifest from "../model/Manifest.js"
import * as ExportFailure from "../model/ExportFailure.js"

/** See `SqlSink.rows`. */
export const rows = (
  part: Pick<Manifest.Part, "name" | "dataset" | "windows">,
  options: ReadOptions = {}
): Stream.Stream<Dataset.Row, ExportFailure.Unreadable, SqlClient.SqlClient> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { location = "database", name = Tables.defaultName, prefix = "venue_" } = options
      const sql = yield* SqlClient.SqlClient
      const dataset = yield* FindDataset.ofPart(part, options)
      const table = sql(Tables.rowsTable(dataset.name, prefix))
      const instant = Tables.instantOf(sql, dataset)
      const atOf = (record: Readonly<Record<string, unknown>>): number =>
        Option.match(dataset.instant, {
          onNone: () => Number(record.venue_window),
          onSome: ({ name }) => Number(record[name] ?? 0)
        })
      const columns = Tables.rowColumns(dataset)
      // SQLite begins at a place of the index by the first comparison, and not by that of two values.
      const page = (window: number, after: { readonly at: number; readonly key: string }) =>
        select(
          sql,
          columns,
          sql`FROM ${table} WHERE venue_export = ${name} AND venue_part = ${part.name} AND venue_window = ${window}
            AND ${instant} >= ${after.at} AND (${instant}, venue_key) > (${after.at}, ${after.key})
          ORDER BY ${instant}, venue_key LIMIT ${Tables.rowsAtOnce}`
        )
      const ofWindow = (window: number) =>
        Stream.paginateChunkEffect({ at: Number.MIN_SAFE_INTEGER, key: "" }, (after) =>
          Effect.flatMap(page(window, after), (records) =>
            // In a damaged file, instants can be invalid and JSON unreadable.
            Effect.try(() => {
              const last = records.at(-1)
              const rows = Chunk.fromIterable(records.map((record) => wireOf(dataset, record)))
              if (last === undefined || records.length < Tables.rowsAtOnce) return [rows, Option.none()] as const
              const at = atOf(last)
              if (!(at >= after.at)) throw new Error(`${String(at)} is not an instant`)
              return [rows, Option.some({ at, key: String(last.venue_key) })] as const
            })
          )
        )
      return Stream.flatMap(Stream.fromIterable(part.windows.keys()), ofWindow).pipe(
        Stream.mapError((error) => {
          const { cause } = error
          return new ExportFailure.Unreadable({
            location,
            detail: cause instanceof Error ? cause.message : error.message
          })
        })
      )
    })
  )
