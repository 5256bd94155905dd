/**
 * `npm run fleet [-- cost | shared | disturbed | alone ...]`: what is promised of processes that share their rate limits through Redis, measured
 * with real processes against the sandbox's server. Prints a JSON object for each run. Exit code 1 when one does not keep its bounds, 2
 * when there is no Redis.
 *
 * `cost`: what the store costs with 16 callers. `shared`: four processes of 16 fibers on one address for 30 seconds. `disturbed`: the same while
 * their Redis is frozen, and killed and started without its state. `alone`: the control, with limits in the memory of each process,
 * which is refused. Defaults to all of them.
 *
 * @since 0.1.0
 */
import * as Servers from "@effect-venue/servers/Servers"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as disturbances from "./internal/fleet/disturbances.js"
import * as OneAddress from "./internal/fleet/oneAddress.js"
import * as StoreCost from "./internal/fleet/storeCost.js"

interface Outcome {
  readonly ok: boolean
  readonly report: object
}

const load = { processes: 4, fibers: 16, seconds: 30 }

const runs = (redis: string): Readonly<Record<string, Effect.Effect<Outcome>>> => ({
  cost: Effect.map(StoreCost.measure({ redis, callers: 16, seconds: 10 }), (report) => ({
    ok: report.pairsPerSecond >= 5000 && report.p99 <= 10,
    report
  })),
  shared: Effect.map(OneAddress.run({ ...load, redis }), (report) => ({
    ok: report.refused === 0 && report.used >= 0.97 && report.smallestShare >= 0.7,
    report
  })),
  disturbed: Effect.scoped(
    Effect.gen(function* () {
      const { disturbance, url } = yield* disturbances.make
      const report = yield* OneAddress.run({ ...load, redis: url, disturbance })
      return { ok: report.refused === 0 && report.last > 0, report }
    })
  ),
  alone: Effect.map(OneAddress.run({ ...load, seconds: 5 }), (report) => ({ ok: report.refused > 0, report }))
})

const program = Effect.gen(function* () {
  const server = yield* Effect.promise(() => Servers.redis())
  if (server.isSkipped) {
    yield* Console.error(`fleet: ${server.label}`)
    return 2
  }
  const all = runs(server.url)
  const names = process.argv.slice(2).filter((word) => word !== "--")
  let code = 0
  for (const name of names.length === 0 ? Object.keys(all) : names) {
    const run = all[name]
    if (run === undefined) {
      yield* Console.error(`fleet: there is no run ${name}: ${Object.keys(all).join(", ")}`)
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
