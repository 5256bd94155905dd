/** Types of records and parameters, checked when the tests are compiled. The requests of every method: packages/tools/typetest. */
import { describe, expectTypeOf, it } from "@effect/vitest"
import type { BigDecimal, DateTime, Option, Schema } from "effect"
import type * as Account from "../src/Account.js"
import type * as Assets from "../src/Assets.js"
import type * as Broker from "../src/Broker.js"
import type * as Decimal from "../src/Decimal.js"
import type * as Enumerations from "../src/Enumerations.js"
import type * as Executions from "../src/Executions.js"
import type * as Instruments from "../src/Instruments.js"
import type * as Orders from "../src/Orders.js"
import type * as Positions from "../src/Positions.js"

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
      keyof NonNullable<Schema.Schema.Encoded<typeof Orders.open.result>["list"]>[number]
    >()
    expectTypeOf<"transaction_id" | "create_time">().toExtend<
      keyof NonNullable<Schema.Schema.Encoded<typeof Assets.deposits.result>["rows"]>[number]
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
