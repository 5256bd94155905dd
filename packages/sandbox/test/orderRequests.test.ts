import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import { expect, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Resting from "@effect-venue/testing/Resting"
import * as Raw from "./utils/raw.js"

const create = "/cloud/trade/v3/order/create"
const cancel = "/cloud/trade/v3/order/cancel"
const createBatch = "/cloud/trade/v3/order/create-batch"
const amendBatch = "/cloud/trade/v3/order/amend-batch"
const cancelBatch = "/cloud/trade/v3/order/cancel-batch"
const history = "/cloud/trade/v3/order/history"

const linear = { category: "linear" }
const market = { symbol: Resting.market.symbol, side: "Buy", orderType: "Market", qty: "1" }
const resting = { ...market, orderType: "Limit", price: Resting.price }
const exchange = Layer.tap(Sandbox.layer({ seed: 5, limits: "off", prices: "still" }), (context) =>
  Resting.hold(Context.get(context, Sandbox.Sandbox).control)
)

const result = (path: string, parameters: Readonly<Record<string, unknown>>) =>
  Effect.map(Raw.post(path, { ...linear, ...parameters }), ({ code, json, text }) => {
    expect(code, text.slice(0, 300)).toBe(0)
    return json.result
  })
const past = (parameters: Readonly<Record<string, unknown>>) =>
  Effect.map(
    Raw.call(history, { ...linear, ...parameters }),
    ({ json }): ReadonlyArray<Record<string, unknown>> => json.result.list
  )
const slots = (path: string, request: ReadonlyArray<object>) =>
  Effect.map(Raw.post(path, { ...linear, request }), ({ code, json, text }) => {
    expect(code, text.slice(0, 300)).toBe(0)
    const codes: ReadonlyArray<{ readonly code: number }> = json.retExtInfo.list
    const list: ReadonlyArray<Record<string, string>> = json.result.list
    return { codes: codes.map(({ code }) => code), list }
  })

layer(exchange)("requests on the wire", (it) => {
  it.effect("accept empty texts and nulls for absent parameters", () =>
    Effect.gen(function* () {
      const absent = { price: "", triggerPrice: "", takeProfit: "", orderLinkId: null }
      const { orderId, orderLinkId } = yield* result(create, { ...market, ...absent })
      expect(orderLinkId).toBe("")
      expect(yield* past({ orderId })).toMatchObject([{ orderId, orderStatus: "Filled", takeProfit: "" }])
      const { orderId: waiting } = yield* result(create, resting)
      yield* result(cancel, { symbol: "LTCUSDT", orderId: waiting, orderLinkId: null })
      expect(yield* past({ orderId: waiting })).toMatchObject([{ orderStatus: "Cancelled" }])
    })
  )

  it.effect("accept empty texts and nulls in the orders of a batch", () =>
    Effect.gen(function* () {
      const made = yield* slots(createBatch, [
        { ...market, price: "", orderLinkId: null },
        { ...resting, takeProfit: "", orderLinkId: "b-1" }
      ])
      expect(made.codes).toEqual([0, 0])
      const orderId = made.list[1]!.orderId
      const amended = yield* slots(amendBatch, [
        { symbol: "LTCUSDT", orderId, orderLinkId: null, price: "19", qty: "", stopLoss: "" }
      ])
      expect(amended.codes).toEqual([0])
      const gone = yield* slots(cancelBatch, [{ symbol: "LTCUSDT", orderId: "", orderLinkId: "b-1" }])
      expect(gone.codes).toEqual([0])
      expect(yield* past({ orderId })).toMatchObject([{ price: "19", qty: "1", orderStatus: "Cancelled" }])
    })
  )

  it.effect("return the ids of the order, in every slot of a batch", () =>
    Effect.gen(function* () {
      const made = yield* slots(createBatch, [
        { ...resting, orderLinkId: "c-1" },
        { ...resting, orderLinkId: "c-2" },
        resting
      ])
      const ids = made.list.map(({ orderId, orderLinkId }) => ({ orderId, orderLinkId }))
      expect(ids.map(({ orderLinkId }) => orderLinkId)).toEqual(["c-1", "c-2", ""])
      expect(new Set(ids.map(({ orderId }) => orderId)).size).toBe(3)
      // By one id or the other, the answer has both.
      const named = [{ orderId: ids[0]!.orderId }, { orderLinkId: "c-2" }, { orderId: ids[2]!.orderId }]
      const symbol = { symbol: "LTCUSDT" }
      const amended = yield* slots(
        amendBatch,
        named.map((one) => ({ ...symbol, ...one, price: "19" }))
      )
      expect(amended.list).toMatchObject(ids)
      const gone = yield* slots(
        cancelBatch,
        named.map((one) => ({ ...symbol, ...one }))
      )
      expect(gone.list).toMatchObject(ids)
    })
  )

  it.effect("find a closed order in the history by orderId and by orderLinkId", () =>
    Effect.gen(function* () {
      const { orderId } = yield* result(create, { ...resting, orderLinkId: "d-1" })
      expect(yield* past({ orderId })).toEqual([])
      yield* result(cancel, { symbol: "LTCUSDT", orderLinkId: "d-1" })
      for (const by of [{ orderId }, { orderLinkId: "d-1" }, { orderId, symbol: "BTCUSDT", orderLinkId: "c-1" }]) {
        expect(yield* past(by)).toMatchObject([{ orderId, orderLinkId: "d-1" }])
      }
      expect(yield* past({ orderLinkId: "unknown" })).toEqual([])
    })
  )
})
