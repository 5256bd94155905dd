import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import { count, countNoun, instant } from "../output/text.js"
import { type Block, amount, legend, mostRows, notesOf, section, table, without } from "./elements.js"
import { empty, html, type Html } from "./html.js"
import * as money from "../figures/money.js"
import type { Period } from "../figures/period.js"
import * as plots from "./plots.js"
import type { Of, Report } from "../figures/readReport.js"
import type { Closed, Executed, Market, Series } from "../figures/tally.js"
import { tradingFees } from "../figures/tally.js"

// The sections with charts of earnings, payments and trades.

/** A chart with its name and total, and its values as text. */
const figure = (options: {
  readonly title: string
  readonly sum?: string
  readonly drawings: ReadonlyArray<Html>
  readonly figures: Html
}): Html =>
  html` <figure>
    <figcaption>
      <h3>${options.title}</h3>
      ${options.sum === undefined ? empty : html`<span class="figure">${options.sum}</span>`}
    </figcaption>
    ${options.drawings.map((drawing) => html`<div class="drawing" role="region" aria-label="${options.title}" tabindex="0">${drawing}</div>`)}
    <details>
      <summary>In figures</summary>
      ${options.figures}
    </details>
  </figure>`

const seriesTable = (series: Series, period: Period): Html => {
  let total = money.zero
  return table(
    `${series.kind} in ${series.currency}`,
    [
      { name: "From (UTC)" },
      { name: "Rows", isNumber: true },
      { name: series.currency, isNumber: true },
      { name: `${series.currency} in all`, isNumber: true }
    ],
    Array.from(series.steps)
      .sort(([left], [right]) => left - right)
      .map(([index, sum]) => {
        total = BigDecimal.sum(total, sum.amount)
        return [instant(period.bounds(index)[0]), count(sum.rows), money.text(sum.amount), money.text(total)]
      })
  )
}

/** The maximum number of charts of one kind; a table has the sums of the others. */
const mostPictures = 12

const pictures = <A>(all: ReadonlyArray<A>, draw: (item: A) => Html, line: (item: A) => string): Html => {
  const rest = all.slice(mostPictures)
  return html`${all.slice(0, mostPictures).map(draw)}${
    rest.length === 0
      ? empty
      : html`<div class="card">
          <p>${countNoun(rest.length, "more sum")}, not drawn:</p>
          <ul>
            ${rest.slice(0, 200).map((item) => html`<li>${line(item)}</li>`)}
          </ul>
        </div>`
  }`
}

const pnlFigure =
  (of: string, period: Period) =>
  (series: Series): Html => {
    const title = `${of}, in ${series.currency}`
    return figure({
      title,
      sum: `${amount(series.total.amount, series.currency)} from ${countNoun(series.total.rows, "row")}`,
      drawings: [
        plots.cumulative(
          `Line: ${title}, added up over time; it ends at ${amount(series.total.amount, series.currency)}.`,
          series,
          period
        ),
        plots.perStep(
          `Bars: ${title}, per ${period.stepName}.`,
          series,
          period,
          { above: "var(--above)", below: "var(--below)" },
          150
        )
      ],
      figures: seriesTable(series, period)
    })
  }

const feesFigure =
  (of: string, period: Period) =>
  (series: Series): Html => {
    const title = `${series.kind === tradingFees ? "Trading fees" : series.kind}, in ${series.currency}`
    return figure({
      title,
      sum: `${amount(series.total.amount, series.currency)} from ${countNoun(series.total.rows, "row")}`,
      drawings: [
        plots.perStep(
          `Bars: ${of}, ${title}, per ${period.stepName}; ${amount(series.total.amount, series.currency)} in all.`,
          series,
          period,
          { above: "var(--fee)", below: "var(--above)" },
          190
        )
      ],
      figures: seriesTable(series, period)
    })
  }

const volumeFigure = (market: Market): Html => {
  const title = `Volume by symbol: ${market.category}, in ${market.currency}`
  return figure({
    title,
    sum: `${amount(market.total.value, market.currency)} in ${countNoun(market.total.fills, "fill")}`,
    drawings: [
      plots.volume(`Bars: ${title}, largest first; ${amount(market.total.value, market.currency)} in all.`, market)
    ],
    figures: html`${table(
      title,
      [
        { name: "Symbol" },
        { name: "Fills", isNumber: true },
        { name: market.currency, isNumber: true },
        { name: "of it as maker", isNumber: true },
        { name: "share", isNumber: true }
      ],
      market.symbols
        .slice(0, mostRows)
        .map(({ fills, makerValue, symbol, value }) => [
          symbol,
          count(fills),
          money.text(value),
          money.text(makerValue),
          money.share(makerValue, value) ?? "\u2013"
        ])
    )}${market.symbols.length <= mostRows ? empty : html`<p class="note">and ${countNoun(market.symbols.length - mostRows, "more symbol")}</p>`}`
  })
}

const makerFigure = (of: string, markets: ReadonlyArray<Market>): Html =>
  figure({
    title: "Maker share",
    drawings: [
      plots.makerShare(`Bars: ${of}, how much was traded as maker, by value and by number of fills.`, markets)
    ],
    figures: table(
      "Maker share",
      [
        { name: "Market" },
        { name: "Value", isNumber: true },
        { name: "as maker", isNumber: true },
        { name: "share", isNumber: true },
        { name: "Fills", isNumber: true },
        { name: "as maker", isNumber: true }
      ],
      markets.map(({ category, currency, total }) => [
        `${category}, ${currency}`,
        money.text(total.value),
        money.text(total.makerValue),
        money.share(total.makerValue, total.value) ?? "\u2013",
        count(total.fills),
        count(total.makerFills)
      ])
    )
  })

const noRows = "there are no rows to draw"

export const drawClosed = (
  report: Report,
  { isChanged, notes, outcome, title }: Of<Closed>,
  heading: string
): ReadonlyArray<Block> =>
  Either.match(outcome, {
    onLeft: ({ because }) => [without(heading, because)],
    onRight: ({ pnl }) =>
      pnl.length === 0
        ? [without(heading, noRows), notesOf(notes)]
        : [
            section(
              heading,
              isChanged,
              html`${pictures(pnl, pnlFigure(title, report.period), (series) => `${amount(series.total.amount, series.currency)} (${countNoun(series.total.rows, "row")})`)}
              ${notesOf(notes)}`
            )
          ]
  })

export const drawExecuted = (
  report: Report,
  { isChanged, notes, outcome, title }: Of<Executed>,
  headings: readonly [string, string, string]
): ReadonlyArray<Block> =>
  Either.match(outcome, {
    onLeft: ({ because }) => headings.map((heading) => without(heading, because)),
    onRight: ({ fees, markets }) => {
      const [feesHeading, volumeHeading, makerHeading] = headings
      const paid =
        fees.length === 0
          ? without(feesHeading, noRows)
          : section(
              feesHeading,
              isChanged,
              html`<p class="note">
                  What was paid is above zero, what was received below. Fees of different currencies are never added up.
                </p>
                ${pictures(fees, feesFigure(title, report.period), (series) => `${series.kind}: ${amount(series.total.amount, series.currency)} (${countNoun(series.total.rows, "row")})`)}`
            )
      const traded =
        markets.length === 0
          ? [without(volumeHeading, noRows), without(makerHeading, noRows)]
          : [
              section(
                volumeHeading,
                isChanged,
                html`${pictures(markets, volumeFigure, ({ category, currency, total }) => `${category}: ${amount(total.value, currency)} (${countNoun(total.fills, "fill")})`)}`
              ),
              section(
                makerHeading,
                isChanged,
                html`${legend([
                  ["var(--line)", "maker"],
                  ["var(--quiet)", "taker"]
                ])}
                ${makerFigure(title, markets.slice(0, mostPictures))}`
              )
            ]
      return [paid, ...traded, notesOf(notes)]
    }
  })
