import * as PostgresRateLimitStore from "@effect-venue/transport/PostgresRateLimitStore"
import { type Charge, withEgress } from "@effect-venue/transport/RateLimitStore"
import * as RateLimitStoreLaws from "@effect-venue/transport/RateLimitStoreLaws"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Layer, Redacted, Schedule, type Scope } from "effect"
import * as postgres from "./utils/postgres.js"

const made = (options: PostgresRateLimitStore.Options) =>
  Effect.flatMap(postgres.prefix, (prefix) => Effect.orDie(PostgresRateLimitStore.make({ prefix, ...options })))

const lease = "5 seconds"

const unreachable = Effect.gen(function* () {
  const { cut, layer } = yield* postgres.severable
  const store = yield* Effect.provide(made({}), yield* Layer.build(layer))
  yield* cut
  return store
})

const subject: RateLimitStoreLaws.Subject<SqlClient.SqlClient | Scope.Scope> = {
  make: made({ rest: false, egress: "here", lease, timeout: "5 seconds" }),
  pass: Effect.sleep,
  precision: "100 millis",
  window: "2 seconds",
  makeRested: made({}),
  makeUnreachable: unreachable,
  elsewhere: (store) => Effect.succeed(withEgress(store, "there")),
  lease
}

describe.skipIf(postgres.server.isSkipped).concurrent(`the laws of rate limits in ${postgres.server.label}`, () => {
  for (const { check, name } of RateLimitStoreLaws.of(subject)) {
    it.scopedLive(name, () => Effect.provide(check, postgres.layer))
  }
})

const minute = Duration.minutes(1)

const charge = (key: string, limit: number): Charge => ({ key, scope: "uid", limit, window: minute, cost: 1 })

describe.skipIf(postgres.server.isSkipped)(`rate limits in ${postgres.server.label}`, () => {
  it.scopedLive("have no deadlock, and no place too many, when callers reserve the same limits in other orders", () =>
    Effect.gen(function* () {
      const store = yield* made({ rest: false, timeout: "5 seconds" })
      const keys = ["a", "b", "c", "d"]
      const caller = (index: number) =>
        Effect.gen(function* () {
          const turned = [...keys.slice(index % 4), ...keys.slice(0, index % 4)].slice(0, 3)
          const charges = (index % 2 === 0 ? turned : turned.reverse()).map((key) => charge(key, 200))
          for (let calls = 0; calls < 12; calls++) {
            const result = yield* store.reserve(charges)
            if (result._tag !== "Taken") return yield* Effect.dieMessage(result._tag)
            const outcome = calls % 3 === 0 ? "unsent" : "counted"
            yield* store.settle(result.reservation, outcome, Duration.zero)
            if (calls % 4 === 0) yield* store.observe(charge("a", 200), { roundTrip: Duration.zero, refused: false })
          }
        })
      yield* Effect.forEach(
        Array.from({ length: 16 }, (_, index) => index),
        caller,
        { concurrency: "unbounded", discard: true }
      )
      // 16 callers with 8 counted calls on three of four limits each.
      for (const key of keys) expect(yield* store.state(charge(key, 200))).toMatchObject({ remaining: 200 - 96 })
    }).pipe(Effect.provide(postgres.layer))
  )

  it.scopedLive(
    "are refused for a window after Postgres has lost its state, and count a call that is settled then",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const prefix = yield* postgres.prefix
        yield* PostgresRateLimitStore.make({ prefix, rest: false }).pipe(
          Effect.flatMap((store) => store.reserve([charge("k", 5)]))
        )
        const store = yield* PostgresRateLimitStore.make({ prefix })
        const sent = yield* store.reserve([charge("k", 5)])
        if (sent._tag !== "Taken") return yield* Effect.dieMessage("no room")
        yield* sql.unsafe(`TRUNCATE ${prefix}life, ${prefix}limits, ${prefix}places`)
        // What removes unused limits beside calls begins no new state, whose rest would be of another process.
        yield* sql.unsafe(`SELECT ${prefix}forget()`)
        const result = yield* store.reserve([{ ...charge("short", 5), window: Duration.seconds(5) }, charge("k", 5)])
        expect(result).toMatchObject({ _tag: "Full", keys: ["short", "k"] })
        expect(result._tag === "Full" && Duration.greaterThan(result.retryAfter, Duration.seconds(30))).toBe(true)
        expect(yield* store.state(charge("k", 5))).toMatchObject({ limit: 5, remaining: 0 })
        yield* store.settle(sent.reservation, "counted", Duration.zero)
        yield* store.settle(sent.reservation, "counted", Duration.zero)
        const [row] = yield* sql.unsafe<{ readonly places: string }>(`SELECT sum(cost) AS places FROM ${prefix}places`)
        expect(Number(row?.places)).toBe(1)
      }).pipe(Effect.provide(postgres.layer))
  )

  it.scopedLive("are defined again where a database without them was restored", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const prefix = yield* postgres.prefix
      const store = yield* PostgresRateLimitStore.make({ prefix, rest: false })
      yield* sql.unsafe(`DROP TABLE ${prefix}life, ${prefix}limits, ${prefix}places CASCADE`)
      expect(yield* store.reserve([charge("k", 5)])).toMatchObject({ _tag: "Taken" })
    }).pipe(Effect.provide(postgres.layer))
  )

  it.scopedLive("outlive the rollback of a transaction in which a call was made", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* made({ rest: false })
      const rolledBack = Effect.zipRight(store.reserve([charge("k", 5)]), Effect.fail("rolled back"))
      expect(yield* Effect.flip(sql.withTransaction(rolledBack))).toBe("rolled back")
      expect(yield* store.state(charge("k", 5))).toMatchObject({ remaining: 4 })
    }).pipe(Effect.provide(postgres.layer))
  )

  it.scopedLive("do not free a place early when the clock of Postgres is set back, and go on at once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const prefix = yield* postgres.prefix
      const store = yield* PostgresRateLimitStore.make({ prefix, rest: false })
      yield* store.state(charge("k", 5))
      // As if the clock had been an hour ahead until now.
      const shift = `+ ${Duration.toMillis("1 hour") * 1000}`
      yield* sql.unsafe(`UPDATE ${prefix}life SET last = last ${shift}`)
      const quick = { ...charge("k", 1), window: Duration.millis(300) }
      const taken = yield* store.reserve([quick])
      if (taken._tag !== "Taken") return yield* Effect.dieMessage("no room")
      yield* store.settle(taken.reservation, "counted", Duration.zero)
      const full = yield* store.reserve([quick])
      expect(full._tag === "Full" && Duration.lessThan(full.retryAfter, Duration.millis(302))).toBe(true)
      yield* Effect.sleep("320 millis")
      expect(yield* store.reserve([quick])).toMatchObject({ _tag: "Taken" })
    }).pipe(Effect.provide(postgres.layer))
  )

  it.scopedLive("remove limits of which no response has said anything for a day, and keep those that still hold", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const prefix = yield* postgres.prefix
      const observing = yield* PostgresRateLimitStore.make({ prefix, rest: false })
      const keys = ["silent", "silent too", "closed", "learnt by a refusal", "observed"]
      const left = Effect.map(
        sql.unsafe<{ readonly name: string }>(`SELECT name FROM ${prefix}limits ORDER BY name`),
        (rows) => rows.map(({ name }) => name)
      )
      const untilLeft = (count: number) =>
        Effect.repeat(
          Effect.map(left, (rows) => rows.length),
          { until: (rows) => rows === count }
        )
      // The first reservation of a process removes what is old, beside the call, and the next within an hour does not.
      yield* observing.observe(charge("old", 5), { roundTrip: Duration.zero, limit: 7, refused: false })
      yield* sql.unsafe(`UPDATE ${prefix}limits SET observed = observed - 2 * 86400000000`)
      yield* observing.reserve([charge("other", 5)])
      yield* untilLeft(0)
      for (const key of keys)
        yield* observing.observe(charge(key, 5), { roundTrip: Duration.zero, limit: 7, refused: false })
      const names = yield* sql.unsafe<{ readonly name: string }>(`SELECT name FROM ${prefix}limits ORDER BY observed`)
      const [one, two, closed, learnt, observed] = names.map(({ name }) => name)
      const dayAgo = `(SELECT observed FROM ${prefix}limits WHERE name = '${observed}') - 86400000000`
      const age = (name: string | undefined, more: string) =>
        sql.unsafe(`UPDATE ${prefix}limits SET observed = ${dayAgo} - 60000000 ${more} WHERE name = '${name}'`)
      yield* age(one, "")
      yield* age(two, ", learnt = 3, believed = 1")
      yield* age(closed, `, closed = ${dayAgo} + 60000000`)
      yield* age(learnt, `, learnt = 3, believed = ${dayAgo} + 60000000`)
      yield* observing.reserve([charge("other", 5)])
      yield* Effect.sleep("200 millis")
      expect(yield* left).toHaveLength(5)
      // A limit that another transaction has locked is left to another time.
      const next = yield* PostgresRateLimitStore.make({ prefix, rest: false })
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql.unsafe(`SELECT ${prefix}lock(ARRAY['${two}'])`)
          yield* next.reserve([charge("other", 5)])
          yield* untilLeft(4)
        })
      )
      const third = yield* PostgresRateLimitStore.make({ prefix, rest: false })
      yield* third.reserve([charge("other", 5)])
      yield* untilLeft(3)
      expect(yield* left).toEqual([closed, learnt, observed].toSorted())
      expect(yield* third.state(charge("silent", 5))).toMatchObject({ limit: 5 })
    }).pipe(Effect.provide(postgres.layer))
  )

  it.scopedLive("show no name of a limit in Postgres", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const prefix = yield* postgres.prefix
      const store = yield* PostgresRateLimitStore.make({ prefix, rest: false })
      const named = charge("api.venue.example 42 /path", 2)
      yield* store.reserve([named])
      yield* store.observe(named, { roundTrip: Duration.zero, limit: 3, refused: false })
      const rows = yield* sql.unsafe<{ readonly name: string }>(
        `SELECT name FROM ${prefix}places UNION ALL SELECT name FROM ${prefix}limits`
      )
      expect(rows).toHaveLength(2)
      for (const { name } of rows) expect(name).toMatch(/^[0-9a-f]{32}$/)
    }).pipe(Effect.provide(postgres.layer))
  )

  it.scopedLive("leave no place taken by a call that was given up while answers were lost", () =>
    Effect.gen(function* () {
      const { layer, silence } = yield* postgres.severable
      const store = yield* Effect.provide(made({ rest: false, timeout: "300 millis" }), yield* Layer.build(layer))
      yield* silence(true)
      expect(yield* store.reserve([charge("k", 5)])).toEqual({ _tag: "Unreachable" })
      yield* silence(false)
      const remaining = Effect.map(store.state(charge("k", 5)), (state) => state.remaining)
      yield* Effect.repeat(remaining, Schedule.spaced("50 millis").pipe(Schedule.untilInput((left) => left === 5)))
    }).pipe(Effect.provide(postgres.layer))
  )

  it.scopedLive("fail at once in transactions that would not see each other, and under a name that is none", () =>
    Effect.gen(function* () {
      const options = "-c default_transaction_isolation=serializable"
      const url = new URL(postgres.server.url)
      url.searchParams.set("options", options)
      const strict = yield* Layer.build(PgClient.layer({ url: Redacted.make(url.href) }))
      const prefix = yield* postgres.prefix
      const failure = yield* Effect.flip(Effect.provide(PostgresRateLimitStore.make({ prefix }), strict))
      expect(String(failure.cause)).toContain("need the isolation level read committed")
      const unnamed = yield* Effect.flip(PostgresRateLimitStore.make({ prefix: "Limits; " }))
      expect(unnamed.message).toContain("no prefix")
    }).pipe(Effect.provide(postgres.layer))
  )
})

it.scopedLive("rate limits in SQLite do not exist", () =>
  Effect.gen(function* () {
    const failure = yield* Effect.flip(PostgresRateLimitStore.make())
    expect(failure.message).toContain("need Postgres")
  }).pipe(Effect.provide(LibsqlClient.layer({ url: ":memory:" })))
)
