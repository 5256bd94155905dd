import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import * as Sum from "@effect-venue/books/Sum"
import * as Decimal from "@effect-venue/schemas/Decimal"
import type * as Executions from "@effect-venue/schemas/Executions"
import { BigDecimal, Effect, Option } from "effect"
import { exchange, lived, onOpening } from "./utils/books.js"

const text = (value: BigDecimal.BigDecimal) => Decimal.format(BigDecimal.normalize(value))

const zero = BigDecimal.fromBigInt(0n)

/** What a part of a position takes with it, rounded to the digits of money. */
const share = (amount: BigDecimal.BigDecimal, part: BigDecimal.BigDecimal, whole: BigDecimal.BigDecimal) =>
  BigDecimal.round(BigDecimal.unsafeDivide(BigDecimal.multiply(amount, part), whole), {
    scale: 8,
    mode: "half-from-zero"
  })

/** The profit of each order that closed something, from executions in their order: by mean cost, after the fees of both ends. */
const profits = (category: "linear" | "inverse", executions: ReadonlyArray<Executions.Execution>) => {
  const held = new Map<
    string,
    { size: BigDecimal.BigDecimal; value: BigDecimal.BigDecimal; fee: BigDecimal.BigDecimal }
  >()
  const found = new Map<string, BigDecimal.BigDecimal>()
  for (const { execFee, execQty, execType, execValue, orderId, side, symbol } of executions) {
    if (Option.contains(execType, "Funding")) continue
    const value = Option.getOrThrow(execValue)
    const { fee, size, value: entry } = held.get(symbol) ?? { size: zero, value: zero, fee: zero }
    const signed = side === "Buy" ? execQty : BigDecimal.negate(execQty)
    if (BigDecimal.isZero(size) || BigDecimal.isPositive(size) === (side === "Buy")) {
      held.set(symbol, {
        size: BigDecimal.sum(size, signed),
        value: BigDecimal.sum(entry, value),
        fee: BigDecimal.sum(fee, execFee)
      })
      continue
    }
    const [cost, openFee] = [share(entry, execQty, BigDecimal.abs(size)), share(fee, execQty, BigDecimal.abs(size))]
    const rise = BigDecimal.subtract(value, cost)
    const profit = BigDecimal.isPositive(size) === (category === "linear") ? rise : BigDecimal.negate(rise)
    const net = BigDecimal.subtract(BigDecimal.subtract(profit, openFee), execFee)
    found.set(orderId, BigDecimal.sum(found.get(orderId) ?? zero, net))
    held.set(symbol, {
      size: BigDecimal.sum(size, signed),
      value: BigDecimal.subtract(entry, cost),
      fee: BigDecimal.subtract(fee, openFee)
    })
  }
  return new Map([...found].map(([orderId, pnl]) => [orderId, text(pnl)]))
}

const uid = "20000001"

describe("the statement of an account of the sandbox", () => {
  it.scoped("adds up to the last digit between the snapshots of a continued export", () =>
    Effect.gen(function* () {
      const { report, state } = yield* lived(uid)
      expect(report.findings).toEqual([])
      const [statement] = report.figures.statements
      const coins = statement?.coins ?? []
      expect(coins.length).toBeGreaterThan(2)
      expect(statement?.computedFrom).toBeUndefined()
      expect(coins.filter(({ check }) => check._tag !== "Passed").map(({ coin }) => coin)).toEqual([])
      for (const { closing, coin, entries, opening } of coins) {
        const sum = Sum.addAll([opening, ...entries.map((entry) => entry.sum), Sum.negate(closing)])
        expect([coin, Sum.isNothing(sum)]).toEqual([coin, true])
      }
      // Orders whose closed profit can change or still come are the other notes.
      expect(
        report.notes.filter(
          (note) => !/before the closing balance|until (they close|it closes)$|can still be late$/.test(note)
        )
      ).toEqual([])
      const labels = (coin: string) => coins.find((one) => one.coin === coin)?.entries.map(({ label }) => label)
      expect(labels("USDT")).toEqual(
        expect.arrayContaining([
          "transfersIn",
          "transfersOut",
          "realisedPnl",
          "fees",
          "spotTrades",
          "funding",
          "bonuses"
        ])
      )
      expect(labels("BTC")).toEqual(expect.arrayContaining(["transfersIn", "realisedPnl", "funding"]))
      expect(labels("ETH")).toEqual(expect.arrayContaining(["transfersIn", "spotTrades", "fees"]))

      // Every profit is what executions alone say: exit less entry less the fees of both. Funding, which was paid meanwhile, is not in it.
      const account = state.accounts.get(uid)
      for (const category of ["linear", "inverse"] as const) {
        const listed = Array.from(
          account?.closedPnl[category] ?? [],
          (row) => [row.orderId, text(row.closedPnl)] as const
        )
        expect(listed.length).toBeGreaterThan(1)
        const executions = Array.from(account?.executions[category] ?? [])
        expect(executions.some(({ execType }) => Option.contains(execType, "Funding"))).toBe(true)
        expect(new Map(listed)).toEqual(profits(category, executions))
      }
    }).pipe(Effect.provide([exchange(11), NodeContext.layer]), onOpening)
  )
})
