import * as Orders from "@effect-venue/services/Orders"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Either, Stream } from "effect"
import { orderKinds } from "@effect-venue/schemas/siblings/OrderKinds"
import * as Exchange from "./utils/exchange.js"
import * as scripted from "./utils/scripted.js"

/** A book with more orders than one call cancels, which no sandbox has yet: each call takes 500 off it. */
const book = (size: number, options: { readonly losesAnswerOf?: number; readonly refills?: number } = {}) => {
  let left = Array.from({ length: size }, (_, index) => `o-${index}`)
  let calls = 0
  const layer = scripted.layer(() =>
    Effect.sync((): scripted.Answer => {
      const cancelled = left.slice(0, 500)
      left = [...left.slice(500), ...Array.from({ length: options.refills ?? 0 }, (_, index) => `r-${calls}-${index}`)]
      calls += 1
      if (calls === options.losesAnswerOf) return "lost"
      const list = cancelled.map((orderId) => ({ orderId, orderLinkId: "", success: orderId === "o-7" ? "0" : "1" }))
      return { body: { retCode: 0, retMsg: "OK", result: { list }, retExtInfo: {}, time: 0 } }
    })
  )
  return { layer, left: () => left.length }
}

/** What `cancelEverything` emits, and the number of its calls, if the service answers them with these results; the last one repeats. */
const roundsAfter = (
  request: Parameters<Orders.Orders.Shape["cancelEverything"]>[0],
  results: ReadonlyArray<unknown>,
  maxRounds?: number
) =>
  Effect.gen(function* () {
    let calls = 0
    const layer = scripted.layer(() =>
      Effect.sync((): scripted.Answer => {
        const result = results[Math.min(calls++, results.length - 1)]
        return { body: { retCode: 0, retMsg: "OK", result, retExtInfo: {}, time: 0 } }
      })
    )
    const orders = yield* Effect.provide(Orders.Orders, layer)
    const told = yield* scripted.ended(Stream.runCollect(orders.cancelEverything(request, { maxRounds })))
    return { calls, told: Either.map(told, Chunk.toReadonlyArray) }
  })

const rounds = (maxRounds?: number) =>
  Effect.flatMap(Orders.Orders, (orders) =>
    Effect.map(
      Stream.runCollect(orders.cancelEverything({ category: "linear", settleCoin: "USDT" }, { maxRounds })),
      Chunk.toReadonlyArray
    )
  )

describe("cancelEverything", () => {
  it.effect("continues beyond the 500 orders of one call until none remains, and emits every round", () =>
    Effect.gen(function* () {
      const { layer, left } = book(1234)
      const told = yield* Effect.flatten(scripted.ended(Effect.provide(rounds(), layer)))
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

  it.effect("continues after a round whose answer was lost", () =>
    Effect.gen(function* () {
      const { layer, left } = book(1000, { losesAnswerOf: 1 })
      const told = yield* Effect.flatten(scripted.ended(Effect.provide(rounds(), layer)))
      expect(told.map(({ cancelled, outcome }) => [outcome, cancelled.length])).toEqual([
        ["unknown", 0],
        ["known", 500],
        ["known", 0]
      ])
      expect(left()).toBe(0)
    })
  )

  it.effect.each([
    ["spot", undefined, []],
    ["spot", "Order", ["tpslOrder"]],
    ["spot", "tpslOrder", ["Order"]],
    ["linear", undefined, []],
    ["linear", "Order", ["StopOrder"]],
    ["inverse", undefined, []],
    ["inverse", "StopOrder", ["Order"]]
  ] as const)("on %s with the filter %s leaves orders of the kinds %j", ([category, orderFilter, left]) => {
    const market = { category, symbol: category === "inverse" ? "BTCUSD" : "BTCUSDT" } as const
    const limit = {
      side: "Buy",
      orderType: "Limit",
      qty: category === "inverse" ? "10" : "0.01",
      price: "20000"
    } as const
    const waiting = { ...limit, triggerPrice: "21000" }
    const { venue } = Exchange.watched({ prices: "still" })
    return Exchange.onThatDay(
      venue,
      Effect.gen(function* () {
        const orders = yield* Orders.Orders
        yield* market.category === "spot"
          ? orders.create({ ...market, ...waiting, category: "spot", orderFilter: "tpslOrder", orderLinkId: "stop" })
          : orders.create({
              ...market,
              ...waiting,
              category: market.category,
              triggerDirection: 2,
              orderLinkId: "stop"
            })
        yield* orders.create({ ...market, ...limit, orderLinkId: "limit" })
        const request = { ...market, orderFilter } as Parameters<typeof orders.cancelEverything>[0]
        const rounds = Chunk.toReadonlyArray(yield* Stream.runCollect(orders.cancelEverything(request)))
        expect(rounds.at(-1)?.total).toBeGreaterThan(0)
        const isLeft = (kind: "Order" | "StopOrder" | "tpslOrder") =>
          Effect.map(
            orders.open({ ...market, orderFilter: kind } as Parameters<typeof orders.open>[0]),
            ({ list }) => list.length > 0
          )
        expect(yield* Effect.filter(orderKinds[category], isLeft)).toEqual(left)
      })
    )
  })

  it.effect("fails with RoundsExhausted if orders keep appearing", () =>
    Effect.gen(function* () {
      const { layer } = book(10, { refills: 3 })
      const told = yield* scripted.ended(Effect.provide(rounds(5), layer))
      expect(told).toMatchObject({ left: { _tag: "RoundsExhausted", rounds: 5, isUnknown: false } })
    })
  )

  const contracts = { category: "linear", settleCoin: "USDT" } as const
  const spot = { category: "spot", orderFilter: "Order" } as const
  const order = { orderId: "o-1", orderLinkId: "" }
  const unread = { orderId: { value: "o-2" }, orderLinkId: "" }

  it.effect.each([
    ["contracts", contracts, {}],
    ["contracts", contracts, null],
    ["contracts", contracts, { success: "1" }],
    ["contracts", contracts, { list: "none" }],
    ["contracts", contracts, { list: { "0": order }, success: "1" }],
    ["contracts", contracts, { list: [unread], success: "1" }],
    ["contracts", contracts, { list: [order, unread] }],
    ["contracts", contracts, { list: [{ ...order, success: "perhaps" }] }],
    ["contracts", contracts, { list: [order], success: "0" }],
    ["contracts", contracts, { list: [], success: "0" }],
    ["spot", spot, {}],
    ["spot", spot, { success: "0" }],
    ["spot", spot, { list: [unread] }]
  ] as const)("on %s asks again after a response that does not tell every order: %j", ([, request, result]) =>
    Effect.gen(function* () {
      const { calls, told } = yield* roundsAfter(request, [result, { list: [] }])
      expect(calls).toBe(2)
      expect(Either.map(told, (rounds) => rounds.map(({ outcome }) => outcome))).toEqual(
        Either.right(["unknown", "known"])
      )
    })
  )

  it.effect.each([
    ["contracts", contracts, { list: [] }],
    ["contracts", contracts, { list: null, success: "1" }],
    ["contracts", contracts, { list: [{ ...order, success: "0" }] }],
    ["spot", spot, { success: "1" }],
    ["spot", spot, { list: [], success: "1" }]
  ] as const)("on %s ends with a response that tells every order: %j", ([, request, result]) =>
    Effect.gen(function* () {
      const { calls, told } = yield* roundsAfter(request, [result])
      expect(calls).toBe(1)
      expect(told).toMatchObject({ right: [{ round: 1, outcome: "known", total: 0 }] })
    })
  )

  it.effect("names the entries that are not clear, and counts the others", () =>
    Effect.gen(function* () {
      const refused = { ...order, orderId: "o-3", success: "0" }
      const { told } = yield* roundsAfter(contracts, [
        { list: [order, unread, refused, 7], success: "1" },
        { list: [order], success: "0" },
        { list: [] }
      ])
      expect(told).toMatchObject({
        right: [
          { cancelled: [{ orderId: "o-1" }], failed: [{ orderId: "o-3" }], total: 1 },
          { cancelled: [], failed: [], unclear: [{ right: { orderId: "o-1" } }], total: 1 },
          { cancelled: [], failed: [], unclear: [], total: 1 }
        ]
      })
      const [first] = Either.getOrElse(told, () => [])
      expect(first?.unclear).toEqual([Either.left(unread), Either.left(7)])
    })
  )

  it.effect("fails with RoundsExhausted, and tells that orders can remain, if no response has a list", () =>
    Effect.gen(function* () {
      const { calls, told } = yield* roundsAfter(contracts, [{ success: "1" }], 3)
      expect(calls).toBe(3)
      expect(told).toMatchObject({ left: { _tag: "RoundsExhausted", rounds: 3, cancelled: 0, isUnknown: true } })
      expect(String(Either.getOrNull(Either.flip(told)))).toContain("orders can remain")
    })
  )
})
