import type * as Decimal from "@effect-venue/schemas/Decimal"
import type { Open } from "@effect-venue/schemas/Enumerations"
import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import type * as Instant from "@effect-venue/schemas/Instant"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Orders from "@effect-venue/services/Orders"
import { expect, test } from "tstyche"
import type { Method, Read, Write } from "./shape.js"

type Shape = Orders.Orders.Shape

type OrderStatus = (typeof Enumerations.OrderStatus)["known"][number]

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
            readonly symbol: string
            readonly baseCoin?: string | undefined
            readonly category: "linear"
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly orderId?: string | undefined
            readonly settleCoin?: string | undefined
            readonly orderFilter?: "Order" | "StopOrder" | undefined
            readonly orderLinkId?: string | undefined
            readonly openOnly?: 0 | 1 | undefined
          }
        | {
            readonly symbol?: string | undefined
            readonly baseCoin: string
            readonly category: "linear"
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly orderId?: string | undefined
            readonly settleCoin?: string | undefined
            readonly orderFilter?: "Order" | "StopOrder" | undefined
            readonly orderLinkId?: string | undefined
            readonly openOnly?: 0 | 1 | undefined
          }
        | {
            readonly symbol?: string | undefined
            readonly baseCoin?: string | undefined
            readonly category: "linear"
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly orderId?: string | undefined
            readonly settleCoin: string
            readonly orderFilter?: "Order" | "StopOrder" | undefined
            readonly orderLinkId?: string | undefined
            readonly openOnly?: 0 | 1 | undefined
          }
        | {
            readonly symbol?: string | undefined
            readonly category: "spot"
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly orderId?: string | undefined
            readonly orderFilter?: "tpslOrder" | "Order" | undefined
            readonly orderLinkId?: string | undefined
            readonly openOnly?: 0 | 1 | undefined
            readonly baseCoin?: Endpoint.Refused<"baseCoin is not for spot">
            readonly settleCoin?: Endpoint.Refused<"settleCoin is not for spot">
          }
        | {
            readonly symbol?: string | undefined
            readonly baseCoin?: string | undefined
            readonly category: "inverse"
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly orderId?: string | undefined
            readonly orderFilter?: "Order" | "StopOrder" | undefined
            readonly orderLinkId?: string | undefined
            readonly openOnly?: 0 | 1 | undefined
            readonly settleCoin?: Endpoint.Refused<"settleCoin is not for inverse">
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
            readonly symbol?: string | undefined
            readonly category: "spot"
            readonly startTime?: Instant.Input | undefined
            readonly endTime?: Instant.Input | undefined
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly orderId?: string | undefined
            readonly orderFilter?: "tpslOrder" | "Order" | undefined
            readonly orderLinkId?: string | undefined
            readonly orderStatus?: Open<Exclude<OrderStatus, "UNKNOWN">> | undefined
          }
        | {
            readonly symbol?: string | undefined
            readonly category: "linear" | "inverse"
            readonly startTime?: Instant.Input | undefined
            readonly endTime?: Instant.Input | undefined
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly orderId?: string | undefined
            readonly orderFilter?: "Order" | "StopOrder" | undefined
            readonly orderLinkId?: string | undefined
            readonly orderStatus?: Open<Exclude<OrderStatus, "UNKNOWN">> | undefined
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
            readonly price: Decimal.Input
            readonly category: "spot"
            readonly side: "Buy" | "Sell"
            readonly orderType: "Limit"
            readonly orderFilter?: "tpslOrder" | "Order" | undefined
            readonly orderLinkId: string
            readonly qty: Decimal.Input
            readonly timeInForce?: Enumerations.TimeInForce | undefined
            readonly marketUnit?: "baseCoin" | "quoteCoin" | undefined
            readonly triggerPrice?: Decimal.Input | undefined
            readonly takeProfit?: Decimal.Input | undefined
            readonly stopLoss?: Decimal.Input | undefined
            readonly tpLimitPrice?: Decimal.Input | undefined
            readonly slLimitPrice?: Decimal.Input | undefined
            readonly tpOrderType?: "Market" | "Limit" | undefined
            readonly slOrderType?: "Market" | "Limit" | undefined
            readonly slippageToleranceType?: "TickSize" | "Percent" | undefined
            readonly slippageTolerance?: Decimal.Input | undefined
            readonly smpType?: Enumerations.SmpType | undefined
            readonly positionIdx?: Endpoint.Refused<"positionIdx is not for spot">
            readonly tpslMode?: Endpoint.Refused<"tpslMode is not for spot">
            readonly tpTriggerBy?: Endpoint.Refused<"tpTriggerBy is not for spot">
            readonly slTriggerBy?: Endpoint.Refused<"slTriggerBy is not for spot">
            readonly triggerDirection?: Endpoint.Refused<"triggerDirection is not for spot">
            readonly triggerBy?: Endpoint.Refused<"triggerBy is not for spot">
            readonly reduceOnly?: Endpoint.Refused<"reduceOnly is not for spot">
            readonly closeOnTrigger?: Endpoint.Refused<"closeOnTrigger is not for spot">
          }
        | {
            readonly symbol: string
            readonly price?: Decimal.Input | undefined
            readonly category: "spot"
            readonly side: "Buy" | "Sell"
            readonly orderType: "Market"
            readonly orderFilter?: "tpslOrder" | "Order" | undefined
            readonly orderLinkId: string
            readonly qty: Decimal.Input
            readonly timeInForce?: Enumerations.TimeInForce | undefined
            readonly marketUnit?: "baseCoin" | "quoteCoin" | undefined
            readonly triggerPrice?: Decimal.Input | undefined
            readonly takeProfit?: Decimal.Input | undefined
            readonly stopLoss?: Decimal.Input | undefined
            readonly tpLimitPrice?: Decimal.Input | undefined
            readonly slLimitPrice?: Decimal.Input | undefined
            readonly tpOrderType?: "Market" | "Limit" | undefined
            readonly slOrderType?: "Market" | "Limit" | undefined
            readonly slippageToleranceType?: "TickSize" | "Percent" | undefined
            readonly slippageTolerance?: Decimal.Input | undefined
            readonly smpType?: Enumerations.SmpType | undefined
            readonly positionIdx?: Endpoint.Refused<"positionIdx is not for spot">
            readonly tpslMode?: Endpoint.Refused<"tpslMode is not for spot">
            readonly tpTriggerBy?: Endpoint.Refused<"tpTriggerBy is not for spot">
            readonly slTriggerBy?: Endpoint.Refused<"slTriggerBy is not for spot">
            readonly triggerDirection?: Endpoint.Refused<"triggerDirection is not for spot">
            readonly triggerBy?: Endpoint.Refused<"triggerBy is not for spot">
            readonly reduceOnly?: Endpoint.Refused<"reduceOnly is not for spot">
            readonly closeOnTrigger?: Endpoint.Refused<"closeOnTrigger is not for spot">
          }
        | {
            readonly symbol: string
            readonly price: Decimal.Input
            readonly category: "linear" | "inverse"
            readonly side: "Buy" | "Sell"
            readonly orderType: "Limit"
            readonly orderLinkId: string
            readonly qty: Decimal.Input
            readonly positionIdx?: 0 | 2 | 1 | undefined
            readonly timeInForce?: Enumerations.TimeInForce | undefined
            readonly triggerPrice?: Decimal.Input | undefined
            readonly takeProfit?: Decimal.Input | undefined
            readonly stopLoss?: Decimal.Input | undefined
            readonly tpslMode?: "Full" | "Partial" | undefined
            readonly tpLimitPrice?: Decimal.Input | undefined
            readonly slLimitPrice?: Decimal.Input | undefined
            readonly tpTriggerBy?: Enumerations.TriggerBy | undefined
            readonly slTriggerBy?: Enumerations.TriggerBy | undefined
            readonly triggerDirection?: 2 | 1 | undefined
            readonly triggerBy?: Enumerations.TriggerBy | undefined
            readonly reduceOnly?: boolean | undefined
            readonly closeOnTrigger?: boolean | undefined
            readonly tpOrderType?: "Market" | "Limit" | undefined
            readonly slOrderType?: "Market" | "Limit" | undefined
            readonly slippageToleranceType?: "TickSize" | "Percent" | undefined
            readonly slippageTolerance?: Decimal.Input | undefined
            readonly smpType?: Enumerations.SmpType | undefined
            readonly orderFilter?: Endpoint.Refused<"orderFilter is not for contracts">
            readonly marketUnit?: Endpoint.Refused<"marketUnit is not for contracts">
          }
        | {
            readonly symbol: string
            readonly price?: Decimal.Input | undefined
            readonly category: "linear" | "inverse"
            readonly side: "Buy" | "Sell"
            readonly orderType: "Market"
            readonly orderLinkId: string
            readonly qty: Decimal.Input
            readonly positionIdx?: 0 | 2 | 1 | undefined
            readonly timeInForce?: Enumerations.TimeInForce | undefined
            readonly triggerPrice?: Decimal.Input | undefined
            readonly takeProfit?: Decimal.Input | undefined
            readonly stopLoss?: Decimal.Input | undefined
            readonly tpslMode?: "Full" | "Partial" | undefined
            readonly tpLimitPrice?: Decimal.Input | undefined
            readonly slLimitPrice?: Decimal.Input | undefined
            readonly tpTriggerBy?: Enumerations.TriggerBy | undefined
            readonly slTriggerBy?: Enumerations.TriggerBy | undefined
            readonly triggerDirection?: 2 | 1 | undefined
            readonly triggerBy?: Enumerations.TriggerBy | undefined
            readonly reduceOnly?: boolean | undefined
            readonly closeOnTrigger?: boolean | undefined
            readonly tpOrderType?: "Market" | "Limit" | undefined
            readonly slOrderType?: "Market" | "Limit" | undefined
            readonly slippageToleranceType?: "TickSize" | "Percent" | undefined
            readonly slippageTolerance?: Decimal.Input | undefined
            readonly smpType?: Enumerations.SmpType | undefined
            readonly orderFilter?: Endpoint.Refused<"orderFilter is not for contracts">
            readonly marketUnit?: Endpoint.Refused<"marketUnit is not for contracts">
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
            readonly category: "spot"
            readonly orderId: string
            readonly orderFilter?: "tpslOrder" | "Order" | undefined
            readonly orderLinkId?: string | undefined
          }
        | {
            readonly symbol: string
            readonly category: "spot"
            readonly orderId?: string | undefined
            readonly orderFilter?: "tpslOrder" | "Order" | undefined
            readonly orderLinkId: string
          }
        | {
            readonly symbol: string
            readonly category: "linear" | "inverse"
            readonly orderId: string
            readonly orderLinkId?: string | undefined
            readonly orderFilter?: Endpoint.Refused<"orderFilter is not for contracts">
          }
        | {
            readonly symbol: string
            readonly category: "linear" | "inverse"
            readonly orderId?: string | undefined
            readonly orderLinkId: string
            readonly orderFilter?: Endpoint.Refused<"orderFilter is not for contracts">
          }
    ]
    fails: Write
    needs: never
  }>()
})

/** A batch of requests of a category, which each leave it out. */
interface Batch<Req, Category> {
  readonly category: Category
  readonly request: ReadonlyArray<Req extends { readonly category: Category } ? Omit<Req, "category"> : never>
}

type Batches<Req> = [request: Batch<Req, "linear" | "inverse"> | Batch<Req, "spot">]

test("createBatch", () => {
  expect<Method<Shape["createBatch"]>>().type.toBe<{
    takes: Batches<Method<Shape["create"]>["takes"][0]>
    fails: Write
    needs: never
  }>()
})

test("amendBatch", () => {
  expect<Method<Shape["amendBatch"]>>().type.toBe<{
    takes: Batches<Method<Shape["amend"]>["takes"][0]>
    fails: Write
    needs: never
  }>()
})

test("cancelBatch", () => {
  expect<Method<Shape["cancelBatch"]>>().type.toBe<{
    takes: [
      request:
        | {
            readonly request: ReadonlyArray<
              | { readonly symbol: string; readonly orderId: string; readonly orderLinkId?: string | undefined }
              | { readonly symbol: string; readonly orderId?: string | undefined; readonly orderLinkId: string }
            >
            readonly category: "linear" | "inverse"
          }
        | {
            readonly request: ReadonlyArray<
              | { readonly symbol: string; readonly orderId: string; readonly orderLinkId?: string | undefined }
              | { readonly symbol: string; readonly orderId?: string | undefined; readonly orderLinkId: string }
            >
            readonly category: "spot"
          }
    ]
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
            readonly price?: Decimal.Input | undefined
            readonly category: "linear" | "inverse"
            readonly orderId: string
            readonly orderLinkId?: string | undefined
            readonly qty?: Decimal.Input | undefined
            readonly orderIv?: Decimal.Input | undefined
            readonly triggerPrice?: Decimal.Input | undefined
            readonly takeProfit?: Decimal.Input | undefined
            readonly stopLoss?: Decimal.Input | undefined
            readonly tpslMode?: "Full" | "Partial" | undefined
            readonly tpOrderType?: "Market" | "Limit" | undefined
            readonly slOrderType?: "Market" | "Limit" | undefined
            readonly tpLimitPrice?: Decimal.Input | undefined
            readonly slLimitPrice?: Decimal.Input | undefined
            readonly tpTriggerBy?: Enumerations.TriggerBy | undefined
            readonly slTriggerBy?: Enumerations.TriggerBy | undefined
            readonly triggerBy?: Enumerations.TriggerBy | undefined
          }
        | {
            readonly symbol: string
            readonly price?: Decimal.Input | undefined
            readonly category: "linear" | "inverse"
            readonly orderId?: string | undefined
            readonly orderLinkId: string
            readonly qty?: Decimal.Input | undefined
            readonly orderIv?: Decimal.Input | undefined
            readonly triggerPrice?: Decimal.Input | undefined
            readonly takeProfit?: Decimal.Input | undefined
            readonly stopLoss?: Decimal.Input | undefined
            readonly tpslMode?: "Full" | "Partial" | undefined
            readonly tpOrderType?: "Market" | "Limit" | undefined
            readonly slOrderType?: "Market" | "Limit" | undefined
            readonly tpLimitPrice?: Decimal.Input | undefined
            readonly slLimitPrice?: Decimal.Input | undefined
            readonly tpTriggerBy?: Enumerations.TriggerBy | undefined
            readonly slTriggerBy?: Enumerations.TriggerBy | undefined
            readonly triggerBy?: Enumerations.TriggerBy | undefined
          }
        | {
            readonly symbol: string
            readonly price?: Decimal.Input | undefined
            readonly category: "spot"
            readonly orderId: string
            readonly orderLinkId?: string | undefined
            readonly qty?: Decimal.Input | undefined
            readonly orderIv?: Decimal.Input | undefined
            readonly triggerPrice?: Decimal.Input | undefined
            readonly takeProfit?: Decimal.Input | undefined
            readonly stopLoss?: Decimal.Input | undefined
            readonly tpLimitPrice?: Decimal.Input | undefined
            readonly slLimitPrice?: Decimal.Input | undefined
            readonly tpTriggerBy?: Enumerations.TriggerBy | undefined
            readonly slTriggerBy?: Enumerations.TriggerBy | undefined
            readonly tpslMode?: Endpoint.Refused<"tpslMode is not for spot">
            readonly tpOrderType?: Endpoint.Refused<"tpOrderType is not for spot">
            readonly slOrderType?: Endpoint.Refused<"slOrderType is not for spot">
            readonly triggerBy?: Endpoint.Refused<"triggerBy is not for spot">
          }
        | {
            readonly symbol: string
            readonly price?: Decimal.Input | undefined
            readonly category: "spot"
            readonly orderId?: string | undefined
            readonly orderLinkId: string
            readonly qty?: Decimal.Input | undefined
            readonly orderIv?: Decimal.Input | undefined
            readonly triggerPrice?: Decimal.Input | undefined
            readonly takeProfit?: Decimal.Input | undefined
            readonly stopLoss?: Decimal.Input | undefined
            readonly tpLimitPrice?: Decimal.Input | undefined
            readonly slLimitPrice?: Decimal.Input | undefined
            readonly tpTriggerBy?: Enumerations.TriggerBy | undefined
            readonly slTriggerBy?: Enumerations.TriggerBy | undefined
            readonly tpslMode?: Endpoint.Refused<"tpslMode is not for spot">
            readonly tpOrderType?: Endpoint.Refused<"tpOrderType is not for spot">
            readonly slOrderType?: Endpoint.Refused<"slOrderType is not for spot">
            readonly triggerBy?: Endpoint.Refused<"triggerBy is not for spot">
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
            readonly symbol: string
            readonly baseCoin?: string | undefined
            readonly category: "linear" | "inverse"
            readonly stopOrderType?: "Stop" | undefined
            readonly settleCoin?: string | undefined
            readonly orderFilter?: "Order" | "StopOrder" | undefined
          }
        | {
            readonly symbol?: string | undefined
            readonly baseCoin: string
            readonly category: "linear" | "inverse"
            readonly stopOrderType?: "Stop" | undefined
            readonly settleCoin?: string | undefined
            readonly orderFilter?: "Order" | "StopOrder" | undefined
          }
        | {
            readonly symbol?: string | undefined
            readonly baseCoin?: string | undefined
            readonly category: "linear" | "inverse"
            readonly stopOrderType?: "Stop" | undefined
            readonly settleCoin: string
            readonly orderFilter?: "Order" | "StopOrder" | undefined
          }
        | {
            readonly symbol?: string | undefined
            readonly baseCoin?: string | undefined
            readonly category: "spot"
            readonly orderFilter?: "tpslOrder" | "Order" | undefined
            readonly stopOrderType?: Endpoint.Refused<"stopOrderType is not for spot">
            readonly settleCoin?: Endpoint.Refused<"settleCoin is not for spot">
          }
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
