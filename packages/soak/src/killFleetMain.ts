/**
 * `pnpm kill-fleet --accounts N --kills K --seed S`: prints the report as one JSON object. Exit code 1 when an export is not that of
 * a fleet that nothing disturbed, 2 when the arguments are wrong.
 *
 * @since 0.1.0
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Arguments from "./internal/arguments.js"
import * as KillFleet from "./KillFleet.js"

const program = Effect.gen(function* () {
  const options = Arguments.read(process.argv.slice(2), { accounts: 200, kills: 10, seed: 1 })
  if (Either.isLeft(options)) {
    yield* Console.error(`kill-fleet: ${options.left}`)
    return 2
  }
  const report = yield* KillFleet.killFleet(options.right)
  yield* Console.log(JSON.stringify(report, undefined, 2))
  return report.mismatches === 0 && report.kills === options.right.kills ? 0 : 1
})

NodeRuntime.runMain(program, {
  teardown: (exit, onExit) => {
    onExit(exit._tag === "Success" && typeof exit.value === "number" ? exit.value : 1)
  }
})
