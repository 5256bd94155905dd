import * as Executions from "@effect-venue/schemas/Executions"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import * as Limits from "@effect-venue/transport/Limits"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Option, Redacted, TestClock } from "effect"
import { page } from "./utils/calls.js"
import * as scripted from "./utils/scripted.js"

/** Accounts at several base URLs that share what one process shares. */
const accounts = (script: scripted.Script) => {
  const far = scripted.make(script)
  const at = (baseUrl: string, account: { readonly apiKey?: string; readonly uid?: string } = {}) =>
    Effect.map(
      Layer.build(
        Transport.layer.pipe(
          Layer.provide(Signer.layer),
          Layer.provide(Credentials.layer({ apiKey: "key", apiSecret: Redacted.make("secret"), baseUrl, ...account }))
        )
      ),
      (context) =>
        <A, E>(use: (transport: Transport.Transport.Shape) => Effect.Effect<A, E>) =>
          Effect.provide(Effect.flatMap(Transport.Transport, use), context)
    )
  return { arrived: far.arrived, at, layer: far.layer }
}

const fills = (transport: Transport.Transport.Shape) => transport.call(Executions.list, { category: "linear" })
const amend = (transport: Transport.Transport.Shape) =>
  transport.call(Orders.amend, { category: "linear", symbol: "BTCUSDT", orderId: "o-1", price: "1" })

/** Two calls in five seconds for an address, and no limit for a UID. */
const twoForAnAddress: Limits.Shape = {
  perUid: () => Option.none(),
  perIp: Option.some({ count: 2, window: Duration.seconds(5) })
}

describe("base URLs", () => {
  const same = [
    ["http://venue.test/a", "http://venue.test/b"],
    ["http://venue.test", "https://venue.test"],
    ["http://venue.test:80/a", "https://VENUE.test:443"],
    ["http://venue.test:8080/a", "http://venue.test:8080/b/c"],
    ["https://venue.test.", "https://venue.test"]
  ] as const
  const different = [
    ["http://venue.test:8080", "http://venue.test:8081"],
    ["http://venue.test", "http://other.test"],
    ["http://venue.test", "http://venue.test:8080"]
  ] as const

  for (const [isOne, pairs] of [
    [true, same],
    [false, different]
  ] as const) {
    for (const [one, other] of pairs) {
      it.scoped(`${one} and ${other} have ${isOne ? "one limit" : "a limit each"} for the address`, () => {
        const { arrived, at, layer } = accounts(() => scripted.ok(page))
        return Effect.gen(function* () {
          const [first, second] = [yield* at(one), yield* at(other)]
          yield* first(fills)
          yield* second(fills)
          const third = yield* Effect.fork(first(fills))
          yield* TestClock.adjust("1 second")
          expect(arrived).toHaveLength(isOne ? 2 : 3)
          yield* TestClock.adjust("10 seconds")
          yield* Fiber.join(third)
        }).pipe(Effect.provideService(Limits.Limits, twoForAnAddress), Effect.provide(layer))
      })

      it.scoped(`${one} and ${other} have ${isOne ? "one gate" : "a gate each"}`, () => {
        const { arrived, at, layer } = accounts((_, index) =>
          index === 0 ? { status: 403, body: "access too frequent" } : scripted.ok(page)
        )
        return Effect.gen(function* () {
          const [first, second] = [yield* at(one), yield* at(other)]
          yield* Effect.flip(first(fills))
          const outcome = yield* Effect.either(second(fills))
          expect(outcome._tag).toBe(isOne ? "Left" : "Right")
          expect(arrived).toHaveLength(isOne ? 1 : 2)
        }).pipe(Effect.provide(layer))
      })
    }
  }

  it.scoped("with different path prefixes share the limits of a UID and its granted limits", () => {
    const { arrived, at, layer } = accounts(() => scripted.ok({ orderId: "o-1" }))
    return Effect.gen(function* () {
      const first = yield* at("http://venue.test/a", { uid: "7" })
      const second = yield* at("http://venue.test/b", { uid: "7", apiKey: "another" })
      yield* first((transport) => transport.account.grant("7", "DERIVATIVES", 3))
      yield* first(amend)
      yield* second(amend)
      yield* second(amend)
      const fourth = yield* Effect.fork(first(amend))
      yield* TestClock.adjust("1 second")
      expect(arrived).toHaveLength(3)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fourth)
    }).pipe(Effect.provide(layer))
  })

  it.scoped("with different path prefixes share the estimated clock", () => {
    const { arrived, at, layer } = accounts(({ at: now }) => scripted.ok(page, now + 700))
    return Effect.gen(function* () {
      const [first, second] = [yield* at("http://venue.test/a"), yield* at("http://venue.test/b")]
      yield* first(fills)
      yield* second(fills)
      expect(arrived.map(({ headers }) => Number(headers["x-bapi-timestamp"]))).toEqual([0, 700])
    }).pipe(Effect.provide(layer))
  })
})

describe("the keys of rate limits", () => {
  const keysOf = (account: { readonly apiKey?: string; readonly uid?: string }) => {
    const { at, layer } = accounts(() => scripted.ok(page))
    return Effect.gen(function* () {
      const call = yield* at("http://venue.test", account)
      yield* call(fills)
      const limiter = yield* RateLimiter.RateLimiter
      return (yield* limiter.states).map(({ key }) => key)
    }).pipe(Effect.provide(layer))
  }

  it.scoped("contain no API key, and distinguish keys", () =>
    Effect.gen(function* () {
      const apiKey = scripted.canaryKey
      const keys = yield* keysOf({ apiKey })
      expect(keys).toHaveLength(2)
      expect(JSON.stringify(keys)).not.toContain(apiKey)
      expect(yield* keysOf({ apiKey })).toEqual(keys)
      expect(yield* keysOf({ apiKey: `${apiKey}2` })).not.toEqual(keys)
    })
  )

  it.scoped("contain the UID if it is known, for every API key", () =>
    Effect.gen(function* () {
      const keys = yield* keysOf({ apiKey: "one", uid: "12345" })
      expect(keys.filter((key) => key.includes("12345"))).toHaveLength(1)
      expect(yield* keysOf({ apiKey: "two", uid: "12345" })).toEqual(keys)
    })
  )
})
