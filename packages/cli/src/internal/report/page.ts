import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import { count, counted, instant } from "../text.js"
import * as coverage from "./coverage.js"
import { empty, html, Html } from "./html.js"
import * as money from "./money.js"
import type { Period } from "./period.js"
import * as plots from "./plots.js"
import type { Covered, Of, Report } from "./read.js"
import { style } from "./style.js"
import type { Closed, Executed, Market, Series } from "./tally.js"
import { tradingFees } from "./tally.js"

const day = (millis: number): string => instant(millis).slice(0, 10)

const when = (millis: number | null): string => (millis === null ? "\u2013" : instant(millis))

const verdict = (word: "complete" | "incomplete"): Html => html`<span class="verdict ${word}">${word}</span>`

interface Column {
  readonly name: string
  readonly isNumber?: boolean
}

const table = (columns: ReadonlyArray<Column>, rows: ReadonlyArray<ReadonlyArray<string | Html>>): Html =>
  html` <div class="scroll" tabindex="0">
    <table>
      <thead>
        <tr>
          ${columns.map(({ isNumber, name }) => html`<th scope="col" ${isNumber === true ? html` class="number"` : empty}>${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell, index) => html`<td${columns[index]?.isNumber === true ? html` class="number"` : empty}>${cell}</td>`)}
            </tr> `
        )}
      </tbody>
    </table>
  </div>`

/** A picture with its name, what it comes to, and the same in words and figures. */
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
    ${options.drawings.map((drawing) => html`<div class="drawing">${drawing}</div>`)}
    <details>
      <summary>In figures</summary>
      ${options.figures}
    </details>
  </figure>`

const amount = (sum: BigDecimal.BigDecimal, currency: string): string => `${money.text(sum)} ${currency}`

const seriesTable = (series: Series, period: Period): Html => {
  let total = money.zero
  return table(
    [
      { name: "From (UTC)" },
      { name: "Rows", isNumber: true },
      { name: series.currency, isNumber: true },
      { name: `${series.currency} in all`, isNumber: true }
    ],
    Array.from(series.steps)
      .sort(([one], [other]) => one - other)
      .map(([index, sum]) => {
        total = BigDecimal.sum(total, sum.amount)
        return [instant(period.bounds(index)[0]), count(sum.rows), money.text(sum.amount), money.text(total)]
      })
  )
}

/** The number of charts of one kind that are drawn; the sums of the others are in a table. */
const mostPictures = 12

const pictures = <A>(all: ReadonlyArray<A>, draw: (one: A) => Html, line: (one: A) => string): Html => {
  const rest = all.slice(mostPictures)
  return html`${all.slice(0, mostPictures).map(draw)}${
    rest.length === 0
      ? empty
      : html`<div class="card">
          <p>${counted(rest.length, "more sum")}, not drawn:</p>
          <ul>
            ${rest.slice(0, 200).map((one) => html`<li>${line(one)}</li>`)}
          </ul>
        </div>`
  }`
}

const notesOf = (notes: ReadonlyArray<string>): Html =>
  notes.length === 0
    ? empty
    : html`<ul class="note">
        ${notes.map((note) => html`<li>${note}</li>`)}
      </ul>`

const pnlFigure =
  (of: string, period: Period) =>
  (series: Series): Html => {
    const title = `${of}, in ${series.currency}`
    return figure({
      title,
      sum: `${amount(series.total.amount, series.currency)} from ${counted(series.total.rows, "row")}`,
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
      sum: `${amount(series.total.amount, series.currency)} from ${counted(series.total.rows, "row")}`,
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

const mostRows = 500

const volumeFigure = (market: Market): Html => {
  const title = `Volume by symbol: ${market.category}, in ${market.currency}`
  return figure({
    title,
    sum: `${amount(market.total.value, market.currency)} in ${counted(market.total.fills, "fill")}`,
    drawings: [
      plots.volume(`Bars: ${title}, largest first; ${amount(market.total.value, market.currency)} in all.`, market)
    ],
    figures: html`${table(
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
    )}${market.symbols.length <= mostRows ? empty : html`<p class="note">and ${counted(market.symbols.length - mostRows, "more symbol")}</p>`}`
  })
}

const makerFigure = (of: string, markets: ReadonlyArray<Market>): Html =>
  figure({
    title: "Maker share",
    drawings: [
      plots.makerShare(`Bars: ${of}, how much was traded as maker, by value and by number of fills.`, markets)
    ],
    figures: table(
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

const legend = (entries: ReadonlyArray<readonly [colour: string, text: string]>): Html =>
  html`<ul class="legend">
    ${entries.map(([colour, text]) => html`<li><i style="background:${colour}"></i>${text}</li>`)}
  </ul>`

const without = (heading: string, because: string): Html =>
  html`<section>
    <h2>${heading}</h2>
    <p class="card note">Left out: ${because}.</p>
  </section>`

const closedSection = (report: Report, { notes, outcome, title }: Of<Closed>, heading: string): Html =>
  Either.match(outcome, {
    onLeft: ({ because }) => without(heading, because),
    onRight: ({ pnl }) =>
      pnl.length === 0
        ? html`${without(heading, "there are no rows to draw")}${notesOf(notes)}`
        : html`<section>
            <h2>${heading}</h2>
            ${pictures(pnl, pnlFigure(title, report.period), (series) => `${amount(series.total.amount, series.currency)} (${counted(series.total.rows, "row")})`)}
            ${notesOf(notes)}
          </section>`
  })

const executedSection = (
  report: Report,
  { notes, outcome, title }: Of<Executed>,
  headings: readonly [string, string, string]
): Html =>
  Either.match(outcome, {
    onLeft: ({ because }) => html`${headings.map((heading) => without(heading, because))}`,
    onRight: ({ fees, markets }) => {
      const [feesHeading, volumeHeading, makerHeading] = headings
      const traded = markets.slice(0, mostPictures)
      return html`${
        fees.length === 0
          ? without(feesHeading, "there are no rows to draw")
          : html`<section>
              <h2>${feesHeading}</h2>
              <p class="note">
                What was paid is above zero, what was received below. Fees of different currencies are never added up.
              </p>
              ${pictures(fees, feesFigure(title, report.period), (series) => `${series.kind}: ${amount(series.total.amount, series.currency)} (${counted(series.total.rows, "row")})`)}
            </section>`
      }${
        markets.length === 0
          ? html`${without(volumeHeading, "no row says a value")}${without(makerHeading, "no row says a value")}`
          : html`<section>
                <h2>${volumeHeading}</h2>
                ${pictures(markets, volumeFigure, ({ category, currency, total }) => `${category}: ${amount(total.value, currency)} (${counted(total.fills, "fill")})`)}
              </section>
              <section>
                <h2>${makerHeading}</h2>
                ${legend([
                  ["var(--line)", "maker"],
                  ["var(--quiet)", "taker"]
                ])}
                ${makerFigure(title, traded)}
              </section>`
      }${notesOf(notes)}`
    }
  })

const coverageFigure =
  (report: Report) =>
  (covered: Covered): Html => {
    const { part, stretches } = covered
    const gaps = stretches.filter(coverage.isGap)
    const told = gaps.length === 0 ? "no gap" : counted(gaps.length, "gap")
    return html` <figure class="coverage">
      <figcaption>
        <h3>${part.name}</h3>
        <span class="figure"
          >${counted(part.windows.length, "window")}, ${told}
          ${verdict(gaps.length === 0 ? part.verdict : "incomplete")}</span
        >
      </figcaption>
      <div class="drawing">
        ${plots.strip(`Strip: what of ${part.name} was read from ${instant(report.manifest.from)} to ${instant(report.manifest.to)} UTC: ${told}.`, covered, report.period)}
      </div>
      ${
        gaps.length === 0
          ? empty
          : table(
              [{ name: "Why" }, { name: "From (UTC)" }, { name: "To (UTC)" }],
              gaps.slice(0, mostRows).map(({ because, from, to }) => [because, instant(from), instant(to)])
            )
      }
    </figure>`
  }

const summary = ({ covered }: Report): Html =>
  table(
    [
      { name: "Part" },
      { name: "Rows", isNumber: true },
      { name: "First row (UTC)" },
      { name: "Last row (UTC)" },
      { name: "Windows", isNumber: true },
      { name: "Verdict" }
    ],
    covered.map(({ part, stretches }) => [
      html`${part.name}${part.caveat === null ? empty : html`<br /><span class="note">${part.caveat}</span>`}`,
      count(part.rows),
      when(part.first),
      when(part.last),
      count(part.windows.length),
      verdict(stretches.some(coverage.isGap) ? "incomplete" : part.verdict)
    ])
  )

const tile = (name: string, value: string | Html): Html =>
  html`<div class="tile">
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`

const tiles = (report: Report): ReadonlyArray<Html> => [
  tile("Rows", count(report.manifest.rows)),
  tile("Verdict", verdict(isWhole(report) ? "complete" : "incomplete")),
  ...report.closed.flatMap(({ outcome }) =>
    Either.isLeft(outcome)
      ? []
      : outcome.right.pnl
          .slice(0, 3)
          .map(({ currency, total }) =>
            tile("Realised PnL", html`${money.text(total.amount)} <small>${currency}</small>`)
          )
  ),
  ...report.executed.flatMap(({ outcome }) =>
    Either.isLeft(outcome)
      ? []
      : outcome.right.fees
          .filter(({ kind }) => kind === tradingFees)
          .slice(0, 3)
          .map(({ currency, total }) =>
            tile("Trading fees", html`${money.text(total.amount)} <small>${currency}</small>`)
          )
  )
]

/** Whether the export is complete, as it says itself and as it was found. */
export const isWhole = ({ covered, findings, manifest }: Report): boolean =>
  manifest.verdict === "complete" &&
  findings.length === 0 &&
  covered.every(({ stretches }) => !stretches.some(coverage.isGap))

const alarm = ({ findings }: Report): Html =>
  findings.length === 0
    ? empty
    : html`<div class="alarm" role="alert">
        <strong>The files are not as they were written.</strong> What follows cannot be relied on.
        <ul>
          ${findings.slice(0, mostRows).map((finding) => html`<li>${finding}</li>`)}
        </ul>
      </div>`

// Nothing is fetched and nothing runs, whatever a text of the export says.
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/** The whole page. The same export gives the same page. */
export const page = (report: Report): string => {
  const { from, to } = report.manifest
  const [pnl, pnlBefore] = report.closed
  const [fills, fillsBefore] = report.executed
  // Most exports have nothing from before the unified account: that goes without saying.
  const isThere = ({ outcome }: Of<unknown>) => Either.isRight(outcome) || !outcome.left.isAbsent
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Export report, ${day(from)} to ${day(to)}</title>
        <style>
          ${new Html(style)}
        </style>
      </head>
      <body>
        <svg width="0" height="0" style="position:absolute" aria-hidden="true">
          <defs>
            <pattern id="gap" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width="7" height="7" fill="var(--bad-ground)" />
              <rect width="3.5" height="7" fill="var(--bad)" />
            </pattern>
          </defs>
        </svg>
        <main>
          <header>
            <h1>Export report</h1>
            <p class="soft">${instant(from)} to ${instant(to)} UTC, the end not included</p>
            <dl class="tiles">${tiles(report)}</dl>
            ${alarm(report)}
          </header>
          <section>
            <h2>What was exported</h2>
            <div class="card">${summary(report)}</div>
          </section>
          <section>
            <h2>Coverage</h2>
            ${legend([
              ["var(--covered)", "read to the end; the stronger, the more rows"],
              ["color-mix(in srgb, var(--covered) 14%, transparent)", "read to the end, no rows"],
              [
                "repeating-linear-gradient(135deg, var(--bad) 0 3px, var(--bad-ground) 3px 6px)",
                "missing, or not known to be complete"
              ]
            ])}
            ${report.covered.map(coverageFigure(report))}
          </section>
          ${pnl === undefined ? empty : closedSection(report, pnl, "Realised profit and loss")}
          ${pnlBefore === undefined || !isThere(pnlBefore) ? empty : closedSection(report, pnlBefore, "Realised profit and loss, before the unified account")}
          ${fills === undefined ? empty : executedSection(report, fills, ["Fees", "Volume", "Maker share"])}
          ${
            fillsBefore === undefined || !isThere(fillsBefore)
              ? empty
              : executedSection(report, fillsBefore, [
                  "Fees, before the unified account",
                  "Volume, before the unified account",
                  "Maker share, before the unified account"
                ])
          }
          <footer>
            <p>
              Sums are exact; what is drawn is rounded to the size of the picture. The rows do not name their
              currencies: those follow from category and symbol, and fees of spot trades are taken to be in the currency
              that was bought. Executions that are no trades, such as funding, count neither as volume nor for the maker
              share.
            </p>
          </footer>
        </main>
      </body>
    </html> `.text
}
