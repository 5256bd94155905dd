import * as Datasets from "@effect-venue/history/siblings/Datasets"
import type * as Column from "@effect-venue/history/siblings/Column"
import * as Assets from "@effect-venue/schemas/Assets"
import * as Broker from "@effect-venue/schemas/Broker"
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as Executions from "@effect-venue/schemas/Executions"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Positions from "@effect-venue/schemas/Positions"
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, BigDecimal, DateTime, FastCheck, Option, Schema } from "effect"
import * as Cell from "../src/formats/cell.js"

const records: Readonly<Record<string, Schema.Schema.AnyNoContext>> = {
  executions: Executions.Execution,
  "pre-upgrade-executions": Executions.PreUpgradeExecution,
  "closed-pnl": Positions.ClosedPnl,
  "pre-upgrade-closed-pnl": Positions.ClosedPnl,
  "order-history": Orders.Order,
  deposits: Assets.Deposit,
  transfers: Assets.Transfer,
  "sub-account-transfers": Assets.SubAccountTransfer,
  "bonus-usage": Assets.BonusUsage,
  "broker-volume": Broker.Volume
}

/** The kinds that a value of the domain may be written under. */
const kindsOf = (value: unknown): ReadonlyArray<Column.Kind> => {
  if (BigDecimal.isBigDecimal(value)) return ["decimal"]
  if (DateTime.isDateTime(value)) return ["millis", "seconds", "instant"]
  if (typeof value === "boolean") return ["boolean", "flag"]
  if (typeof value === "number" || typeof value === "bigint") return ["integer"]
  return typeof value === "string" ? ["text"] : ["json"]
}

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

describe("the columns of a dataset", () => {
  it.each(Datasets.datasets.map((dataset) => [dataset.name, dataset] as const))(
    "are of the kind that its record has (%s)",
    (name, dataset) => {
      const record = records[name] ?? Schema.Any
      const samples = FastCheck.sample(Arbitrary.make(record), { numRuns: 200, seed: 1 })
      let compared = 0
      for (const sample of samples) {
        for (const { kind, name } of dataset.columns) {
          const field: unknown = sample[camel(name)]
          expect(field, name).not.toBe(undefined)
          const value: unknown = Option.isOption(field) ? Option.getOrUndefined(field) : field
          if (value === undefined) continue
          // Exact in the domain, where whole numbers without an upper bound are text.
          expect(name === "seq" ? ["integer"] : kindsOf(value), name).toContain(kind)
          compared++
        }
      }
      expect(compared).toBeGreaterThan(dataset.columns.length * 50)
    }
  )
})

describe("the canonical text of a decimal", () => {
  const column: Column.Column = { name: "price", kind: "decimal" }
  const digits = FastCheck.string({ unit: FastCheck.constantFrom("0", "0", "1", "2"), maxLength: 6 })

  it("is equal for equal values in every notation", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.constantFrom("", "-"), digits, digits, (sign, whole, fraction) => {
        const text = `${sign}${whole}${fraction === "" ? "" : `.${fraction}`}`
        const decimal = Decimal.parse(text)
        const expected = Option.match(decimal, {
          onNone: () => text,
          onSome: (value) => Decimal.format(BigDecimal.normalize(value))
        })
        expect(Cell.canonical(column, text)).toBe(expected)
      }),
      { numRuns: 2000 }
    )
  })
})
