import * as Effect from "effect/Effect"
import { bundle } from "./bundle.js"
import { cliStart } from "./cliStart.js"
import { decode } from "./decode.js"
import { exportBound } from "./exportBound.js"
import { exportMemory } from "./exportMemory.js"
import { importTime } from "./importTime.js"
import { request } from "./request.js"
import type * as Row from "./row.js"
import { memory } from "./sandboxMemory.js"
import { throughput } from "./sandboxThroughput.js"
import { scale } from "./scale.js"
import type * as Selection from "./selection.js"
import { sign } from "./sign.js"

const exports = (selection: Selection.Selection) =>
  Effect.map(
    Effect.all([
      selection.overlaps("export.memory") ? exportMemory(selection) : Effect.succeed([]),
      ["export.bound", "export.rows", "export.refusals"].some(selection.overlaps) ? exportBound : Effect.succeed([])
    ]),
    (rows) => rows.flat()
  )

/** What is measured together, by the beginning of its rows' names. */
export const groups: Readonly<
  Record<string, (selection: Selection.Selection) => Effect.Effect<ReadonlyArray<Row.Row>>>
> = {
  sign: () => sign,
  decode: () => decode,
  request,
  "import.time": () => importTime,
  "cli.start": () => cliStart,
  "bundle.gzip": () => bundle,
  export: exports,
  "scale.accounts": () => scale,
  "sandbox.throughput": () => throughput,
  "sandbox.memory": () => memory
}
