import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import type * as Account from "@effect-venue/services/Account"
import { expect, test } from "tstyche"
import type { Method, Read } from "./shape.js"

type Shape = Account.Account.Shape

test("every method is here", () => {
  expect<Exclude<keyof Shape, "walletBalance" | "feeRate">>().type.toBe<never>()
})

test("walletBalance", () => {
  expect<Method<Shape["walletBalance"]>>().type.toBe<{
    takes: [
      request: { readonly accountType: Enumerations.AccountType; readonly coin?: ReadonlyArray<string> | undefined }
    ]
    fails: Read
    needs: never
  }>()
})

test("feeRate", () => {
  expect<Method<Shape["feeRate"]>>().type.toBe<{
    takes: [request: { readonly symbol?: string | undefined; readonly category: "spot" | "linear" | "inverse" }]
    fails: Read
    needs: never
  }>()
})
