/**
 * `pnpm soak --calls N --seed S`: prints the report of a run as one JSON object. Exit code 1 when an outcome contradicts the
 * exchange, 2 when the arguments are wrong.
 *
 * @since 0.1.0
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Arguments from "./internal/arguments.js"
import * as Soak from "./Soak.js"

const program = Effect.gen(function* () {
  const options = Arguments.read(process.argv.slice(2), { calls: 10_000, seed: 1 })
  if (Either.isLeft(options)) {
    yield* Console.error(`soak: ${options.left}`)
    return 2
  }
  const report = yield* Soak.soak(options.right)
  yield* Console.log(JSON.stringify(report, undefined, 2))
  return report.violations === 0 ? 0 : 1
})

NodeRuntime.runMain(program, {
  teardown: (exit, onExit) => {
    onExit(exit._tag === "Success" && typeof exit.value === "number" ? exit.value : 1)
  }
})
