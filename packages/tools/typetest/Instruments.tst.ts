import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Instruments from "@effect-venue/services/Instruments"
import { expect, test } from "tstyche"
import type { Method, Read } from "./shape.js"

type Shape = Instruments.Instruments.Shape

test("every method is here", () => {
  expect<Exclude<keyof Shape, "list" | "listStream">>().type.toBe<never>()
})

test("list", () => {
  expect<Method<Shape["list"]>>().type.toBe<{
    takes: [
      request:
        | {
            readonly symbol?: string | undefined
            readonly cursor?: string | undefined
            readonly status?: Enumerations.InstrumentStatus | undefined
            readonly limit?: number | undefined
            readonly baseCoin?: Endpoint.Refused<"only for contracts">
            readonly category: Endpoint.Category
          }
        | {
            readonly symbol?: string | undefined
            readonly cursor?: string | undefined
            readonly status?: Enumerations.InstrumentStatus | undefined
            readonly limit?: number | undefined
            readonly baseCoin?: string | undefined
            readonly category: "linear" | "inverse"
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
