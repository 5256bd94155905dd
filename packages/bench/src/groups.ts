import * as Effect from "effect/Effect"
import type * as Row from "./row.js"
import type * as Selection from "./selection.js"

/** What measures the selected rows of a group. */
export type Group = (selection: Selection.Selection) => Effect.Effect<ReadonlyArray<Row.Row>>

/** A group whose code is loaded when it is measured, so that none of it is in the process that measures another. */
const lazy =
  (load: () => Promise<Group>): Group =>
  (selection) =>
    Effect.flatMap(Effect.promise(load), (group) => group(selection))

const exports: Group = (selection) =>
  Effect.gen(function* () {
    const rows: Array<Row.Row> = []
    if (selection.overlaps("export.memory")) {
      const { exportMemory } = yield* Effect.promise(() => import("./exportMemory.js"))
      rows.push(...(yield* exportMemory(selection)))
    }
    if (selection.overlaps("export.processor")) {
      const { exportProcessor } = yield* Effect.promise(() => import("./exportProcessor.js"))
      rows.push(...(yield* exportProcessor(selection)))
    }
    if (["export.bound", "export.rows", "export.refusals"].some(selection.overlaps)) {
      const { exportBound } = yield* Effect.promise(() => import("./exportBound.js"))
      rows.push(...(yield* exportBound))
    }
    return rows
  })

const sandboxes: Group = (selection) =>
  Effect.gen(function* () {
    const rows: Array<Row.Row> = []
    if (selection.overlaps("sandbox.throughput")) {
      const { throughput } = yield* Effect.promise(() => import("./sandboxThroughput.js"))
      rows.push(...(yield* throughput))
    }
    if (selection.overlaps("sandbox.growth")) {
      const { growth } = yield* Effect.promise(() => import("./sandboxGrowth.js"))
      rows.push(...(yield* growth))
    }
    if (selection.overlaps("sandbox.server")) {
      const { server } = yield* Effect.promise(() => import("./sandboxServer.js"))
      rows.push(...(yield* server))
    }
    if (selection.overlaps("sandbox.orders")) {
      const { orderGrowth } = yield* Effect.promise(() => import("./sandboxOrders.js"))
      rows.push(...(yield* orderGrowth))
    }
    if (["sandbox.fresh", "sandbox.next", "sandbox.memory"].some(selection.overlaps)) {
      const { worlds } = yield* Effect.promise(() => import("./sandboxWorlds.js"))
      rows.push(...(yield* worlds(selection)))
    }
    return rows
  })

/** What is measured together, by the beginning of its rows' names. */
export const groups: Readonly<Record<string, Group>> = {
  sign: lazy(async () => {
    const { sign } = await import("./sign.js")
    return () => sign
  }),
  decode: lazy(async () => (await import("./decode.js")).decode),
  request: lazy(async () => (await import("./request.js")).request),
  "import.time": lazy(async () => {
    const { importTime } = await import("./importTime.js")
    return () => importTime
  }),
  "cli.start": lazy(async () => {
    const { cliStart } = await import("./cliStart.js")
    return () => cliStart
  }),
  "bundle.gzip": lazy(async () => {
    const { bundle } = await import("./bundle.js")
    return () => bundle
  }),
  export: exports,
  fleet: lazy(async () => (await import("./fleet.js")).fleet),
  "scale.accounts": lazy(async () => {
    const { scale } = await import("./scale.js")
    return () => scale
  }),
  journal: lazy(async () => {
    const { journal } = await import("./journal.js")
    return () => journal
  }),
  sandbox: sandboxes
}
