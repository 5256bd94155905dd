/**
 * Types of enumerations and ids, checked when the tests are compiled. The requests of every method: packages/tools/typetest. What a record has, money as
 * decimals among it: answers.test.ts.
 */
import { describe, expectTypeOf, it } from "@effect/vitest"
import * as Enumerations from "../src/scalars/Enumerations.js"
import type * as Executions from "../src/domains/Executions.js"
import type * as Rule from "../src/rules/rule.js"

describe("enumerations", () => {
  it("have the known values, and no other text that is not branded", () => {
    expectTypeOf<string>().not.toExtend<Enumerations.OrderStatus>()
    expectTypeOf<"Nwe">().not.toExtend<Enumerations.OrderStatus>()
    expectTypeOf(Enumerations.OrderStatus.make("Nwe")).toEqualTypeOf<Enumerations.OrderStatus>()
    expectTypeOf<"New">().toExtend<Enumerations.OrderStatus>()
    // `string` itself would have lost the literals.
    expectTypeOf<Enumerations.OrderStatus>().not.toEqualTypeOf<string>()
    expectTypeOf<Extract<Enumerations.OrderStatus, "New" | "Filled">>().toEqualTypeOf<"New" | "Filled">()
    expectTypeOf<3>().not.toExtend<Enumerations.PositionIdx>()
    expectTypeOf<Enumerations.PositionIdx>().toExtend<number>()
    expectTypeOf<Extract<Enumerations.PositionIdx, 0 | 1 | 2>>().toEqualTypeOf<0 | 1 | 2>()
  })
})

describe("a rule of a parameter", () => {
  it("names its source, and a closed list one that shows it", () => {
    expectTypeOf<Parameters<typeof Rule.oneOf>[0]>().toEqualTypeOf<"document" | "public">()
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
