import type * as Books from "@effect-venue/books/siblings/BookParts"
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import { table } from "../output/text.js"
import { amounts, type Line } from "../figures/monthly.js"
import { isWhole } from "./page.js"
import * as provenance from "./provenance.js"
import type { Report } from "../figures/readReport.js"
import * as Totals from "../figures/totals.js"

// The part of `venue report` that renders: one import, one chunk.
export { isWhole, page } from "./page.js"

// The content of a page as JSON. Amounts are exact decimals as text, instants ISO text.

const orNull = (amount: BigDecimal.BigDecimal | undefined): string | null =>
  amount === undefined ? null : text(amount)

const text = (amount: BigDecimal.BigDecimal): string => Decimal.format(BigDecimal.normalize(amount))

const iso = (at: number): string => new Date(at).toISOString()

const line = ({ account, category, currency, month, symbol, ...sums }: Line) => ({
  month,
  account,
  category,
  symbol,
  currency,
  ...Object.fromEntries(
    amounts.map((kind) => {
      const sum = sums[kind]
      return [kind, orNull(sum)]
    })
  )
})

const entry = ({ amount, label }: Books.Entry) => ({ label, amount: text(amount) })

const statement = ({ aside, closing, coin, entries, opening, unexplained }: Books.Statement) => ({
  coin,
  opening: text(opening),
  entries: entries.map(entry),
  unexplained: text(unexplained),
  closing: text(closing),
  aside: aside.map(entry)
})

/** The totals of months as a table for a terminal; empty without rows, or if figures depend on changed files. */
export const terminalTable = ({ changed, months }: Report): string => {
  const totals = changed.size > 0 ? [] : Totals.byMonth(months)
  return totals.length === 0
    ? ""
    : `${table([
        ["Month", "Currency", "Realised PnL, net of fees", "Fees", "Funding paid", "Net"],
        ...totals.map((total) => [
          total.month,
          total.currency,
          ...[total.pnl, Totals.feesOf(total), total.funding, Totals.netOf(total)].map(
            (amount) => orNull(amount) ?? "-"
          )
        ])
      ])}\n\n`
}

export const summary = (report: Report, file: string) => ({
  file,
  verdict: report.findings.length > 0 ? "changed" : isWhole(report) ? "complete" : "incomplete",
  from: iso(report.manifest.from),
  to: iso(report.manifest.to),
  writtenAt: iso(report.manifest.run.endedAt),
  rows: report.manifest.rows,
  accounts: provenance.accounts(report),
  sources: provenance.sources(report),
  digest: report.digest,
  findings: report.findings,
  changedParts: [...report.changed],
  timeZone: report.months.zone,
  month: report.month ?? null,
  totals: Totals.of(report.months).map((total) => ({
    currency: total.currency,
    realisedPnl: orNull(total.pnl),
    contractFees: orNull(total.contractFees),
    spotFees: orNull(total.spotFees),
    funding: orNull(total.funding),
    net: orNull(Totals.netOf(total))
  })),
  monthTotals: Totals.byMonth(report.months).map((total) => ({
    month: total.month,
    currency: total.currency,
    realisedPnl: orNull(total.pnl),
    fees: orNull(Totals.feesOf(total)),
    funding: orNull(total.funding),
    net: orNull(Totals.netOf(total))
  })),
  months: report.months.lines.map(line),
  statements: report.statements.map(({ account, between, notes, outcome }) => ({
    account,
    from: iso(between.from),
    to: iso(between.to),
    coins: Either.isRight(outcome) ? outcome.right.map(statement) : null,
    because: Either.isLeft(outcome) ? outcome.left : null,
    notes
  }))
})
