import type * as Stream from "effect/Stream"
import type * as Row from "./measure/row.js"

export interface Group {
  /** The names of its rows, or their beginnings. */
  readonly rows: ReadonlyArray<string>
  /** Loads its code on demand, so that it is not in the process that measures another group. It measures at least the selected rows. */
  readonly load: () => Promise<(selection: Row.Selection) => Stream.Stream<Row.Row>>
}

/** All groups, in the order of measurement. */
export const groups: ReadonlyArray<Group> = [
  { rows: ["decode"], load: async () => (await import("./calls/decode.js")).decode },
  { rows: ["request"], load: async () => (await import("./calls/request.js")).request },
  { rows: ["journal"], load: async () => (await import("./calls/journal.js")).journal },
  { rows: ["journal.open"], load: async () => (await import("./calls/journalOpen.js")).journalOpen },
  { rows: ["scale.accounts"], load: async () => (await import("./calls/scale.js")).scale },
  { rows: ["import.time"], load: async () => (await import("./start/importTime.js")).importTime },
  { rows: ["cli.start"], load: async () => (await import("./start/cliStart.js")).cliStart },
  { rows: ["bundle.gzip"], load: async () => (await import("./start/bundle.js")).bundle },
  { rows: ["export.memory"], load: async () => (await import("./exports/exports.js")).memory },
  { rows: ["export.processor"], load: async () => (await import("./exports/exports.js")).processor },
  {
    rows: ["export.bound", "export.rows", "export.refusals"],
    load: async () => (await import("./exports/exports.js")).bound
  },
  { rows: ["fleet.memory"], load: async () => (await import("./exports/fleet.js")).memory },
  { rows: ["fleet.rate", "fleet.refusals"], load: async () => (await import("./exports/fleet.js")).rate },
  {
    rows: ["sandbox.fresh", "sandbox.next", "sandbox.memory"],
    load: async () => (await import("./sandbox/sandboxes.js")).sandboxes
  }
]
