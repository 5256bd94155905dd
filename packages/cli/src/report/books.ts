import type * as Books from "@effect-venue/books/siblings/BookParts"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import { countNoun, instant } from "../output/text.js"
import { type Block, notesOf, section, table, without } from "./elements.js"
import { empty, html, type Html } from "./html.js"
import * as money from "../figures/money.js"
import { type Amount, type Line, amounts } from "../figures/monthly.js"
import type { Report } from "../figures/readReport.js"
import * as Totals from "../figures/totals.js"

// The sections for closing the books: money, months, statements.

const orNone = (sum: BigDecimal.BigDecimal | undefined): string => (sum === undefined ? "\u2013" : money.text(sum))

/** The datasets that a figure rests on. */
const closed = ["closed-pnl", "pre-upgrade-closed-pnl"]
const executed = ["executions", "pre-upgrade-executions"]

const sourceOf: Readonly<Record<Amount, ReadonlyArray<string>>> = {
  pnl: closed,
  fees: executed,
  funding: executed,
  volume: executed
}

/** Shows a figure, struck through if it depends on changed rows. */
const figures = ({ changed, manifest }: Report) => {
  const isChanged = (datasets: ReadonlyArray<string>) =>
    manifest.parts.some(({ dataset, name }) => datasets.includes(dataset) && changed.has(name))
  const struck = { pnl: isChanged(closed), executed: isChanged(executed) }
  return {
    isAny: struck.pnl || struck.executed,
    show: (kind: Amount | "net", sum: BigDecimal.BigDecimal | undefined): string | Html => {
      const text = orNone(sum)
      const isStruck =
        kind === "net" ? struck.pnl || struck.executed : sourceOf[kind] === closed ? struck.pnl : struck.executed
      return isStruck ? html`<del>${text}</del>` : text
    }
  }
}

/** Earnings and payments in every currency. */
export const moneySection = (report: Report): Block => {
  const totals = Totals.of(report.months)
  if (totals.length === 0) return without("Money", "there are no executions and no closed profits")
  const { isAny, show } = figures(report)
  return section(
    "Money",
    isAny ? "partly" : false,
    html`<div class="card">
        ${table(
          "Money",
          [
            { name: "Currency" },
            { name: "Realised PnL, net of fees", isNumber: true },
            { name: "Contract fees", isNumber: true },
            { name: "Spot fees", isNumber: true },
            { name: "Funding paid", isNumber: true },
            { name: "Net", isNumber: true }
          ],
          totals.map((total) => [
            total.currency,
            show("pnl", total.pnl),
            show("fees", total.contractFees),
            show("fees", total.spotFees),
            show("funding", total.funding),
            show("net", Totals.netOf(total))
          ])
        )}
      </div>
      <p class="note">
        Realised PnL is <code>closedPnl</code> of contracts: exit less entry value, less the trading fees of opening and
        closing. Funding is not in it. Contract fees are those of all executions: most of them are in the realised PnL
        already. Net is realised PnL less spot fees and funding. Fees and funding are over zero where they were paid,
        under zero where they were received.
      </p>`
  )
}

const mostLines = 2000

const columns: Readonly<Record<(typeof amounts)[number], string>> = {
  pnl: "Realised PnL, net of fees",
  fees: "Fees",
  funding: "Funding paid",
  volume: "Volume"
}

type Show = ReturnType<typeof figures>["show"]

const lineOf = (hasAccounts: boolean, show: Show) => (line: Line) => [
  line.month,
  ...(hasAccounts ? [line.account ?? "\u2013"] : []),
  html`${line.symbol} <small>${line.category}</small>`,
  line.currency,
  ...amounts.map((kind) => show(kind, line[kind]))
]

/** A line for each month and currency. */
const monthTotals = ({ months }: Report, show: Show): Html =>
  table(
    "Totals of months",
    [
      { name: "Month" },
      { name: "Currency" },
      { name: columns.pnl, isNumber: true },
      { name: columns.fees, isNumber: true },
      { name: columns.funding, isNumber: true },
      { name: "Net", isNumber: true }
    ],
    Totals.byMonth(months).map((total) => [
      total.month,
      total.currency,
      show("pnl", total.pnl),
      show("fees", Totals.feesOf(total)),
      show("funding", total.funding),
      html`<strong>${show("net", Totals.netOf(total))}</strong>`
    ])
  )

/** Totals of months, and the contribution of each symbol. */
export const monthsSection = (report: Report): ReadonlyArray<Block> => {
  const { lines, notes, zone } = report.months
  if (lines.length === 0) return [without("Months", "there are no rows"), notesOf(notes)]
  const hasAccounts = new Set(lines.map(({ account }) => account)).size > 1
  const { isAny, show } = figures(report)
  const content = section(
    "Months",
    isAny ? "partly" : false,
    html`<p class="note">
        Months of the time zone ${zone}. Realised PnL is in the month in which the service lists it. Net is realised PnL
        less spot fees and funding: contract fees are in the realised PnL.
      </p>
      <div class="card">${monthTotals(report, show)}</div>
      <h3>By symbol</h3>
      <div class="card tall">
        ${table(
          "Months",
          [
            { name: "Month" },
            ...(hasAccounts ? [{ name: "Account" }] : []),
            { name: "Symbol" },
            { name: "Currency" },
            ...amounts.map((kind) => ({ name: columns[kind], isNumber: true }))
          ],
          lines.slice(0, mostLines).map(lineOf(hasAccounts, show))
        )}
      </div>
      ${lines.length <= mostLines ? empty : html`<p class="note">and ${countNoun(lines.length - mostLines, "more line")}</p>`}
      ${notesOf(notes)}`
  )
  return [content]
}

const labels: Readonly<Record<Books.Label, string>> = {
  transfersIn: "Transfers in",
  transfersOut: "Transfers out",
  pnl: "Realised PnL, net of contract fees",
  feesOutsidePnl: "Fees in that PnL which were paid before, less those of positions still open",
  spotTrades: "Spot trades",
  spotFees: "Spot fees",
  funding: "Funding",
  coupons: "Fees that coupons gave back",
  bonuses: "Bonuses",
  deposits: "Deposits",
  subAccounts: "Transfers with sub-accounts",
  fundingInPnl: "Funding that the realised PnL has already"
}

/** A balance rests on no row: it is not struck with the others. */
const solid = (amount: BigDecimal.BigDecimal): Html => html`<span class="solid">${money.text(amount)}</span>`

const statementTable = (of: string, { aside, closing, coin, entries, opening, unexplained }: Books.Statement): Html => {
  const rest: string | Html = BigDecimal.isZero(unexplained)
    ? "0"
    : html`<strong class="rest">${money.text(unexplained)}</strong>`
  return html`<div class="card statement">
    <h3>${coin}${of}</h3>
    ${table(
      `Statement of ${coin}${of}`,
      [{ name: "Entry" }, { name: coin, isNumber: true }],
      [
        ["Opening balance", solid(opening)],
        ...entries.map(({ amount, label }) => [labels[label], money.text(amount)]),
        ["Not explained by any row", rest],
        [html`<strong>Closing balance</strong>`, html`<strong>${solid(closing)}</strong>`]
      ]
    )}
    ${notesOf(
      aside.map(
        ({ amount, label }) =>
          `${labels[label]} of ${money.text(amount)} ${coin} are in another wallet of the account: the balances add up without them.`
      )
    )}
  </div>`
}

const isQuiet = ({ closing, entries, opening, unexplained }: Books.Statement): boolean =>
  entries.length === 0 && BigDecimal.isZero(unexplained) && BigDecimal.equals(opening, closing)

const accountSection = (report: Report, { account, between, notes, outcome }: Books.OfAccount): Block => {
  const heading = account === null ? "Statement of the trading wallet" : `Statement of the trading wallet, ${account}`
  const isStruck = report.manifest.parts.some((part) => part.account === account && report.changed.has(part.name))
  const of = account === null ? "" : `, ${account}`
  return Either.match(outcome, {
    onLeft: (because): Block => without(heading, because),
    onRight: (statements) => {
      const quiet = statements.filter(isQuiet)
      const others = statements.filter((statement) => !isQuiet(statement))
      return section(
        heading,
        isStruck,
        html`<p class="note">
            From ${instant(between.from)} to ${instant(between.to)} UTC, when the balances of the unified account were
            read.
          </p>
          <div class="statements">${others.map((statement) => statementTable(of, statement))}</div>
          ${
            quiet.length === 0
              ? empty
              : html`<p class="card quiet">
                  Unchanged: ${quiet.map(({ closing, coin }) => `${money.text(closing)} ${coin}`).join(", ")}.
                </p>`
          }
          ${notesOf([
            ...notes,
            "The service lists no withdrawals, no conversions and no interest: one of this wallet is in the part that no row explains."
          ])}`
      )
    }
  })
}

/** A statement for each account whose wallet was read at the begin and at the end. */
export const statementSections = (report: Report): ReadonlyArray<Block> => {
  if (report.statements.length > 0) return report.statements.map((statement) => accountSection(report, statement))
  const because =
    report.month === undefined
      ? "this export has no balances of its begin and its end"
      : "balances are known at the begin and the end of the export, and not of a month"
  return [without("Statement of the trading wallet", because)]
}
