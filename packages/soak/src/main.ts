/**
 * Runs workloads, and prints one JSON object for each. `npm run accept` runs them at full size.
 *
 *     npm run accept -- kill-exports --runs 20 --seed 1
 *
 * Exit code 1 when a workload found a problem, 2 when the arguments are wrong.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { requestOf } from "./workloads.js"

const program = Effect.gen(function* () {
  const request = requestOf(process.argv.slice(2))
  if (Either.isLeft(request)) {
    yield* Console.error(`workload: ${request.left}`)
    return 2
  }
  const { name, options, workload } = request.right
  const { figures, problems } = yield* Effect.scoped(workload.run((option) => options.get(option) ?? 0))
  const report = { workload: name, ok: problems.length === 0, ...Object.fromEntries(options), ...figures }
  yield* Console.log(
    JSON.stringify({ ...report, problems: problems.length, examples: problems.slice(0, 10) }, undefined, 2)
  )
  return problems.length === 0 ? 0 : 1
})

NodeRuntime.runMain(program, {
  teardown: (exit, onExit) => {
    onExit(exit._tag === "Success" && typeof exit.value === "number" ? exit.value : 1)
  }
})
