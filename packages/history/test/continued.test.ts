import * as Datasets from "@effect-venue/history/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as Verify from "@effect-venue/history/Verify"
import * as Failure from "@effect-venue/transport/Failure"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { begin, parts, rows } from "./utils/scripted.js"
import { day, exchange, folder, onThatDay, settle, today } from "./utils/world.js"

describe("an export that is continued again and again", () => {
  it.scoped("adds a file where there are new rows only, and no window where nothing is new", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* folder
      const run = (to: number) =>
        settle(History.runAll(parts(), { from: begin, to }, Sink.ndjson(directory), { incremental: true }))
      const at = begin + 4 * day + day / 4
      const first = yield* run(at)
      for (let minute = 1; minute <= 30; minute++) yield* run(at + minute * 60_000)
      const idle = yield* run(at + 31 * 60_000)
      expect(idle.parts.map(({ files, windows }) => [files.length, windows.length])).toEqual([
        [1, 1],
        [1, 1]
      ])
      expect(idle).toMatchObject({ rows: first.rows, to: at + 31 * 60_000, verdict: "complete" })
      expect(idle.parts[0]?.pages).toBeGreaterThan(first.parts[0]?.pages ?? 0)
      expect((yield* Verify.verify(directory)).findings).toEqual([])
      const more = yield* run(begin + 28 * day)
      expect(more.rows).toBe(2 * rows.length)
      expect(more.parts[0]?.files).toHaveLength(2)
      expect((yield* Verify.verify(directory)).findings).toEqual([])
      expect(yield* fs.readDirectory(directory)).toHaveLength(2 * 2 * 2 + 1)
    }).pipe(onThatDay, Effect.provide(NodeContext.layer))
  )
})

describe("the wallet of an account", () => {
  const range = { from: today - 2 * day, to: today - day }
  const part = Part.make(Datasets.executions, { category: "linear", symbol: "XRPUSDT" })

  it.scoped(
    "is in the manifest as it was at the start and at the end, and from the first start on when continued",
    () =>
      Effect.gen(function* () {
        const sink = Sink.ndjson(yield* folder)
        const { run } = yield* settle(History.runAll([part], range, sink))
        const wallet = { account: null, because: null, list: [{ accountType: "UNIFIED" }] }
        expect(run.walletsAtStart).toMatchObject([wallet])
        expect(run.walletsAtEnd).toMatchObject([wallet])
        const later = { ...range, to: today - day / 2 }
        const continued = yield* settle(History.runAll([part], later, sink, { incremental: true }))
        expect(continued.run.walletsAtStart).toEqual(run.walletsAtStart)
        expect(continued.run.walletsAtEnd[0]?.at).toBeGreaterThan(run.walletsAtEnd[0]?.at ?? 0)
      }).pipe(Effect.provide(exchange()), onThatDay, Effect.provide(NodeContext.layer))
  )

  it.scoped("that cannot be read is named, and ends no export", () =>
    Effect.gen(function* () {
      const failure = new Failure.Unauthorized({
        operation: "account.walletBalance",
        attempts: [],
        reason: "Permission"
      })
      const unreadable: Part.Part = { ...part, wallet: Effect.fail(failure) }
      const manifest = yield* settle(History.runAll([unreadable], range, Sink.ndjson(yield* folder)))
      expect(manifest.verdict).toBe("complete")
      expect(manifest.run.walletsAtEnd).toMatchObject([{ list: [], because: failure.message }])
    }).pipe(Effect.provide(exchange()), onThatDay, Effect.provide(NodeContext.layer))
  )
})
