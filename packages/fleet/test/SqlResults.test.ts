import type { FleetAccount } from "@effect-venue/fleet/Accounts"
import type * as Owner from "@effect-venue/fleet/siblings/Owner"
import * as SqlLedger from "@effect-venue/fleet/SqlLedger"
import type * as Sink from "@effect-venue/history/Sink"
import * as SqlSink from "@effect-venue/history/SqlSink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Servers from "@effect-venue/testing/Servers"
import { NodeContext } from "@effect/platform-node"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { describe, expect } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { account, credentials, fleetOf, settle, testsIn } from "./utils/world.js"

// The ledger and the results in one Postgres: what an owner that was frozen writes when it wakes.

const server = await Servers.postgres()

/** A schema of its own, until the scope ends. */
const database = Layer.unwrapScoped(
  Effect.gen(function* () {
    const schema = `fleet_${globalThis.crypto.randomUUID().slice(0, 8)}`
    const admin = PgClient.layer({ url: Redacted.make(server.url), maxConnections: 1 })
    const run = (statement: string) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(Effect.provide(admin), Effect.scoped)
    yield* Effect.acquireRelease(run(`CREATE SCHEMA ${schema}`), () =>
      Effect.orDie(run(`DROP SCHEMA ${schema} CASCADE`))
    )
    const url = new URL(server.url)
    url.searchParams.set("options", `-c search_path=${schema}`)
    return PgClient.layer({ url: Redacted.make(url.href), maxConnections: 8 })
  })
)

const world = Layer.mergeAll(credentials, SqlLedger.layer({ timeout: Duration.infinity })).pipe(
  Layer.provideMerge(database),
  Layer.provideMerge(Sandbox.layer({ seed: 3, prices: "still" })),
  Layer.provideMerge(NodeContext.layer)
)

const test = testsIn(world)

/** What the tables have of every export. */
const contents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    rows: yield* sql`SELECT venue_account, venue_category, "execId" AS id FROM venue_executions ORDER BY venue_account, "execId"`,
    windows: yield* sql`SELECT venue_export, number, row_count FROM venue_windows ORDER BY venue_export, number`,
    exports: yield* sql`SELECT name, checkpoint, manifest IS NULL AS unfinished FROM venue_exports ORDER BY name`
  }
})

type SinkOf = Owner.SinkOf<SqlClient.SqlClient>

/** Each export under a name of its own, in tables that all of them share. */
const inTables: SinkOf = ({ name }, part, fence) => SqlSink.make({ name: `${name}/${part}`, fence })

/** A process that is frozen at a point of its own choice, until it is revived: nothing interrupts it. */
const freezer = Effect.gen(function* () {
  const frozen = yield* Deferred.make<void>()
  const revived = yield* Deferred.make<void>()
  const freeze = Effect.uninterruptible(Effect.zipRight(Deferred.succeed(frozen, undefined), Deferred.await(revived)))
  return { frozen: Deferred.await(frozen), revive: Deferred.succeed(revived, undefined), freeze }
})

const fleetIn = (accounts: ReadonlyArray<FleetAccount>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { ledger, own } = yield* fleetOf(accounts)
    const provided =
      (sinkOf: SinkOf): Owner.SinkOf<never> =>
      (account, part, fence) => {
        const sink = sinkOf(account, part, fence)
        return { ...sink, open: (...args) => Effect.provideService(sink.open(...args), SqlClient.SqlClient, sql) }
      }
    return { ledger, own: (sink: SinkOf) => own({ sink: provided(sink) }) }
  })

/** Every row of the sandbox, once, under the name of its account. */
const expectAll = (accounts: ReadonlyArray<FleetAccount>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const sandbox = yield* Sandbox.Sandbox
    for (const { from, name } of accounts) {
      const report = yield* SqlSink.verify({ name: `${name}/executions-linear` })
      expect(report).toMatchObject({ findings: [], manifest: { verdict: "complete" } })
      const role = name as "main" | "sub"
      const { to } = report.manifest
      const holds = yield* sandbox.holds({ uid: sandbox.uids[role], category: "linear", from, to })
      const rows = yield* sql<{ readonly id: string }>`SELECT "execId" AS id FROM venue_executions
        WHERE venue_account = ${name} AND venue_category = 'linear'`
      expect(holds.executions.count).toBeGreaterThan(0)
      expect(rows).toHaveLength(holds.executions.count)
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
    }
  })

const linear = { categories: ["linear"] } as const

const accounts = [account("main", linear), account("sub", linear)]

/** Another owner takes the address of one that is frozen, which then goes on. Returns the tables before and after that. */
const overtaken = (sinkOf: SinkOf, { frozen, revive }: Effect.Effect.Success<typeof freezer>) =>
  Effect.gen(function* () {
    const { ledger, own } = yield* fleetIn(accounts)
    const first = yield* Effect.fork(Effect.exit(own(sinkOf)))
    yield* settle(frozen)
    expect(yield* ledger.own("a", "the next owner")).toMatchObject({ epoch: 2 })
    const before = yield* contents
    yield* revive
    const exit = yield* settle(Fiber.join(first))
    expect(Exit.match(exit, { onSuccess: () => "ended", onFailure: String })).toContain("NotOwner")
    const after = yield* contents
    yield* settle(own(inTables))
    yield* expectAll(accounts)
    return { before, after }
  })

describe.skipIf(server.isSkipped)(`results in the ledger's database, ${server.label}`, () => {
  test("refuses the commit of an owner that was frozen between its question and the commit", function* () {
    const freezing = yield* freezer
    const sinkOf: SinkOf = (...of) => {
      const sink = inTables(...of)
      const open: Sink.Sink<SqlClient.SqlClient>["open"] = (...args) =>
        Effect.map(sink.open(...args), (store) => ({
          ...store,
          append: (batch) => Effect.uninterruptible(Effect.zipRight(freezing.freeze, store.append(batch)))
        }))
      return { ...sink, open }
    }
    // The next owner has not opened the export yet. Until then the other export may have begun.
    const { after, before } = yield* overtaken(sinkOf, freezing)
    expect(after).toEqual(before)
  })

  test("rolls back the commit of an owner that was frozen in it, and keeps the next owner waiting for seconds only", function* () {
    const freezing = yield* freezer
    let asked = 0
    const sinkOf: SinkOf = (account, part, fence) =>
      // The lock and the begin are written, the first commit is under way.
      inTables(
        account,
        part,
        Effect.zipRight(
          fence,
          Effect.suspend(() => (account.name === "main" && ++asked === 3 ? freezing.freeze : Effect.void))
        )
      )
    // The next owner waits for the lock of the frozen transaction, which Postgres ends.
    const { after, before } = yield* overtaken(sinkOf, freezing)
    expect(after.rows).toEqual(before.rows)
    expect(before.rows.filter((row) => row.venue_account === "main")).toEqual([])
  })

  test("commits nothing more of an account that was paused in the meantime", function* () {
    const { ledger, own } = yield* fleetIn([account("main", linear)])
    const { freeze, frozen, revive } = yield* freezer
    let asked = 0
    const freezing: SinkOf = (account, part, fence) =>
      inTables(
        account,
        part,
        Effect.zipRight(
          Effect.suspend(() => (++asked === 3 ? freeze : Effect.void)),
          fence
        )
      )
    const first = yield* Effect.fork(Effect.exit(own(freezing)))
    yield* settle(frozen)
    yield* ledger.setPaused("main", true)
    yield* revive
    yield* settle(Fiber.join(first))
    const { rows } = yield* contents
    expect(rows).toEqual([])
  })
})
