import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import type * as Instant from "@effect-venue/schemas/Instant"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Executions from "@effect-venue/services/Executions"
import { expect, test } from "tstyche"
import type { Method, Read } from "./shape.js"

type Shape = Executions.Executions.Shape

test("every method is here", () => {
  expect<Exclude<keyof Shape, "list" | "listStream" | "preUpgrade" | "preUpgradeStream">>().type.toBe<never>()
})

test("list", () => {
  expect<Method<Shape["list"]>>().type.toBe<{
    takes: [
      request: {
        readonly symbol?: string | undefined
        readonly startTime?: Instant.Input | undefined
        readonly endTime?: Instant.Input | undefined
        readonly cursor?: string | undefined
        readonly limit?: number | undefined
        readonly category: "spot" | "linear" | "inverse"
        readonly orderId?: string | undefined
        readonly execType?: Enumerations.ExecType | undefined
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

test("preUpgrade", () => {
  expect<Method<Shape["preUpgrade"]>>().type.toBe<{
    takes: [
      request:
        | {
            readonly symbol?: string | undefined
            readonly startTime?: Instant.Input | undefined
            readonly endTime?: Instant.Input | undefined
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly execType?: Endpoint.Refused<"only for contracts">
            readonly category: Endpoint.Category
          }
        | {
            readonly symbol?: string | undefined
            readonly startTime?: Instant.Input | undefined
            readonly endTime?: Instant.Input | undefined
            readonly cursor?: string | undefined
            readonly limit?: number | undefined
            readonly execType?: Enumerations.ExecType | undefined
            readonly category: "linear" | "inverse"
          }
    ]
    fails: Read
    needs: never
  }>()
})

test("preUpgradeStream", () => {
  expect<Method<Shape["preUpgradeStream"]>>().type.toBe<{
    takes: Method<Shape["preUpgrade"]>["takes"]
    fails: Read
    needs: never
  }>()
})
