import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Row from "./row.js"
import type * as Selection from "./selection.js"

/** What measures the selected rows of a group. Each row is given as soon as it is measured. */
export type Group = (selection: Selection.Selection) => Stream.Stream<Row.Row>

type Measurement = (selection: Selection.Selection) => Effect.Effect<ReadonlyArray<Row.Row>>

/** A group whose code is loaded when it is measured, so that none of it is in the process that measures another. */
const lazy =
  (load: () => Promise<Measurement>): Group =>
  (selection) =>
    Stream.fromIterableEffect(Effect.flatMap(Effect.promise(load), (measurement) => measurement(selection)))

/** Of several groups those that have a selected row, in this order. */
const each =
  (parts: ReadonlyArray<readonly [names: ReadonlyArray<string>, group: Group]>): Group =>
  (selection) =>
    Stream.flatMap(Stream.fromIterable(parts.filter(([names]) => names.some(selection.overlaps))), ([, group]) =>
      group(selection)
    )

const exports = each([
  [
    ["export.memory"],
    (selection) =>
      Stream.unwrap(
        Effect.map(
          Effect.promise(() => import("./exportMemory.js")),
          ({ exportMemory }) => exportMemory(selection)
        )
      )
  ],
  [["export.processor"], lazy(async () => (await import("./exportProcessor.js")).exportProcessor)],
  [
    ["export.bound", "export.rows", "export.refusals"],
    lazy(async () => {
      const { exportBound } = await import("./exportBound.js")
      return () => exportBound
    })
  ]
])

const sandboxes = each([
  [
    ["sandbox.throughput"],
    lazy(async () => {
      const { throughput } = await import("./sandboxThroughput.js")
      return () => throughput
    })
  ],
  [
    ["sandbox.growth"],
    lazy(async () => {
      const { growth } = await import("./sandboxGrowth.js")
      return () => growth
    })
  ],
  [
    ["sandbox.server"],
    lazy(async () => {
      const { server } = await import("./sandboxServer.js")
      return () => server
    })
  ],
  [
    ["sandbox.orders"],
    lazy(async () => {
      const { orderGrowth } = await import("./sandboxOrders.js")
      return () => orderGrowth
    })
  ],
  [["sandbox.fresh", "sandbox.next", "sandbox.memory"], lazy(async () => (await import("./sandboxWorlds.js")).worlds)]
])

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
