import * as Datasets from "@effect-venue/history/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as ProcessIdentity from "@effect-venue/history/ProcessIdentity"
import * as Sink from "@effect-venue/history/Sink"
import * as Verify from "@effect-venue/history/Verify"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Either, Fiber } from "effect"
import * as UnrulyFiles from "./utils/unrulyFiles.js"
import { day, exchange, filesOf, folder, onThatDay, settle, today } from "./utils/world.js"

const parts = [
  Part.make(Datasets.executions, { category: "linear", symbol: "XRPUSDT" }),
  Part.make(Datasets.deposits, {})
]
const range = { from: today - 9 * day, to: today - day }

/** With 1 a run is frozen at each of its operations on files, with 32 at each 32nd. */
const stride = Number(process.env.VENUE_TEST_FREEZE_STRIDE ?? 32)

/** As on a system that says nothing of its processes: a lock is judged by whether it is touched. */
const unknown = Effect.provideService(ProcessIdentity.Processes, {
  self: Effect.succeed({ pid: 0, startedAt: "", machine: "" }),
  isAlive: () => Effect.succeed(undefined)
})

/** A file system whose user is frozen before its `n`-th operation, with all that it does at the time, until it is revived. */
const freezing = (n: number) =>
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

const run = (directory: string) => Effect.suspend(() => unknown(History.runAll(parts, range, Sink.ndjson(directory))))

const undisturbed = Effect.gen(function* () {
  const directory = yield* folder
  const { files, operations } = yield* freezing(Number.POSITIVE_INFINITY)
  yield* settle(Effect.provideService(run(directory), FileSystem.FileSystem, files))
  return { expected: yield* filesOf(directory), operations: operations() }
})

describe("a run that is frozen until it counts as dead", () => {
  it.scoped(
    "fails when it is revived, and its successor's files are those of an undisturbed run",
    () =>
      Effect.gen(function* () {
        const { expected, operations } = yield* undisturbed
        expect(operations).toBeGreaterThan(100)
        let lost = 0
        for (let n = 1 + (stride >> 1); n <= operations; n += stride) {
          // Once the successor is done, and while it is at work.
          for (const progress of [Number.POSITIVE_INFINITY, operations - n, operations >> 1]) {
            const label = `frozen at operation ${n} of ${operations}, revived at ${progress} of its successor`
            const directory = yield* folder
            const first = yield* freezing(n)
            const fiber = yield* Effect.fork(
              Effect.either(Effect.provideService(run(directory), FileSystem.FileSystem, first.files))
            )
            yield* settle(Deferred.await(first.frozen))
            const second = yield* freezing(progress)
            const successor = yield* Effect.fork(
              Effect.either(Effect.provideService(run(directory), FileSystem.FileSystem, second.files))
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
            yield* settle(run(directory))
            expect((yield* Verify.verify(directory)).findings, label).toEqual([])
            expect(yield* filesOf(directory), label).toEqual(expected)
          }
        }
        expect(lost).toBeGreaterThan(0)
      }).pipe(Effect.provide(exchange({ limits: "off" })), onThatDay, Effect.provide(NodeContext.layer)),
    300_000
  )

  it.scoped("fails with SinkFailure when its folder was removed, and writes no other", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { operations } = yield* undisturbed
      const directory = yield* folder
      const { files, frozen, revived } = yield* freezing(operations >> 1)
      const fiber = yield* Effect.fork(Effect.flip(Effect.provideService(run(directory), FileSystem.FileSystem, files)))
      yield* settle(Deferred.await(frozen))
      yield* fs.remove(directory, { recursive: true })
      yield* Deferred.succeed(revived, undefined)
      const failure = yield* settle(Fiber.join(fiber))
      expect(failure).toMatchObject({ _tag: "SinkFailure" })
      expect(failure.message).not.toContain("ENOENT")
      expect(yield* fs.exists(directory)).toBe(false)
      yield* fs.makeDirectory(directory)
    }).pipe(Effect.provide(exchange({ limits: "off" })), onThatDay, Effect.provide(NodeContext.layer))
  )

  for (const [name, contents] of [
    ["empty", ""],
    ["cut", '{"pid":1'],
    ["foreign", "locked by something else\n"]
  ] as const) {
    it.scoped(`a lock file that is ${name} keeps a run out for the time in which its owner would touch it`, () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* folder
        const lock = `${directory}/.venue/lock`
        yield* fs.makeDirectory(`${directory}/.venue`)
        yield* fs.writeFileString(lock, contents)
        const began = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
        yield* settle(Effect.scoped(Sink.ndjson(directory).open([])))
        const ended = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
        expect(ended - began).toBeGreaterThanOrEqual(20_000)
        expect(yield* fs.readDirectory(directory)).toEqual([])
      }).pipe(onThatDay, Effect.provide(NodeContext.layer))
    )
  }
})
