import * as Breadth from "@effect-venue/testing/Breadth"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Sink from "@effect-venue/history/Sink"
import { FileSystem, Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { begin, part, parts } from "./utils/scripted.js"
import { settle } from "@effect-venue/testing/Settling"
import { day, folder, linesOf, onThatDay, today } from "./utils/world.js"

const range = { from: begin, to: begin + 28 * day }

/** In the long tier a year. */
const days = Breadth.repeats(365, 40)

describe("the checkpoints of an export", () => {
  it.scoped("are one file per part, with a line per window", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const directory = yield* folder
      yield* Effect.exit(settle(History.runAll(parts(begin + 14 * day), range, Sink.ndjson(directory))))
      const work = path.join(directory, ".venue")
      const logs = (yield* fs.readDirectory(work)).filter((name) => name.endsWith(".checkpoint.ndjson")).toSorted()
      expect(logs.map((name) => name.split(".")[0])).toEqual(["executions-main-linear", "executions-main-spot"])
      for (const log of logs) expect(yield* linesOf(path.join(work, log))).toHaveLength(1 + 3)
    }).pipe(onThatDay, Effect.provide(NodeContext.layer))
  )

  it.scoped(`of ${days} days of an account grow linearly with the number of windows`, () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      let bytes = 0
      const counting: FileSystem.FileSystem = {
        ...fs,
        open: (file, options) =>
          Effect.map(
            fs.open(file, options),
            (handle) =>
              new Proxy(handle, {
                get: (target, name) =>
                  name === "writeAll"
                    ? (chunk: Uint8Array) => {
                        if (path.basename(file).includes("checkpoint")) bytes += chunk.length
                        return target.writeAll(chunk)
                      }
                    : Reflect.get(target, name, target)
              })
          )
      }
      const year = Datasets.datasets
        .filter(({ name }) => name !== "broker-volume")
        .flatMap((dataset) =>
          (dataset.categories.length === 0 ? [{}] : dataset.categories.map((category) => ({ category }))).map((query) =>
            part(dataset, query, { page: () => ({ rows: [], next: "" }) })
          )
        )
      const to = today - day
      const run = History.runAll(year, { from: to - days * day, to }, Sink.ndjson(yield* folder))
      const manifest = yield* settle(Effect.provideService(run, FileSystem.FileSystem, counting))
      const windows = manifest.parts.reduce((sum, { windows }) => sum + windows.length, 0)
      expect(windows).toBeGreaterThan((700 * days) / 365)
      // A line of some 300 bytes for each window, and the head.
      expect(bytes).toBeLessThan(30_000 + 365 * windows)
    }).pipe(onThatDay, Effect.provide(NodeContext.layer))
  )
})
