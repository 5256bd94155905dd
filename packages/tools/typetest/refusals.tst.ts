import type * as Assets from "@effect-venue/services/Assets"
import type * as Executions from "@effect-venue/services/Executions"
import type * as Instruments from "@effect-venue/services/Instruments"
import type * as Orders from "@effect-venue/services/Orders"
import type * as Positions from "@effect-venue/services/Positions"
import { describe, expect, test } from "tstyche"

declare const assets: Assets.Assets.Shape
declare const executions: Executions.Executions.Shape
declare const instruments: Instruments.Instruments.Shape
declare const orders: Orders.Orders.Shape
declare const positions: Positions.Positions.Shape

const orderLinkId = "entry-1"
const order = { symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "1", price: "64000.5", orderLinkId } as const
const which = { symbol: "BTCUSDT", orderId: "c6f055d9-7f21-4079-913d-e6523a9cfffa" }

describe("what a category does not take is refused, with the reason", () => {
  test("orders.open", () => {
    expect(orders.open({ category: "spot", settleCoin: "USDT" })).type.toRaiseError(
      /'settleCoin' are incompatible[^]*only for linear/
    )
    expect(orders.open({ category: "spot", baseCoin: "BTC" })).type.toRaiseError(
      /'baseCoin' are incompatible[^]*only for contracts/
    )
    expect(orders.open({ category: "inverse", settleCoin: "BTC" })).type.toRaiseError(
      /'settleCoin' are incompatible[^]*only for linear/
    )
    expect(orders.open).type.toBeCallableWith({ category: "linear", settleCoin: "USDT" })
    expect(orders.open({ category: "spot", orderFilter: "StopOrder" })).type.toRaiseError()
    expect(orders.history({ category: "spot", orderFilter: "StopOrder" })).type.toRaiseError()
    expect(orders.history({ category: "linear", orderFilter: "tpslOrder" })).type.toRaiseError()
  })

  test("orders.create", () => {
    const stop = { ...order, category: "spot", triggerPrice: "1" } as const
    expect(orders.create({ ...stop, orderFilter: "StopOrder" })).type.toRaiseError()
    expect(orders.create).type.toBeCallableWith({ ...stop, orderFilter: "tpslOrder" })
    expect(orders.create({ ...order, category: "spot", reduceOnly: true })).type.toRaiseError(
      /'reduceOnly' are incompatible[^]*only for contracts/
    )
    expect(orders.create({ ...order, category: "linear", marketUnit: "baseCoin" })).type.toRaiseError(
      /'marketUnit' are incompatible[^]*only for spot/
    )
    expect(orders.create).type.toBeCallableWith({ ...order, category: "linear", reduceOnly: true })
    expect(orders.create).type.toBeCallableWith({ ...order, category: "spot", marketUnit: "baseCoin" })
  })

  test("a batch whose orders have a category", () => {
    const ofLinear = { category: "linear" } as const
    const byLink = { symbol: "BTCUSDT", orderLinkId }
    expect(orders.createBatch({ ...ofLinear, request: [{ ...order, ...ofLinear }] })).type.toRaiseError(
      /'category' are incompatible[^]*belongs to the batch/
    )
    expect(orders.amendBatch({ ...ofLinear, request: [{ ...byLink, price: "1", ...ofLinear }] })).type.toRaiseError(
      /'category' are incompatible[^]*belongs to the batch/
    )
    expect(orders.cancelBatch({ ...ofLinear, request: [{ ...byLink, ...ofLinear }] })).type.toRaiseError(
      /'category' are incompatible[^]*belongs to the batch/
    )
    const spread = [order].map((one) => ({ ...one, category: "linear" as const }))
    expect(orders.createBatch).type.not.toBeCallableWith({ ...ofLinear, request: spread })
    expect(orders.amendBatch).type.not.toBeCallableWith({ ...ofLinear, request: [{ ...which, ...ofLinear }] })
    expect(orders.cancelBatch).type.not.toBeCallableWith({ ...ofLinear, request: [{ ...which, ...ofLinear }] })
    expect(orders.createBatch).type.toBeCallableWith({ ...ofLinear, request: [{ ...order, qty: "2" }] })
  })

  test("orders.create of a Limit order without a price", () => {
    const priceless = { symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "1", orderLinkId } as const
    const market = { ...priceless, orderType: "Market" } as const
    expect(orders.create({ ...priceless, category: "spot" })).type.toRaiseError("'price' is missing")
    expect(orders.create({ ...priceless, category: "linear" })).type.toRaiseError("'price' is missing")
    expect(orders.create({ ...priceless, category: "inverse" })).type.toRaiseError("'price' is missing")
    expect(orders.createBatch).type.not.toBeCallableWith({ category: "spot", request: [priceless] })
    expect(orders.createBatch({ category: "linear", request: [priceless] })).type.toRaiseError("'price' is missing")
    expect(orders.create).type.toBeCallableWith({ ...priceless, category: "linear", price: "1" })
    expect(orders.create).type.toBeCallableWith({ ...market, category: "spot" })
    expect(orders.createBatch).type.toBeCallableWith({ category: "inverse", request: [market] })
  })

  test("orders.amend, orders.cancel, orders.cancelAll", () => {
    expect(orders.amend({ ...which, category: "spot", tpslMode: "Full" })).type.toRaiseError(
      /'tpslMode' are incompatible[^]*only for contracts/
    )
    expect(orders.amend).type.toBeCallableWith({ ...which, category: "inverse", tpslMode: "Full" })
    expect(orders.cancel({ ...which, category: "linear", orderFilter: "Order" })).type.toRaiseError(
      /'orderFilter' are incompatible[^]*only for spot/
    )
    expect(orders.cancelAll({ category: "spot", settleCoin: "USDT" })).type.toRaiseError(
      /'settleCoin' are incompatible[^]*only for contracts/
    )
    expect(orders.cancelEverything({ category: "spot", settleCoin: "USDT" })).type.toRaiseError(
      /'settleCoin' are incompatible[^]*only for contracts/
    )
  })

  test("orders.createBatch", () => {
    const { side, ...sideless } = order
    expect(orders.createBatch).type.toBeCallableWith({ category: "linear", request: [{ ...order, reduceOnly: true }] })
    expect(orders.createBatch({ category: "spot", request: [{ ...order, reduceOnly: true }] })).type.toRaiseError(
      "Types of property 'reduceOnly' are incompatible"
    )
    expect(orders.createBatch).type.not.toBeCallableWith({ category: "linear", request: [sideless] })
    expect(orders.createBatch).type.toBeCallableWith({ category: "linear", request: [{ ...sideless, side }] })
  })

  test("positions.list, executions.preUpgrade, instruments.list", () => {
    expect(positions.list).type.toBeCallableWith({ category: "spot", settleCoin: "USDT" })
    expect(positions.list).type.toBeCallableWith({ category: "linear", settleCoin: "USDT" })
    expect(executions.preUpgrade({ category: "spot", execType: "Trade" })).type.toRaiseError(
      /'execType' are incompatible[^]*only for contracts/
    )
    expect(executions.preUpgradeStream({ category: "spot", execType: "Trade" })).type.toRaiseError(
      /'execType' are incompatible[^]*only for contracts/
    )
    expect(instruments.list({ category: "spot", baseCoin: "BTC" })).type.toRaiseError(
      /'baseCoin' are incompatible[^]*only for contracts/
    )
  })
})

describe("a value of another type is refused with a name that says what is wanted", () => {
  test("an instant", () => {
    expect(executions.list({ category: "linear", startTime: true })).type.toRaiseError("InstantInput")
  })

  test("a decimal", () => {
    expect(orders.amend({ ...which, category: "linear", qty: 1 })).type.toRaiseError("DecimalInput")
  })
})

describe("where one of several is required, the message names them", () => {
  test("an order by either of its ids", () => {
    expect(orders.amend({ category: "linear", symbol: "BTCUSDT", price: "1" })).type.toRaiseError(
      /"orderId" \| "orderLinkId"/
    )
    expect(orders.cancel({ category: "linear", symbol: "BTCUSDT" })).type.toRaiseError(/"orderId" \| "orderLinkId"/)
    expect(orders.cancel).type.toBeCallableWith({ category: "linear", symbol: "BTCUSDT", orderLinkId: "mine" })
    expect(orders.cancelBatch).type.not.toBeCallableWith({ category: "linear", request: [{ symbol: "BTCUSDT" }] })
    expect(orders.amendBatch).type.not.toBeCallableWith({
      category: "spot",
      request: [{ symbol: "BTCUSDT", qty: "1" }]
    })
  })

  test("a symbol or a coin", () => {
    expect(orders.open({ category: "linear" })).type.toRaiseError(/OfSymbol \|.*OfBaseCoin \|.*OfSettleCoin'/)
    expect(orders.cancelAll({ category: "inverse" })).type.toRaiseError(/OfSymbol \|.*OfBaseCoin \|.*OfSettleCoin'/)
    expect(positions.list({ category: "linear" })).type.toRaiseError(/'ListOfSymbol \| ListOfSettleCoin'/)
    expect(orders.open).type.toBeCallableWith({ category: "inverse" })
  })
})

describe("money and ids", () => {
  test("no number is money", () => {
    expect(orders.create({ ...order, category: "linear", qty: 1 })).type.toRaiseError("'number' is not assignable")
    expect(
      assets.transfer({ coin: "USDT", amount: 0.1, fromAccountType: "UNIFIED", toAccountType: "FUND", requestId: "1" })
    ).type.toRaiseError("'number' is not assignable")
  })

  test("a phone number comes with its area code", () => {
    const withdrawal = { coin: "USDT", amount: "1", address: "5550100", requestId: "w1" }
    expect(assets.withdrawInternal).type.not.toBeCallableWith({ ...withdrawal, addressType: 2 as const })
    expect(assets.withdrawInternal).type.toBeCallableWith({ ...withdrawal, addressType: 2 as const, areaCode: 1 })
    expect(assets.withdrawInternal).type.toBeCallableWith({ ...withdrawal, addressType: 3 as const })
  })
})
