import { addEqualityTesters, describe, expect, it } from "@effect/vitest"
import { BigDecimal, DateTime } from "effect"
import * as Positions from "../src/Positions.js"
import { amount, answer, at, dec, mismatches, none, refuses, sent, sentAny, some } from "./helpers.js"

addEqualityTesters()

const day = 86_400_000

describe("a positions answer", () => {
  const { list, nextPageCursor } = answer(Positions.list, "positions.list")

  it("has positions with typed values", () => {
    expect(nextPageCursor).toStrictEqual(none)
    expect(list[0]).toStrictEqual({
      positionIdx: 1,
      riskId: some(1),
      riskLimitValue: amount("2000000"),
      symbol: "BTCUSDT",
      side: some("Buy"),
      size: dec("0.5"),
      avgPrice: amount("27000"),
      positionValue: amount("13500"),
      positionStatus: "Normal",
      leverage: amount("10"),
      markPrice: amount("27100.12"),
      liqPrice: amount("24435"),
      bustPrice: amount("24300"),
      positionIM: amount("1357.29"),
      positionMM: amount("74.79"),
      takeProfit: amount("0"),
      stopLoss: none,
      trailingStop: amount("0"),
      unrealisedPnl: amount("50.06"),
      cumRealisedPnl: amount("-12.34"),
      isReduceOnly: true,
      mmrSysUpdatedTime: some(at(1700000100000)),
      leverageSysUpdatedTime: none,
      adlRankIndicator: some(2),
      createdTime: some(at(1690000000000)),
      updatedTime: some(at(1700000000000)),
      autoAddMargin: some(true),
      tpslMode: some("Full"),
      tradeMode: none,
      positionBalance: none
    })
  })

  it("has empty positions without a side and without prices out of range", () => {
    expect(list[1]).toMatchObject({
      positionIdx: 2,
      side: none,
      size: dec("0"),
      positionValue: none,
      liqPrice: none,
      bustPrice: none,
      isReduceOnly: false,
      mmrSysUpdatedTime: none,
      autoAddMargin: some(false),
      tpslMode: none
    })
  })
})

describe("a request for positions", () => {
  it("needs one of the three categories", () => {
    refuses(Positions.list, { symbol: "BTCUSDT" }, "category: is missing")
    expect(sent(Positions.list, { category: "spot" })).toStrictEqual({ category: "spot" })
  })

  it("for contracts needs symbol or settleCoin", () => {
    for (const category of ["linear", "inverse"] as const) {
      const rule = "symbol: one of symbol, settleCoin is required"
      refuses(Positions.list, { category }, rule)
      refuses(Positions.list, { category, baseCoin: "BTC" }, rule)
      for (const parameters of [{ symbol: "BTCUSD" }, { settleCoin: "USDT" }, { symbol: "A", settleCoin: "USDT" }]) {
        expect(sentAny(Positions.list, { category, ...parameters })).toStrictEqual({ category, ...parameters })
      }
    }
  })

  it("takes a settleCoin for spot, of which the document's table says nothing else", () => {
    expect(sent(Positions.list, { category: "spot", settleCoin: "USDT" })).toStrictEqual({
      category: "spot",
      settleCoin: "USDT"
    })
  })

  it("takes a limit from 1 to 200", () => {
    for (const limit of [0, 201, 2.5]) {
      refuses(Positions.list, { category: "spot", limit }, "limit: must be a whole number from 1 to 200")
    }
    expect(sent(Positions.list, { category: "linear", symbol: "BTCUSDT", limit: 1 })).toStrictEqual({
      category: "linear",
      symbol: "BTCUSDT",
      limit: "1"
    })
    expect(sent(Positions.list, { category: "linear", settleCoin: "USDT", limit: 200, cursor: "a%3D" })).toStrictEqual({
      category: "linear",
      settleCoin: "USDT",
      limit: "200",
      cursor: "a%3D"
    })
  })

  it("takes coins that are not empty, any cursor, and an empty symbol with a settleCoin", () => {
    refuses(Positions.list, { category: "spot", baseCoin: "" }, "baseCoin: must not be empty")
    for (const category of ["linear", "inverse"] as const) {
      const request = { category, symbol: "", settleCoin: "USDT" }
      expect(sent(Positions.list, request)).toStrictEqual(request)
      refuses(Positions.list, { category, symbol: "" }, "symbol: one of symbol, settleCoin is required")
    }
    refuses(Positions.list, { category: "linear", settleCoin: "" }, "settleCoin: must not be empty")
  })
})

describe("a request to change margin", () => {
  const request = { category: "linear", symbol: "BTCUSDT", margin: "10" } as const

  it("needs category, symbol and margin", () => {
    refuses(Positions.addMargin, {}, "category: is missing", "symbol: is missing", "margin: is missing")
    refuses(Positions.addMargin, { ...request, category: "option" }, "category: must be spot, linear or inverse")
    refuses(Positions.addMargin, { ...request, symbol: "" }, "symbol: must not be empty")
    for (const category of ["spot", "linear", "inverse"] as const) {
      expect(sent(Positions.addMargin, { ...request, category })).toStrictEqual({ ...request, category })
    }
  })

  it("takes a margin of up to 4 decimals, positive or negative", () => {
    const rule = "margin: must be a decimal other than 0 with at most 4 decimals"
    for (const margin of ["0.00001", "1.23456", "-1.00001", "0", "0.0000", "", "ten", 10]) {
      refuses(Positions.addMargin, { ...request, margin }, rule)
    }
    for (const margin of ["0.0001", "1.2345", "-1.0001", "1.20000", "5"]) {
      expect(sent(Positions.addMargin, { ...request, margin })).toStrictEqual({ ...request, margin })
    }
    expect(sent(Positions.addMargin, { ...request, margin: BigDecimal.make(-12345n, 4) })).toStrictEqual({
      ...request,
      margin: "-1.2345"
    })
  })

  it("takes positionIdx 0, 1 or 2 as a number", () => {
    for (const positionIdx of [3, -1, 0.5, "1"]) {
      refuses(Positions.addMargin, { ...request, positionIdx }, "positionIdx: must be 0, 1 or 2")
    }
    for (const positionIdx of [0, 1, 2] as const) {
      expect(sent(Positions.addMargin, { ...request, positionIdx })).toStrictEqual({ ...request, positionIdx })
    }
  })

  it("is answered with the position after the change", () => {
    const change = answer(Positions.addMargin, "positions.addMargin")
    expect(change).toMatchObject({
      category: "linear",
      symbol: "BTCUSDT",
      positionIdx: 1,
      riskId: some(1),
      size: dec("0.5"),
      autoAddMargin: some(true),
      positionIM: amount("1357.29"),
      createdTime: some(at(1690000000000))
    })
    expect(Object.keys(change)).toHaveLength(23)
  })
})

describe("a request to set a trading stop", () => {
  const request = { category: "linear", symbol: "BTCUSDT", positionIdx: 0 } as const
  const partial = { ...request, tpslMode: "Partial" } as const

  it("needs category, symbol and positionIdx", () => {
    refuses(Positions.setTradingStop, {}, "category: is missing", "symbol: is missing", "positionIdx: is missing")
    refuses(Positions.setTradingStop, { ...request, category: "margin" }, "category: must be spot, linear or inverse")
    refuses(Positions.setTradingStop, { ...request, symbol: "" }, "symbol: must not be empty")
    refuses(Positions.setTradingStop, { ...request, positionIdx: 3 }, "positionIdx: must be 0, 1 or 2")
    for (const positionIdx of [0, 1, 2] as const) {
      expect(sent(Positions.setTradingStop, { ...request, positionIdx })).toStrictEqual({ ...request, positionIdx })
    }
    expect(sent(Positions.setTradingStop, { ...request, category: "spot" })).toStrictEqual({
      ...request,
      category: "spot"
    })
  })

  it("takes tpslMode Full, Partial or none", () => {
    refuses(Positions.setTradingStop, { ...request, tpslMode: "full" }, "tpslMode: must be Full or Partial")
    expect(sent(Positions.setTradingStop, { ...request, tpslMode: "Full" })).toStrictEqual({
      ...request,
      tpslMode: "Full"
    })
    expect(sent(Positions.setTradingStop, request)).toStrictEqual(request)
  })

  it("takes stops of zero, which cancel them, and none below", () => {
    for (const field of ["takeProfit", "stopLoss", "trailingStop"]) {
      for (const value of ["-0.01", "", "x", 0]) {
        refuses(Positions.setTradingStop, { ...request, [field]: value }, `${field}: must be a decimal of at least 0`)
      }
      expect(sentAny(Positions.setTradingStop, { ...request, [field]: "0" })).toStrictEqual({
        ...request,
        [field]: "0"
      })
      expect(sentAny(Positions.setTradingStop, { ...request, [field]: "0.5" })).toStrictEqual({
        ...request,
        [field]: "0.5"
      })
    }
  })

  it("takes an activation price over zero and the trigger price types of the document", () => {
    refuses(Positions.setTradingStop, { ...request, activePrice: "0" }, "activePrice: must be a decimal greater than 0")
    refuses(
      Positions.setTradingStop,
      { ...request, slTriggerBy: 1 },
      "slTriggerBy: must be LastPrice, IndexPrice or MarkPrice"
    )
    expect(
      sent(Positions.setTradingStop, {
        ...request,
        trailingStop: "50",
        activePrice: "27500.5",
        tpTriggerBy: "MarkPrice",
        slTriggerBy: "IndexPrice"
      })
    ).toStrictEqual({
      ...request,
      trailingStop: "50",
      activePrice: "27500.5",
      tpTriggerBy: "MarkPrice",
      slTriggerBy: "IndexPrice"
    })
  })

  it("takes sizes except with tpslMode Full: without it the service judges by the mode in force", () => {
    for (const field of ["tpSize", "slSize"]) {
      expect(sentAny(Positions.setTradingStop, { ...request, [field]: "1" })).toStrictEqual({
        ...request,
        [field]: "1"
      })
      refuses(
        Positions.setTradingStop,
        { ...request, tpslMode: "Full", [field]: "1" },
        `${field}: only with tpslMode=Partial`
      )
      refuses(Positions.setTradingStop, { ...partial, [field]: "0" }, `${field}: must be a decimal greater than 0`)
      expect(sentAny(Positions.setTradingStop, { ...partial, [field]: "1" })).toStrictEqual({
        ...partial,
        [field]: "1"
      })
    }
  })

  it("takes two sizes that are equal in value", () => {
    refuses(Positions.setTradingStop, { ...partial, tpSize: "1", slSize: "2" }, "slSize: must equal tpSize")
    expect(sent(Positions.setTradingStop, { ...partial, tpSize: "1.0", slSize: "1.00" })).toStrictEqual({
      ...partial,
      tpSize: "1.0",
      slSize: "1.00"
    })
    expect(
      sent(Positions.setTradingStop, { ...partial, tpSize: BigDecimal.make(25n, 1), slSize: "2.5" })
    ).toStrictEqual({
      ...partial,
      tpSize: "2.5",
      slSize: "2.5"
    })
  })

  it("takes limit prices with order type Limit only, and not with tpslMode Full", () => {
    for (const side of ["tp", "sl"]) {
      const price = `${side}LimitPrice`
      const type = `${side}OrderType`
      const rule = `${price}: only with tpslMode=Partial and ${type}=Limit`
      refuses(Positions.setTradingStop, { ...partial, [price]: "5" }, rule)
      refuses(Positions.setTradingStop, { ...partial, [price]: "5", [type]: "Market" }, rule)
      refuses(Positions.setTradingStop, { ...request, [price]: "5" }, rule)
      refuses(Positions.setTradingStop, { ...request, tpslMode: "Full", [price]: "5", [type]: "Market" }, rule)
      refuses(
        Positions.setTradingStop,
        { ...partial, [price]: "0", [type]: "Limit" },
        `${price}: must be a decimal greater than 0`
      )
      for (const mode of [partial, request]) {
        expect(sentAny(Positions.setTradingStop, { ...mode, [price]: "5", [type]: "Limit" })).toStrictEqual({
          ...mode,
          [price]: "5",
          [type]: "Limit"
        })
      }
    }
  })

  it("takes order type Market with Full mode, Limit with the others", () => {
    for (const type of ["tpOrderType", "slOrderType"]) {
      refuses(
        Positions.setTradingStop,
        { ...request, tpslMode: "Full", [type]: "Limit" },
        `${type}: must be Market with tpslMode=Full`
      )
      refuses(Positions.setTradingStop, { ...partial, [type]: "Stop" }, `${type}: must be Market or Limit`)
      for (const [mode, value] of [
        ["Full", "Market"],
        ["Partial", "Market"],
        ["Partial", "Limit"]
      ]) {
        expect(sentAny(Positions.setTradingStop, { ...request, tpslMode: mode, [type]: value })).toStrictEqual({
          ...request,
          tpslMode: mode,
          [type]: value
        })
      }
    }
  })

  it("hears of every broken rule at once", () => {
    refuses(
      Positions.setTradingStop,
      { ...request, tpslMode: "Full", tpSize: "1", slSize: "2", tpOrderType: "Limit" },
      "tpSize: only with tpslMode=Partial",
      "slSize: only with tpslMode=Partial",
      "slSize: must equal tpSize",
      "tpOrderType: must be Market with tpslMode=Full"
    )
  })

  it("is answered with nothing", () => {
    answer(Positions.setTradingStop, "positions.setTradingStop")
    expect(mismatches(Positions.setTradingStop.result, {})).toStrictEqual([])
    expect(mismatches(Positions.setTradingStop.result, "OK")).toHaveLength(1)
  })
})

describe("a request to set a risk limit", () => {
  const request = { category: "linear", symbol: "BTCUSDT", riskId: 2 } as const

  it("needs a contract category, a symbol and a risk id", () => {
    refuses(Positions.setRiskLimit, {}, "category: is missing", "symbol: is missing", "riskId: is missing")
    refuses(Positions.setRiskLimit, { ...request, category: "spot" }, "category: must be linear or inverse")
    refuses(Positions.setRiskLimit, { ...request, symbol: "" }, "symbol: must not be empty")
    refuses(Positions.setRiskLimit, { ...request, riskId: "2" }, "riskId: must be a whole number of at least 0")
    refuses(Positions.setRiskLimit, { ...request, riskId: 1.5 }, "riskId: must be a whole number of at least 0")
    expect(sent(Positions.setRiskLimit, request)).toStrictEqual(request)
    expect(sent(Positions.setRiskLimit, { ...request, category: "inverse" })).toStrictEqual({
      ...request,
      category: "inverse"
    })
  })

  it("takes positionIdx 0, 1 or 2", () => {
    refuses(Positions.setRiskLimit, { ...request, positionIdx: 3 }, "positionIdx: must be 0, 1 or 2")
    for (const positionIdx of [0, 1, 2] as const) {
      expect(sent(Positions.setRiskLimit, { ...request, positionIdx })).toStrictEqual({ ...request, positionIdx })
    }
  })

  it("is answered with the limit that holds now", () => {
    expect(answer(Positions.setRiskLimit, "positions.setRiskLimit")).toStrictEqual({
      category: "linear",
      riskId: 2,
      riskLimitValue: amount("4000000")
    })
  })
})

describe("a request for closed PnL from before the upgrade", () => {
  const from = Date.UTC(2022, 10, 1)

  it("needs a contract category and no symbol", () => {
    refuses(Positions.preUpgradeClosedPnl, {}, "category: is missing")
    refuses(Positions.preUpgradeClosedPnl, { category: "spot" }, "category: must be linear or inverse")
    refuses(Positions.preUpgradeClosedPnl, { category: "linear", symbol: "" }, "symbol: must not be empty")
    expect(sent(Positions.preUpgradeClosedPnl, { category: "inverse" })).toStrictEqual({ category: "inverse" })
    expect(sent(Positions.preUpgradeClosedPnl, { category: "linear", symbol: "BTCUSDT", cursor: "c" })).toStrictEqual({
      category: "linear",
      symbol: "BTCUSDT",
      cursor: "c"
    })
  })

  it("takes a range of exactly 7 days, not a millisecond more, not backwards", () => {
    const request = { category: "linear", startTime: from } as const
    refuses(
      Positions.preUpgradeClosedPnl,
      { ...request, endTime: from + 7 * day + 1 },
      "endTime: must be at most 7d after startTime"
    )
    refuses(Positions.preUpgradeClosedPnl, { ...request, endTime: from - 1 }, "endTime: must not be before startTime")
    expect(sent(Positions.preUpgradeClosedPnl, { ...request, endTime: from + 7 * day })).toStrictEqual({
      category: "linear",
      startTime: "1667260800000",
      endTime: "1667865600000"
    })
    expect(sent(Positions.preUpgradeClosedPnl, { ...request, endTime: from })).toStrictEqual({
      category: "linear",
      startTime: "1667260800000",
      endTime: "1667260800000"
    })
  })

  it("takes one end of the range, in any form of an instant", () => {
    expect(sent(Positions.preUpgradeClosedPnl, { category: "linear", startTime: new Date(from) })).toStrictEqual({
      category: "linear",
      startTime: "1667260800000"
    })
    expect(
      sent(Positions.preUpgradeClosedPnl, {
        category: "linear",
        endTime: DateTime.unsafeMakeZoned(from, { timeZone: "Asia/Tokyo" })
      })
    ).toStrictEqual({ category: "linear", endTime: "1667260800000" })
    expect(sent(Positions.preUpgradeClosedPnl, { category: "linear", endTime: "2022-11-01T00:00:00Z" })).toStrictEqual({
      category: "linear",
      endTime: "1667260800000"
    })
    for (const startTime of ["yesterday", new Date(Number.NaN), Number.NaN, null, {}, 1.5]) {
      refuses(
        Positions.preUpgradeClosedPnl,
        { category: "linear", startTime },
        "startTime: must be an instant (DateTime, Date, ISO text or milliseconds)"
      )
    }
  })

  it("takes a limit from 1 to 100", () => {
    for (const limit of [0, 101]) {
      refuses(
        Positions.preUpgradeClosedPnl,
        { category: "linear", limit },
        "limit: must be a whole number from 1 to 100"
      )
    }
    for (const limit of [1, 100]) {
      expect(sent(Positions.preUpgradeClosedPnl, { category: "linear", limit })).toStrictEqual({
        category: "linear",
        limit: String(limit)
      })
    }
  })

  it("is answered with records of what closing brought", () => {
    const { list, nextPageCursor } = answer(Positions.preUpgradeClosedPnl, "positions.preUpgradeClosedPnl")
    expect(nextPageCursor).toStrictEqual(some("5a6d%3A1%2C2"))
    expect(list).toStrictEqual([
      {
        symbol: "ETHUSDT",
        orderId: "59f5f3a1",
        side: "Sell",
        qty: dec("2.5"),
        orderPrice: amount("1500"),
        orderType: "Market",
        execType: "BustTrade",
        closedSize: dec("2.5"),
        cumEntryValue: dec("4000"),
        avgEntryPrice: dec("1600"),
        cumExitValue: dec("3750"),
        avgExitPrice: dec("1500"),
        closedPnl: dec("-252.325"),
        fillCount: some(3),
        leverage: amount("20"),
        createdTime: at(1669196417930),
        updatedTime: at(1669196417999)
      }
    ])
  })
})
