import type * as Books from "@effect-venue/history/Books"
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import { amounts, type Line } from "./monthly.js"
import { isWhole } from "./page.js"
import * as provenance from "./provenance.js"
import type { Report } from "./readReport.js"
import * as Totals from "./totals.js"

// What a page says, for machines. Amounts are exact decimals as text, instants ISO text.

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
      return [kind, sum === undefined ? null : text(sum)]
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
  zone: report.months.zone,
  totals: Totals.of(report.months.lines).map(({ contractFees, currency, funding, pnl, spotFees }) => ({
    currency,
    realisedPnl: text(pnl),
    contractFees: text(contractFees),
    spotFees: text(spotFees),
    funding: text(funding)
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
