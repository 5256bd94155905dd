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

test("open", () => {
  expect<Method<Shape["open"]>>().type.toBe<{
    takes: [
      request:
        | {
            readonly symbol?: string | undefined
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly category: "spot"
            readonly orderId?: string | undefined
            readonly orderLinkId?: string | undefined
            readonly openOnly?: 0 | 1 | undefined
            readonly orderFilter?: "tpslOrder" | "Order" | undefined
            readonly baseCoin?: Endpoint.Refused<"only for contracts">
            readonly settleCoin?: Endpoint.Refused<"only for linear">
          }
        | {
            readonly symbol?: string | undefined
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly category: "inverse"
            readonly orderId?: string | undefined
            readonly baseCoin?: string | undefined
            readonly orderLinkId?: string | undefined
            readonly openOnly?: 0 | 1 | undefined
            readonly orderFilter?: "Order" | "StopOrder" | undefined
            readonly settleCoin?: Endpoint.Refused<"only for linear">
          }
        | {
            readonly orderFilter?: "Order" | undefined
            readonly symbol: string
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly orderId?: string | undefined
            readonly orderLinkId?: string | undefined
            readonly openOnly?: 0 | 1 | undefined
            readonly baseCoin?: Endpoint.Refused<"only for contracts">
            readonly settleCoin?: Endpoint.Refused<"only for linear">
            readonly category: Endpoint.Category
          }
        | {
            readonly symbol: string
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly orderId?: string | undefined
            readonly baseCoin?: string | undefined
            readonly orderLinkId?: string | undefined
            readonly openOnly?: 0 | 1 | undefined
            readonly orderFilter?: "Order" | "StopOrder" | undefined
            readonly settleCoin?: Endpoint.Refused<"only for linear">
            readonly category: "linear" | "inverse"
          }
        | {
            readonly symbol?: string | undefined
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly orderId?: string | undefined
            readonly baseCoin: string
            readonly orderLinkId?: string | undefined
            readonly openOnly?: 0 | 1 | undefined
            readonly orderFilter?: "Order" | "StopOrder" | undefined
            readonly settleCoin?: Endpoint.Refused<"only for linear">
            readonly category: "linear" | "inverse"
          }
        | {
            readonly symbol?: string | undefined
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly category: "linear"
            readonly orderId?: string | undefined
            readonly baseCoin?: string | undefined
            readonly settleCoin: string
            readonly orderLinkId?: string | undefined
            readonly openOnly?: 0 | 1 | undefined
            readonly orderFilter?: "Order" | "StopOrder" | undefined
          }
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
  expect<Method<Shape["history"]>>().type.toBe<{
    takes: [
      request:
        | {
            readonly orderFilter?: "Order" | undefined
            readonly symbol?: string | undefined
            readonly startTime?: Instant.Input | undefined
            readonly endTime?: Instant.Input | undefined
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly orderId?: string | undefined
            readonly orderLinkId?: string | undefined
            readonly orderStatus?: Enumerations.OrderStatus | undefined
            readonly category: Endpoint.Category
          }
        | {
            readonly symbol?: string | undefined
            readonly startTime?: Instant.Input | undefined
            readonly endTime?: Instant.Input | undefined
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly orderId?: string | undefined
            readonly orderLinkId?: string | undefined
            readonly orderFilter?: "tpslOrder" | "Order" | undefined
            readonly orderStatus?: Enumerations.OrderStatus | undefined
            readonly category: "spot"
          }
        | {
            readonly symbol?: string | undefined
            readonly startTime?: Instant.Input | undefined
            readonly endTime?: Instant.Input | undefined
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly orderId?: string | undefined
            readonly orderLinkId?: string | undefined
            readonly orderFilter?: "Order" | "StopOrder" | undefined
            readonly orderStatus?: Enumerations.OrderStatus | undefined
            readonly category: "linear" | "inverse"
          }
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
  expect<Method<Shape["create"]>>().type.toBe<{
    takes: [
      request:
        | {
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
            readonly positionIdx?: Endpoint.Refused<"only for contracts">
            readonly tpslMode?: Endpoint.Refused<"only for contracts">
            readonly tpTriggerBy?: Endpoint.Refused<"only for contracts">
            readonly slTriggerBy?: Endpoint.Refused<"only for contracts">
            readonly triggerDirection?: Endpoint.Refused<"only for contracts">
            readonly triggerBy?: Endpoint.Refused<"only for contracts">
            readonly reduceOnly?: Endpoint.Refused<"only for contracts">
            readonly closeOnTrigger?: Endpoint.Refused<"only for contracts">
            readonly orderFilter?: Endpoint.Refused<"only for spot">
            readonly marketUnit?: Endpoint.Refused<"only for spot">
            readonly orderType: Enumerations.OrderType
            readonly price: Decimal.Input
            readonly orderLinkId: string
            readonly category: Endpoint.Category
          }
        | {
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
            readonly positionIdx?: Endpoint.Refused<"only for contracts">
            readonly tpslMode?: Endpoint.Refused<"only for contracts">
            readonly tpTriggerBy?: Endpoint.Refused<"only for contracts">
            readonly slTriggerBy?: Endpoint.Refused<"only for contracts">
            readonly triggerDirection?: Endpoint.Refused<"only for contracts">
            readonly triggerBy?: Endpoint.Refused<"only for contracts">
            readonly reduceOnly?: Endpoint.Refused<"only for contracts">
            readonly closeOnTrigger?: Endpoint.Refused<"only for contracts">
            readonly orderFilter?: Endpoint.Refused<"only for spot">
            readonly marketUnit?: Endpoint.Refused<"only for spot">
            readonly orderType: "Market"
            readonly price?: Decimal.Input | undefined
            readonly orderLinkId: string
            readonly category: Endpoint.Category
          }
        | {
            readonly symbol: string
            readonly side: Enumerations.Side
            readonly orderFilter?: "tpslOrder" | "Order" | undefined
            readonly qty: Decimal.Input
            readonly timeInForce?: Enumerations.TimeInForce | undefined
            readonly marketUnit?: Enumerations.MarketUnit | undefined
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
            readonly positionIdx?: Endpoint.Refused<"only for contracts">
            readonly tpslMode?: Endpoint.Refused<"only for contracts">
            readonly tpTriggerBy?: Endpoint.Refused<"only for contracts">
            readonly slTriggerBy?: Endpoint.Refused<"only for contracts">
            readonly triggerDirection?: Endpoint.Refused<"only for contracts">
            readonly triggerBy?: Endpoint.Refused<"only for contracts">
            readonly reduceOnly?: Endpoint.Refused<"only for contracts">
            readonly closeOnTrigger?: Endpoint.Refused<"only for contracts">
            readonly orderType: Enumerations.OrderType
            readonly price: Decimal.Input
            readonly orderLinkId: string
            readonly category: "spot"
          }
        | {
            readonly symbol: string
            readonly side: Enumerations.Side
            readonly orderFilter?: "tpslOrder" | "Order" | undefined
            readonly qty: Decimal.Input
            readonly timeInForce?: Enumerations.TimeInForce | undefined
            readonly marketUnit?: Enumerations.MarketUnit | undefined
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
            readonly positionIdx?: Endpoint.Refused<"only for contracts">
            readonly tpslMode?: Endpoint.Refused<"only for contracts">
            readonly tpTriggerBy?: Endpoint.Refused<"only for contracts">
            readonly slTriggerBy?: Endpoint.Refused<"only for contracts">
            readonly triggerDirection?: Endpoint.Refused<"only for contracts">
            readonly triggerBy?: Endpoint.Refused<"only for contracts">
            readonly reduceOnly?: Endpoint.Refused<"only for contracts">
            readonly closeOnTrigger?: Endpoint.Refused<"only for contracts">
            readonly orderType: "Market"
            readonly price?: Decimal.Input | undefined
            readonly orderLinkId: string
            readonly category: "spot"
          }
        | {
            readonly symbol: string
            readonly side: Enumerations.Side
            readonly qty: Decimal.Input
            readonly positionIdx?: Enumerations.PositionIdx | undefined
            readonly timeInForce?: Enumerations.TimeInForce | undefined
            readonly triggerPrice?: Decimal.Input | undefined
            readonly takeProfit?: Decimal.Input | undefined
            readonly stopLoss?: Decimal.Input | undefined
            readonly tpslMode?: Enumerations.TpslMode | undefined
            readonly tpLimitPrice?: Decimal.Input | undefined
            readonly slLimitPrice?: Decimal.Input | undefined
            readonly tpTriggerBy?: Enumerations.TriggerBy | undefined
            readonly slTriggerBy?: Enumerations.TriggerBy | undefined
            readonly triggerDirection?: Enumerations.TriggerDirection | undefined
            readonly triggerBy?: Enumerations.TriggerBy | undefined
            readonly reduceOnly?: boolean | undefined
            readonly closeOnTrigger?: boolean | undefined
            readonly slippageToleranceType?: Enumerations.SlippageToleranceType | undefined
            readonly slippageTolerance?: Decimal.Input | undefined
            readonly tpOrderType?: Enumerations.OrderType | undefined
            readonly slOrderType?: Enumerations.OrderType | undefined
            readonly smpType?: Enumerations.SmpType | undefined
            readonly orderFilter?: Endpoint.Refused<"only for spot">
            readonly marketUnit?: Endpoint.Refused<"only for spot">
            readonly orderType: Enumerations.OrderType
            readonly price: Decimal.Input
            readonly orderLinkId: string
            readonly category: "linear" | "inverse"
          }
        | {
            readonly symbol: string
            readonly side: Enumerations.Side
            readonly qty: Decimal.Input
            readonly positionIdx?: Enumerations.PositionIdx | undefined
            readonly timeInForce?: Enumerations.TimeInForce | undefined
            readonly triggerPrice?: Decimal.Input | undefined
            readonly takeProfit?: Decimal.Input | undefined
            readonly stopLoss?: Decimal.Input | undefined
            readonly tpslMode?: Enumerations.TpslMode | undefined
            readonly tpLimitPrice?: Decimal.Input | undefined
            readonly slLimitPrice?: Decimal.Input | undefined
            readonly tpTriggerBy?: Enumerations.TriggerBy | undefined
            readonly slTriggerBy?: Enumerations.TriggerBy | undefined
            readonly triggerDirection?: Enumerations.TriggerDirection | undefined
            readonly triggerBy?: Enumerations.TriggerBy | undefined
            readonly reduceOnly?: boolean | undefined
            readonly closeOnTrigger?: boolean | undefined
            readonly slippageToleranceType?: Enumerations.SlippageToleranceType | undefined
            readonly slippageTolerance?: Decimal.Input | undefined
            readonly tpOrderType?: Enumerations.OrderType | undefined
            readonly slOrderType?: Enumerations.OrderType | undefined
            readonly smpType?: Enumerations.SmpType | undefined
            readonly orderFilter?: Endpoint.Refused<"only for spot">
            readonly marketUnit?: Endpoint.Refused<"only for spot">
            readonly orderType: "Market"
            readonly price?: Decimal.Input | undefined
            readonly orderLinkId: string
            readonly category: "linear" | "inverse"
          }
    ]
    fails: Write
    needs: never
  }>()
})

test("cancel", () => {
  expect<Method<Shape["cancel"]>>().type.toBe<{
    takes: [
      request:
        | {
            readonly symbol: string
            readonly orderId: string
            readonly orderLinkId?: string | undefined
            readonly orderFilter?: "tpslOrder" | "Order" | undefined
            readonly category: "spot"
          }
        | {
            readonly symbol: string
            readonly orderId?: string | undefined
            readonly orderLinkId: string
            readonly orderFilter?: "tpslOrder" | "Order" | undefined
            readonly category: "spot"
          }
        | {
            readonly symbol: string
            readonly orderId: string
            readonly orderLinkId?: string | undefined
            readonly orderFilter?: Endpoint.Refused<"only for spot">
            readonly category: Endpoint.Category
          }
        | {
            readonly symbol: string
            readonly orderId?: string | undefined
            readonly orderLinkId: string
            readonly orderFilter?: Endpoint.Refused<"only for spot">
            readonly category: Endpoint.Category
          }
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
  expect<Method<Shape["amend"]>>().type.toBe<{
    takes: [
      request:
        | {
            readonly symbol: string
            readonly orderId: string
            readonly orderLinkId?: string | undefined
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
            readonly tpslMode?: Endpoint.Refused<"only for contracts">
            readonly triggerBy?: Endpoint.Refused<"only for contracts">
            readonly tpOrderType?: Endpoint.Refused<"only for contracts">
            readonly slOrderType?: Endpoint.Refused<"only for contracts">
            readonly category: Endpoint.Category
          }
        | {
            readonly symbol: string
            readonly orderId?: string | undefined
            readonly orderLinkId: string
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
            readonly tpslMode?: Endpoint.Refused<"only for contracts">
            readonly triggerBy?: Endpoint.Refused<"only for contracts">
            readonly tpOrderType?: Endpoint.Refused<"only for contracts">
            readonly slOrderType?: Endpoint.Refused<"only for contracts">
            readonly category: Endpoint.Category
          }
        | {
            readonly symbol: string
            readonly orderId: string
            readonly orderLinkId?: string | undefined
            readonly price?: Decimal.Input | undefined
            readonly qty?: Decimal.Input | undefined
            readonly orderIv?: Decimal.Input | undefined
            readonly triggerPrice?: Decimal.Input | undefined
            readonly takeProfit?: Decimal.Input | undefined
            readonly stopLoss?: Decimal.Input | undefined
            readonly tpslMode?: Enumerations.TpslMode | undefined
            readonly tpLimitPrice?: Decimal.Input | undefined
            readonly slLimitPrice?: Decimal.Input | undefined
            readonly tpTriggerBy?: Enumerations.TriggerBy | undefined
            readonly slTriggerBy?: Enumerations.TriggerBy | undefined
            readonly triggerBy?: Enumerations.TriggerBy | undefined
            readonly tpOrderType?: Enumerations.OrderType | undefined
            readonly slOrderType?: Enumerations.OrderType | undefined
            readonly category: "linear" | "inverse"
          }
        | {
            readonly symbol: string
            readonly orderId?: string | undefined
            readonly orderLinkId: string
            readonly price?: Decimal.Input | undefined
            readonly qty?: Decimal.Input | undefined
            readonly orderIv?: Decimal.Input | undefined
            readonly triggerPrice?: Decimal.Input | undefined
            readonly takeProfit?: Decimal.Input | undefined
            readonly stopLoss?: Decimal.Input | undefined
            readonly tpslMode?: Enumerations.TpslMode | undefined
            readonly tpLimitPrice?: Decimal.Input | undefined
            readonly slLimitPrice?: Decimal.Input | undefined
            readonly tpTriggerBy?: Enumerations.TriggerBy | undefined
            readonly slTriggerBy?: Enumerations.TriggerBy | undefined
            readonly triggerBy?: Enumerations.TriggerBy | undefined
            readonly tpOrderType?: Enumerations.OrderType | undefined
            readonly slOrderType?: Enumerations.OrderType | undefined
            readonly category: "linear" | "inverse"
          }
    ]
    fails: Write
    needs: never
  }>()
})

test("cancelAll", () => {
  expect<Method<Shape["cancelAll"]>>().type.toBe<{
    takes: [
      request:
        | {
            readonly symbol?: string | undefined
            readonly baseCoin?: string | undefined
            readonly orderFilter?: "tpslOrder" | "Order" | undefined
            readonly stopOrderType?: Endpoint.Refused<"only for contracts">
            readonly settleCoin?: Endpoint.Refused<"only for contracts">
            readonly category: "spot"
          }
        | {
            readonly orderFilter?: "Order" | undefined
            readonly symbol: string
            readonly baseCoin?: string | undefined
            readonly stopOrderType?: Endpoint.Refused<"only for contracts">
            readonly settleCoin?: Endpoint.Refused<"only for contracts">
            readonly category: Endpoint.Category
          }
        | {
            readonly orderFilter?: "Order" | undefined
            readonly symbol?: string | undefined
            readonly baseCoin: string
            readonly stopOrderType?: Endpoint.Refused<"only for contracts">
            readonly settleCoin?: Endpoint.Refused<"only for contracts">
            readonly category: Endpoint.Category
          }
        | {
            readonly symbol: string
            readonly stopOrderType?: Enumerations.StopOrderType | undefined
            readonly baseCoin?: string | undefined
            readonly settleCoin?: string | undefined
            readonly orderFilter?: "Order" | "StopOrder" | undefined
            readonly category: "linear" | "inverse"
          }
        | {
            readonly symbol?: string | undefined
            readonly stopOrderType?: Enumerations.StopOrderType | undefined
            readonly baseCoin: string
            readonly settleCoin?: string | undefined
            readonly orderFilter?: "Order" | "StopOrder" | undefined
            readonly category: "linear" | "inverse"
          }
        | {
            readonly symbol?: string | undefined
            readonly stopOrderType?: Enumerations.StopOrderType | undefined
            readonly baseCoin?: string | undefined
            readonly settleCoin: string
            readonly orderFilter?: "Order" | "StopOrder" | undefined
            readonly category: "linear" | "inverse"
          }
    ]
    fails: Write
    needs: never
  }>()
})

test("cancelEverything", () => {
  expect<Method<Shape["cancelEverything"]>>().type.toBe<{
    takes: [
      request:
        | {
            readonly symbol?: string | undefined
            readonly baseCoin?: string | undefined
            readonly orderFilter?: "tpslOrder" | "Order" | undefined
            readonly stopOrderType?: Endpoint.Refused<"only for contracts">
            readonly settleCoin?: Endpoint.Refused<"only for contracts">
            readonly category: "spot"
          }
        | {
            readonly orderFilter?: "Order" | undefined
            readonly symbol: string
            readonly baseCoin?: string | undefined
            readonly stopOrderType?: Endpoint.Refused<"only for contracts">
            readonly settleCoin?: Endpoint.Refused<"only for contracts">
            readonly category: Endpoint.Category
          }
        | {
            readonly orderFilter?: "Order" | undefined
            readonly symbol?: string | undefined
            readonly baseCoin: string
            readonly stopOrderType?: Endpoint.Refused<"only for contracts">
            readonly settleCoin?: Endpoint.Refused<"only for contracts">
            readonly category: Endpoint.Category
          }
        | {
            readonly symbol: string
            readonly stopOrderType?: Enumerations.StopOrderType | undefined
            readonly baseCoin?: string | undefined
            readonly settleCoin?: string | undefined
            readonly orderFilter?: "Order" | "StopOrder" | undefined
            readonly category: "linear" | "inverse"
          }
        | {
            readonly symbol?: string | undefined
            readonly stopOrderType?: Enumerations.StopOrderType | undefined
            readonly baseCoin: string
            readonly settleCoin?: string | undefined
            readonly orderFilter?: "Order" | "StopOrder" | undefined
            readonly category: "linear" | "inverse"
          }
        | {
            readonly symbol?: string | undefined
            readonly stopOrderType?: Enumerations.StopOrderType | undefined
            readonly baseCoin?: string | undefined
            readonly settleCoin: string
            readonly orderFilter?: "Order" | "StopOrder" | undefined
            readonly category: "linear" | "inverse"
          },
      options?: { readonly maxRounds?: number | undefined } | undefined
    ]
    fails: Write | "RoundsExhausted"
    needs: never
  }>()
})
