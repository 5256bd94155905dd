/**
 * `npm run bench -- [--list] [--json] [--save] [--note TEXT] [row ...]`: runs benchmarks and prints a table, or a JSON object per line.
 * Select rows by full name (`request.c16`) or prefix (`request`); default: all rows. `--save` appends each row with commit, machine and
 * date to packages/bench/results.jsonl and updates docs/performance.md; `--note` is saved with it.
 */
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { parseArgs } from "node:util"
import { groups } from "./groups.js"
import * as Results from "./results/results.js"
import * as Row from "./measure/row.js"

const parse = Effect.try({
  try: () =>
    parseArgs({
      allowPositionals: true,
      options: {
        list: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        save: { type: "boolean", default: false },
        note: { type: "string" }
      }
    }),
  // The second sentence is about positional arguments.
  catch: (error) => `${String(error instanceof Error ? error.message : error).split(". ")[0] ?? ""}\n${usage}`
})

const usage = "Usage: npm run bench -- [--list] [--json] [--save] [--note TEXT] [row ...]"

const allRows = groups.flatMap(({ rows }) => rows)

const measure = Effect.gen(function* () {
  const { positionals: names, values } = yield* parse
  const unknown = names.find((name) => !allRows.some(Row.select([name]).overlaps))
  if (values.help) return yield* Console.log(usage)
  if (values.list) return yield* Console.log(allRows.join("\n"))
  if (unknown !== undefined)
    return yield* Effect.fail(`there is no row ${unknown}; \`npm run bench -- --list\` prints the rows`)
  const circumstances = yield* Results.circumstances(values.note)
  const selection = Row.select(names)
  if (!values.json) yield* Console.log(Row.tableHead)
  for (const { load, rows } of groups) {
    if (!rows.some(selection.overlaps)) continue
    const measure = yield* Effect.promise(load)
    const measured = Stream.filter(measure(selection), ({ name }) => selection.includes(name))
    yield* Stream.runForEach(measured, (row) =>
      Effect.gen(function* () {
        yield* Console.log(values.json ? Row.json(row) : Row.tableLine(row))
        if (values.save) yield* Results.append(Results.file, { ...row, ...circumstances })
      })
    )
  }
  if (values.save) yield* Effect.promise(() => import("./results/draw.js"))
})

/** Exit code 2 for invalid arguments. */
const program = measure.pipe(
  Effect.as(0),
  Effect.catchIf(
    (error) => typeof error === "string",
    (message) => Effect.as(Console.error(`bench: ${message}`), 2)
  ),
  Effect.provide(NodeContext.layer)
)

NodeRuntime.runMain(program, {
  teardown: (exit, onExit) => {
    onExit(exit._tag === "Success" && typeof exit.value === "number" ? exit.value : 1)
  }
})
