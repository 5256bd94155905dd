/** The operations on positions, and on the account's fees, whose payload is in docs/reference/listed-operations.md. */
import { addEqualityTesters, describe, expect, it } from "@effect/vitest"
import { BigDecimal, Effect, Option, Schema } from "effect"
import * as Account from "../src/Account.js"
import type * as Endpoint from "../src/Endpoint.js"
import * as Positions from "../src/Positions.js"
import { answer, dec, none, refuses, sent, sentAny, some } from "./helpers.js"

addEqualityTesters()

const day = 86_400_000
const btc = { category: "linear", symbol: "BTCUSDT" } as const

describe("a request to set the leverage", () => {
  it("has both leverages, of at least 1", () => {
    for (const category of ["linear", "inverse"] as const) {
      const request = { category, symbol: "A", buyLeverage: "1", sellLeverage: "12.5" }
      expect(sentAny(Positions.setLeverage, request)).toStrictEqual(request)
      for (const leverage of ["0.99", "0", "-5", ""]) {
        const rule = "must be a decimal of at least 1"
        refuses(Positions.setLeverage, { ...request, buyLeverage: leverage }, `buyLeverage: ${rule}`)
        refuses(Positions.setLeverage, { ...request, sellLeverage: leverage }, `sellLeverage: ${rule}`)
      }
    }
    refuses(Positions.setLeverage, { ...btc, buyLeverage: "2" }, "sellLeverage: is missing")
    refuses(
      Positions.setLeverage,
      { category: "spot", symbol: "A", buyLeverage: "2", sellLeverage: "2" },
      "category: must be linear or inverse"
    )
    expect(
      sent(Positions.setLeverage, { ...btc, buyLeverage: BigDecimal.make(25n, 1), sellLeverage: "2.5" })
    ).toStrictEqual({ ...btc, buyLeverage: "2.5", sellLeverage: "2.5" })
  })
})

describe("a request to set the mode of stops", () => {
  it("has the mode under the name that only this operation has", () => {
    for (const tpSlMode of ["Full", "Partial"] as const) {
      expect(sent(Positions.setTpslMode, { ...btc, tpSlMode })).toStrictEqual({ ...btc, tpSlMode })
    }
    refuses(Positions.setTpslMode, { ...btc, tpSlMode: "Half" }, "tpSlMode: must be Full or Partial")
    refuses(Positions.setTpslMode, { ...btc, tpSlMode: "Full", tpslMode: "Full" }, "tpslMode: is unexpected")
    refuses(Positions.setTpslMode, { category: "linear", symbol: "", tpSlMode: "Full" }, "symbol: must not be empty")
    refuses(
      Positions.setTpslMode,
      { category: "spot", symbol: "A", tpSlMode: "Full" },
      "category: must be linear or inverse"
    )
    expect(Schema.decodeUnknownSync(Positions.setTpslMode.result)({ tpSlMode: "Partial" })).toStrictEqual({
      tpSlMode: "Partial"
    })
  })
})

describe("a request to confirm a new risk limit", () => {
  it("has a contract category and a symbol", () => {
    expect(sent(Positions.confirmNewRiskLimit, btc)).toStrictEqual(btc)
    refuses(Positions.confirmNewRiskLimit, { category: "linear" }, "symbol: is missing")
    refuses(Positions.confirmNewRiskLimit, { ...btc, category: "spot" }, "category: must be linear or inverse")
  })
})

describe("a request for closed PnL", () => {
  it("has a contract category, and at most 7 days", () => {
    expect(sent(Positions.closedPnl, { category: "inverse" })).toStrictEqual({ category: "inverse" })
    expect(
      sent(Positions.closedPnl, { ...btc, startTime: 0, endTime: 7 * day, limit: 100, cursor: "c" })
    ).toStrictEqual({ ...btc, startTime: "0", endTime: String(7 * day), limit: "100", cursor: "c" })
    // One end alone is 7 days from or up to it.
    expect(sent(Positions.closedPnl, { category: "linear", endTime: 5 })).toStrictEqual({
      category: "linear",
      endTime: "5"
    })
    refuses(Positions.closedPnl, { category: "spot" }, "category: must be linear or inverse")
    refuses(
      Positions.closedPnl,
      { ...btc, startTime: 0, endTime: 7 * day + 1 },
      "endTime: must be at most 7d after startTime"
    )
    for (const limit of [0, 101]) {
      refuses(Positions.closedPnl, { ...btc, limit }, "limit: must be a whole number from 1 to 100")
    }
  })
})

describe("a request for fee rates", () => {
  it("has a category, and a symbol that is not empty", () => {
    for (const category of ["spot", "linear", "inverse"] as const) {
      expect(sent(Account.feeRate, { category })).toStrictEqual({ category })
      expect(sent(Account.feeRate, { category, symbol: "A" })).toStrictEqual({ category, symbol: "A" })
    }
    refuses(Account.feeRate, {}, "category: is missing")
    refuses(Account.feeRate, { category: "option" }, "category: must be spot, linear or inverse")
    refuses(Account.feeRate, { category: "spot", symbol: "" }, "symbol: must not be empty")
    refuses(Account.feeRate, { category: "linear", baseCoin: "BTC" }, "baseCoin: is unexpected")
  })

  it("is answered with fractions, with the category where the service gives it", () => {
    const list = [{ symbol: "ETHUSDT", takerFeeRate: "0.0006", makerFeeRate: "-0.0001" }]
    const decode = Schema.decodeUnknownSync(Account.feeRate.result)
    const rates = [{ symbol: some("ETHUSDT"), takerFeeRate: dec("0.0006"), makerFeeRate: dec("-0.0001") }]
    expect(decode({ list })).toStrictEqual({ category: none, list: rates })
    expect(decode({ category: "spot", list })).toStrictEqual({ category: some("spot"), list: rates })
  })
})

describe("a look-up of what was set", () => {
  const page = answer(Positions.list, "positions.list")
  const pair = page.list.slice(0, 2)
  const executed = (
    endpoint: Endpoint.Properties,
    parameters: Readonly<Record<string, unknown>>,
    list: ReadonlyArray<Positions.Position>
  ) => {
    // Only positions are asked for.
    const read: Endpoint.ReadCall<never> = () => Effect.succeed({ ...page, list } as never)
    return endpoint.lookUp === undefined
      ? Effect.succeed("no look-up")
      : Effect.map(endpoint.lookUp(parameters, read), (finding) => finding.executed)
  }

  it.effect("finds the leverage of each side", () =>
    Effect.gen(function* () {
      const ask = (buyLeverage: string, sellLeverage: string, list = pair) =>
        executed(Positions.setLeverage, { ...btc, buyLeverage, sellLeverage }, list)
      expect(pair.map(({ positionIdx }) => positionIdx)).toStrictEqual([1, 2])
      expect(yield* ask("10", "10.0")).toBe("yes")
      expect(yield* ask("10", "12")).toBe("undetermined")
      expect(yield* ask("12", "10")).toBe("undetermined")
      expect(yield* ask("10", "10", [])).toBe("undetermined")
    })
  )

  it.effect("finds the mode of stops", () =>
    Effect.gen(function* () {
      const all = (tpslMode: string) => pair.map((position) => ({ ...position, tpslMode: Option.some(tpslMode) }))
      expect(yield* executed(Positions.setTpslMode, { ...btc, tpSlMode: "Full" }, all("Full"))).toBe("yes")
      expect(yield* executed(Positions.setTpslMode, { ...btc, tpSlMode: "Full" }, all("Partial"))).toBe("undetermined")
      const untold = pair.map((position) => ({ ...position, tpslMode: Option.none() }))
      expect(yield* executed(Positions.setTpslMode, { ...btc, tpSlMode: "Full" }, untold)).toBe("undetermined")
    })
  )

  it.effect("finds that no mark is left", () =>
    Effect.gen(function* () {
      const all = (isReduceOnly: boolean) => pair.map((position) => ({ ...position, isReduceOnly }))
      expect(yield* executed(Positions.confirmNewRiskLimit, btc, all(false))).toBe("yes")
      expect(yield* executed(Positions.confirmNewRiskLimit, btc, all(true))).toBe("undetermined")
      expect(yield* executed(Positions.confirmNewRiskLimit, btc, pair)).toBe("undetermined")
    })
  )
})
