import * as Signer from "@effect-venue/signing/Signer"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import * as Transport from "@effect-venue/transport/Transport"
import * as Credentials from "@effect-venue/signing/Credentials"
import { HttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { run, type Steps } from "../src/call/steps.js"
import { read } from "./utils/calls.js"
import * as World from "./utils/world.js"

const log: Array<string> = []

const note = (line: string) => {
  log.push(line)
  return Exit.void
}

function* three(middle: Effect.Effect<number, string>): Steps<number, string> {
  try {
    yield* note("first")
    const value = yield* middle
    yield* note("last")
    return value + 1
  } finally {
    yield* note("released")
  }
}

describe("steps", () => {
  it("that have ended need no runtime", () => {
    log.length = 0
    expect(run(three(Exit.succeed(1)))).toStrictEqual(Exit.succeed(2))
    expect(log).toEqual(["first", "last", "released"])
  })

  it("are left at a failure, and release what they have", () => {
    log.length = 0
    expect(run(three(Exit.fail("no")))).toStrictEqual(Exit.fail("no"))
    expect(log).toEqual(["first", "released"])
  })

  it.effect("that wait are left to the runtime", () =>
    Effect.gen(function* () {
      log.length = 0
      expect(yield* run(three(Effect.as(Effect.yieldNow(), 1)))).toBe(2)
      expect(yield* Effect.exit(run(three(Effect.zipRight(Effect.yieldNow(), Effect.fail("no")))))).toStrictEqual(
        Exit.fail("no")
      )
      expect(log).toEqual(["first", "last", "released", "first", "released"])
    })
  )

  it.effect("that wait can be interrupted in an uninterruptible region that restores them", () =>
    Effect.gen(function* () {
      log.length = 0
      const fiber = yield* Effect.fork(
        Effect.uninterruptibleMask((restore) => Effect.suspend(() => run(three(restore(Effect.never)))))
      )
      yield* Effect.yieldNow()
      expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
      expect(log).toEqual(["first", "released"])
    })
  )
})

describe("between the admission of a call and its departure", () => {
  const logOf = (seed: number): ReadonlyArray<string> => {
    log.length = 0
    const next = World.random(seed)
    const limiter = Layer.effect(
      RateLimiter.RateLimiter,
      Effect.map(RateLimiter.RateLimiter, (limiter): RateLimiter.RateLimiter.Shape => ({
        ...limiter,
        acquire: (ticket, options, clock) => {
          log.push("admitted")
          return limiter.acquire(ticket, options, clock)
        }
      }))
    )
    const clock = Layer.effect(
      ServerClock.ServerClock,
      Effect.map(ServerClock.ServerClock, (clock): ServerClock.ServerClock.Shape => ({
        ...clock,
        now: (host, time) => {
          log.push("signed")
          return clock.now(host, time)
        }
      }))
    )
    const gate = Layer.effect(
      BanGate.BanGate,
      Effect.map(BanGate.BanGate, (gate): BanGate.BanGate.Shape => ({
        ...gate,
        closedUntil: (host, time) => {
          log.push("checked")
          return gate.closedUntil(host, time)
        }
      }))
    )
    const client = Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make(() => Effect.never)
    )
    const transport = Transport.layer.pipe(
      Layer.provide([
        Layer.provide(limiter, RateLimiter.layerMemory),
        Layer.provide(clock, ServerClock.layer),
        Layer.provide(gate, BanGate.layer),
        Signer.layer,
        client
      ]),
      Layer.provide(
        Credentials.layer({ baseUrl: "http://venue.test", apiKey: "key", apiSecret: Redacted.make("secret") })
      )
    )
    const others = Effect.repeatN(
      Effect.zipRight(
        Effect.sync(() => log.push("other")),
        Effect.yieldNow()
      ),
      1_000
    )
    const program = Effect.provide(Effect.zipRight(Effect.fork(others), read), transport)
    World.run(Effect.raceFirst(Effect.exit(program), Effect.sleep(1)), {
      // Each yield is several operations, so more frequent ones would not end.
      shouldYield: () => (next() < 0.02 ? 0 : false)
    })
    return [...log]
  }

  it("no other fiber runs, wherever fibers yield", () => {
    const logs = Array.from({ length: 50 }, (_, seed) => logOf(seed))
    for (const [seed, log] of logs.entries()) {
      const steps = log.slice(log.indexOf("admitted"), log.lastIndexOf("checked") + 1)
      expect({ seed, steps }).toEqual({ seed, steps: ["admitted", "signed", "checked"] })
    }
    // In some of them the other fiber has run before.
    expect(logs.filter((log) => log.slice(0, log.indexOf("admitted")).includes("other")).length).toBeGreaterThan(10)
  })
})
