import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Makers from "./utils/makers.js"
import * as Model from "./utils/model.js"

describe("an independent model of the books", () => {
  it.effect(
    "[exchange/books, exchange/average, exchange/priority, records/execution.closedSize, records/execution.feeRate] agrees to the last digit with two market makers of different accounts",
    () =>
      Effect.gen(function* () {
        const report = yield* Makers.run({ seed: 1, commands: 100, seconds: 28_800 })
        // A run in which nothing happened shows nothing.
        expect(report.refused).toBeLessThan(50)
        expect(report.executions).toBeGreaterThan(30)
        expect(report.met).toBeGreaterThan(3)
        expect(report.fundings).toBeGreaterThan(0)
        expect(report.busts).toBeGreaterThan(0)
      })
  )

  for (const [index, modes] of Makers.mixtures.entries()) {
    const [one, other] = modes.map(({ positionMode, tradeMode }) => `${tradeMode} ${positionMode}`)
    it.effect(`[exchange/books] agrees with accounts in other modes: ${one} and ${other}`, () =>
      Effect.gen(function* () {
        const report = yield* Makers.run({ seed: 31 + index, commands: 150, seconds: 28_800, modes })
        expect(report.executions).toBeGreaterThan(30)
        expect(report.fundings).toBeGreaterThan(0)
        expect(report.settings).toBeGreaterThan(5)
      })
    )
  }

  it("detects a trade that skips an order with priority", () => {
    const at = (text: string) => Model.parse(text)
    const act = { kind: "place", uid: "1", key: "spot:X", qty: at("1") } as const
    const acts: ReadonlyArray<Model.Act> = [
      { ...act, at: 1, orderId: "early", side: "Sell", price: at("100") },
      { ...act, at: 2, orderId: "cheap", side: "Sell", price: at("99") },
      { ...act, at: 3, orderId: "taker", side: "Buy", price: at("100") }
    ]
    const deal = { at: 3, key: "spot:X", qty: at("1") } as const
    const taken = (makerId: string, price: string): ReadonlyArray<Model.Deal> => [
      { ...deal, execId: "1", orderId: makerId, side: "Sell", isMaker: true, price: at(price) },
      { ...deal, execId: "2", orderId: "taker", side: "Buy", isMaker: false, price: at(price) }
    ]
    expect(Model.outOfTurn(acts, taken("cheap", "99"), new Map())).toEqual({ wrong: [], met: 1 })
    expect(Model.outOfTurn(acts, taken("early", "100"), new Map()).wrong).toHaveLength(1)
    expect(Model.outOfTurn(acts, taken("cheap", "99").slice(1), new Map()).wrong).toHaveLength(1)
  })
})
