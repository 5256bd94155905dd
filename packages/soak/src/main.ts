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
import { parseArgs } from "node:util"
import * as Fleet from "./Fleet.js"
import * as KillExports from "./KillExports.js"
import * as KillWrites from "./KillWrites.js"
import * as SharedLimits from "./SharedLimits.js"
import type * as Workload from "./shared/Workload.js"

const workloads: Readonly<Record<string, Workload.Workload>> = {
  fleet: Fleet.workload,
  "kill-exports": KillExports.workload,
  "kill-writes": KillWrites.workload,
  "shared-limits": SharedLimits.workload
}

/** The workload that the arguments name, and its options. Throws an error with the mistake in them. */
const requestOf = ([name = "", ...words]: ReadonlyArray<string>) => {
  const workload = Object.hasOwn(workloads, name) ? workloads[name] : undefined
  if (workload === undefined) {
    const all = Object.entries(workloads).map(([name, { title }]) => `${name} (${title})`)
    throw new Error(`there is no workload ${name}: ${all.join(", ")}`)
  }
  const known = Object.keys(workload.defaults).map((option) => [option, { type: "string" }] as const)
  const { values } = parseArgs({ args: words, options: Object.fromEntries(known) })
  const options = new Map(Object.entries(workload.defaults))
  for (const [option, value = ""] of Object.entries(values)) {
    if (!/^\d{1,9}$/.test(value) || (option !== "seed" && Number(value) < 1))
      throw new Error(`--${option} needs a whole number above 0, not ${value}`)
    options.set(option, Number(value))
  }
  return { name, workload, options }
}

const program = Effect.gen(function* () {
  const { name, options, workload } = yield* Effect.try(() => requestOf(process.argv.slice(2)))
  const { figures, problems } = yield* Effect.scoped(workload.run((option) => options.get(option) ?? 0))
  const report = { workload: name, ok: problems.length === 0, ...Object.fromEntries(options), ...figures }
  yield* Console.log(
    JSON.stringify({ ...report, problems: problems.length, examples: problems.slice(0, 10) }, undefined, 2)
  )
  return problems.length === 0 ? 0 : 1
}).pipe(Effect.catchTag("UnknownException", ({ cause }) => Effect.as(Console.error(`workload: ${String(cause)}`), 2)))

NodeRuntime.runMain(program, {
  teardown: (exit, onExit) => {
    onExit(exit._tag === "Success" && typeof exit.value === "number" ? exit.value : 1)
  }
})
