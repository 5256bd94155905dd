import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Decimal from "@effect-venue/schemas/Decimal"
import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import type * as Instant from "@effect-venue/schemas/Instant"
import type * as Positions from "@effect-venue/services/Positions"
import { expect, test } from "tstyche"
import type { Method, Read, Write } from "./shape.js"

type Shape = Positions.Positions.Shape

test("every method is here", () => {
  expect<
    Exclude<
      keyof Shape,
      | "list"
      | "listStream"
      | "addMargin"
      | "setTradingStop"
      | "setRiskLimit"
      | "confirmNewRiskLimit"
      | "setLeverage"
      | "setTpslMode"
      | "closedPnl"
      | "closedPnlStream"
      | "preUpgradeClosedPnl"
      | "preUpgradeClosedPnlStream"
    >
  >().type.toBe<never>()
})

test("list", () => {
  expect<Method<Shape["list"]>>().type.toBe<{
    takes: [
      request:
        | {
            readonly symbol?: string | undefined
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly baseCoin?: string | undefined
            readonly settleCoin?: string | undefined
            readonly category: "spot"
          }
        | {
            readonly symbol: string
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly baseCoin?: string | undefined
            readonly settleCoin?: string | undefined
            readonly category: Endpoint.Category
          }
        | {
            readonly symbol?: string | undefined
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly baseCoin?: string | undefined
            readonly settleCoin: string
            readonly category: Endpoint.Category
          }
    ]
    fails: Read
    needs: never
  }>()
})

test("listStream", () => {
  expect<Method<Shape["listStream"]>>().type.toBe<{
    takes: Method<Shape["list"]>["takes"]
    fails: Read
    needs: never
  }>()
})

test("addMargin", () => {
  expect<Method<Shape["addMargin"]>>().type.toBe<{
    takes: [
      request: {
        readonly symbol: string
        readonly category: "spot" | "linear" | "inverse"
        readonly positionIdx?: Enumerations.PositionIdx | undefined
        readonly margin: Decimal.Input
      }
    ]
    fails: Write
    needs: never
  }>()
})

test("setTradingStop", () => {
  expect<Method<Shape["setTradingStop"]>>().type.toBe<{
    takes: [
      request: {
        readonly symbol: string
        readonly category: "spot" | "linear" | "inverse"
        readonly positionIdx: Enumerations.PositionIdx
        readonly takeProfit?: Decimal.Input | undefined
        readonly stopLoss?: Decimal.Input | undefined
        readonly tpslMode?: Enumerations.TpslMode | undefined
        readonly tpLimitPrice?: Decimal.Input | undefined
        readonly slLimitPrice?: Decimal.Input | undefined
        readonly tpTriggerBy?: Enumerations.TriggerBy | undefined
        readonly slTriggerBy?: Enumerations.TriggerBy | undefined
        readonly tpOrderType?: Enumerations.OrderType | undefined
        readonly slOrderType?: Enumerations.OrderType | undefined
        readonly trailingStop?: Decimal.Input | undefined
        readonly activePrice?: Decimal.Input | undefined
        readonly tpSize?: Decimal.Input | undefined
        readonly slSize?: Decimal.Input | undefined
      }
    ]
    fails: Write
    needs: never
  }>()
})

test("setRiskLimit", () => {
  expect<Method<Shape["setRiskLimit"]>>().type.toBe<{
    takes: [
      request: {
        readonly symbol: string
        readonly category: "linear" | "inverse"
        readonly positionIdx?: Enumerations.PositionIdx | undefined
        readonly riskId: number
      }
    ]
    fails: Write
    needs: never
  }>()
})

test("confirmNewRiskLimit", () => {
  expect<Method<Shape["confirmNewRiskLimit"]>>().type.toBe<{
    takes: [request: { readonly symbol: string; readonly category: "linear" | "inverse" }]
    fails: Write
    needs: never
  }>()
})

test("setTpslMode", () => {
  expect<Method<Shape["setTpslMode"]>>().type.toBe<{
    takes: [
      request: {
        readonly symbol: string
        readonly category: "linear" | "inverse"
        readonly tpSlMode: Enumerations.TpslMode
      }
    ]
    fails: Write
    needs: never
  }>()
})

test("closedPnl", () => {
  expect<Method<Shape["closedPnl"]>>().type.toBe<{
    takes: [
      request: {
        readonly symbol?: string | undefined
        readonly startTime?: Instant.Input | undefined
        readonly endTime?: Instant.Input | undefined
        readonly cursor?: string | undefined
        readonly limit?: number | undefined
        readonly category: "linear" | "inverse"
      }
    ]
    fails: Read
    needs: never
  }>()
})

test("closedPnlStream", () => {
  expect<Method<Shape["closedPnlStream"]>>().type.toBe<{
    takes: Method<Shape["closedPnl"]>["takes"]
    fails: Read
    needs: never
  }>()
})

test("preUpgradeClosedPnl", () => {
  expect<Method<Shape["preUpgradeClosedPnl"]>>().type.toBe<{
    takes: Method<Shape["closedPnl"]>["takes"]
    fails: Read
    needs: never
  }>()
})

test("preUpgradeClosedPnlStream", () => {
  expect<Method<Shape["preUpgradeClosedPnlStream"]>>().type.toBe<{
    takes: Method<Shape["preUpgradeClosedPnl"]>["takes"]
    fails: Read
    needs: never
  }>()
})
