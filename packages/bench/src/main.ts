/**
 * `pnpm bench [row ...]`: prints a JSON line for each row: what was measured of ours, and of the plain program beside it. All rows
 * unless some are named.
 *
 * @since 0.1.0
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { memory } from "./memory.js"
import type { Row } from "./row.js"
import { throughput } from "./throughput.js"

const rows: Readonly<Record<string, Effect.Effect<ReadonlyArray<Row>>>> = {
  "sandbox.throughput": throughput,
  "sandbox.memory": memory
}

const program = Effect.gen(function* () {
  const named = process.argv.slice(2)
  const unknown = named.find((name) => !Object.hasOwn(rows, name))
  if (unknown !== undefined) {
    yield* Console.error(`bench: there is no row ${unknown}: ${Object.keys(rows).join(", ")}`)
    return 2
  }
  for (const [name, measure] of Object.entries(rows)) {
    if (named.length > 0 && !named.includes(name)) continue
    for (const row of yield* measure) yield* Console.log(JSON.stringify(row))
  }
  return 0
})

NodeRuntime.runMain(program, {
  teardown: (exit, onExit) => {
    onExit(exit._tag === "Success" && typeof exit.value === "number" ? exit.value : 1)
  }
})
