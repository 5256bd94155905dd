/** What a record has fits the requests, and a category that is known only at run time is taken by every operation that has one. */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Account from "@effect-venue/services/Account"
import type * as Assets from "@effect-venue/services/Assets"
import type * as AssetRecords from "@effect-venue/schemas/Assets"
import type * as Executions from "@effect-venue/services/Executions"
import type * as ExecutionRecords from "@effect-venue/schemas/Executions"
import * as Enumerations from "@effect-venue/schemas/Enumerations"
import type * as Instruments from "@effect-venue/services/Instruments"
import type * as InstrumentRecords from "@effect-venue/schemas/Instruments"
import type * as Orders from "@effect-venue/services/Orders"
import type * as OrderRecords from "@effect-venue/schemas/Orders"
import type * as Positions from "@effect-venue/services/Positions"
import type * as PositionRecords from "@effect-venue/schemas/Positions"
import type * as Option from "effect/Option"
import { describe, expect, test } from "tstyche"

declare const account: Account.Account.Shape
declare const executions: Executions.Executions.Shape
declare const instruments: Instruments.Instruments.Shape
declare const orders: Orders.Orders.Shape
declare const positions: Positions.Positions.Shape
declare const order: OrderRecords.Order
declare const position: PositionRecords.Position
declare const some: <T>(value: Option.Option<T>) => T
declare const symbol: string
declare const orderId: string

const limit = { side: "Buy", orderType: "Limit", qty: "1", price: "1", orderLinkId: "entry-1" } as const
const linear = { ...limit, category: "linear", symbol: "BTCUSDT" } as const

type ValueOf<Field> = Field extends Option.Option<infer Value> ? Value : Field

/** What the variants of a request take under a name. */
type TakenAs<Request, Name> = Request extends unknown
  ? Name extends keyof Request
    ? Exclude<Request[Name], Endpoint.Refused<string>>
    : never
  : never

type NamesOf<Request> = Request extends unknown ? keyof Request : never

/** The fields of a record that a request takes under the same name, but not their values. */
type Misfits<Request, Fields> = {
  [Name in keyof Fields & NamesOf<Request>]: ValueOf<Fields[Name]> extends TakenAs<Request, Name> ? never : Name
}[keyof Fields & NamesOf<Request>]

type RequestOf<Method extends (...args: never) => unknown> = NonNullable<Parameters<Method>[0]>

describe("a value of a record fits a request", () => {
  test("of an order", () => {
    type Shape = Orders.Orders.Shape
    expect<Misfits<RequestOf<Shape["create"]>, OrderRecords.Order>>().type.toBe<never>()
    expect<Misfits<RequestOf<Shape["create"]>, PositionRecords.Position>>().type.toBe<never>()
    expect<Misfits<RequestOf<Shape["createBatch"]>["request"][number], OrderRecords.Order>>().type.toBe<never>()
    expect<Misfits<RequestOf<Shape["amend"]>, OrderRecords.Order>>().type.toBe<never>()
    expect<Misfits<RequestOf<Shape["amendBatch"]>["request"][number], OrderRecords.Order>>().type.toBe<never>()
    expect<Misfits<RequestOf<Shape["cancel"]>, OrderRecords.Order>>().type.toBe<never>()
    expect<Misfits<RequestOf<Shape["cancelAll"]>, OrderRecords.Order>>().type.toBe<never>()
    expect<Misfits<RequestOf<Shape["open"]>, OrderRecords.Order>>().type.toBe<never>()
    expect<Misfits<RequestOf<Shape["history"]>, OrderRecords.Order>>().type.toBe<never>()
    expect<Misfits<RequestOf<Shape["create"]>, { readonly qty: number }>>().type.toBe<"qty">()
  })

  test("of a position", () => {
    type Shape = Positions.Positions.Shape
    expect<Misfits<RequestOf<Shape["list"]>, PositionRecords.Position>>().type.toBe<never>()
    expect<Misfits<RequestOf<Shape["addMargin"]>, PositionRecords.Position>>().type.toBe<never>()
    expect<Misfits<RequestOf<Shape["setTradingStop"]>, PositionRecords.Position>>().type.toBe<never>()
    expect<Misfits<RequestOf<Shape["setTradingStop"]>, OrderRecords.Order>>().type.toBe<never>()
    expect<Misfits<RequestOf<Shape["setRiskLimit"]>, PositionRecords.Position>>().type.toBe<never>()
    expect<Misfits<RequestOf<Shape["setTpslMode"]>, PositionRecords.TpslModeSet>>().type.toBe<never>()
    expect<Misfits<RequestOf<Shape["closedPnl"]>, PositionRecords.ClosedPnl>>().type.toBe<never>()
  })

  test("of the other domains", () => {
    expect<Misfits<RequestOf<Executions.Executions.Shape["list"]>, ExecutionRecords.Execution>>().type.toBe<never>()
    expect<Misfits<RequestOf<Instruments.Instruments.Shape["list"]>, InstrumentRecords.Instrument>>().type.toBe<never>()
    expect<Misfits<RequestOf<Assets.Assets.Shape["transfer"]>, AssetRecords.Transfer>>().type.toBe<never>()
    expect<Misfits<RequestOf<Assets.Assets.Shape["transfers"]>, AssetRecords.Transfer>>().type.toBe<never>()
    // The document lists one coin.
    expect<Misfits<RequestOf<Assets.Assets.Shape["bonusUsage"]>, AssetRecords.BonusUsage>>().type.toBe<"coin">()
  })

  test("with the price that an order of any type can have", () => {
    expect(orders.create).type.toBeCallableWith({
      category: "linear" as const,
      symbol: order.symbol,
      side: order.side,
      orderType: order.orderType,
      qty: order.qty,
      price: some(order.price),
      positionIdx: position.positionIdx,
      triggerDirection: some(order.triggerDirection),
      orderLinkId: "again-1"
    })
  })

  test("but not a misspelt literal, nor any text", () => {
    expect(orders.create).type.toBeCallableWith({ ...linear, side: Enumerations.Side.make("Hold") })
    expect(orders.create).type.not.toBeCallableWith({ ...linear, side: "Bui" as const })
    expect(orders.create).type.not.toBeCallableWith({ ...linear, side: symbol })
    expect(orders.create).type.not.toBeCallableWith({ ...linear, timeInForce: "GTX" as const })
    expect(orders.create).type.not.toBeCallableWith({ ...linear, positionIdx: 3 as const })
    expect(orders.create).type.not.toBeCallableWith({ ...linear, side: Enumerations.TriggerBy.make("Buy") })
  })
})

describe("a category that is known only at run time is taken", () => {
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- a type parameter is what is tested
  const callAll = <C extends Endpoint.Category>(category: C) => [
    orders.open({ category, symbol }),
    orders.openStream({ category, symbol }),
    orders.history({ category, symbol }),
    orders.historyStream({ category, symbol, orderFilter: "Order" }),
    orders.create({ ...limit, category, symbol }),
    orders.createBatch({ category, request: [{ ...limit, symbol }] }),
    orders.amend({ category, symbol, orderId, price: "1" }),
    orders.amendBatch({ category, request: [{ symbol, orderId, price: "1" }] }),
    orders.cancel({ category, symbol, orderId }),
    orders.cancelBatch({ category, request: [{ symbol, orderLinkId: orderId }] }),
    orders.cancelAll({ category, symbol }),
    orders.cancelEverything({ category, symbol }),
    positions.list({ category, symbol }),
    positions.listStream({ category, settleCoin: "USDT" }),
    positions.addMargin({ category, symbol, margin: "1" }),
    positions.setTradingStop({ category, symbol, positionIdx: 0, stopLoss: "1" }),
    executions.list({ category, symbol }),
    executions.listStream({ category }),
    executions.preUpgrade({ category, symbol }),
    executions.preUpgradeStream({ category, symbol }),
    instruments.list({ category }),
    instruments.listStream({ category }),
    account.feeRate({ category })
  ]
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- a type parameter is what is tested
  const callContracts = <C extends "linear" | "inverse">(category: C, optional: { readonly symbol?: string }) => [
    orders.open({ category, ...optional, baseCoin: "BTC" }),
    orders.history({ category, ...optional, orderFilter: "StopOrder" }),
    orders.create({ ...limit, category, symbol, reduceOnly: true, positionIdx: position.positionIdx }),
    orders.createBatch({ category, request: [{ ...limit, symbol, reduceOnly: true }] }),
    orders.amend({ category, symbol, orderId, tpslMode: "Full" }),
    orders.amendBatch({ category, request: [{ symbol, orderId, tpslMode: "Full" }] }),
    orders.cancelAll({ category, ...optional, settleCoin: "BTC" }),
    orders.cancelEverything({ category, ...optional, settleCoin: "BTC", orderFilter: "StopOrder" }),
    positions.list({ category, ...optional, settleCoin: "BTC" }),
    positions.setRiskLimit({ category, symbol, riskId: 1 }),
    positions.setLeverage({ category, symbol, buyLeverage: "1", sellLeverage: "1" }),
    positions.setTpslMode({ category, symbol, tpSlMode: "Full" }),
    positions.confirmNewRiskLimit({ category, symbol }),
    positions.closedPnl({ category, ...optional }),
    positions.preUpgradeClosedPnl({ category, ...optional }),
    executions.preUpgrade({ category, ...optional, execType: "Trade" }),
    instruments.list({ category, ...optional, baseCoin: "BTC" })
  ]

  test("as a variable, in a spread, as a type parameter", () => {
    expect(callAll).type.toBeCallableWith("linear")
    expect(callContracts).type.toBeCallableWith("linear", {})
    const chosen = { category: "linear" as "linear" | "spot", symbol }
    const named: { readonly orderId: string; readonly orderLinkId?: string | undefined } = { orderId }
    expect(orders.open).type.toBeCallableWith(chosen)
    expect(orders.create).type.toBeCallableWith({ ...limit, ...chosen })
    expect(orders.create).type.toBeCallableWith({ ...limit, ...chosen, orderType: order.orderType })
    expect(orders.amend).type.toBeCallableWith({ ...chosen, ...named, price: "1" })
    expect(orders.cancel).type.toBeCallableWith({ ...chosen, ...named })
    expect(orders.cancelAll).type.toBeCallableWith(chosen)
    expect(orders.cancelEverything).type.toBeCallableWith(chosen)
    expect(positions.list).type.toBeCallableWith(chosen)
  })

  test("with what each of its categories takes", () => {
    const category = "linear" as Endpoint.Category
    expect(orders.create).type.not.toBeCallableWith({ ...limit, category, symbol, reduceOnly: true })
    expect(orders.create).type.not.toBeCallableWith({ ...limit, category, symbol, marketUnit: "baseCoin" as const })
    expect(orders.open).type.not.toBeCallableWith({ category })
    expect(orders.open).type.not.toBeCallableWith({ category, symbol, orderFilter: "StopOrder" as const })
    expect(orders.cancel).type.not.toBeCallableWith({ category, symbol })
    expect(orders.cancelAll).type.not.toBeCallableWith({ category, settleCoin: "USDT" })
    expect(positions.list).type.not.toBeCallableWith({ category })
  })
})
