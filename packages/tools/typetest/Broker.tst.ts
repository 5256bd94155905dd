import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import type * as Instant from "@effect-venue/schemas/Instant"
import type * as Broker from "@effect-venue/services/Broker"
import { expect, test } from "tstyche"
import type { Method, Read } from "./shape.js"

type Shape = Broker.Broker.Shape

test("every method is here", () => {
  expect<Exclude<keyof Shape, "customers" | "tradeVolume" | "tradeVolumeStream">>().type.toBe<never>()
})

test("customers", () => {
  expect<Method<Shape["customers"]>>().type.toBe<{
    takes: [
      request?: { readonly begin?: Instant.Input | undefined; readonly end?: Instant.Input | undefined } | undefined
    ]
    fails: Read
    needs: never
  }>()
})

test("tradeVolume", () => {
  expect<Method<Shape["tradeVolume"]>>().type.toBe<{
    takes: [
      request?:
        | {
            readonly coin?: string | undefined
            readonly cursor?: string | undefined
            readonly from?: Instant.Input | undefined
            readonly to?: Instant.Input | undefined
            readonly uid?: string | undefined
            readonly limit?: number | undefined
            readonly productType?: Enumerations.ProductType | undefined
            readonly contractType?: Enumerations.ContractType | undefined
          }
        | undefined
    ]
    fails: Read
    needs: never
  }>()
})

test("tradeVolumeStream", () => {
  expect<Method<Shape["tradeVolumeStream"]>>().type.toBe<{
    takes: Method<Shape["tradeVolume"]>["takes"]
    fails: Read
    needs: never
  }>()
})
