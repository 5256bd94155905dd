import * as Figures from "@effect-venue/books/Figures"
import * as Sum from "@effect-venue/books/Sum"
import { inOneLine } from "@effect-venue/schemas/siblings/ShownText"
import * as Decimal from "@effect-venue/schemas/Decimal"
import { formatInstant } from "@effect-venue/schemas/siblings/Words"
import * as BigDecimal from "effect/BigDecimal"
import { coinName, matchCheck, reasonsNotChecked } from "./books.js"
import { isWhole } from "./page.js"
import * as provenance from "./provenance.js"
import type { Report } from "../figures/readReport.js"
import * as Sums from "./sums.js"
import * as Layout from "../output/layout.js"

// The part of `venue report` that renders: one import, one chunk.
export { isWhole, page } from "./page.js"

// The content of a page as JSON. Amounts are exact decimals as text, instants ISO text.

const text = (amount: BigDecimal.BigDecimal): string => Decimal.format(BigDecimal.normalize(amount))

/** A sum as JSON: text if every row is in it. Otherwise an object, so that no program takes it for the whole sum. */
const toJson = (sum: Sum.Sum): object | string =>
  Sum.match(sum, {
    whole: text,
    lacking: (value, lacks) => ({
      sum: text(value),
      lacks: lacks.map(({ because, rows }) => ({ because, rows: rows ?? null }))
    })
  })

const iso = (at: number): string => new Date(at).toISOString()

const resultJson = (result: Figures.Result) => ({
  realisedPnl: toJson(result.pnl),
  fees: toJson(result.fees),
  funding: toJson(result.funding),
  bonuses: toJson(result.bonuses),
  net: toJson(Figures.netOf(result))
})

const entryJson = ({ label, sum }: Figures.StatementEntry) => ({ label, amount: toJson(sum) })

const checkJson = (check: Figures.BalanceCheck) => {
  switch (check._tag) {
    case "Passed":
      return { result: "passed" }
    case "Failed":
      return { result: "failed", unexplained: text(check.unexplained) }
    case "NotMade":
      return { result: "not made", because: check.because }
  }
}

const statementJson = ({ aside, check, closing, coin, entries, opening }: Figures.Statement) => ({
  coin,
  opening: toJson(opening),
  entries: entries.map(entryJson),
  check: checkJson(check),
  closing: toJson(closing),
  aside: aside.map(entryJson)
})

/** The rows of a terminal's table that show results. */
const monthRows = ({ figures }: Report, show: (sum: Sum.Sum) => string) => {
  const cells = (result: Figures.Result) =>
    [result.pnl, result.fees, result.funding, result.bonuses, Figures.netOf(result)].map(show)
  return [
    ...figures.months.map((month) => [month.month, coinName(month.currency), ...cells(month)]),
    ...figures.totals.map((total) => ["Total", coinName(total.currency), ...cells(total)])
  ]
}

const statementRows = ({ coins }: Figures.AccountStatement, show: (sum: Sum.Sum) => string) =>
  coins
    .filter(({ closing, opening, entries }) => entries.length > 0 || !Sum.isNothing(opening) || !Sum.isNothing(closing))
    .map(({ check, closing, coin, entries, opening }) => [
      ...[coin, show(opening), show(Sum.addAll(entries.map(({ sum }) => sum)))],
      ...[matchCheck(check, text), show(closing)]
    ])

const walletName = ({ account }: Figures.AccountStatement): string =>
  `Trading wallet${account === null ? "" : ` of ${account}`}`

const statementHead = (statement: Figures.AccountStatement): string =>
  [
    `${walletName(statement)}, ${formatInstant(statement.from)} to ${formatInstant(statement.to)} UTC`,
    ...(statement.computedFrom === undefined
      ? []
      : [`computed back from the balance of ${formatInstant(statement.computedFrom)} UTC`])
  ].join(",\n")

/** The statement of an account, or why there is none. */
const statementText = (statement: Figures.AccountStatement, show: (sum: Sum.Sum) => string, width: number): string => {
  if (statement.because !== undefined) return `${walletName(statement)}: no statement, since ${statement.because}`
  const heads = ["Coin", "Opening", "Change", "Unexplained", "Closing"]
  const table = Layout.table({ heads, rows: statementRows(statement, show) }, width)
  return [statementHead(statement), table, ...reasonsNotChecked(statement)].join("\n")
}

/**
 * Statements, months, totals and doubts, one line for each row in a pipe; doubts alone if there are no rows, or if figures depend on changed files.
 * Sums that lack rows have the number of a line below.
 */
export const terminalTable = (report: Report, page: Layout.Page): string => {
  const width = page.isTerminal ? page.width : Number.POSITIVE_INFINITY
  const footnotes = Sums.makeFootnotes()
  const show = (sum: Sum.Sum) =>
    Sum.match(sum, { whole: text, lacking: (value, lacks) => `${text(value)} [${footnotes.numberOf(lacks)}]` })
  const heads = ["Month", "Coin", "Realised PnL", "Fees", "Funding", "Bonuses", "Net"]
  const { figures } = report
  const tables =
    report.changed.size > 0 || figures.lines.length === 0
      ? []
      : [
          ...figures.statements.map((statement) => statementText(statement, show, width)),
          Layout.table({ heads, names: 2, rows: monthRows(report, show) }, width)
        ]
  const lacks = footnotes.all().map(([number, words]) => `[${number}] not in the sum: ${words}`)
  const lines = [lacks, report.notes].map((notes) => notes.map(inOneLine).join("\n"))
  return [...tables, ...lines.filter((text) => text !== "")].map((text) => `${text}\n\n`).join("")
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
  notes: report.notes,
  changedParts: [...report.changed],
  timeZone: report.zone,
  span: report.span ?? null,
  totals: report.figures.totals.map((total) => ({ currency: total.currency, ...resultJson(total) })),
  monthTotals: report.months.totals.map((month) => ({
    ...{ month: month.month, currency: month.currency },
    ...{ ...resultJson(month), volume: toJson(month.volume) }
  })),
  months: report.months.lines.map((line) => ({
    ...{ month: line.month, account: line.account, category: line.category, symbol: line.symbol },
    ...{ currency: line.currency, ...resultJson(line), volume: toJson(line.volume) }
  })),
  statements: report.figures.statements.map(({ account, because, coins, computedFrom, from, to }) => ({
    ...{ account, from: iso(from), to: iso(to) },
    computedFrom: computedFrom === undefined ? null : iso(computedFrom),
    coins: because === undefined ? coins.map(statementJson) : null,
    because: because ?? null
  }))
})
