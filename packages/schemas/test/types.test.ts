/**
 * Types of enumerations and ids, checked when the tests are compiled. The requests of every method: packages/tools/typetest. What a record has, money as
 * decimals among it: answers.test.ts.
 */
import { describe, expectTypeOf, it } from "@effect/vitest"
import type * as Enumerations from "../src/scalars/Enumerations.js"
import type * as Executions from "../src/domains/Executions.js"
import type * as Rule from "../src/rules/rule.js"

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

describe("a rule of a parameter", () => {
  it("names its source, and a closed list one that shows it", () => {
    expectTypeOf<Parameters<typeof Rule.oneOf>[0]>().toEqualTypeOf<"document" | "public">()
    expectTypeOf<Parameters<typeof Rule.bodyOneOf>[0]>().toEqualTypeOf<"document" | "public">()
    expectTypeOf<Parameters<typeof Rule.queryOneOf>[0]>().toEqualTypeOf<"document" | "public">()
    expectTypeOf<Parameters<typeof Rule.oneOfKnown>[0]>().toEqualTypeOf<"document" | "public">()
    expectTypeOf<Parameters<typeof Rule.queryIntegerIn>[0]>().toEqualTypeOf<Rule.Source>()
    expectTypeOf<Parameters<typeof Rule.text>[0]>().toEqualTypeOf<Rule.Source>()
    expectTypeOf<Parameters<typeof Rule.decimal>[0]>().toEqualTypeOf<Rule.Source>()
    expectTypeOf<Parameters<typeof Rule.listOf>[0]["source"]>().toEqualTypeOf<Rule.Source>()
  })
})

describe("ids", () => {
  it("of different kinds are not interchangeable", () => {
    expectTypeOf<Executions.Execution["orderId"]>().not.toExtend<Executions.Execution["execId"]>()
    expectTypeOf<string>().not.toExtend<Executions.Execution["orderId"]>()
    expectTypeOf<Executions.Execution["orderId"]>().toExtend<string>()
  })
})
