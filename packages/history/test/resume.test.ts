import * as Breadth from "@effect-venue/testing/Breadth"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as ProcessIdentity from "@effect-venue/history/siblings/ProcessIdentity"
import * as Sink from "@effect-venue/history/Sink"
import type { FileSystem, Path } from "@effect/platform"
import { describe, expect } from "@effect/vitest"
import { Cause, Effect, Exit, Option, Stream } from "effect"
import { settle } from "@effect-venue/testing/Settling"
import { day, exchanging, filesOf, folder, mortal, today } from "./utils/world.js"
import * as MortalFiles from "./utils/mortalFiles.js"

const parts = [
  Part.make(Datasets.executions, { category: "linear", symbol: "XRPUSDT" }),
  Part.make(Datasets.deposits, {})
]
const june = { from: today - 9 * day, to: today - day }
/** Crosses the border of a month. */
const mayAndJune = { from: today - 21 * day, to: today - 11 * day }

type ToSink = (directory: string) => Sink.Sink<FileSystem.FileSystem | Path.Path>

const formats: ReadonlyArray<readonly [string, typeof june, ToSink]> = [
  ["ndjson", june, (directory) => Sink.ndjson(directory)],
  ["ndjson.gz", june, (directory) => Sink.ndjson(directory, { gzip: true })],
  ["csv", june, (directory) => Sink.csv(directory)],
  ["parquet", june, (directory) => Sink.parquet(directory, { rowGroup: 100 })],
  ["parquet by month", mayAndJune, (directory) => Sink.parquet(directory, { rowGroup: 100, partition: "month" })]
]

/** Every twelfth change of a file, each format beginning at another one; in the long tier every one. */
const stride = Breadth.repeats(1, 50)

let pid = 100

const run = (directory: string, range: typeof june, sink: ToSink) =>
  Effect.suspend(() =>
    Effect.provideService(History.runAll(parts, range, sink(directory)), ProcessIdentity.Processes, mortal(++pid))
  )

describe("an export that is killed", () => {
  for (const [index, [name, range, sink]] of formats.entries()) {
    exchanging({ limits: "off" })(
      `at any file operation is resumed, with the same result as without a kill (${name})`,
      function* () {
        const undisturbed = yield* folder
        const counting = yield* MortalFiles.make(0, "before")
        const manifest = yield* settle(run(undisturbed, range, sink)).pipe(Effect.provide(counting.layer))
        const expected = yield* filesOf(undisturbed)
        expect(manifest.rows).toBeGreaterThan(10)
        const files = manifest.parts.flatMap(({ files }) => files.map(({ name }) => name))
        expect(expected.map(([file]) => file)).toEqual([...files, "manifest.json", "views.sql"].toSorted())
        expect(files).toHaveLength(range === june ? 2 : 3)
        const changes = counting.changes()
        expect(changes).toBeGreaterThan(20)
        for (let n = 1 + (index % stride); n <= changes; n += stride) {
          for (const moment of name === "ndjson" ? (["before", "halfway"] as const) : (["halfway"] as const)) {
            const directory = yield* folder
            const files = yield* MortalFiles.make(n, moment)
            const exit = yield* settle(Effect.exit(run(directory, range, sink))).pipe(Effect.provide(files.layer))
            // The last changes clear up: a run that dies there is done.
            if (Exit.isFailure(exit)) expect(Cause.defects(exit.cause)).toContain(MortalFiles.killed)
            const again = yield* settle(run(directory, range, sink))
            expect(again.rows).toBe(manifest.rows)
            expect(yield* filesOf(directory), `killed ${moment} change ${n}`).toEqual(expected)
          }
        }
      }
    )
  }
})

describe("a store that takes the checkpoint of a window before all of its rows", () => {
  /** Takes the checkpoint first, or after one chunk of rows. */
  const early: Readonly<Record<string, (rows: Sink.WindowRows) => Effect.Effect<unknown, unknown>>> = {
    "before the rows": ({ checkpoint }) => checkpoint,
    "after some of them": ({ checkpoint, chunks }) => Effect.zipRight(Stream.runHead(chunks), checkpoint)
  }
  for (const [name, take] of Object.entries(early)) {
    exchanging({ limits: "off" })(
      `ends the export, and nothing is stored that says it has them: ${name}`,
      function* () {
        const directory = yield* folder
        const sink = Sink.ndjson(directory)
        const hasty: typeof sink = {
          ...sink,
          open: (...args) =>
            Effect.map(sink.open(...args), (store) => ({
              ...store,
              append: (rows) => Effect.zipRight(Effect.orDie(take(rows)), store.append(rows))
            }))
        }
        const exit = yield* settle(Effect.exit(History.runAll(parts, june, hasty)))
        expect(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "success").toContain(
          "the checkpoint of a window was run before the end of its rows"
        )
        const { begun, finished } = yield* History.inspect(parts, sink)
        expect([Option.isSome(begun), Option.isSome(finished)]).toEqual([true, false])
      }
    )
  }
})
