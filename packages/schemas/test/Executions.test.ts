import { addEqualityTesters, describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import * as Executions from "../src/Executions.js"
import { amount, answer, at, dec, none, refuses, sent, sentAny, some } from "./helpers.js"

addEqualityTesters()

const day = 86_400_000
const from = 1_700_000_000_000

describe("a trade history answer", () => {
  const { category, list, nextPageCursor } = answer(Executions.list, "executions.list")

  it("has contract executions with typed values", () => {
    expect(category).toStrictEqual(some("linear"))
    expect(nextPageCursor).toStrictEqual(some("132766%3A2%2C132766%3A2"))
    expect(list[0]).toStrictEqual({
      symbol: "BTCUSDT",
      orderId: "9aac161b",
      side: "Sell",
      orderPrice: amount("27000.5"),
      orderQty: amount("0.03"),
      leavesQty: amount("0.01"),
      createType: some("CreateByUser"),
      orderType: "Limit",
      stopOrderType: some("UNKNOWN"),
      execFee: dec("0.324006"),
      execId: "e0cbe81d-0f18-5866-9415-cf319b5dab3b",
      execPrice: dec("27000.5"),
      execQty: dec("0.02"),
      execValue: amount("540.01"),
      execType: some("Trade"),
      execTime: at(1700000000555),
      isMaker: some(false),
      feeRate: amount("0.0006"),
      markPrice: amount("26999.99"),
      closedSize: amount("0"),
      seq: some("4688002127")
    })
  })

  it("has spot executions without createType and seq, and a rebate as a negative fee", () => {
    expect(list[1]).toMatchObject({
      createType: none,
      seq: none,
      stopOrderType: none,
      markPrice: none,
      closedSize: none,
      isMaker: some(true),
      execFee: dec("-0.0001")
    })
  })
})

describe("a pre-upgrade trade history answer", () => {
  it("has records without createType and seq, and none where spot has nothing to say", () => {
    const { list } = answer(Executions.preUpgrade, "executions.preUpgrade")
    expect(list).toHaveLength(1)
    expect(list[0]).toMatchObject({
      leavesQty: none,
      execType: none,
      execValue: none,
      feeRate: none,
      markPrice: none,
      stopOrderType: none,
      execFee: dec("-0.0001"),
      execTime: at(1700000000444)
    })
    expect(Object.keys(list[0] ?? {})).not.toContain("seq")
    expect(Object.keys(list[0] ?? {})).not.toContain("createType")
  })
})

const both = [
  ["trade history", Executions.list],
  ["pre-upgrade trade history", Executions.preUpgrade]
] as const

for (const [name, endpoint] of both) {
  describe(`a request for ${name}`, () => {
    it("needs one of the three categories", () => {
      refuses(endpoint, {}, "category: is missing")
      refuses(
        endpoint,
        { category: "option" },
        endpoint.name === "executions.list"
          ? "category: must be spot, linear or inverse"
          : 'category: Expected "spot" | "linear" | "inverse", actual "option"'
      )
      for (const category of ["spot", "linear", "inverse"]) {
        expect(sentAny(endpoint, { category })).toStrictEqual({ category })
      }
    })

    it("takes a range of exactly 7 days, not a millisecond more, not backwards", () => {
      const request = { category: "linear", startTime: from }
      refuses(endpoint, { ...request, endTime: from + 7 * day + 1 }, "endTime: must be at most 7d after startTime")
      refuses(endpoint, { ...request, endTime: from - 1 }, "endTime: must not be before startTime")
      expect(sentAny(endpoint, { ...request, endTime: from + 7 * day })).toStrictEqual({
        category: "linear",
        startTime: "1700000000000",
        endTime: "1700604800000"
      })
      expect(sentAny(endpoint, { ...request, endTime: from })).toStrictEqual({
        category: "linear",
        startTime: "1700000000000",
        endTime: "1700000000000"
      })
    })

    it("compares the two ends whatever form they have", () => {
      refuses(
        endpoint,
        { category: "spot", startTime: "2023-11-14T22:13:20Z", endTime: DateTime.unsafeMake(from + 7 * day + 1) },
        "endTime: must be at most 7d after startTime"
      )
    })

    it("takes one end of a range", () => {
      expect(sentAny(endpoint, { category: "spot", startTime: from })).toStrictEqual({
        category: "spot",
        startTime: "1700000000000"
      })
      expect(sentAny(endpoint, { category: "spot", endTime: DateTime.unsafeMake(from) })).toStrictEqual({
        category: "spot",
        endTime: "1700000000000"
      })
    })

    it("takes instants only", () => {
      for (const field of ["startTime", "endTime"]) {
        for (const value of ["soon", Number.NaN, new Date(Number.NaN), 0.5]) {
          refuses(
            endpoint,
            { category: "linear", [field]: value },
            `${field}: must be an instant (DateTime, Date, ISO text or milliseconds)`
          )
        }
      }
    })

    it("takes a limit from 1 to 100", () => {
      for (const limit of [0, 101, 1.5]) {
        refuses(endpoint, { category: "linear", limit }, "limit: must be a whole number from 1 to 100")
      }
      for (const limit of [1, 100]) {
        expect(sentAny(endpoint, { category: "linear", limit })).toStrictEqual({
          category: "linear",
          limit: String(limit)
        })
      }
    })

    it("takes symbols that are not empty, and any cursor", () => {
      refuses(endpoint, { category: "linear", symbol: "" }, "symbol: must not be empty")
      expect(sentAny(endpoint, { category: "linear", symbol: "BTCUSDT", cursor: "132766%3A2" })).toStrictEqual({
        category: "linear",
        symbol: "BTCUSDT",
        cursor: "132766%3A2"
      })
    })
  })
}

describe("the execution type of a request", () => {
  it("is taken for every category of trade history", () => {
    for (const category of ["spot", "linear", "inverse"] as const) {
      expect(sent(Executions.list, { category, orderId: "o1", execType: "Funding" })).toStrictEqual({
        category,
        orderId: "o1",
        execType: "Funding"
      })
    }
    refuses(Executions.list, { category: "linear", orderId: "" }, "orderId: must not be empty")
    refuses(
      Executions.list,
      { category: "linear", execType: 1 },
      "execType: must be one of Trade, AdlTrade, Funding, BustTrade, BlockTrade, Settle, Delivery, MovePosition, FutureSpread, CorporateAction"
    )
  })

  it("is not taken for spot of the pre-upgrade history, which has no orderId either", () => {
    refuses(Executions.preUpgrade, { category: "spot", execType: "Trade" }, "execType: is unexpected")
    refuses(Executions.preUpgrade, { category: "linear", orderId: "o1" }, "orderId: is unexpected")
    for (const category of ["linear", "inverse"] as const) {
      expect(sent(Executions.preUpgrade, { category, execType: "Trade" })).toStrictEqual({
        category,
        execType: "Trade"
      })
    }
  })
})
