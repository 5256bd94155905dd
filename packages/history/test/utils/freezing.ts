import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as ProcessIdentity from "@effect-venue/history/siblings/ProcessIdentity"
import * as Sink from "@effect-venue/history/Sink"
import * as Verify from "@effect-venue/history/Verify"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { expect } from "@effect/vitest"
import { Deferred, Effect, Either, Fiber } from "effect"
import * as UnrulyFiles from "./unrulyFiles.js"
import { settle } from "@effect-venue/testing/Settling"
import { day, exchange, filesOf, folder, onThatDay, today } from "./world.js"

const parts = [
  Part.make(Datasets.executions, { category: "linear", symbol: "XRPUSDT" }),
  Part.make(Datasets.deposits, {})
]
const range = { from: today - 9 * day, to: today - day }
const earlier = { from: range.from, to: today - 4 * day }

/** A system on which processes cannot recognise each other: a lock is judged by whether it is touched. */
export const unknown = Effect.provideService(ProcessIdentity.Processes, {
  self: Effect.succeed({ pid: 0, startedAt: "", machine: "" }),
  isAlive: () => Effect.succeed(undefined)
})

/** A file system whose user is frozen before its `n`-th operation, with all that it does at the time, until it is revived. */
export const freezing = (n: number) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const frozen = yield* Deferred.make<void>()
    const revived = yield* Deferred.make<void>()
    let operations = 0
    const files = UnrulyFiles.make(fs, (effect) =>
      Effect.suspend(() =>
        ++operations < n
          ? effect
          : Deferred.succeed(frozen, undefined).pipe(Effect.zipRight(Deferred.await(revived)), Effect.zipRight(effect))
      )
    )
    return { files, frozen, revived, operations: () => operations }
  })

const exporting = (directory: string, period: typeof range, options: History.RunOptions = {}) =>
  Effect.suspend(() => unknown(History.runAll(parts, period, Sink.ndjson(directory), options)))

/** What is in the folder before, and the run that is frozen. */
const kinds = {
  first: {
    prepare: () => Effect.void,
    run: (directory: string) => exporting(directory, range)
  },
  incremental: {
    prepare: (directory: string) => exporting(directory, earlier),
    run: (directory: string) => exporting(directory, range, { incremental: true })
  },
  overwriting: {
    prepare: (directory: string) =>
      Effect.zipRight(exporting(directory, earlier), exporting(directory, range, { incremental: true })),
    run: (directory: string) => exporting(directory, range, { overwrite: true })
  }
}

export type Kind = keyof typeof kinds

/** The files; of incremental runs, each of which adds files, the rows by part. `Verify` compares those with their manifest. */
const result = (kind: Kind, directory: string) =>
  Effect.map(filesOf(directory), (files) => {
    if (kind !== "incremental") return files
    const rows = new Map<string, string>()
    for (const [name, text] of files) {
      const part = name.replace(/(\.\d+)?\.ndjson$/, "")
      if (name !== "manifest.json") rows.set(part, (rows.get(part) ?? "") + text)
    }
    return [...rows]
  })

export const run = (kind: Kind, directory: string) => kinds[kind].run(directory)

const prepared = (kind: Kind) =>
  Effect.gen(function* () {
    const directory = yield* folder
    yield* settle(kinds[kind].prepare(directory))
    return directory
  })

/** The files after an undisturbed run, and how many operations on files it takes. */
export const undisturbed = (kind: Kind) =>
  Effect.gen(function* () {
    const directory = yield* prepared(kind)
    const { files, operations } = yield* freezing(Number.POSITIVE_INFINITY)
    yield* settle(Effect.provideService(run(kind, directory), FileSystem.FileSystem, files))
    const count = operations()
    yield* settle(run(kind, directory))
    return { expected: yield* result(kind, directory), operations: count }
  })

/**
 * Freezes a run before some of its operations on files, at equal distances, or before each of them, until another run took its place,
 * and revives it while that one is at work or after it. Whatever the two do, the next run ends with the files of undisturbed runs.
 */
export const freezeRuns = (kind: Kind, points: number | "all") =>
  Effect.gen(function* () {
    const { expected, operations } = yield* undisturbed(kind)
    // An incremental run takes at least 99 operations, with those of the heartbeat up to 106.
    expect(operations).toBeGreaterThan(90)
    const count = points === "all" ? operations : points
    let lost = 0
    for (let point = 0; point < count; point++) {
      const n = 1 + Math.floor(((point + 0.5) * operations) / count)
      for (const progress of [Number.POSITIVE_INFINITY, operations - n, operations >> 1]) {
        const label = `${kind} run frozen at operation ${n} of ${operations}, revived at ${progress} of its successor`
        const directory = yield* prepared(kind)
        const first = yield* freezing(n)
        const fiber = yield* Effect.fork(
          Effect.either(Effect.provideService(run(kind, directory), FileSystem.FileSystem, first.files))
        )
        // The heartbeat of the lock runs beside, so that a run may have fewer operations than the undisturbed one.
        yield* settle(Effect.raceFirst(Deferred.await(first.frozen), Effect.asVoid(Fiber.await(fiber))))
        const second = yield* freezing(progress)
        const successor = yield* Effect.fork(
          Effect.either(Effect.provideService(run(kind, directory), FileSystem.FileSystem, second.files))
        )
        yield* settle(Effect.raceFirst(Deferred.await(second.frozen), Effect.asVoid(Fiber.await(successor))))
        yield* Deferred.succeed(first.revived, undefined)
        yield* Deferred.succeed(second.revived, undefined)
        const ends = yield* settle(Effect.all([Fiber.join(fiber), Fiber.join(successor)]))
        for (const end of ends) {
          if (Either.isRight(end)) continue
          lost++
          expect(["SinkFailure", "Refused"], label).toContain(end.left._tag)
        }
        const last = yield* settle(Effect.either(run(kind, directory)))
        expect(Either.isLeft(last) ? last.left.message : "finished", label).toBe("finished")
        expect((yield* Verify.verify(directory)).findings, label).toEqual([])
        expect(yield* result(kind, directory), label).toEqual(expected)
      }
    }
    expect(lost).toBeGreaterThan(0)
  }).pipe(Effect.provide(exchange({ limits: "off" })), onThatDay, Effect.provide(NodeContext.layer))
