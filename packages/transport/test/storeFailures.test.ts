import * as Executions from "@effect-venue/schemas/Executions"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Transport from "@effect-venue/transport/Transport"
import { HttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Clock, Deferred, Duration, Effect, Exit, Fiber, Layer, Logger, Option, TestClock } from "effect"
import * as scripted from "./utils/scripted.js"

type Store = RateLimitStore.RateLimitStore.Shape

const charge = (key: string, limit: number): RateLimitStore.Charge => ({
  key,
  scope: "uid",
  limit,
  window: Duration.seconds(1),
  cost: 1
})

const k = { charges: [charge("k", 1)], priority: "read" } as const

/** A limiter over a store that differs from one in memory. */
const limiterOver = (change: (store: Store) => Partial<Store>) =>
  Effect.gen(function* () {
    const memory = yield* RateLimitStore.makeMemory()
    const store = { ...memory, isLocal: false, ...change(memory) }
    return yield* Effect.provideService(RateLimiter.make(), RateLimitStore.RateLimitStore, store)
  })

const isPending = <A, E>(fiber: Fiber.RuntimeFiber<A, E>) => Effect.map(Fiber.poll(fiber), Option.isNone)

const unreachable = () => Effect.succeed<RateLimitStore.ReserveResult>({ _tag: "Unreachable" })

const broken = Effect.dieMessage("ECONNREFUSED")

describe("a failing operation of a store", () => {
  for (const [operation, change] of [
    ["reserve", { reserve: () => broken }],
    ["settle", { settle: () => broken }],
    ["observe", { observe: () => broken }]
  ] as const) {
    it.effect(`is logged with its name: ${operation}`, () =>
      Effect.gen(function* () {
        const logged: Array<unknown> = []
        const logger = Logger.make(({ message }) => logged.push(message))
        const limiter = yield* limiterOver(() => ({ isLocal: true, ...change }))
        yield* RateLimiter.charged(limiter, Effect.void, k).pipe(
          Effect.zipRight(
            Effect.clockWith((clock) =>
              limiter.observe(charge("k", 1), { roundTrip: Duration.zero, refused: false }, clock)
            )
          ),
          Effect.timeoutOption("1 second"),
          Effect.fork,
          Effect.tap(() => TestClock.adjust("1 second")),
          Effect.flatMap(Fiber.await),
          Effect.provide(Logger.replace(Logger.defaultLogger, logger))
        )
        expect(logged[0]).toEqual([`the store of the rate limits failed: ${operation}`])
      })
    )
  }
})

const failures: ReadonlyArray<readonly [string, () => Effect.Effect<RateLimitStore.ReserveResult>]> = [
  ["answers that it cannot be reached", unreachable],
  ["dies", () => Effect.dieMessage("ECONNREFUSED")],
  ["does not answer", () => Effect.never]
]

describe("a warning is logged when a store cannot be reached, and when it can be again:", () => {
  for (const [failure, reserve] of failures) {
    it.effect(`one that ${failure}`, () =>
      Effect.gen(function* () {
        const logged: Array<unknown> = []
        const logger = Logger.make(({ message }) => logged.push(String(message)))
        let isReached = false
        const limiter = yield* limiterOver((memory) => ({
          reserve: (charges) =>
            isReached ? memory.reserve(charges) : Effect.race(reserve(), Effect.delay(unreachable(), "6 seconds"))
        }))
        const charged = RateLimiter.charged(limiter, Effect.void, k)
        const calls = yield* Effect.fork(
          Effect.provide(Effect.zipRight(charged, charged), Logger.replace(Logger.defaultLogger, logger))
        )
        yield* TestClock.adjust("2 seconds")
        expect(logged.filter((line) => String(line).includes("cannot be reached"))).toEqual([
          "the store of the rate limits cannot be reached"
        ])
        isReached = true
        for (let seconds = 0; seconds < 12; seconds++) yield* TestClock.adjust("1 second")
        yield* Fiber.join(calls)
        expect(logged.filter((line) => String(line).includes("reached"))).toEqual([
          "the store of the rate limits cannot be reached",
          expect.stringMatching(/^the store of the rate limits can be reached again, after \ds$/)
        ])
      })
    )
  }
})

describe("a store that", () => {
  for (const [failure, reserve] of failures) {
    for (const isLocal of [true, false]) {
      // A store that is local answers in one step or is none.
      if (isLocal && failure === "does not answer") continue
      const store = isLocal ? "and is local" : "and is not local"

      it.effect(`${failure} ${store} makes calls wait for ten seconds each, then fail without having run`, () =>
        Effect.gen(function* () {
          const limiter = yield* limiterOver(() => ({ isLocal, reserve }))
          let ran = 0
          const call = RateLimiter.charged(
            limiter,
            Effect.sync(() => {
              ran += 1
            }),
            k
          )
          const first = yield* Effect.fork(call)
          yield* TestClock.adjust("3 seconds")
          const second = yield* Effect.fork(call)
          yield* TestClock.adjust("6999 millis")
          expect([yield* isPending(first), yield* isPending(second)]).toEqual([true, true])
          yield* TestClock.adjust("1 millis")
          expect(yield* Effect.flip(Fiber.join(first))).toMatchObject({
            _tag: "StoreUnreachable",
            waited: Duration.seconds(10),
            message: "the store of the rate limits could not be reached for 10s"
          })
          expect(yield* isPending(second)).toBe(true)
          yield* TestClock.adjust("3 seconds")
          expect(Exit.isFailure(yield* Fiber.await(second))).toBe(true)
          expect(ran).toBe(0)
          // Nothing goes on looking: the test's clock keeps also the sleeps that were interrupted until they are over.
          yield* TestClock.adjust("1 minute")
          expect(yield* TestClock.sleeps()).toEqual(Chunk.empty())
        })
      )
    }

    it.effect(`${failure} makes calls wait for the configured time`, () =>
      Effect.gen(function* () {
        const limiter = yield* limiterOver(() => ({ reserve }))
        const steadfast = yield* Effect.fork(RateLimiter.charged(limiter, Effect.void, k))
        const hasty = yield* RateLimiter.charged(limiter, Effect.void, k).pipe(
          Effect.provideService(RateLimiter.StoreDeadline, Duration.seconds(1)),
          Effect.fork
        )
        yield* TestClock.adjust("1 second")
        expect([yield* isPending(steadfast), yield* isPending(hasty)]).toEqual([true, false])
        yield* Fiber.interrupt(steadfast)
      })
    )

    it.effect(`${failure} lets calls be interrupted at once, and leaves no fiber running`, () =>
      Effect.gen(function* () {
        const limiter = yield* limiterOver(() => ({ reserve }))
        const waiting = yield* Effect.fork(RateLimiter.charged(limiter, Effect.void, k))
        yield* TestClock.adjust("1 second")
        expect(Exit.isInterrupted(yield* Fiber.interrupt(waiting))).toBe(true)
        yield* TestClock.adjust("10 seconds")
        expect(yield* TestClock.sleeps()).toEqual(Chunk.empty())
      })
    )

    it.effect(`${failure} for a while serves the calls that have waited for it`, () =>
      Effect.gen(function* () {
        let isDown = true
        const limiter = yield* limiterOver((store) => ({
          reserve: (charges) =>
            Effect.suspend(() => (isDown ? Effect.timeoutTo(reserve(), recovery) : store.reserve(charges)))
        }))
        const waiting = yield* Effect.fork(RateLimiter.charged(limiter, Clock.currentTimeMillis, k))
        yield* TestClock.adjust("8 seconds")
        isDown = false
        yield* TestClock.adjust("1 second")
        expect(yield* Fiber.join(waiting)).toBeLessThanOrEqual(8200)
        // The time that it waited is forgotten.
        isDown = true
        const next = yield* Effect.fork(RateLimiter.charged(limiter, Effect.void, { ...k, charges: [charge("l", 1)] }))
        yield* TestClock.adjust("9999 millis")
        expect(yield* isPending(next)).toBe(true)
        yield* Fiber.interrupt(next)
      })
    )
  }

  it.effect("answers after its callers were interrupted gets its reservation back", () =>
    Effect.gen(function* () {
      const late = yield* Deferred.make<void>()
      const settled: Array<string> = []
      const limiter = yield* limiterOver((store) => ({
        reserve: (charges) => Effect.zipRight(Deferred.await(late), store.reserve(charges)),
        settle: (reservation, outcome, within) =>
          Effect.zipRight(
            Effect.sync(() => settled.push(outcome)),
            store.settle(reservation, outcome, within)
          )
      }))
      const failed = yield* Effect.fork(Effect.flip(RateLimiter.charged(limiter, Effect.void, k)))
      const interrupted = yield* Effect.fork(RateLimiter.charged(limiter, Effect.void, k))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(interrupted)
      yield* TestClock.adjust("9 seconds")
      expect(yield* Fiber.join(failed)).toMatchObject({ _tag: "StoreUnreachable" })
      yield* Deferred.succeed(late, undefined)
      yield* TestClock.adjust("1 second")
      expect(settled).toEqual(["unsent"])
      expect(yield* limiter.states).toMatchObject([{ remaining: 1, waiting: 0 }])
    })
  )

  for (const isLocal of [true, false]) {
    it.effect(`dies of a settlement and is ${isLocal ? "" : "not "}local changes no outcome of a call`, () =>
      Effect.gen(function* () {
        const limiter = yield* limiterOver(() => ({ isLocal, settle: () => Effect.dieMessage("EPIPE") }))
        expect(yield* RateLimiter.charged(limiter, Effect.succeed("executed"), k)).toBe("executed")
        expect(
          yield* Effect.flip(RateLimiter.charged(limiter, Effect.fail("refused"), { ...k, charges: [charge("l", 1)] }))
        ).toBe("refused")
      })
    )

    it.effect(`dies of an observation and is ${isLocal ? "" : "not "}local harms no call`, () =>
      Effect.gen(function* () {
        const limiter = yield* limiterOver(() => ({ isLocal, observe: () => Effect.dieMessage("EPIPE") }))
        yield* Effect.clockWith((clock) =>
          limiter.observe(charge("k", 1), { roundTrip: Duration.zero, refused: false }, clock)
        )
      })
    )
  }

  it.effect("does not answer a settlement delays no call", () =>
    Effect.gen(function* () {
      const limiter = yield* limiterOver(() => ({ settle: () => Effect.never, observe: () => Effect.never }))
      expect(yield* RateLimiter.charged(limiter, Effect.succeed("executed"), k)).toBe("executed")
      yield* Effect.clockWith((clock) =>
        limiter.observe(charge("k", 1), { roundTrip: Duration.zero, refused: false }, clock)
      )
    })
  )

  it.effect(
    "does not name a full rate limit is queried twice a second, which keeps the call's place in the queue",
    () =>
      Effect.gen(function* () {
        let asked = 0
        const limiter = yield* limiterOver(() => ({
          reserve: () =>
            Effect.sync(() => {
              asked += 1
              return { _tag: "Full", keys: [], retryAfter: Duration.seconds(1) } as const
            })
        }))
        const waiting = yield* Effect.fork(RateLimiter.charged(limiter, Effect.void, k))
        yield* TestClock.adjust("1500 millis")
        expect(asked).toBe(4)
        yield* Fiber.interrupt(waiting)
      })
  )
})

const recovery = {
  duration: Duration.millis(100),
  onTimeout: (): RateLimitStore.ReserveResult => ({ _tag: "Unreachable" }),
  onSuccess: (result: RateLimitStore.ReserveResult) => result
}

describe("a call whose rate limits cannot be checked", () => {
  const transport = (change: (store: Store) => Partial<Store>) => {
    const far = scripted.make(() => scripted.ok({ orderId: "o-1" }))
    const layer = Transport.layer.pipe(
      Layer.provide([
        Layer.effect(RateLimiter.RateLimiter, limiterOver(change)),
        Signer.layer,
        BanGate.layer,
        ServerClock.layer
      ]),
      Layer.provide(Layer.succeed(Credentials.Credentials, scripted.credentials)),
      Layer.provide(Layer.succeed(HttpClient.HttpClient, far.client))
    )
    return { arrived: far.arrived, layer }
  }

  const amend = Effect.flatMap(Transport.Transport, ({ call }) =>
    call(Orders.amend, { category: "linear", symbol: "BTCUSDT", orderId: "o-1", price: "1" })
  )
  const fills = Effect.flatMap(Transport.Transport, ({ call }) => call(Executions.list, { category: "linear" }))

  for (const [what, operation] of [
    ["write", Effect.asVoid(amend)],
    ["read", Effect.asVoid(fills)]
  ] as const) {
    it.effect(`fails with sent: false after ten seconds and is not repeated (${what})`, () => {
      const { arrived, layer } = transport(() => ({ reserve: unreachable }))
      return Effect.gen(function* () {
        const failed = yield* Effect.fork(Effect.flip<void, Failure.Failure, Transport.Transport>(operation))
        yield* TestClock.adjust("10 seconds")
        expect(yield* Fiber.join(failed)).toMatchObject({
          _tag: "ConnectionFailed",
          reason: "RateLimitStore",
          sent: false,
          attempts: [],
          message: expect.stringContaining("not sent, the store of the rate limits could not be reached for 10s")
        })
        expect(arrived).toEqual([])
      }).pipe(Effect.provide(layer))
    })
  }

  it.effect("waits no longer than the timeout of the call", () => {
    const { layer } = transport(() => ({ reserve: () => Effect.never }))
    return Effect.gen(function* () {
      const failed = yield* Effect.fork(Effect.flip(amend))
      yield* TestClock.adjust("2 seconds")
      expect(yield* Fiber.join(failed)).toMatchObject({ _tag: "ConnectionFailed", reason: "Timeout", sent: false })
    }).pipe(Effect.provideService(CallOptions.CallTimeout, Duration.seconds(2)), Effect.provide(layer))
  })
})
