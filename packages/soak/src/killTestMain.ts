/**
 * `pnpm kill-test --runs N --seed S --processes P`: prints the report as one JSON object. Exit code 1 when a result was not that of a run left alone,
 * 2 when the arguments are wrong.
 *
 * @since 0.1.0
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Arguments from "./internal/arguments.js"
import * as KillTest from "./KillTest.js"

const program = Effect.gen(function* () {
  const options = Arguments.read(process.argv.slice(2), { runs: 20, seed: 1, processes: 1 })
  if (Either.isLeft(options)) {
    yield* Console.error(`kill-test: ${options.left}`)
    return 2
  }
  const report = yield* KillTest.killTest(options.right)
  yield* Console.log(JSON.stringify(report, undefined, 2))
  return report.mismatches === 0 ? 0 : 1
})

NodeRuntime.runMain(program, {
  teardown: (exit, onExit) => {
    onExit(exit._tag === "Success" && typeof exit.value === "number" ? exit.value : 1)
  }
})
