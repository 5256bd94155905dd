import * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Fiber, Option, Schema, TestClock } from "effect"
import * as scripted from "./utils/scripted.js"

// Operations that this library does not know, as an application writes them down.

const time = Endpoint.make({
  name: "market.time",
  domain: "Market",
  summary: "The service's clock",
  method: "GET",
  path: "/cloud/trade/v3/market/time",
  signing: "public",
  request: Schema.Struct({}),
  result: Schema.Struct({ timeSecond: Schema.NumberFromString }),
  safety: "read",
  source: "our own notes"
})

const switchMode = Endpoint.make({
  name: "positionMode.set",
  domain: "PositionMode",
  summary: "Switch between one-way and hedge mode",
  method: "POST",
  path: "/cloud/trade/v3/position/switch-mode",
  request: Schema.Struct({
    category: Schema.Literal("linear"),
    symbol: Schema.String,
    mode: Schema.Literal(0, 3).annotations({ message: () => ({ message: "must be 0 or 3", override: true }) })
  }),
  result: Schema.Struct({}),
  rateLimit: Endpoint.perSecond(2),
  safety: "write",
  source: "our own notes"
})

const call = <Req, ReqWire, Res, ResWire, S extends Endpoint.Safety>(
  endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, S>,
  request: Req
) => Effect.flatMap(Transport.Transport, (transport) => transport.call(endpoint, request))

const settle = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.either(effect))
    yield* TestClock.adjust("3 minutes")
    return yield* Fiber.join(fiber)
  })

const hedge = { category: "linear", symbol: "BTCUSDT", mode: 3 } as const

describe("a custom operation", () => {
  it.effect("is decoded like others, and retried when the service is unavailable", () =>
    Effect.gen(function* () {
      const far = scripted.make((_, index) =>
        index === 0 ? { status: 502, body: "away" } : scripted.ok({ timeSecond: "1700000000" })
      )
      expect(yield* settle(Effect.provide(call(time, {}), far.layer))).toEqual(Either.right({ timeSecond: 1700000000 }))
      expect(far.arrived.map(({ method, url }) => `${method} ${url}`)).toEqual([
        "GET http://venue.test/cloud/trade/v3/market/time",
        "GET http://venue.test/cloud/trade/v3/market/time"
      ])
    })
  )

  it.effect("keeps its rate limit", () =>
    Effect.gen(function* () {
      const far = scripted.make(() => scripted.ok({}))
      const many = Effect.all(
        Array.from({ length: 4 }, () => call(switchMode, hedge)),
        { concurrency: "unbounded" }
      )
      yield* Effect.flatten(settle(Effect.provide(many, far.layer)))
      const [first = 0, second = 0, third = 0, fourth = 0] = far.arrived.map(({ at }) => at)
      expect(second - first).toBe(0)
      expect(third - first).toBeGreaterThan(1000)
      expect(fourth - third).toBe(0)
    })
  )
})

describe("an extended response", () => {
  const slot = { category: "linear", symbol: "BTCUSDT", orderId: "o-1", orderLinkId: "" }
  const answered = (result: unknown, retExtInfo: unknown): scripted.Answer => ({
    body: JSON.stringify({ retCode: 0, retMsg: "OK", result, retExtInfo, time: 0 })
  })
  const batch = (count: number): Orders.CancelBatchRequest => ({
    category: "linear",
    request: Array.from({ length: count }, (_, index) => ({ symbol: "BTCUSDT", orderId: `o-${index}` }))
  })

  it.effect("has one list on the domain side, and both lists verbatim on the wire side", () =>
    Effect.gen(function* () {
      const info = { list: [{ code: 0, msg: "OK", more: 1 }] }
      const far = scripted.make(() => answered({ list: [slot] }, info))
      const both = Effect.flatMap(Transport.Transport, (transport) =>
        Effect.zip(transport.call(Orders.cancelBatch, batch(1)), transport.callWire(Orders.cancelBatch, batch(1)))
      )
      const [domain, wire] = yield* Effect.flatten(settle(Effect.provide(both, far.layer)))
      expect(domain).toMatchObject([{ code: 0, msg: "OK", orderId: Option.some("o-1"), orderLinkId: Option.none() }])
      expect(wire).toEqual({ result: { list: [slot] }, extInfo: info })
    })
  )

  it.effect("without its ext info leaves the outcome unknown", () =>
    Effect.gen(function* () {
      const far = scripted.make(() => answered({ list: [slot] }, {}))
      expect(yield* settle(Effect.provide(call(Orders.cancelBatch, batch(1)), far.layer))).toMatchObject({
        left: { _tag: "OutcomeUnknown", because: { _tag: "UnexpectedResponse", path: "extInfo.list" } }
      })
    })
  )
})
