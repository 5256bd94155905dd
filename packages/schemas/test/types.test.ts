/** What the compiler refuses. Nothing here runs for long: the checks are made when the tests are compiled. */
import { describe, expectTypeOf, it } from "@effect/vitest"
import type { BigDecimal, DateTime, Option, Schema } from "effect"
import type * as Account from "../src/Account.js"
import type * as Assets from "../src/Assets.js"
import type * as Broker from "../src/Broker.js"
import type * as Decimal from "../src/Decimal.js"
import type * as Endpoint from "../src/Endpoint.js"
import type * as Enumerations from "../src/Enumerations.js"
import type * as Executions from "../src/Executions.js"
import type * as Instruments from "../src/Instruments.js"
import type * as Orders from "../src/Orders.js"
import type * as Positions from "../src/Positions.js"
import type * as Rule from "@effect-venue/schemas/Rule"

/** What a literal of this shape may be given for: excess properties are refused as in a call. */
type Takes<Request, Given> = Given extends Request
  ? Exclude<keyof Given, Request extends unknown ? keyof Request : never> extends never
    ? true
    : false
  : false

/** Compiles if such a literal may be given. */
const takes = <Request, Given>(..._: Takes<Request, Given> extends true ? [] : [never]): void => undefined
const takesNot = <Request, Given>(..._: [Takes<Request, Given>] extends [false] ? [] : [never]): void => undefined

/** The variants that a category may be given to. */
type Category<Request, C extends string> = Request extends { readonly category: infer Taken }
  ? C extends Taken
    ? Request
    : never
  : never

/** The parameters that a variant takes, without those that it refuses. */
type Keys<A> = A extends unknown
  ? { [K in keyof A]-?: [Exclude<A[K], undefined>] extends [Rule.Refused<string>] ? never : K }[keyof A]
  : never

describe("requests", () => {
  it("have no settleCoin on spot", () => {
    expectTypeOf<Keys<Category<Orders.OpenRequest, "spot">>>().not.toEqualTypeOf<Keys<Orders.OpenRequest>>()
    expectTypeOf<"settleCoin">().not.toExtend<Keys<Category<Orders.OpenRequest, "spot">>>()
    expectTypeOf<"settleCoin">().not.toExtend<Keys<Category<Orders.OpenRequest, "inverse">>>()
    expectTypeOf<"settleCoin">().toExtend<Keys<Category<Orders.OpenRequest, "linear">>>()
    expectTypeOf<"settleCoin">().not.toExtend<Keys<Category<Orders.CancelAllRequest, "spot">>>()
    expectTypeOf<"settleCoin">().toExtend<Keys<Category<Orders.CancelAllRequest, "inverse">>>()
    // The document's table names no category for that of positions.
    expectTypeOf<"settleCoin">().toExtend<Keys<Category<Positions.ListRequest, "spot">>>()
    expectTypeOf<"settleCoin">().toExtend<Keys<Category<Positions.ListRequest, "linear">>>()
  })

  it("have no tpslMode, triggerBy or stopOrderType on spot", () => {
    expectTypeOf<"tpslMode" | "triggerBy">().toExtend<Keys<Category<Orders.AmendRequest, "linear">>>()
    expectTypeOf<"tpslMode">().not.toExtend<Keys<Category<Orders.AmendRequest, "spot">>>()
    expectTypeOf<"triggerBy">().not.toExtend<Keys<Category<Orders.AmendRequest, "spot">>>()
    expectTypeOf<"stopOrderType">().not.toExtend<Keys<Category<Orders.CancelAllRequest, "spot">>>()
    expectTypeOf<"execType">().not.toExtend<Keys<Category<Executions.PreUpgradeRequest, "spot">>>()
    expectTypeOf<"baseCoin">().not.toExtend<Keys<Category<Instruments.ListRequest, "spot">>>()
  })

  it("accept a contract category that is only known at run time", () => {
    type Contract = "linear" | "inverse"
    takes<Orders.AmendRequest, { category: Contract; symbol: "A"; orderId: "1" }>()
    takes<Orders.CancelAllRequest, { category: Contract; symbol: "A" }>()
    takes<Positions.ListRequest, { category: Contract; symbol: "A" }>()
  })

  it("to place a Limit order require a price, alone and in a batch", () => {
    interface Market {
      symbol: "A"
      side: "Buy"
      orderType: "Market"
      qty: "1"
    }
    interface Limit {
      symbol: "A"
      side: "Buy"
      orderType: "Limit"
      qty: "1"
    }
    {
      type C = "spot" | "linear" | "inverse"
      takesNot<Orders.CreateRequest, Limit & { category: C }>()
      takesNot<Orders.CreateRequest, Limit & { category: C; price: undefined }>()
      takes<Orders.CreateRequest, Limit & { category: C; price: "1" }>()
      takes<Orders.CreateRequest, Market & { category: C }>()
      interface Batch<Item> {
        category: C
        request: readonly [Item]
      }
      takesNot<Orders.CreateBatchRequest, Batch<Limit>>()
      takes<Orders.CreateBatchRequest, Batch<Limit & { price: "1" }>>()
      takes<Orders.CreateBatchRequest, Batch<Market>>()
    }
  })

  it("to amend require orderId or orderLinkId", () => {
    takesNot<Orders.AmendRequest, { category: "linear"; symbol: "A" }>()
    takesNot<Orders.AmendRequest, { category: "spot"; symbol: "A"; qty: "1" }>()
    takesNot<Orders.AmendRequest, { category: "linear"; symbol: "A"; orderId: undefined }>()
    takes<Orders.AmendRequest, { category: "linear"; symbol: "A"; orderId: "1" }>()
    takes<Orders.AmendRequest, { category: "spot"; symbol: "A"; orderLinkId: "1" }>()
    takes<Orders.AmendRequest, { category: "inverse"; symbol: "A"; orderId: "1"; orderLinkId: "2" }>()
  })

  it("to place an order have the parameters of their category, alone and in a batch", () => {
    type Spot = Keys<Category<Orders.CreateRequest, "spot">>
    type Linear = Keys<Category<Orders.CreateRequest, "linear">>
    type SpotItem = Keys<Category<Orders.CreateBatchRequest, "spot">["request"][number]>
    type LinearItem = Keys<Category<Orders.CreateBatchRequest, "linear">["request"][number]>
    expectTypeOf<Exclude<Spot, "category">>().toEqualTypeOf<SpotItem>()
    expectTypeOf<Exclude<Linear, "category">>().toEqualTypeOf<LinearItem>()
    expectTypeOf<Exclude<Spot, Linear>>().toEqualTypeOf<"marketUnit" | "orderFilter">()
    expectTypeOf<Exclude<Linear, Spot>>().toEqualTypeOf<
      | "triggerDirection"
      | "triggerBy"
      | "positionIdx"
      | "reduceOnly"
      | "closeOnTrigger"
      | "tpslMode"
      | "tpTriggerBy"
      | "slTriggerBy"
    >()
    takes<Orders.CancelRequest, { category: "linear" | "inverse"; symbol: "A"; orderId: "1" }>()
    takesNot<Orders.CancelRequest, { category: "linear"; symbol: "A" }>()
    takesNot<Orders.CancelBatchRequest, { category: "linear"; request: readonly [{ symbol: "A" }] }>()
  })

  it("for linear orders require symbol, baseCoin or settleCoin", () => {
    takesNot<Orders.OpenRequest, { category: "linear" }>()
    takes<Orders.OpenRequest, { category: "linear"; settleCoin: "USDT" }>()
    takes<Orders.OpenRequest, { category: "inverse" }>()
    takesNot<Positions.ListRequest, { category: "inverse" }>()
    takes<Positions.ListRequest, { category: "spot" }>()
    takesNot<Orders.CancelAllRequest, { category: "linear" }>()
    takes<Orders.CancelAllRequest, { category: "spot" }>()
  })

  it("to withdraw to a phone number require an area code", () => {
    interface Common {
      requestId: "a"
      coin: "USDT"
      address: "5550100"
      amount: "1"
    }
    takesNot<Assets.WithdrawInternalRequest, Common & { addressType: 2 }>()
    takes<Assets.WithdrawInternalRequest, Common & { addressType: 2; areaCode: 44 }>()
    takes<Assets.WithdrawInternalRequest, Common & { addressType: 3 }>()
    takesNot<Assets.WithdrawInternalRequest, Common & { addressType: 4 }>()
  })

  it("only have the documented categories, coins and limits", () => {
    takesNot<Executions.ListRequest, { category: "option" }>()
    expectTypeOf<Positions.SetRiskLimitRequest["category"]>().toEqualTypeOf<"linear" | "inverse">()
    expectTypeOf<Assets.BonusUsageRequest["coin"]>().toEqualTypeOf<"USDT">()
    expectTypeOf<Assets.FundingAssetsRequest["accountType"]>().toEqualTypeOf<"FUND" | "SPOT">()
    expectTypeOf<Executions.ListRequest["limit"]>().toEqualTypeOf<number | undefined>()
  })

  it("accept instants in the forms of DateTime", () => {
    expectTypeOf<Executions.ListRequest["startTime"]>().toEqualTypeOf<DateTime.DateTime.Input | undefined>()
  })
})

describe("enumerations", () => {
  it("accept any text and suggest the known values", () => {
    expectTypeOf<string>().toExtend<Enumerations.OrderStatus>()
    expectTypeOf<"New">().toExtend<Enumerations.OrderStatus>()
    // `string` itself would have lost the literals.
    expectTypeOf<Enumerations.OrderStatus>().not.toEqualTypeOf<string>()
    expectTypeOf<Extract<Enumerations.OrderStatus, "New" | "Filled">>().toEqualTypeOf<"New" | "Filled">()
    expectTypeOf<number>().toExtend<Enumerations.PositionIdx>()
    expectTypeOf<Extract<Enumerations.PositionIdx, 0 | 1 | 2>>().toEqualTypeOf<0 | 1 | 2>()
  })
})

describe("money", () => {
  it("is never a number", () => {
    expectTypeOf<Decimal.Input>().toEqualTypeOf<BigDecimal.BigDecimal | string>()
    expectTypeOf<number>().not.toExtend<Decimal.Input>()
    expectTypeOf<Executions.Execution["execFee"]>().toEqualTypeOf<BigDecimal.BigDecimal>()
    expectTypeOf<Orders.Order["price"]>().toEqualTypeOf<Option.Option<BigDecimal.BigDecimal>>()
    expectTypeOf<Account.CoinBalance["walletBalance"]>().toEqualTypeOf<BigDecimal.BigDecimal>()
    expectTypeOf<Broker.Volume["coins"][number]["tradeVolume"]>().toEqualTypeOf<BigDecimal.BigDecimal>()
    expectTypeOf<Assets.TransferRequest["amount"]>().toEqualTypeOf<Decimal.Input>()
    expectTypeOf<Positions.AddMarginRequest["margin"]>().toEqualTypeOf<Decimal.Input>()
  })

  it("has number fields only for counts, ids and levels", () => {
    type NumberFields<A> = {
      [K in keyof A]: number extends A[K] ? K : Option.Option<number> extends A[K] ? K : never
    }[keyof A]
    expectTypeOf<NumberFields<Executions.Execution>>().toEqualTypeOf<never>()
    expectTypeOf<NumberFields<Orders.Order>>().toEqualTypeOf<"positionIdx" | "triggerDirection">()
    expectTypeOf<NumberFields<Positions.Position>>().toEqualTypeOf<
      "positionIdx" | "riskId" | "adlRankIndicator" | "tradeMode"
    >()
    expectTypeOf<NumberFields<Positions.ClosedPnl>>().toEqualTypeOf<"fillCount">()
    expectTypeOf<NumberFields<Account.CoinBalance>>().toEqualTypeOf<never>()
    expectTypeOf<NumberFields<Account.WalletBalance>>().toEqualTypeOf<never>()
    expectTypeOf<NumberFields<Assets.Deposit>>().toEqualTypeOf<never>()
    expectTypeOf<NumberFields<Instruments.Instrument>>().toEqualTypeOf<"priceScale" | "fundingInterval">()
  })
})

describe("the wire side", () => {
  it("is text for every parameter of a GET request", () => {
    expectTypeOf<Schema.Schema.Encoded<typeof Executions.list.request>>().toExtend<{
      readonly [name: string]: string | undefined
    }>()
  })

  it("spells open orders with capitals and v1 in snake case", () => {
    expectTypeOf<"OrderId" | "CumExecFee">().toExtend<
      keyof NonNullable<Endpoint.ResultWire<typeof Orders.open>["list"]>[number]
    >()
    expectTypeOf<"transaction_id" | "create_time">().toExtend<
      keyof NonNullable<Endpoint.ResultWire<typeof Assets.deposits>["rows"]>[number]
    >()
  })

  it("differs from the domain side", () => {
    expectTypeOf<Executions.Execution["execTime"]>().toEqualTypeOf<DateTime.Utc>()
    expectTypeOf<Executions.Execution["isMaker"]>().toEqualTypeOf<Option.Option<boolean>>()
    expectTypeOf<Orders.Order["reduceOnly"]>().toEqualTypeOf<boolean>()
    expectTypeOf<Positions.Position["autoAddMargin"]>().toEqualTypeOf<Option.Option<boolean>>()
  })
})

describe("ids", () => {
  it("of different kinds are not interchangeable", () => {
    expectTypeOf<Executions.Execution["orderId"]>().not.toExtend<Executions.Execution["execId"]>()
    expectTypeOf<string>().not.toExtend<Executions.Execution["orderId"]>()
    expectTypeOf<Executions.Execution["orderId"]>().toExtend<string>()
  })
})
