import * as Orders from "@effect-venue/services/Orders"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
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
          ? orders.create({ ...market, ...waiting, category: "spot", orderFilter: "tpslOrder" })
          : orders.create({ ...market, ...waiting, category: market.category, triggerDirection: 2 })
        yield* orders.create({ ...market, ...limit })
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
      expect(told).toMatchObject({ left: { _tag: "RoundsExhausted", rounds: 5 } })
    })
  )
})
