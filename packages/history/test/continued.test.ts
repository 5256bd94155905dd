import * as Breadth from "@effect-venue/testing/Breadth"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as ProcessIdentity from "@effect-venue/history/siblings/ProcessIdentity"
import * as Sink from "@effect-venue/history/Sink"
import * as Verify from "@effect-venue/history/Verify"
import * as Failure from "@effect-venue/transport/Failure"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Option } from "effect"
import { begin, parts, rows } from "./utils/scripted.js"
import * as MortalFiles from "./utils/mortalFiles.js"
import { settle } from "@effect-venue/testing/Settling"
import { day, filesOf, folder, mortal, onExchange, onThatDay, today } from "./utils/world.js"

/** How often nothing is new, one minute after the other. */
const idleRuns = Breadth.repeats(30, 3)

describe("an export that is continued again and again", () => {
  it.scoped("adds a file only for new rows, and no window without new rows", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* folder
      const run = (to: number) =>
        settle(History.runAll(parts(), { from: begin, to }, Sink.ndjson(directory), { incremental: true }))
      const at = begin + 4 * day + day / 4
      const first = yield* run(at)
      for (let minute = 1; minute <= idleRuns; minute++) yield* run(at + minute * 60_000)
      const end = at + (idleRuns + 1) * 60_000
      const idle = yield* run(end)
      expect(idle.parts.map(({ files, windows }) => [files.length, windows.length])).toEqual([
        [1, 1],
        [1, 1]
      ])
      expect(idle).toMatchObject({ rows: first.rows, to: end, verdict: "complete" })
      expect(idle.parts[0]?.pages).toBeGreaterThan(first.parts[0]?.pages ?? 0)
      expect((yield* Verify.verify(directory)).findings).toEqual([])
      const more = yield* run(begin + 28 * day)
      expect(more.rows).toBe(2 * rows.length)
      expect(more.parts[0]?.files).toHaveLength(2)
      expect((yield* Verify.verify(directory)).findings).toEqual([])
      expect(yield* fs.readDirectory(directory)).toHaveLength(2 * 2 * 2 + 2)
    }).pipe(onThatDay, Effect.provide(NodeContext.layer))
  )
})

describe("a run that continues an export", () => {
  const first = begin + 4 * day + day / 4
  let pid = 100
  const run = (directory: string, to: number) =>
    Effect.suspend(() =>
      Effect.provideService(
        History.runAll(parts(), { from: begin, to }, Sink.ndjson(directory), { incremental: true }),
        ProcessIdentity.Processes,
        mortal(++pid)
      )
    )
  const killed = (directory: string, to: number, n: number, moment: "before" | "halfway") =>
    Effect.gen(function* () {
      yield* run(directory, first)
      const files = yield* MortalFiles.make(n, moment)
      yield* Effect.exit(Effect.provide(run(directory, to), files.layer))
      return files.changes()
    })

  // The clock stands still, so that a run without new rows takes no time.
  it.scoped.each([
    ["finds nothing new, and then writes only a manifest", first + 60_000, 10, 10, Breadth.repeats(1, 3)],
    ["finds new rows", begin + 28 * day, 40, 100, Breadth.repeats(1, 41)]
  ] as const)("can be killed at any change of a file if it %s", ([, to, least, most, stride]) =>
    Effect.gen(function* () {
      const undisturbed = yield* folder
      const changes = yield* killed(undisturbed, to, 0, "before")
      const expected = yield* filesOf(undisturbed)
      expect(changes).toBeGreaterThanOrEqual(least)
      expect(changes).toBeLessThanOrEqual(most)
      for (let n = 1; n <= changes; n += stride) {
        for (const moment of ["before", "halfway"] as const) {
          const directory = yield* folder
          yield* killed(directory, to, n, moment)
          yield* run(directory, to)
          expect(yield* filesOf(directory), `killed ${moment} change ${n}`).toEqual(expected)
        }
      }
    }).pipe(onThatDay, Effect.provide(NodeContext.layer))
  )
})

describe("an export that is finished", () => {
  const part = Part.make(Datasets.executions, { category: "linear", symbol: "XRPUSDT" })

  onExchange("is refused without an end, with the remedies", function* () {
    const sink = Sink.ndjson(yield* folder)
    const to = today - day
    yield* settle(History.runAll([part], { from: today - 2 * day, to }, sink))
    const refused = yield* Effect.flip(settle(History.runAll([part], { from: today - 2 * day }, sink)))
    expect(refused).toMatchObject({ _tag: "Refused", reason: "OtherExport" })
    expect(refused.message).toContain(
      `is finished and ends at ${new Date(to).toISOString()}, not at ${new Date(today).toISOString().slice(0, 14)}`
    )
    expect(refused.message).toContain("pass this `to` to return it, continue it with `incremental`")
  })
})

/** A sink whose process dies when the manifest is there, and the checkpoint still is. */
const dyingAtTheEnd = (directory: string) =>
  Effect.map(FileSystem.FileSystem, (fs) => {
    const sink = Sink.ndjson(directory)
    const checkpoint = Effect.gen(function* () {
      const work = (yield* fs.readDirectory(directory, { recursive: true })).filter((name) => name.startsWith("."))
      const files = yield* Effect.filter(work, (name) =>
        Effect.map(fs.stat(`${directory}/${name}`), ({ type }) => type === "File" && !name.includes("lock"))
      )
      return yield* Effect.forEach(files, (name) =>
        Effect.map(fs.readFile(`${directory}/${name}`), (bytes) => ({ name, bytes }))
      )
    }).pipe(Effect.orDie)
    const dying: typeof sink = {
      ...sink,
      open: (parts, options) =>
        Effect.map(sink.open(parts, options), (store) => ({
          ...store,
          publish: (manifest) =>
            Effect.gen(function* () {
              const before = yield* checkpoint
              const finished = yield* store.publish(manifest)
              for (const { bytes, name } of before) yield* Effect.orDie(fs.writeFile(`${directory}/${name}`, bytes))
              return finished
            })
        }))
    }
    return dying
  })

describe("an export that was killed after publishing, before its checkpoint was removed", () => {
  it.scoped("is continued by an incremental run, and counts as finished for another one", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const at = begin + 4 * day
      const range = { from: begin, to: at }
      const dying = yield* dyingAtTheEnd(directory)
      const first = yield* settle(History.runAll(parts(), range, dying, { incremental: true }))
      const state = yield* History.inspect(parts(), Sink.ndjson(directory))
      expect(Option.isSome(state.begun) && Option.isSome(state.finished)).toBe(true)
      expect(yield* settle(History.runAll(parts(), range, dying))).toMatchObject({ rows: first.rows, to: at })
      const continued = { ...range, to: begin + 28 * day }
      const manifest = yield* settle(History.runAll(parts(), continued, Sink.ndjson(directory), { incremental: true }))
      expect(manifest).toMatchObject({ from: begin, rows: 2 * rows.length, verdict: "complete" })
      expect((yield* Verify.verify(directory)).findings).toEqual([])
    }).pipe(onThatDay, Effect.provide(NodeContext.layer))
  )
})

describe("the wallet of an account", () => {
  const range = { from: today - 2 * day, to: today - day }
  const part = Part.make(Datasets.executions, { category: "linear", symbol: "XRPUSDT" })

  onExchange(
    "is in the manifest as it was at the start and at the end, and from the first start on when continued",
    function* () {
      const sink = Sink.ndjson(yield* folder)
      const { run } = yield* settle(History.runAll([part], range, sink))
      const wallet = { account: null, because: null, list: [{ accountType: "UNIFIED" }] }
      expect(run.walletsAtStart).toMatchObject([wallet])
      expect(run.walletsAtEnd).toMatchObject([wallet])
      const later = { ...range, to: today - day / 2 }
      const continued = yield* settle(History.runAll([part], later, sink, { incremental: true }))
      expect(continued.run.walletsAtStart).toEqual(run.walletsAtStart)
      expect(continued.run.walletsAtEnd[0]?.at).toBeGreaterThan(run.walletsAtEnd[0]?.at ?? 0)
    }
  )

  onExchange("has the time of the service's clock, like the rows", function* () {
    const hour = 3_600_000
    const serverTime = Effect.map(Clock.currentTimeMillis, (now) => Option.some(now + hour))
    const { run } = yield* settle(History.runAll([{ ...part, serverTime }], range, Sink.ndjson(yield* folder)))
    for (const { at } of [...run.walletsAtStart, ...run.walletsAtEnd]) {
      expect(at).toBeGreaterThanOrEqual(run.startedAt + hour)
      expect(at).toBeLessThanOrEqual(run.endedAt + hour)
    }
    expect(run.walletsAtEnd).toHaveLength(1)
  })

  onExchange("that cannot be read is reported, and does not end an export", function* () {
    const failure = new Failure.Unauthorized({
      operation: "account.walletBalance",
      attempts: [],
      reason: "Permission"
    })
    const unreadable: Part.Part = { ...part, wallet: Effect.fail(failure) }
    const manifest = yield* settle(History.runAll([unreadable], range, Sink.ndjson(yield* folder)))
    expect(manifest.verdict).toBe("complete")
    expect(manifest.run.walletsAtEnd).toMatchObject([{ list: [], because: failure.message }])
  })
})
