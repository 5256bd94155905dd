import * as Orders from "@effect-venue/services/Orders"
import * as Venue from "@effect-venue/services/Venue"
import * as Credentials from "@effect-venue/signing/Credentials"
import { HttpClient, HttpClientError, HttpClientResponse } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Fiber, Layer, Redacted, Stream, TestClock } from "effect"

/** A book with more orders than one call cancels, which no sandbox has yet: each call takes 500 off it. */
const book = (size: number, options: { readonly losesAnswerOf?: number; readonly refills?: number } = {}) => {
  let left = Array.from({ length: size }, (_, index) => `o-${index}`)
  let calls = 0
  const client = HttpClient.make((request) => {
    const cancelled = left.slice(0, 500)
    left = [...left.slice(500), ...Array.from({ length: options.refills ?? 0 }, (_, index) => `r-${calls}-${index}`)]
    calls += 1
    if (calls === options.losesAnswerOf) {
      const cause = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })
      return Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause }))
    }
    const list = cancelled.map((orderId) => ({ orderId, orderLinkId: "", success: orderId === "o-7" ? "0" : "1" }))
    const body = { retCode: 0, retMsg: "OK", result: { list }, retExtInfo: {}, time: 0 }
    return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(JSON.stringify(body))))
  })
  const layer = Venue.layer.pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
    Layer.provide(
      Credentials.layer({ baseUrl: "http://venue.test", apiKey: "EXAMPLEKEY0001", apiSecret: Redacted.make("example") })
    )
  )
  return { layer, left: () => left.length }
}

const settle = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.either(effect))
    yield* TestClock.adjust("5 minutes")
    return yield* Fiber.join(fiber)
  })

const rounds = (maxRounds?: number) =>
  Effect.flatMap(Orders.Orders, (orders) =>
    Effect.map(
      Stream.runCollect(orders.cancelEverything({ category: "linear", settleCoin: "USDT" }, { maxRounds })),
      Chunk.toReadonlyArray
    )
  )

describe("cancelling everything", () => {
  it.effect("goes on past the 500 of one call until no order remains, and emits every round", () =>
    Effect.gen(function* () {
      const { layer, left } = book(1234)
      const told = yield* Effect.flatten(settle(Effect.provide(rounds(), layer)))
      expect(told.map(({ cancelled, round, total }) => [round, cancelled.length, total])).toEqual([
        [1, 499, 499],
        [2, 500, 999],
        [3, 234, 1233],
        [4, 0, 1233]
      ])
      expect(told[0]?.failed.map(({ orderId }) => String(orderId))).toEqual(["o-7"])
      expect(left()).toBe(0)
    })
  )

  it.effect("goes on after a round whose answer never came", () =>
    Effect.gen(function* () {
      const { layer, left } = book(1000, { losesAnswerOf: 1 })
      const told = yield* Effect.flatten(settle(Effect.provide(rounds(), layer)))
      expect(told.map(({ cancelled, outcome }) => [outcome, cancelled.length])).toEqual([
        ["unknown", 0],
        ["known", 500],
        ["known", 0]
      ])
      expect(left()).toBe(0)
    })
  )

  it.effect("gives up when orders keep appearing", () =>
    Effect.gen(function* () {
      const { layer } = book(10, { refills: 3 })
      const told = yield* settle(Effect.provide(rounds(5), layer))
      expect(told).toMatchObject({ left: { _tag: "RoundsExhausted", rounds: 5 } })
    })
  )
})
