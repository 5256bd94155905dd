import * as Figures from "@effect-venue/books/Figures"
import * as Sum from "@effect-venue/books/Sum"
import { countNoun, formatInstant } from "@effect-venue/schemas/siblings/Words"
import * as BigDecimal from "effect/BigDecimal"
import { figure } from "./charts.js"
import { type Block, legend, notesOf, section, table, without } from "./elements.js"
import { empty, html, type Html } from "./html.js"
import * as money from "../figures/money.js"
import * as plots from "./plots.js"
import type { Report } from "../figures/readReport.js"
import { type Footnotes, footnoteList, showSum, toMark } from "./sums.js"

// The sections for closing the books: results, statements, months.

/** The datasets that a part of a result rests on. */
const sources: Readonly<Record<Figures.Part, ReadonlyArray<string>>> = {
  pnl: ["closed-pnl", "pre-upgrade-closed-pnl"],
  fees: ["executions", "pre-upgrade-executions"],
  funding: ["executions", "pre-upgrade-executions"],
  bonuses: ["bonus-usage"]
}

export const names: Readonly<Record<Figures.Part | "net", string>> = {
  pnl: "Realised PnL",
  fees: "Fees",
  funding: "Funding",
  bonuses: "Bonuses",
  net: "Net"
}

const colours: Readonly<Record<Figures.Part, string>> = {
  pnl: "var(--line)",
  fees: "var(--fee)",
  funding: "var(--covered)",
  bonuses: "var(--quiet)"
}

type Show = (part: Figures.Part | "net" | "volume", sum: Sum.Sum) => Html

/** Shows a figure, struck through if it depends on changed rows. */
const figures = ({ changed, manifest }: Report, footnotes: Footnotes) => {
  const isChanged = (part: Figures.Part) =>
    manifest.parts.some(({ dataset, name }) => sources[part].includes(dataset) && changed.has(name))
  const struck = Figures.parts.filter(isChanged)
  const show: Show = (part, sum) => {
    const shown = showSum(sum, footnotes)
    // Volumes and fees are of the same rows.
    const isStruck = part === "net" ? struck.length > 0 : struck.includes(part === "volume" ? "fees" : part)
    return isStruck ? html`<del>${shown}</del>` : shown
  }
  return { isAny: struck.length > 0, show }
}

export const coinName = (currency: string): string => (currency === Figures.unknownCoin ? "not known" : currency)

/** The cells of a result: its parts and all of it. */
const cellsOf = (result: Figures.Result, show: Show): ReadonlyArray<Html> => [
  ...Figures.parts.map((part) => show(part, result[part])),
  html`<strong>${show("net", Figures.netOf(result))}</strong>`
]

const columns = [...Figures.parts, "net" as const].map((part) => ({ name: names[part], isNumber: true }))

const volumeColumn = { name: "Volume", isNumber: true }

const magnitude = (total: Figures.Total): number =>
  Math.max(...[...Figures.parts.map((part) => total[part])].map((sum) => Math.abs(money.position(toMark(sum).amount))))

/** The totals of coins, those first whose result changed most often. */
export const totalsByUse = ({ figures }: Report): ReadonlyArray<Figures.Total> => {
  const uses = ({ currency }: Figures.Total) => figures.steps.get(currency)?.size ?? 0
  return [...figures.totals].sort((left, right) => uses(right) - uses(left))
}

/** The number of coins that are drawn; the table below has all of them. */
const mostDrawn = 4

const textOf = (sum: Sum.Sum): string => {
  const { amount, lacks } = toMark(sum)
  return `${money.text(amount)}${lacks}`
}

const monthChart = ({ figures }: Report, currency: string): Html => {
  const months = figures.months.filter((month) => month.currency === currency)
  const bars = months.flatMap((month) =>
    Figures.parts.map((part) => ({
      ...{ month: month.month, part, fill: colours[part], amount: toMark(month[part]).amount },
      title: `${month.month}\n${names[part]} ${textOf(month[part])} ${currency}`
    }))
  )
  const nets = months.map((month) => {
    const net = Figures.netOf(month)
    return {
      ...{ month: month.month, part: "net", fill: "", amount: toMark(net).amount },
      isWhole: Sum.lacksOf(net).length === 0,
      title: `${month.month}\n${names.net} ${textOf(net)} ${currency}`
    }
  })
  return plots.results(`Bars: result per month in ${currency}, and its parts.`, currency, bars, nets)
}

const cumulatedChart = ({ figures, period }: Report, currency: string): Html => {
  let total = Sum.zero
  const points = Array.from(figures.steps.get(currency) ?? [])
    .sort(([left], [right]) => left - right)
    .map(([step, result]) => {
      const [from, to] = period.bounds(step)
      total = Sum.addAll([total, Figures.netOf(result)])
      return {
        to,
        total: toMark(total).amount,
        title: `${formatInstant(from)} to ${formatInstant(to)} UTC\n${textOf(Figures.netOf(result))} ${currency}\n${textOf(total)} ${currency} in all`
      }
    })
  return plots.cumulative(`Line: result in ${currency}, added up over time.`, currency, points, period)
}

/** The share of fees and funding of the realised profit. */
const costsOf = (total: Figures.Total): string | undefined => {
  const [pnl, fees, funding] = [total.pnl, total.fees, total.funding].map(toMark)
  if (pnl === undefined || fees === undefined || funding === undefined) return undefined
  if (pnl.amount.value <= 0n || `${pnl.lacks}${fees.lacks}${funding.lacks}` !== "") return undefined
  const paid = money.negate(fees.amount)
  if (BigDecimal.greaterThan(paid, pnl.amount)) return "fees are more than the realised PnL"
  const share = (cost: BigDecimal.BigDecimal) => money.share(money.negate(cost), pnl.amount) ?? ""
  return `fees are ${share(fees.amount)} and funding is ${share(funding.amount)} of the realised PnL`
}

/** The first section of a page: results over time, and of each coin. */
export const resultSection = (report: Report, footnotes: Footnotes): Block => {
  const { totals } = report.figures
  if (totals.length === 0) return without("Result", "there are no executions and no closed profits")
  const { isAny, show } = figures(report, footnotes)
  const chart = (total: Figures.Total): Html => {
    const [{ currency }, costs] = [total, costsOf(total)]
    return figure({
      title: `Result in ${currency}`,
      ...(costs === undefined ? {} : { sum: costs }),
      drawings: [monthChart(report, currency), cumulatedChart(report, currency)]
    })
  }
  return section(
    "Result",
    isAny ? "partly" : false,
    html`${legend([
        ...Figures.parts.map((part) => [colours[part], names[part]] as const),
        ["var(--text)", "Net, a hollow point if rows are not in it"]
      ])}
      ${totalsByUse(report)
        .filter((total) => magnitude(total) > 0)
        .slice(0, mostDrawn)
        .map(chart)}
      <div class="card">
        ${table(
          "Result by coin",
          [{ name: "Coin" }, ...columns],
          totals.map((total) => [coinName(total.currency), ...cellsOf(total, show)])
        )}
        <p class="note">
          What was received is above zero, what was paid below; a line adds up to its net. Realised PnL is exit value
          less entry value of closed positions, before fees.
        </p>
      </div>
      ${footnoteList(footnotes)}`
  )
}

const mostLines = 2000

/** Totals of months, and the contribution of each symbol. */
export const monthsSection = (report: Report, footnotes: Footnotes): ReadonlyArray<Block> => {
  const { lines, totals } = report.months
  if (lines.length === 0) return [without("Months", "there are no rows")]
  const hasAccounts = new Set(lines.map(({ account }) => account)).size > 1
  const { isAny, show } = figures(report, footnotes)
  const content = section(
    "Months",
    isAny ? "partly" : false,
    html`<p class="note">Months of the time zone ${report.zone}.</p>
      <div class="card">
        ${table(
          "Totals of months",
          [{ name: "Month" }, { name: "Coin" }, ...columns, volumeColumn],
          totals.map((month) => [
            month.month,
            coinName(month.currency),
            ...cellsOf(month, show),
            show("volume", month.volume)
          ])
        )}
      </div>
      <h3>By symbol</h3>
      <div class="card tall">
        ${table(
          "Months",
          [
            { name: "Month" },
            ...(hasAccounts ? [{ name: "Account" }] : []),
            { name: "Symbol" },
            { name: "Coin" },
            ...columns,
            volumeColumn
          ],
          lines
            .slice(0, mostLines)
            .map((line) => [
              line.month,
              ...(hasAccounts ? [line.account ?? "\u2013"] : []),
              html`${line.symbol} <small>${line.category}</small>`,
              coinName(line.currency),
              ...cellsOf(line, show),
              show("volume", line.volume)
            ])
        )}
      </div>
      ${lines.length <= mostLines ? empty : html`<p class="note">and ${countNoun(lines.length - mostLines, "more line")}</p>`}`
  )
  return [content]
}

export const labels: Readonly<Record<Figures.StatementLabel, string>> = {
  transfersIn: "Transfers in",
  transfersOut: "Transfers out",
  subAccounts: "Transfers with sub-accounts",
  deposits: "Deposits",
  realisedPnl: "Realised PnL",
  liquidations: "Liquidations",
  fees: "Fees",
  funding: "Funding",
  fundingInPnl: "Funding that the realised PnL has already",
  spotTrades: "Spot trades",
  bonuses: "Bonuses and coupons"
}

/** A balance rests on no row: it is not struck with the others. */
const solid = (amount: Html): Html => html`<span class="solid">${amount}</span>`

/** The result of a check in a table: an amount, or that it was not made. */
export const matchCheck = <A>(check: Figures.BalanceCheck, show: (amount: BigDecimal.BigDecimal) => A): A | string =>
  check._tag === "Passed" ? "0" : check._tag === "Failed" ? show(check.unexplained) : "not checked"

/** Why balances of a statement are not checked, each reason once. */
export const reasonsNotChecked = ({ coins }: Figures.AccountStatement): ReadonlyArray<string> => [
  ...new Set(coins.flatMap(({ check }) => (check._tag === "NotMade" ? [`Not checked: ${check.because}.`] : [])))
]

const statementTable = (
  of: string,
  { aside, check, closing, coin, entries, opening }: Figures.Statement,
  footnotes: Footnotes
): Html => {
  const show = (sum: Sum.Sum) => showSum(sum, footnotes)
  return html`<div class="card statement">
    <h3>${coin}${of}</h3>
    ${table(
      `Statement of ${coin}${of}`,
      [{ name: "Entry" }, { name: coin, isNumber: true }],
      [
        ["Opening balance", solid(show(opening))],
        ...entries.map(({ label, sum }) => [labels[label], show(sum)]),
        [
          "Not explained by any row",
          matchCheck(check, (amount) => html`<strong class="rest">${money.text(amount)}</strong>`)
        ],
        [html`<strong>Closing balance</strong>`, html`<strong>${solid(show(closing))}</strong>`]
      ]
    )}
    ${
      aside.length === 0
        ? empty
        : html`<ul class="note">
            ${aside.map(
              ({ label, sum }) =>
                html`<li>${labels[label]} of ${show(sum)} ${coin} are in another wallet of the account.</li>`
            )}
          </ul>`
    }
  </div>`
}

const isQuiet = ({ check, entries }: Figures.Statement): boolean => entries.length === 0 && check._tag !== "Failed"

const accountSection = (report: Report, statement: Figures.AccountStatement, footnotes: Footnotes): Block => {
  const { account, because, coins, computedFrom, from, to } = statement
  const of = account === null ? "" : `, ${account}`
  const heading = `Statement of the trading wallet${of}`
  if (because !== undefined) return without(heading, because)
  const isStruck = report.manifest.parts.some((part) => part.account === account && report.changed.has(part.name))
  const quiet = coins.filter((one) => isQuiet(one) && !Sum.isNothing(one.closing))
  const others = coins.filter((one) => !isQuiet(one))
  return section(
    heading,
    isStruck,
    html`<p class="note">
        From ${formatInstant(from)} to ${formatInstant(to)}
        UTC${
          computedFrom === undefined
            ? ", when the balances of the unified account were read."
            : html`. <strong>Opening and closing are computed back</strong> from the balance that was read at
                ${formatInstant(computedFrom)} UTC: they are wrong by whatever is not listed between, such as a
                withdrawal.`
        }
      </p>
      ${notesOf(reasonsNotChecked(statement))}
      <div class="statements">${others.map((one) => statementTable(of, one, footnotes))}</div>
      ${
        quiet.length === 0
          ? empty
          : html`<p class="card quiet">
              Unchanged:
              ${quiet.map(({ closing, coin }, index) => html`${index === 0 ? "" : ", "}${showSum(closing, footnotes)} ${coin}`)}.
            </p>`
      }
      <p class="note">
        The service lists no withdrawals, no conversions and no interest: one of this wallet is in the part that no row
        explains.
      </p>`
  )
}

/** The statement of each account. */
export const statementSections = (report: Report, footnotes: Footnotes): ReadonlyArray<Block> =>
  report.figures.statements.map((statement) => accountSection(report, statement, footnotes))

/** What is doubtful, each once. */
export const notesSection = ({ notes }: Report): Block =>
  notes.length === 0 ? without("Notes", "nothing is doubtful") : section("Notes", false, notesOf(notes))
