/**
 * Writes the saved results to docs/performance.md and docs/performance.svg. `--check` only compares, and exits with 1 if one of them is
 * outdated.
 *
 * @since 0.1.0
 */
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as Documents from "./documents.js"

const program = Effect.gen(function* () {
  if (!process.argv.includes("--check")) {
    yield* Documents.draw(Documents.files)
    return 0
  }
  const outdated = yield* Documents.outdated(Documents.files)
  for (const { name } of outdated) {
    yield* Console.log(`docs/${path.basename(name)} is outdated: npm run fix -- results draws it`)
  }
  return outdated.length === 0 ? 0 : 1
})

NodeRuntime.runMain(program.pipe(Effect.provide(NodeContext.layer)), {
  teardown: (exit, onExit) => {
    onExit(exit._tag === "Success" && typeof exit.value === "number" ? exit.value : 1)
  }
})
