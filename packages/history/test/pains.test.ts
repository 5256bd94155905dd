import * as History from "@effect-venue/history/History"
import * as Sink from "@effect-venue/history/Sink"
import type * as Faults from "@effect-venue/sandbox/Faults"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Transport from "@effect-venue/transport/Transport"
import { FileSystem, Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Option, TestClock } from "effect"

const today = Date.parse("2026-06-15T12:34:56.789Z")
const day = Duration.toMillis("1 day")
const query = { category: "linear", from: today - 20 * day, to: today } as const

const exchange = Transport.layerStandalone.pipe(Layer.provideMerge(Sandbox.layer({ seed: 3 })))

const settle = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(effect)
    while (Option.isNone(yield* Fiber.poll(fiber))) {
      yield* TestClock.adjust("1 second")
      // Files are written by the real world, which no test clock moves.
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }
    return yield* Fiber.join(fiber)
  })

/** An export into a folder of its own: how it ended, and which files there are then. */
const exported = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* fs.makeTempDirectoryScoped()
  const ended = yield* settle(
    Effect.either(History.run(History.executions, query, Sink.ndjson(path.join(folder, "fills.ndjson"))))
  )
  return { ended, files: yield* fs.readDirectory(folder) }
})

// Thousands of rows on a machine that may be busy.
describe("an export that cannot be complete", { timeout: 60_000 }, () => {
  const faults: ReadonlyArray<readonly [fault: Faults.Fault, tag: string]> = [
    [{ kind: "repeatedPage" }, "UnexpectedResponse"],
    [{ kind: "repeatedCursor" }, "UnexpectedResponse"],
    [{ kind: "internal", executed: true }, "Unavailable"]
  ]
  for (const [fault, tag] of faults) {
    it.scoped(`because of ${fault.kind} says so, and leaves no file that looks like one`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(today)
        yield* Effect.gen(function* () {
          const { faults } = yield* Sandbox.Sandbox
          yield* faults.set([{ fault, operations: ["executions.list"], skip: 6 }])
          const { ended, files } = yield* exported
          expect(ended).toMatchObject({
            _tag: "Left",
            left: { _tag: tag, operation: "executions.list" }
          })
          expect(files).toEqual([])
        }).pipe(Effect.provide(exchange))
      }).pipe(Effect.provide(NodeContext.layer))
    )
  }

  it.scoped(
    "is told from one that is: the manifest covers the range without a gap, and counts what the exchange holds",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(today)
        yield* Effect.gen(function* () {
          const { holds } = yield* Sandbox.Sandbox
          const { ended, files } = yield* exported
          const manifest = yield* ended
          expect(files).toEqual(["fills.ndjson"])
          expect(manifest.rows).toBe((yield* holds(query)).executions.count)
          expect(manifest.windows[0]?.from).toBe(query.from)
          expect(manifest.windows.at(-1)?.to).toBe(query.to)
          for (const [index, { from }] of manifest.windows.slice(1).entries()) {
            expect(from).toBe(manifest.windows[index]?.to)
          }
        }).pipe(Effect.provide(exchange))
      }).pipe(Effect.provide(NodeContext.layer))
  )
})
