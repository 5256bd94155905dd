/**
 * `npm run accept -- shared-limits [cost | shared | uid | uid-same-limit | disturbed | flushed | postgres-cost | postgres | alone ...]`: what is promised of processes that
 * share their rate limits through Redis or Postgres, measured with real processes against the sandbox's server. Prints a JSON object for each run.
 * Exit code 1 when one does not keep its bounds, 2 when a server is not there.
 *
 * `cost`: what the store costs with 16 callers. `shared`: four processes of 16 fibers on one address for 30 seconds. `uid`: the same on one UID, with
 * exports of 10 pages a second, and cancels among them. `uid-same-limit`: the same where cancels share the limit of the exports, which leave
 * them a place. `disturbed`: on one address while their Redis is frozen, and killed and started without its state. `flushed`: the
 * same after its state was removed three times. `postgres-cost` and `postgres`: as `cost` and `shared`, through Postgres. `alone`: the control, with
 * limits in the memory of each process, which is refused. Defaults to all of them.
 *
 * @since 0.1.0
 */
import * as Servers from "@effect-venue/testing/Servers"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import * as disturbances from "./internal/sharedLimits/disturbances.js"
import * as OneLimit from "./internal/sharedLimits/oneLimit.js"
import * as StoreCost from "./internal/sharedLimits/storeCost.js"
import * as stores from "./internal/sharedLimits/stores.js"

interface Outcome {
  readonly ok: boolean
  readonly report: object
}

const load = { processes: 4, fibers: 16, seconds: 30 }

const costs = { callers: 16, seconds: 10 }

const newPrefix = Effect.map(Random.nextIntBetween(0, 2 ** 48), (number) => `venue-limits-${number.toString(36)}`)

const isWhole = ({ refused, smallestShare, used }: OneLimit.Report): boolean =>
  refused === 0 && used >= 0.97 && smallestShare >= 0.7

/** On one address, while a Redis of its own is disturbed. */
const disturbed = (
  of: (redis: Effect.Effect.Success<typeof disturbances.make>) => Effect.Effect<void, never, Scope.Scope>
): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const redis = yield* disturbances.make
    const report = yield* OneLimit.ofAddress({
      ...load,
      seconds: 40,

      store: { _tag: "Redis", url: redis.url, prefix: "venue" },
      disturbance: of(redis)
    })
    return { ok: report.refused === 0 && report.last > 0, report }
  }).pipe(Effect.scoped)

const throughRedis = (url: string): Readonly<Record<string, Effect.Effect<Outcome>>> => ({
  cost: Effect.gen(function* () {
    const report = yield* StoreCost.measure({ ...costs, stores: stores.redis(url, yield* newPrefix, false) })
    return { ok: report.pairsPerSecond >= 5000 && report.p99 <= 10, report }
  }),
  shared: Effect.gen(function* () {
    const store = { _tag: "Redis", url, prefix: yield* newPrefix } as const
    const report = yield* OneLimit.ofAddress({ ...load, store })
    return { ok: isWhole(report), report }
  }),
  uid: Effect.gen(function* () {
    const store = { _tag: "Redis", url, prefix: yield* newPrefix } as const
    const report = yield* OneLimit.ofUid({ ...load, store, cancels: "own limit" })
    return { ok: report.refused === 0 && report.used >= 0.95 && report.overtakes <= 1, report }
  }),
  "uid-same-limit": Effect.gen(function* () {
    const store = { _tag: "Redis", url, prefix: yield* newPrefix } as const
    const report = yield* OneLimit.ofUid({ ...load, store, cancels: "same limit" })
    // Nine of ten places are the exports'.
    return { ok: report.refused === 0 && report.used >= 0.85 && report.overtakes <= 1, report }
  }),
  disturbed: disturbed(({ frozenAndKilled }) => frozenAndKilled),
  flushed: disturbed(({ flushed }) => flushed)
})

const throughPostgres = (url: string): Readonly<Record<string, Effect.Effect<Outcome>>> => ({
  "postgres-cost": Effect.gen(function* () {
    const report = yield* StoreCost.measure({ ...costs, stores: stores.postgres(yield* stores.schemaIn(url), false) })
    return { ok: report.pairsPerSecond >= 500 && report.p99 <= 100, report }
  }).pipe(Effect.scoped),
  postgres: Effect.gen(function* () {
    const store = { _tag: "Postgres", url: yield* stores.schemaIn(url) } as const
    const report = yield* OneLimit.ofAddress({ ...load, store })
    return { ok: isWhole(report), report }
  }).pipe(Effect.scoped)
})

const alone: Effect.Effect<Outcome> = Effect.map(
  OneLimit.ofAddress({ ...load, seconds: 5, store: { _tag: "Memory" } }),
  (report) => ({ ok: report.refused > 0, report })
)

const program = Effect.gen(function* () {
  const servers = [
    yield* Effect.promise(() => Servers.redis()),
    yield* Effect.promise(() => Servers.postgres())
  ] as const
  for (const { isSkipped, label } of servers) {
    if (!isSkipped) continue
    yield* Console.error(`shared-limits: ${label}`)
    return 2
  }
  const [redis, postgres] = servers
  const all = { ...throughRedis(redis.url), ...throughPostgres(postgres.url), alone }
  const names = process.argv.slice(2).filter((word) => word !== "--")
  let code = 0
  for (const name of names.length === 0 ? Object.keys(all) : names) {
    const run = Object.entries(all).find(([key]) => key === name)?.[1]
    if (run === undefined) {
      yield* Console.error(`shared-limits: there is no run ${name}: ${Object.keys(all).join(", ")}`)
      return 2
    }
    const { ok, report } = yield* run
    if (!ok) code = 1
    yield* Console.log(JSON.stringify({ run: name, ok, ...report }))
  }
  return code
})

NodeRuntime.runMain(program, {
  teardown: (exit, onExit) => {
    onExit(exit._tag === "Success" && typeof exit.value === "number" ? exit.value : 1)
  }
})
