import * as Signer from "@effect-venue/signing/Signer"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as DocumentedLimits from "@effect-venue/transport/siblings/DocumentedLimits"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as Transport from "@effect-venue/transport/Transport"
import { HttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, TestClock } from "effect"
import { read as list, write as amend } from "./utils/calls.js"
import * as scripted from "./utils/scripted.js"

// A signer may take its time: a hardware module, a service elsewhere. What is found out meanwhile counts.

const banLength = Duration.toMillis(DocumentedLimits.banLength)

/** Signs reads at once, and writes after a second. */
const slowSigner = Layer.effect(
  Signer.Signer,
  Effect.map(Signer.Signer, ({ sign }) => ({
    sign: (request: Signer.Unsigned) =>
      request.endpoint.method === "GET" ? sign(request) : Effect.delay(sign(request), "1 second")
  }))
)

/** Bans the address half a second after a read arrives, once; writes are executed, and answered after `latency`. */
const banning = (latency: Duration.DurationInput = 0) => {
  let isBanned = false
  return scripted.make((arrived): scripted.Answer | Effect.Effect<scripted.Answer> => {
    if (arrived.method === "POST")
      return Effect.delay(Effect.succeed(scripted.ok({ orderId: "o-1", orderLinkId: "" }, arrived.at)), latency)
    if (isBanned) return scripted.ok({ category: "linear", list: [], nextPageCursor: "" }, arrived.at)
    isBanned = true
    return Effect.delay(Effect.succeed({ status: 403, body: "access too frequent" }), "500 millis")
  })
}

const layerOf = (far: ReturnType<typeof banning>) =>
  Layer.fresh(Transport.layer).pipe(Layer.provide(Layer.provide(slowSigner, far.layer)), Layer.provideMerge(far.layer))

describe("a ban that starts while a request is signed", () => {
  it.effect("prevents the request, and returns its place in the rate limits", () =>
    Effect.gen(function* () {
      const far = banning()
      yield* Effect.gen(function* () {
        const write = yield* Effect.fork(Effect.flip(amend))
        const read = yield* Effect.fork(Effect.flip(list))
        yield* TestClock.adjust("2 seconds")
        expect(yield* Fiber.join(read)).toMatchObject({ _tag: "Banned" })
        expect(yield* Fiber.join(write)).toMatchObject({
          _tag: "Banned",
          operation: "orders.amend",
          until: { epochMillis: 500 + banLength }
        })
        expect(far.arrived.map(({ method }) => method)).toEqual(["GET"])
        const states = yield* Effect.flatMap(RateLimiter.RateLimiter, (limiter) => limiter.states)
        expect(states.find(({ key }) => key.includes("/order/amend"))).toMatchObject({ limit: 10, remaining: 10 })
      }).pipe(Effect.provide(layerOf(far)))
    })
  )

  it.effect("makes the request wait with whenBanned: wait, and sign again", () =>
    Effect.gen(function* () {
      const far = banning()
      yield* Effect.gen(function* () {
        const write = yield* Effect.fork(amend)
        const read = yield* Effect.fork(Effect.flip(list))
        yield* TestClock.adjust(banLength + 499)
        expect(far.arrived.map(({ method }) => method)).toEqual(["GET"])
        yield* TestClock.adjust("3 seconds")
        yield* Fiber.join(write)
        yield* Fiber.join(read)
        const sent = far.arrived.filter(({ method }) => method === "POST")
        expect(sent).toHaveLength(1)
        expect(sent[0]?.at).toBe(500 + banLength + 1000)
        expect(Number(sent[0]?.headers["x-bapi-timestamp"])).toBe(500 + banLength)
      }).pipe(Effect.provideService(BanGate.WhenBanned, "wait"), Effect.provide(layerOf(far)))
    })
  )
})

describe("a wrapped client that sends twice at once, and is held by a ban", () => {
  it.effect("ends its second sending after the ban, since the first can have been executed", () =>
    Effect.gen(function* () {
      const far = banning("5 seconds")
      const hedged = (client: CallOptions.Client): CallOptions.Client =>
        HttpClient.transform(client, (effect) => Effect.race(effect, Effect.delay(effect, "1 milli")))
      yield* Effect.gen(function* () {
        const write = yield* Effect.fork(Effect.provideService(amend, CallOptions.TransformClient, hedged))
        const read = yield* Effect.fork(Effect.flip(list))
        yield* TestClock.adjust(banLength + 2 * 60_000)
        yield* Fiber.join(read)
        yield* Fiber.join(write)
        expect(far.arrived.filter(({ method }) => method === "POST")).toHaveLength(1)
      }).pipe(Effect.provideService(BanGate.WhenBanned, "wait"), Effect.provide(layerOf(far)))
    })
  )
})

describe("a call that waits for the end of a ban", () => {
  it.effect("takes no place in the rate limits until then", () =>
    Effect.gen(function* () {
      const far = banning()
      yield* Effect.gen(function* () {
        const read = yield* Effect.fork(Effect.flip(list))
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(read)
        const writes = yield* Effect.fork(Effect.replicateEffect(amend, 3, { concurrency: "unbounded" }))
        yield* TestClock.adjust("1 minute")
        const states = yield* Effect.flatMap(RateLimiter.RateLimiter, (limiter) => limiter.states)
        expect(states.filter(({ limit, remaining }) => remaining < limit)).toEqual([])
        yield* TestClock.adjust(banLength)
        yield* Fiber.join(writes)
        expect(far.arrived.filter(({ method }) => method === "POST")).toHaveLength(3)
      }).pipe(Effect.provideService(BanGate.WhenBanned, "wait"), Effect.provide(layerOf(far)))
    })
  )
})
