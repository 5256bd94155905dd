/**
 * `pnpm bench [--json] [row ...]`: measures ours beside something else in the same run, and prints a table, or a JSON object a
 * line. A row is named in full (`request.c16`) or by its beginning (`request`); all of them unless some are named.
 *
 * @since 0.1.0
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { bundle } from "./bundle.js"
import { decode } from "./decode.js"
import { exportBound } from "./exportBound.js"
import { exportMemory } from "./exportMemory.js"
import { importTime } from "./importTime.js"
import { request } from "./request.js"
import * as Row from "./row.js"
import { growth } from "./sandboxGrowth.js"
import { throughput } from "./sandboxThroughput.js"
import { worlds } from "./sandboxWorlds.js"
import { scale } from "./scale.js"
import { sign } from "./sign.js"

/** What is measured together, by what its rows' names begin with. */
const groups: Readonly<Record<string, (isWanted: (name: string) => boolean) => Effect.Effect<ReadonlyArray<Row.Row>>>> =
  {
    sign: () => sign,
    decode: () => decode,
    request,
    "import.time": () => importTime,
    "bundle.gzip": () => bundle,
    export: (isWanted) =>
      Effect.map(
        Effect.all([
          isWanted("export.memory") ? exportMemory(isWanted) : Effect.succeed([]),
          ["export.bound", "export.rows", "export.refusals"].some(isWanted) ? exportBound : Effect.succeed([])
        ]),
        (rows) => rows.flat()
      ),
    "scale.accounts": () => scale,
    sandbox: (isWanted) =>
      Effect.map(
        Effect.all([
          isWanted("sandbox.throughput") ? throughput : Effect.succeed([]),
          isWanted("sandbox.growth") ? growth : Effect.succeed([]),
          ["sandbox.fresh", "sandbox.next", "sandbox.memory"].some(isWanted) ? worlds : Effect.succeed([])
        ]),
        (rows) => rows.flat()
      )
  }

const isWithin = (name: string, beginning: string): boolean => name === beginning || name.startsWith(`${beginning}.`)

const program = Effect.gen(function* () {
  const options = process.argv.slice(2)
  const json = options.includes("--json")
  const named = options.filter((option) => option !== "--json")
  const isWanted = (group: string): boolean =>
    named.length === 0 || named.some((name) => isWithin(name, group) || isWithin(group, name))
  const unknown = named.find(
    (name) => !Object.keys(groups).some((group) => isWithin(name, group) || isWithin(group, name))
  )
  if (unknown !== undefined) {
    yield* Console.error(`bench: there is no row ${unknown}: ${Object.keys(groups).join(", ")}`)
    return 2
  }
  if (!json) yield* Console.log(Row.tableHead)
  for (const [group, measure] of Object.entries(groups)) {
    if (!isWanted(group)) continue
    for (const row of yield* measure(isWanted)) {
      if (named.length > 0 && !named.some((name) => isWithin(row.name, name))) continue
      yield* Console.log(json ? JSON.stringify(row) : Row.tableLine(row))
    }
  }
  return 0
})

NodeRuntime.runMain(program, {
  teardown: (exit, onExit) => {
    onExit(exit._tag === "Success" && typeof exit.value === "number" ? exit.value : 1)
  }
})
