import * as Either from "effect/Either"
import { type Block, amount, legend, mostRows, notesOf, section, table, without } from "./elements.js"
import { empty, html, type Html } from "./html.js"
import * as money from "../figures/money.js"
import * as plots from "./plots.js"
import type { Of } from "../figures/readReport.js"
import type { Executed, Market } from "../figures/tally.js"
import { countNoun, formatCount } from "@effect-venue/schemas/siblings/Words"

// The sections with charts of trades.

/** A chart with its name and total, and its values as text. */
export const figure = (options: {
  readonly title: string
  readonly sum?: string
  readonly drawings: ReadonlyArray<Html>
  readonly figures?: Html
}): Html =>
  html` <figure>
    <figcaption>
      <h3>${options.title}</h3>
      ${options.sum === undefined ? empty : html`<span class="figure">${options.sum}</span>`}
    </figcaption>
    <div class="drawings">${options.drawings}</div>
    ${
      options.figures === undefined
        ? empty
        : html`<details>
            <summary>In figures</summary>
            ${options.figures}
          </details>`
    }
  </figure>`

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
          formatCount(fills),
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
        formatCount(total.fills),
        formatCount(total.makerFills)
      ])
    )
  })

const noRows = "there are no rows to draw"

export const drawExecuted = (
  { isChanged, notes, outcome, title }: Of<Executed>,
  headings: readonly [string, string]
): ReadonlyArray<Block> =>
  Either.match(outcome, {
    onLeft: ({ because }) => headings.map((heading) => without(heading, because)),
    onRight: ({ markets }) => {
      const [volumeHeading, makerHeading] = headings
      if (markets.length === 0) return [without(volumeHeading, noRows), without(makerHeading, noRows), notesOf(notes)]
      return [
        section(volumeHeading, isChanged, html`<div class="figures">${markets.map(volumeFigure)}</div>`),
        section(
          makerHeading,
          isChanged,
          html`${legend([
            ["var(--line)", "maker"],
            ["var(--quiet)", "taker"]
          ])}
          ${makerFigure(title, markets)}`
        ),
        notesOf(notes)
      ]
    }
  })
