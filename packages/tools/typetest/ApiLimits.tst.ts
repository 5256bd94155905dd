import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import type * as ApiLimits from "@effect-venue/services/ApiLimits"
import { expect, test } from "tstyche"
import type { Method, Read, Write } from "./shape.js"

type Shape = ApiLimits.ApiLimits.Shape

test("every method is here", () => {
  expect<Exclude<keyof Shape, "set" | "query">>().type.toBe<never>()
})

test("set", () => {
  expect<Method<Shape["set"]>>().type.toBe<{
    takes: [
      request: {
        readonly list: ReadonlyArray<{
          readonly uids: ReadonlyArray<string>
          readonly bizType: Enumerations.BizType
          readonly rate: number
        }>
      }
    ]
    fails: Write
    needs: never
  }>()
})

test("query", () => {
  expect<Method<Shape["query"]>>().type.toBe<{
    takes: [request: { readonly uids: ReadonlyArray<string> }]
    fails: Read
    needs: never
  }>()
})
