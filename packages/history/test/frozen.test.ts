import * as Sink from "@effect-venue/history/Sink"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { freezeRuns, freezing, type Kind, run, undisturbed } from "./utils/freezing.js"
import { settle } from "@effect-venue/testing/Settling"
import { exchanging, folder, onThatDay } from "./utils/world.js"

// Overwriting, which has most operations: frozen.accept.test.ts
const kinds: ReadonlyArray<Kind> = ["first", "incremental"]

describe("a run that is frozen until it counts as dead", () => {
  // At more operations: frozen.accept.test.ts
  it.scoped.each(kinds)(
    "fails when it is revived, and its successor's files are those of an undisturbed run (%s)",
    (kind) => freezeRuns(kind, 1)
  )

  exchanging({ limits: "off" })(
    "fails with SinkFailure when its folder was removed, and writes no other",
    function* () {
      const fs = yield* FileSystem.FileSystem
      const { operations } = yield* undisturbed("first")
      const directory = yield* folder
      const { files, frozen, revived } = yield* freezing(operations >> 1)
      const fiber = yield* Effect.fork(
        Effect.flip(Effect.provideService(run("first", directory), FileSystem.FileSystem, files))
      )
      yield* settle(Deferred.await(frozen))
      yield* fs.remove(directory, { recursive: true })
      yield* Deferred.succeed(revived, undefined)
      const failure = yield* settle(Fiber.join(fiber))
      expect(failure).toMatchObject({ _tag: "SinkFailure" })
      expect(failure.message).not.toContain("ENOENT")
      expect(yield* fs.exists(directory)).toBe(false)
      yield* fs.makeDirectory(directory)
    }
  )

  for (const [name, contents] of [
    ["empty", ""],
    ["cut", '{"pid":1'],
    ["foreign", "locked by something else\n"]
  ] as const) {
    it.scoped(`a lock file that is ${name} excludes other runs for the time in which its owner would update it`, () =>
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
