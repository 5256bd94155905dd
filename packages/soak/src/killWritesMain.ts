/**
 * `pnpm kill-writes --runs N --seed S`: prints the report as one JSON object. Exit code 1 when the journal and the exchange disagree about a
 * write, 2 when the words of the call are off.
 *
 * @since 0.1.0
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Arguments from "./internal/arguments.js"
import * as KillWrites from "./KillWrites.js"

const program = Effect.gen(function* () {
  const options = Arguments.read(process.argv.slice(2), { runs: 20, seed: 1 })
  if (Either.isLeft(options)) {
    yield* Console.error(`kill-writes: ${options.left}`)
    return 2
  }
  const report = yield* KillWrites.killWrites(options.right)
  yield* Console.log(JSON.stringify(report, undefined, 2))
  return report.violations === 0 ? 0 : 1
})

NodeRuntime.runMain(program, {
  teardown: (exit, onExit) => {
    onExit(exit._tag === "Success" && typeof exit.value === "number" ? exit.value : 1)
  }
})
