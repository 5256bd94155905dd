import * as Breadth from "@effect-venue/testing/Breadth"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as ExportFailure from "@effect-venue/history/ExportFailure"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import type * as Sink from "@effect-venue/history/Sink"
import * as SqlSink from "@effect-venue/history/SqlSink"
import * as SqlClient from "@effect/sql/SqlClient"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Ref, TestServices } from "effect"
import { databases } from "./utils/databases.js"
import { settle } from "@effect-venue/testing/Settling"
import { day, exchange, onThatDay, today } from "./utils/world.js"

const parts = [Part.make(Datasets.executions, { category: "spot" })]
const range = { from: today - 22 * day, to: today - day }

const refused = new ExportFailure.SinkFailure({ location: "database", detail: "another owner writes" })

/** Everything that an export has written. */
const contents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`SELECT venue_key FROM venue_executions ORDER BY venue_key`
  const windows = yield* sql`SELECT * FROM venue_windows ORDER BY number`
  const checkpoints = yield* sql`SELECT * FROM venue_checkpoints ORDER BY number`
  const exports = yield* sql`SELECT checkpoint, manifest FROM venue_exports`
  return { rows, windows, checkpoints, exports }
})

for (const { dialect, isReachable, layer, name } of databases) {
  const world = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    effect.pipe(Effect.provide(layer), Effect.provide(NodeContext.layer), TestServices.provideLive)

  describe.skipIf(!isReachable)(`a fence of an export in ${name}`, () => {
    it.scoped("refuses every write of an export after its fence fails", () =>
      onThatDay(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const asked = yield* Ref.make(0)
          const allowing = (writes: number) =>
            SqlSink.make({
              fence: Effect.flatMap(
                Ref.updateAndGet(asked, (before) => before + 1),
                (now) => (now <= writes ? Effect.void : refused)
              )
            })
          yield* settle(History.runAll(parts, range, allowing(Infinity)))
          const writes = yield* Ref.get(asked)
          // The lock, the begin, at least one window and the manifest.
          expect(writes).toBeGreaterThan(3)
          const counts = Array.from({ length: writes }, (_, index) => index)
          // In the long tier each write is the first that is refused.
          for (const allowed of Breadth.isLong ? counts : [0, 1, 2, 3, writes - 1]) {
            yield* sql`DELETE FROM venue_executions`
            yield* sql`DELETE FROM venue_windows`
            yield* sql`DELETE FROM venue_checkpoints`
            yield* sql`UPDATE venue_exports SET checkpoint = NULL, manifest = NULL`
            yield* Ref.set(asked, 0)
            const failure = yield* settle(Effect.flip(History.runAll(parts, range, allowing(allowed))))
            expect(failure).toMatchObject({ _tag: "SinkFailure", detail: "another owner writes" })
            const { exports, windows } = yield* contents
            expect(windows).toHaveLength(Math.max(0, allowed - 2))
            expect(exports).toMatchObject([{ manifest: null }])
          }
        }).pipe(Effect.provide(exchange()), Effect.provide(layer))
      ).pipe(Effect.provide(NodeContext.layer))
    )

    it.scoped("opens an export of a process on another machine, which then commits nothing", () =>
      onThatDay(
        Effect.gen(function* () {
          const begun = yield* Deferred.make<void>()
          const goOn = yield* Deferred.make<void>()
          // Stopped outside of its transactions, as a process that is frozen between its question and its write.
          const frozen: Sink.Sink<SqlClient.SqlClient> = {
            ...SqlSink.make({ fence: Effect.void }),
            open: (...args) =>
              Effect.map(SqlSink.make({ fence: Effect.void }).open(...args), (store) => ({
                ...store,
                append: (batch) =>
                  Deferred.succeed(begun, undefined).pipe(
                    Effect.zipRight(Deferred.await(goOn)),
                    Effect.zipRight(store.append(batch))
                  )
              }))
          }
          const first = yield* Effect.fork(Effect.flip(History.runAll(parts, range, frozen)))
          yield* settle(Deferred.await(begun))
          const manifest = yield* settle(History.runAll(parts, range, SqlSink.make({ fence: Effect.void })))
          expect(manifest.verdict).toBe("complete")
          const before = yield* contents
          yield* Deferred.succeed(goOn, undefined)
          const failure = yield* settle(Fiber.join(first))
          expect(failure).toMatchObject({ _tag: "SinkFailure", detail: "another process took over the export export" })
          expect(yield* contents).toEqual(before)
        }).pipe(Effect.provide(exchange()), Effect.provide(layer))
      ).pipe(Effect.provide(NodeContext.layer))
    )

    it.skipIf(dialect !== "postgres")("ends a transaction whose process is silent", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const limit = Effect.map(
          sql<{ readonly limit: string }>`SELECT current_setting('idle_in_transaction_session_timeout') AS limit`,
          ([row]) => row?.limit
        )
        const within = yield* Ref.make<string | undefined>(undefined)
        const fence = Effect.orDie(Effect.flatMap(limit, (found) => Ref.set(within, found)))
        yield* Effect.scoped(SqlSink.make({ fence }).open(parts))
        expect(yield* Ref.get(within)).toBe("5s")
        // The connection goes back to others as it was.
        expect(yield* limit).not.toBe("5s")
      }).pipe(world, Effect.runPromise)
    )

    it.skipIf(dialect !== "postgres")("opens an export beside others that open theirs, once all tables are there", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const open = (name: string) => Effect.scoped(SqlSink.make({ name, fence: Effect.void }).open(parts))
        yield* open("first")
        const second = yield* sql.reserve
        const run = (statement: string) => second.executeUnprepared(statement, [], undefined)
        yield* run("BEGIN; SELECT pg_advisory_xact_lock(hashtext('venue_exports'))")
        yield* Effect.timeout(open("second"), "1 minute")
        yield* run("COMMIT")
      }).pipe(Effect.scoped, world, Effect.runPromise)
    )
  })
}
