import * as Breadth from "@effect-venue/testing/Breadth"
import * as Limits from "@effect-venue/transport/Limits"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, FastCheck, Fiber, Layer, Scope, TestClock } from "effect"
import type { YieldWrap } from "effect/Utils"

const withRateLimiter = <A, E, R>(use: (limiter: RateLimiter.RateLimiter.Shape) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(RateLimiter.RateLimiter, use).pipe(Effect.provide(RateLimiter.layerMemory))

/** Defines a test of a limiter over a store in memory. */
const limiting = (
  title: string,
  body: (
    limiter: RateLimiter.RateLimiter.Shape
  ) => Generator<YieldWrap<Effect.Effect<unknown, unknown, RateLimiter.RateLimiter>>, void, never>
) => {
  it.effect(title, () => withRateLimiter((limiter) => Effect.gen(() => body(limiter))))
}

const minutes = Duration.toMillis("1 minute")

/**
 * Opens connections side by side, and gives when each was open. They close together, `held` after the first was open: one timer,
 * since the test clock looks at every fiber for each.
 */
const opening = Effect.fnUntraced(function* (
  count: number,
  charges: Limits.StreamConnection,
  held: Duration.DurationInput
) {
  const opened: Array<number> = []
  const closing = yield* Effect.cached(Effect.sleep(held))
  const connect = Effect.map(Clock.currentTimeMillis, (now) => opened.push(now))
  const each = Effect.scoped(Effect.zipLeft(RateLimiter.connection(connect, { charges }), closing))
  const fiber = yield* Effect.fork(Effect.replicateEffect(each, count, { concurrency: "unbounded", discard: true }))
  return { opened, fiber }
})

describe("a place that is taken until a scope closes", () => {
  limiting("is free after the scope closes, and others wait for it until then", function* (limiter) {
    const open = { ...Limits.streamConnection("spot").open, limit: 1 }
    const taken = (held: Duration.DurationInput) =>
      Effect.scoped(
        RateLimiter.acquireScoped(limiter, { charges: [open], priority: "read" }).pipe(
          Effect.zipRight(Clock.currentTimeMillis),
          Effect.zipLeft(Effect.sleep(held))
        )
      )
    const fiber = yield* Effect.fork(Effect.all([taken(1000), taken(500), taken(0)], { concurrency: "unbounded" }))
    yield* TestClock.adjust("1 minute")
    expect(yield* Fiber.join(fiber)).toEqual([0, 1001, 1502])
    yield* Effect.scoped(RateLimiter.acquireScoped(limiter, { charges: [], priority: "read" }))
  })
})

describe("connections to the market-data stream", () => {
  limiting(
    "[limits/stream.rate] are 500 in 5 minutes at most, and the next ones follow when the window has passed",
    function* () {
      const { fiber, opened } = yield* opening(1001, Limits.streamConnection("linear"), "1 second")
      yield* TestClock.adjust("5 minutes")
      expect(opened).toEqual(Array(500).fill(0))
      yield* TestClock.adjust("5 minutes")
      expect(opened).toHaveLength(1000)
      yield* TestClock.adjust("5 minutes")
      yield* Fiber.join(fiber)
      // One millisecond for rounding, as between all windows.
      expect(opened).toEqual([
        ...Array<number>(500).fill(0),
        ...Array<number>(500).fill(5 * minutes + 1),
        10 * minutes + 2
      ])
    }
  )

  limiting(
    "[limits/stream.market-data] are 1,000 open at once at most, and one that is closed makes room for the next",
    function* () {
      const documented = Limits.streamConnection("linear")
      // All of them in one window, so that only the limit of the open ones holds them up.
      const charges = { ...documented, opening: { ...documented.opening, limit: 1001 } }
      const { fiber, opened } = yield* opening(1001, charges, "10 seconds")
      yield* TestClock.adjust("9 seconds")
      expect(opened).toEqual(Array(1000).fill(0))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(fiber)
      expect(opened[1000]).toBe(10_001)
    }
  )

  limiting("[limits/stream.counted] are counted separately for spot, linear and inverse", function* () {
    const all = yield* Effect.forEach(["spot", "linear", "inverse"] as const, (category) =>
      opening(501, Limits.streamConnection(category), "1 second")
    )
    yield* TestClock.adjust("1 second")
    expect(all.map(({ opened }) => opened.length)).toEqual([500, 500, 500])
    yield* Effect.forEach(all, ({ fiber }) => Fiber.interrupt(fiber))
  })

  it("are counted together for all hostnames of the stream, and separately for a named service", () => {
    const keyOf = (address?: string) => Limits.streamConnection("spot", { address }).open.key
    expect(keyOf()).toBe(Limits.streamConnection("spot").open.key)
    expect(keyOf("wss://stream.test")).not.toBe(keyOf())
    expect(keyOf("wss://stream.test:443/v3/public")).toBe(keyOf("wss://stream.test"))
    expect(keyOf("wss://other.test")).not.toBe(keyOf("wss://stream.test"))
    expect(Limits.streamConnection("spot").opening.key).not.toBe(keyOf())
  })

  limiting("are closed before their place is free", function* (limiter) {
    const charges = Limits.streamConnection("linear")
    const remaining = Effect.map(limiter.states, (states) => states.find(({ key }) => key === charges.open.key))
    const whenClosed: Array<number | undefined> = []
    const connect = Effect.acquireRelease(Effect.succeed("socket"), () =>
      Effect.map(remaining, (state) => void whenClosed.push(state?.remaining))
    )
    expect(yield* Effect.scoped(RateLimiter.connection(connect, { charges }))).toBe("socket")
    yield* TestClock.adjust("1 millis")
    expect(whenClosed).toEqual([999])
    expect((yield* remaining)?.remaining).toBe(1000)
  })

  limiting(
    "leave their place and what they had opened at once when the attempt fails, though the scope stays open",
    function* (limiter) {
      const charges = Limits.streamConnection("linear")
      const scope = yield* Scope.make()
      let isClosed = false
      const connect = Effect.zipRight(
        Effect.addFinalizer(() => Effect.sync(() => (isClosed = true))),
        Effect.fail("refused")
      )
      const exit = yield* RateLimiter.connection(connect, { charges }).pipe(Scope.extend(scope), Effect.exit)
      expect(exit).toStrictEqual(Exit.fail("refused"))
      expect(isClosed).toBe(true)
      yield* TestClock.adjust("1 millis")
      // The service may have counted the attempt.
      expect(yield* limiter.states).toMatchObject([{ remaining: 1000 }, { remaining: 499 }])
    }
  )

  it.effect("wait for an unreachable store no longer than calls do", () =>
    Effect.gen(function* () {
      const unreachable: RateLimitStore.RateLimitStore.Shape = {
        ...(yield* RateLimitStore.makeMemory()),
        reserve: () => Effect.succeed({ _tag: "Unreachable" })
      }
      const limiter = RateLimiter.layer.pipe(Layer.provide(Layer.succeed(RateLimitStore.RateLimitStore, unreachable)))
      const connecting = RateLimiter.connection(Effect.void, { charges: Limits.streamConnection("spot") })
      const fiber = yield* Effect.fork(Effect.scoped(connecting).pipe(Effect.provide(limiter), Effect.flip))
      yield* TestClock.adjust("10 seconds")
      expect((yield* Fiber.join(fiber))._tag).toBe("StoreUnreachable")
    })
  )

  it.effect.prop(
    "never exceed either limit as a service counts them, whatever the latency and however they end",
    {
      connections: FastCheck.array(
        FastCheck.record({
          after: FastCheck.integer({ min: 0, max: 3000 }),
          there: FastCheck.integer({ min: 0, max: 400 }),
          back: FastCheck.integer({ min: 0, max: 400 }),
          held: FastCheck.integer({ min: 0, max: 4000 }),
          ends: FastCheck.constantFrom("closes", "fails", "is interrupted")
        }),
        { minLength: 1, maxLength: 40 }
      ),
      count: FastCheck.integer({ min: 1, max: 8 }),
      most: FastCheck.integer({ min: 1, max: 8 })
    },
    ({ connections, count, most }) =>
      withRateLimiter(() =>
        Effect.gen(function* () {
          const { open, opening } = Limits.streamConnection("inverse")
          const charges = {
            opening: { ...opening, limit: count, window: Duration.seconds(1) },
            open: { ...open, limit: most }
          }
          const arrived: Array<number> = []
          let openNow = 0
          let mostOpen = 0
          // The service's side: it counts a connection when the attempt arrives, and has it until it is closed.
          const accept = Effect.acquireRelease(
            Effect.map(Clock.currentTimeMillis, (now) => {
              arrived.push(now)
              mostOpen = Math.max(mostOpen, ++openNow)
            }),
            () => Effect.sync(() => (openNow -= 1))
          )
          const each = ({ after, back, ends, held, there }: (typeof connections)[number]) => {
            const answer = ends === "fails" ? Effect.fail("refused") : Effect.void
            const connect = Effect.sleep(there).pipe(
              Effect.zipRight(accept),
              Effect.zipRight(Effect.sleep(back)),
              Effect.zipRight(answer)
            )
            const open = Effect.scoped(
              Effect.zipRight(RateLimiter.connection(connect, { charges }), Effect.sleep(held))
            )
            const ended = ends === "is interrupted" ? Effect.timeout(open, held) : open
            return Effect.delay(Effect.ignore(ended), after)
          }
          const all = yield* Effect.fork(Effect.all(connections.map(each), { concurrency: "unbounded", discard: true }))
          yield* TestClock.adjust("10 minutes")
          yield* Fiber.join(all)
          expect(openNow).toBe(0)
          expect(mostOpen).toBeLessThanOrEqual(most)
          const within = (from: number) => arrived.filter((at) => at >= from && at < from + 1000).length
          expect(Math.max(0, ...arrived.map(within))).toBeLessThanOrEqual(count)
          const untimed = connections.filter(({ ends }) => ends !== "is interrupted").length
          expect(arrived.length).toBeGreaterThanOrEqual(untimed)
        })
      ),
    { fastCheck: { numRuns: Breadth.repeats(30, 6) } }
  )
})
