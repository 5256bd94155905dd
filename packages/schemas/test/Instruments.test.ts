import { addEqualityTesters, describe, expect, it } from "@effect/vitest"
import * as Instruments from "../src/Instruments.js"
import { amount, answer, at, dec, fixture, mismatches, none, refuses, sent, sentAny, some } from "./helpers.js"

addEqualityTesters()

describe("an instruments answer", () => {
  const { list, nextPageCursor } = answer(Instruments.list, "instruments.list")

  it("has contracts with typed values", () => {
    expect(nextPageCursor).toStrictEqual(some("first%3D0GUSDT%26last%3D10000SATSUSDT"))
    expect(list[0]).toStrictEqual({
      symbol: "BTCUSDT",
      contractType: some("LinearPerpetual"),
      status: "Trading",
      baseCoin: "BTC",
      quoteCoin: "USDT",
      settleCoin: some("USDT"),
      launchTime: some(at(1585526400000)),
      deliveryTime: none,
      deliveryFeeRate: none,
      priceScale: some(2),
      leverageFilter: some({ minLeverage: amount("1"), maxLeverage: amount("100"), leverageStep: amount("0.01") }),
      priceFilter: { minPrice: amount("0.1"), maxPrice: amount("199999.8"), tickSize: dec("0.1") },
      lotSizeFilter: {
        minOrderQty: dec("0.001"),
        maxOrderQty: dec("1190"),
        qtyStep: amount("0.001"),
        maxMktOrderQty: amount("500"),
        postOnlyMaxOrderQty: amount("1190"),
        minNotionalValue: amount("5"),
        basePrecision: none,
        quotePrecision: none,
        minOrderAmt: none,
        maxOrderAmt: none
      },
      riskParameters: none,
      unifiedMarginTrade: some(true),
      fundingInterval: some(480),
      offlineTime: some(at(1700006400000)),
      tags: ["innovation"]
    })
  })

  it("has spot pairs, where what only contracts have is none", () => {
    expect(list[1]).toMatchObject({
      contractType: none,
      settleCoin: none,
      launchTime: none,
      leverageFilter: none,
      unifiedMarginTrade: none,
      fundingInterval: none,
      offlineTime: none,
      priceFilter: { minPrice: none, maxPrice: none, tickSize: dec("0.01") },
      lotSizeFilter: { basePrecision: amount("0.00001"), minOrderAmt: amount("1"), qtyStep: none },
      riskParameters: some({ limitParameter: dec("0.03"), marketParameter: dec("0.05") }),
      tags: []
    })
  })

  it("says where inside an instrument a value does not fit", () => {
    const { result } = JSON.parse(JSON.stringify(fixture("successes/instruments.list.json")))
    result.list[0].leverageFilter.maxLeverage = true
    expect(mismatches(Instruments.list.result, result)).toStrictEqual([
      'list.0.leverageFilter.maxLeverage: must be decimal text such as "0.001"'
    ])
  })
})

describe("a request for instruments", () => {
  it("needs one of the three categories", () => {
    refuses(Instruments.list, {}, "category: is missing")
    refuses(
      Instruments.list,
      { category: "option" },
      'category: Expected "spot" | "linear" | "inverse", actual "option"'
    )
    for (const category of ["spot", "linear", "inverse"] as const) {
      expect(sent(Instruments.list, { category })).toStrictEqual({ category })
    }
  })

  it("takes every known status, and no other", () => {
    const rule = "status: must be one of PreLaunch, Trading, Settling, Closed, Delivering"
    for (const category of ["spot", "linear", "inverse"]) {
      for (const status of ["Nonsense", "trading", ""]) refuses(Instruments.list, { category, status }, rule)
      for (const status of ["Trading", "PreLaunch", "Closed"]) {
        expect(sentAny(Instruments.list, { category, status })).toStrictEqual({ category, status })
      }
    }
  })

  it("takes baseCoin for contracts only", () => {
    refuses(Instruments.list, { category: "spot", baseCoin: "BTC" }, "baseCoin: is unexpected")
    refuses(Instruments.list, { category: "linear", baseCoin: "" }, "baseCoin: must not be empty")
    for (const category of ["linear", "inverse"]) {
      expect(sentAny(Instruments.list, { category, baseCoin: "BTC" })).toStrictEqual({ category, baseCoin: "BTC" })
    }
  })

  it("takes a limit from 1 to 1000", () => {
    for (const limit of [0, 1001, 10.5]) {
      refuses(Instruments.list, { category: "spot", limit }, "limit: must be a whole number from 1 to 1000")
    }
    for (const limit of [1, 1000]) {
      expect(sent(Instruments.list, { category: "linear", limit })).toStrictEqual({
        category: "linear",
        limit: String(limit)
      })
    }
  })

  it("takes symbols that are not empty, and any cursor", () => {
    refuses(Instruments.list, { category: "spot", symbol: "" }, "symbol: must not be empty")
    expect(sent(Instruments.list, { category: "spot", symbol: "BTCUSDT", cursor: "first%3DA" })).toStrictEqual({
      category: "spot",
      symbol: "BTCUSDT",
      cursor: "first%3DA"
    })
  })
})
