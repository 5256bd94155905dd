import * as Effect from "effect/Effect"
import * as Function from "effect/Function"
import * as Stream from "effect/Stream"
import type * as Row from "./row.js"
import type * as Selection from "./selection.js"

/** Measures the selected rows of a group, and emits each row at once. */
export type Group = (selection: Selection.Selection) => Stream.Stream<Row.Row>

type Measurement = (selection: Selection.Selection) => Effect.Effect<ReadonlyArray<Row.Row>>

/** Loads the code of a group on demand, so that it is not in the process that measures another group. */
const lazy =
  (load: () => Promise<Measurement>): Group =>
  (selection) =>
    Stream.fromIterableEffect(Effect.flatMap(Effect.promise(load), (measurement) => measurement(selection)))

/** The groups with selected rows, in this order. */
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
    lazy(async () => Function.constant((await import("./exportBound.js")).exportBound))
  ]
])

const sandboxes = each([
  [["sandbox.throughput"], lazy(async () => Function.constant((await import("./sandboxThroughput.js")).throughput))],
  [["sandbox.growth"], lazy(async () => Function.constant((await import("./sandboxGrowth.js")).growth))],
  [["sandbox.server"], lazy(async () => Function.constant((await import("./sandboxServer.js")).server))],
  [["sandbox.orders"], lazy(async () => Function.constant((await import("./sandboxOrders.js")).orderGrowth))],
  [["sandbox.fresh", "sandbox.next", "sandbox.memory"], lazy(async () => (await import("./sandboxWorlds.js")).worlds)]
])

/** The groups, by the prefix of their row names. */
export const groups: Readonly<Record<string, Group>> = {
  sign: lazy(async () => Function.constant((await import("./sign.js")).sign)),
  decode: lazy(async () => (await import("./decode.js")).decode),
  request: lazy(async () => (await import("./request.js")).request),
  "import.time": lazy(async () => Function.constant((await import("./importTime.js")).importTime)),
  "cli.start": lazy(async () => Function.constant((await import("./cliStart.js")).cliStart)),
  "bundle.gzip": lazy(async () => Function.constant((await import("./bundle.js")).bundle)),
  export: exports,
  fleet: lazy(async () => (await import("./fleet.js")).fleet),
  "scale.accounts": lazy(async () => Function.constant((await import("./scale.js")).scale)),
  journal: lazy(async () => Function.constant((await import("./journal.js")).journal)),
  sandbox: sandboxes
}
