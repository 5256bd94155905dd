import type * as Decimal from "@effect-venue/schemas/Decimal"
import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import type * as Instant from "@effect-venue/schemas/Instant"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Orders from "@effect-venue/services/Orders"
import { expect, test } from "tstyche"
import type { Flat, Method, Read, Write } from "./shape.js"

type Shape = Orders.Orders.Shape

test("every method is here", () => {
  expect<
    Exclude<
      keyof Shape,
      | "open"
      | "openStream"
      | "history"
      | "historyStream"
      | "create"
      | "cancel"
      | "createBatch"
      | "amendBatch"
      | "cancelBatch"
      | "amend"
      | "cancelAll"
      | "cancelEverything"
    >
  >().type.toBe<never>()
})

type Contracts = "linear" | "inverse"
type OnlyContracts = Endpoint.Refused<"only for contracts">
type OnlySpot = Endpoint.Refused<"only for spot">
type OnlyLinear = Endpoint.Refused<"only for linear">

interface Page {
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
}

interface MaySelect {
  readonly symbol?: string | undefined
  readonly orderId?: string | undefined
  readonly orderLinkId?: string | undefined
}

/** An order is named by one of its ids, or both. */
type OrderName =
  | { readonly symbol: string; readonly orderId: string; readonly orderLinkId?: string | undefined }
  | { readonly symbol: string; readonly orderId?: string | undefined; readonly orderLinkId: string }

test("open", () => {
  interface Common extends Page, MaySelect {
    readonly openOnly?: 0 | 1 | undefined
  }
  interface Any extends Common {
    readonly orderFilter?: "Order" | undefined
    readonly baseCoin?: OnlyContracts
    readonly settleCoin?: OnlyLinear
    readonly category: Endpoint.Category
  }
  interface Spot extends Common {
    readonly orderFilter?: "tpslOrder" | "Order" | undefined
    readonly baseCoin?: OnlyContracts
    readonly settleCoin?: OnlyLinear
    readonly category: "spot"
  }
  interface Contract<Category> extends Common {
    readonly orderFilter?: "Order" | "StopOrder" | undefined
    readonly baseCoin?: string | undefined
    readonly settleCoin?: OnlyLinear
    readonly category: Category
  }
  type Linear = Omit<Contract<"linear">, "settleCoin"> & { readonly settleCoin: string }
  expect<Method<Shape["open"]>>().type.toBe<{
    takes: [
      request: Flat<
        | Spot
        | Contract<"inverse">
        | (Any & { readonly symbol: string })
        | (Contract<Contracts> & { readonly symbol: string })
        | (Contract<Contracts> & { readonly baseCoin: string })
        | Linear
      >
    ]
    fails: Read
    needs: never
  }>()
})

test("openStream", () => {
  expect<Method<Shape["openStream"]>>().type.toBe<{
    takes: Method<Shape["open"]>["takes"]
    fails: Read
    needs: never
  }>()
})

test("history", () => {
  interface Request<Filter, Category> extends Page, MaySelect {
    readonly startTime?: Instant.Input | undefined
    readonly endTime?: Instant.Input | undefined
    readonly orderStatus?: Enumerations.OrderStatus | undefined
    readonly orderFilter?: Filter | undefined
    readonly category: Category
  }
  expect<Method<Shape["history"]>>().type.toBe<{
    takes: [
      request: Flat<
        | Request<"Order", Endpoint.Category>
        | Request<"tpslOrder" | "Order", "spot">
        | Request<"Order" | "StopOrder", Contracts>
      >
    ]
    fails: Read
    needs: never
  }>()
})

test("historyStream", () => {
  expect<Method<Shape["historyStream"]>>().type.toBe<{
    takes: Method<Shape["history"]>["takes"]
    fails: Read
    needs: never
  }>()
})

test("create", () => {
  interface Common {
    readonly symbol: string
    readonly side: Enumerations.Side
    readonly qty: Decimal.Input
    readonly timeInForce?: Enumerations.TimeInForce | undefined
    readonly triggerPrice?: Decimal.Input | undefined
    readonly takeProfit?: Decimal.Input | undefined
    readonly stopLoss?: Decimal.Input | undefined
    readonly tpLimitPrice?: Decimal.Input | undefined
    readonly slLimitPrice?: Decimal.Input | undefined
    readonly slippageToleranceType?: Enumerations.SlippageToleranceType | undefined
    readonly slippageTolerance?: Decimal.Input | undefined
    readonly tpOrderType?: Enumerations.OrderType | undefined
    readonly slOrderType?: Enumerations.OrderType | undefined
    readonly smpType?: Enumerations.SmpType | undefined
    readonly orderLinkId: string
  }
  interface RefusesContracts {
    readonly positionIdx?: OnlyContracts
    readonly tpslMode?: OnlyContracts
    readonly tpTriggerBy?: OnlyContracts
    readonly slTriggerBy?: OnlyContracts
    readonly triggerDirection?: OnlyContracts
    readonly triggerBy?: OnlyContracts
    readonly reduceOnly?: OnlyContracts
    readonly closeOnTrigger?: OnlyContracts
  }
  interface RefusesSpot {
    readonly orderFilter?: OnlySpot
    readonly marketUnit?: OnlySpot
  }
  interface Any extends Common, RefusesContracts, RefusesSpot {
    readonly category: Endpoint.Category
  }
  interface Spot extends Common, RefusesContracts {
    readonly orderFilter?: "tpslOrder" | "Order" | undefined
    readonly marketUnit?: Enumerations.MarketUnit | undefined
    readonly category: "spot"
  }
  interface Contract extends Common, RefusesSpot {
    readonly positionIdx?: Enumerations.PositionIdx | undefined
    readonly tpslMode?: Enumerations.TpslMode | undefined
    readonly tpTriggerBy?: Enumerations.TriggerBy | undefined
    readonly slTriggerBy?: Enumerations.TriggerBy | undefined
    readonly triggerDirection?: Enumerations.TriggerDirection | undefined
    readonly triggerBy?: Enumerations.TriggerBy | undefined
    readonly reduceOnly?: boolean | undefined
    readonly closeOnTrigger?: boolean | undefined
    readonly category: Contracts
  }
  type Priced =
    | { readonly orderType: Enumerations.OrderType; readonly price: Decimal.Input }
    | { readonly orderType: "Market"; readonly price?: Decimal.Input | undefined }
  expect<Method<Shape["create"]>>().type.toBe<{
    takes: [request: Flat<(Any | Spot | Contract) & Priced>]
    fails: Write
    needs: never
  }>()
})

test("cancel", () => {
  interface Request<Filter, Category> {
    readonly orderFilter?: Filter
    readonly category: Category
  }
  expect<Method<Shape["cancel"]>>().type.toBe<{
    takes: [
      request: Flat<
        OrderName & (Request<"tpslOrder" | "Order" | undefined, "spot"> | Request<OnlySpot, Endpoint.Category>)
      >
    ]
    fails: Write
    needs: never
  }>()
})

/** A batch of requests of a category, which each must leave out. */
interface Batch<Req, Category> {
  readonly category: Category
  readonly request: ReadonlyArray<
    Req extends { readonly category: infer C }
      ? [Category] extends [C]
        ? [C] extends [Category]
          ? Flat<Omit<Req, "category"> & { readonly category?: Endpoint.Refused<"belongs to the batch"> }>
          : never
        : never
      : never
  >
}

test("createBatch", () => {
  type Request = Method<Shape["create"]>["takes"][0]
  expect<Method<Shape["createBatch"]>>().type.toBe<{
    takes: [request: Batch<Request, Endpoint.Category> | Batch<Request, "spot"> | Batch<Request, "linear" | "inverse">]
    fails: Write
    needs: never
  }>()
})

test("amendBatch", () => {
  type Request = Method<Shape["amend"]>["takes"][0]
  expect<Method<Shape["amendBatch"]>>().type.toBe<{
    takes: [request: Batch<Request, Endpoint.Category> | Batch<Request, "linear" | "inverse">]
    fails: Write
    needs: never
  }>()
})

test("amend", () => {
  interface Common {
    readonly price?: Decimal.Input | undefined
    readonly qty?: Decimal.Input | undefined
    readonly orderIv?: Decimal.Input | undefined
    readonly triggerPrice?: Decimal.Input | undefined
    readonly takeProfit?: Decimal.Input | undefined
    readonly stopLoss?: Decimal.Input | undefined
    readonly tpLimitPrice?: Decimal.Input | undefined
    readonly slLimitPrice?: Decimal.Input | undefined
    readonly tpTriggerBy?: Enumerations.TriggerBy | undefined
    readonly slTriggerBy?: Enumerations.TriggerBy | undefined
  }
  interface Any extends Common {
    readonly tpslMode?: OnlyContracts
    readonly triggerBy?: OnlyContracts
    readonly tpOrderType?: OnlyContracts
    readonly slOrderType?: OnlyContracts
    readonly category: Endpoint.Category
  }
  interface Contract extends Common {
    readonly tpslMode?: Enumerations.TpslMode | undefined
    readonly triggerBy?: Enumerations.TriggerBy | undefined
    readonly tpOrderType?: Enumerations.OrderType | undefined
    readonly slOrderType?: Enumerations.OrderType | undefined
    readonly category: Contracts
  }
  expect<Method<Shape["amend"]>>().type.toBe<{
    takes: [request: Flat<OrderName & (Any | Contract)>]
    fails: Write
    needs: never
  }>()
})

test("cancelAll", () => {
  interface Spot<Filter, Category> {
    readonly symbol?: string | undefined
    readonly baseCoin?: string | undefined
    readonly settleCoin?: OnlyContracts
    readonly orderFilter?: Filter | undefined
    readonly stopOrderType?: OnlyContracts
    readonly category: Category
  }
  interface Contract {
    readonly symbol?: string | undefined
    readonly baseCoin?: string | undefined
    readonly settleCoin?: string | undefined
    readonly orderFilter?: "Order" | "StopOrder" | undefined
    readonly stopOrderType?: Enumerations.StopOrderType | undefined
    readonly category: Contracts
  }
  interface OfSymbol {
    readonly symbol: string
  }
  interface OfBaseCoin {
    readonly baseCoin: string
  }
  interface OfSettleCoin {
    readonly settleCoin: string
  }
  expect<Method<Shape["cancelAll"]>>().type.toBe<{
    takes: [
      request: Flat<
        | Spot<"tpslOrder" | "Order", "spot">
        | (Spot<"Order", Endpoint.Category> & (OfSymbol | OfBaseCoin))
        | (Contract & (OfSymbol | OfBaseCoin | OfSettleCoin))
      >
    ]
    fails: Write
    needs: never
  }>()
})

test("cancelEverything", () => {
  expect<Method<Shape["cancelEverything"]>>().type.toBe<{
    takes: [
      request: Method<Shape["cancelAll"]>["takes"][0],
      options?: { readonly maxRounds?: number | undefined } | undefined
    ]
    fails: Write | "RoundsExhausted"
    needs: never
  }>()
})
