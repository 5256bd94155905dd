import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import type * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as Failure from "@effect-venue/transport/Failure"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Fiber, Ref, Stream, TestClock } from "effect"
import * as fc from "effect/FastCheck"
import { forEach } from "../src/platform/forEach.js"
import { readAhead } from "../src/read/readAhead.js"
import * as Scripted from "./utils/scripted.js"
import { settle } from "@effect-venue/testing/Settling"
import { day, folder, today, withFiles } from "./utils/world.js"

const refusal = new Failure.InvalidRequest({
  operation: "executions.list",
  field: "startTime",
  rule: "is refused",
  issues: []
})

/** How many run at a time, and how many have been begun. */
const counted = Effect.gen(function* () {
  const running = yield* Ref.make(0)
  const most = yield* Ref.make(0)
  const begun = yield* Ref.make(0)
  const counting = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Effect.zipRight(
        Ref.update(begun, (count) => count + 1),
        Effect.flatMap(
          Ref.updateAndGet(running, (count) => count + 1),
          (now) => Ref.update(most, (count) => Math.max(count, now))
        )
      ),
      () => effect,
      () => Ref.update(running, (count) => count - 1)
    )
  return { running, most, begun, counting }
})

const plan = fc.record({
  durations: fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 12 }),
  concurrency: fc.integer({ min: 1, max: 5 }),
  /** How long each result is stored. */
  pause: fc.integer({ min: 0, max: 30 })
})

describe("reading ahead", () => {
  it.effect.prop(
    "gives every result once, in order, with no more at a time than it may",
    [plan],
    ([{ concurrency, durations, pause }]) =>
      Effect.gen(function* () {
        const { begun, counting, most, running } = yield* counted
        const taken: Array<number> = []
        const stream = readAhead(
          durations,
          (duration, index) => Effect.as(counting(Effect.sleep(duration)), index),
          concurrency
        )
        const reading = yield* Effect.fork(
          forEach(stream, (index) =>
            Effect.gen(function* () {
              taken.push(index)
              // Those that run or wait to be taken, and the one that is looked at.
              expect(yield* begun).toBeLessThanOrEqual(taken.length + 2 * concurrency)
              yield* Effect.sleep(pause)
            })
          )
        )
        yield* TestClock.adjust("1 hour")
        yield* Fiber.join(reading)
        expect(taken).toEqual(durations.map((_, index) => index))
        expect(yield* most).toBeLessThanOrEqual(concurrency)
        expect(yield* running).toBe(0)
      }),
    { fastCheck: { numRuns: 30 } }
  )

  it.effect("continues to read while a result is stored", () =>
    Effect.gen(function* () {
      const { begun, counting } = yield* counted
      const stored = yield* Deferred.make<void>()
      const reading = yield* Effect.fork(
        forEach(
          readAhead([1, 2, 3, 4, 5, 6, 7, 8, 9], () => counting(Effect.void), 2),
          () => Deferred.await(stored)
        )
      )
      yield* TestClock.adjust("1 second")
      expect(yield* begun).toBe(5)
      yield* Deferred.succeed(stored, undefined)
      yield* Fiber.join(reading)
      expect(yield* begun).toBe(9)
    })
  )

  it.effect("fails after all earlier results, and leaves no fiber running", () =>
    Effect.gen(function* () {
      const { counting, running } = yield* counted
      const taken: Array<number> = []
      const failing = readAhead(
        [30, 20, 0, 40],
        (duration, index) => counting(index === 2 ? Effect.fail("no") : Effect.as(Effect.sleep(duration), index)),
        4
      )
      const reading = yield* Effect.fork(Effect.flip(forEach(failing, (index) => Effect.sync(() => taken.push(index)))))
      yield* TestClock.adjust("1 minute")
      expect(yield* Fiber.join(reading)).toBe("no")
      expect(taken).toEqual([0, 1])
      expect(yield* running).toBe(0)
    })
  )

  it.effect("interrupts its fibers when it is interrupted, or when no more results are taken", () =>
    Effect.gen(function* () {
      const { begun, counting, running } = yield* counted
      const endless = readAhead([1, 2, 3], () => counting(Effect.never), 2)
      const reading = yield* Effect.fork(Stream.runDrain(endless))
      yield* TestClock.adjust("1 second")
      expect(yield* running).toBe(2)
      yield* Fiber.interrupt(reading)
      expect(yield* running).toBe(0)
      const first = readAhead([0, 1000, 1000], (duration) => counting(Effect.sleep(duration)), 3)
      yield* Stream.runDrain(Stream.take(first, 1))
      expect(yield* running).toBe(0)
      expect(yield* begun).toBe(5)
    })
  )
})

describe("an export with a window that cannot be read", () => {
  withFiles("keeps the windows before it, which are not read again", function* () {
    const directory = yield* folder
    const asked: Array<number> = []
    const { page, ...rest } = Scripted.part(Datasets.executions, { category: "linear" })
    const unreadableFrom = Scripted.begin + 20 * day
    const partUntil = (end: number): Part.Part<unknown, never> => ({
      ...rest,
      page: (ask) => {
        asked.push(ask.from)
        // It fails at once, while the windows before it are still being read.
        return ask.from > end ? Effect.fail(refusal) : Effect.delay(page(ask), "1 second")
      }
    })
    const run = (end: number) =>
      settle(
        History.runAll(
          [partUntil(end)],
          { from: Scripted.begin, to: Scripted.begin + 28 * day },
          Sink.ndjson(directory)
        )
      )
    yield* TestClock.setTime(today)
    expect(yield* Effect.flip(run(unreadableFrom))).toBe(refusal)
    asked.length = 0
    expect(yield* run(Number.POSITIVE_INFINITY)).toMatchObject({ verdict: "complete", rows: Scripted.rows.length })
    expect(Math.min(...asked)).toBeGreaterThan(unreadableFrom)
  })
})

describe("for each element of a stream", () => {
  it.effect.prop(
    "does what Stream.runForEach does",
    [fc.array(fc.array(fc.integer())), fc.nat()],
    ([chunks, at]) =>
      Effect.gen(function* () {
        const stream = Stream.fromIterable(chunks).pipe(
          Stream.flatMap((chunk) => Stream.fromChunk(Chunk.fromIterable(chunk))),
          Stream.concat(at % 2 === 0 ? Stream.fail("the stream") : Stream.empty)
        )
        const outcome = (run: (f: (element: number) => Effect.Effect<void, string>) => Effect.Effect<void, string>) => {
          const seen: Array<number> = []
          const take = (element: number) =>
            Effect.suspend(() => {
              seen.push(element)
              return seen.length > at ? Effect.fail("the element") : Effect.void
            })
          return Effect.map(Effect.either(run(take)), (result) => ({ result, seen }))
        }
        expect(yield* outcome((f) => forEach(stream, f))).toEqual(yield* outcome((f) => Stream.runForEach(stream, f)))
      }),
    { fastCheck: { numRuns: 50 } }
  )

  it.effect("closes the stream when it ends, fails or is interrupted", () =>
    Effect.gen(function* () {
      const closed = yield* Ref.make(0)
      const opened = <A>(rest: Stream.Stream<A, string>) =>
        Stream.unwrapScoped(
          Effect.as(
            Effect.addFinalizer(() => Ref.update(closed, (count) => count + 1)),
            rest
          )
        )
      yield* forEach(opened(Stream.make(1, 2)), () => Effect.void)
      yield* Effect.flip(forEach(opened(Stream.fail("no")), () => Effect.void))
      yield* Effect.flip(forEach(opened(Stream.make(1)), () => Effect.fail("no")))
      const waiting = yield* Effect.fork(forEach(opened(Stream.never), () => Effect.void))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(waiting)
      expect(yield* closed).toBe(4)
    })
  )
})
