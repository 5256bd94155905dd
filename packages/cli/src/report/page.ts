import * as Either from "effect/Either"
import { count, instant } from "../output/text.js"
import { moneySection, monthsSection, statementSections } from "./books.js"
import { drawClosed, drawExecuted } from "./charts.js"
import * as coverage from "../figures/coverage.js"
import { coverageSection, partsSection } from "./coverageSection.js"
import { type Block, Omitted, day, mostRows, listOmitted, verdict } from "./elements.js"
import { empty, html, Html } from "./html.js"
import * as money from "../figures/money.js"
import * as provenance from "./provenance.js"
import type { Of, Report } from "../figures/readReport.js"
import { style } from "./style.js"
import * as Totals from "../figures/totals.js"

const tile = (name: string, value: string | Html, isStruck = false): Html =>
  html`<div class="tile">
    <dt>${name}</dt>
    <dd>${isStruck ? html`<del>${value}</del>` : value}</dd>
  </div>`

/** The number of currencies with tiles; the table below has all of them. */
const mostCurrencies = 3

const tiles = (report: Report): ReadonlyArray<Html> => {
  const isStruck = report.closed.some(({ isChanged }) => isChanged)
  return [
    tile(
      report.month === undefined ? "Rows" : "Rows of the export",
      count(report.manifest.rows),
      report.changed.size > 0
    ),
    tile("Verdict", verdict(report.findings.length > 0 ? "changed" : isWhole(report) ? "complete" : "incomplete")),
    ...Totals.of(report.months)
      .flatMap(({ currency, pnl }) => (pnl === undefined || pnl.value === 0n ? [] : [{ currency, pnl }]))
      .slice(0, mostCurrencies)
      .map(({ currency, pnl }) =>
        tile("Realised PnL, net of fees", html`${money.text(pnl)} <small>${currency}</small>`, isStruck)
      )
  ]
}

/** Whether the export is complete by its manifest and by verification. */
export const isWhole = ({ covered, findings, manifest }: Report): boolean =>
  manifest.verdict === "complete" &&
  findings.length === 0 &&
  covered.every(({ stretches }) => !stretches.some(coverage.isGap))

const alarm = ({ findings }: Report): Html =>
  findings.length === 0
    ? empty
    : html`<div class="alarm" role="alert">
        <h2>The files are not as they were written</h2>
        <p>Figures that rest on them are struck, and cannot be relied on.</p>
        <ul>
          ${findings.slice(0, mostRows).map((finding) => html`<li>${finding}</li>`)}
        </ul>
      </div>`

// The page loads and runs nothing, even if a text of the export contains code.
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

// Most exports have no data from before the unified account, so its absence is not listed.
const isThere = ({ outcome }: Of<unknown>): boolean => Either.isRight(outcome) || !outcome.left.isAbsent

const charts = (report: Report): ReadonlyArray<Block> => {
  const [pnl, pnlBefore] = report.closed
  const [fills, fillsBefore] = report.executed
  return [
    ...(pnl === undefined ? [] : drawClosed(report, pnl, "Realised profit and loss")),
    ...(pnlBefore === undefined || !isThere(pnlBefore)
      ? []
      : drawClosed(report, pnlBefore, "Realised profit and loss, before the unified account")),
    ...(fills === undefined ? [] : drawExecuted(report, fills, ["Fees", "Volume", "Maker share"])),
    ...(fillsBefore === undefined || !isThere(fillsBefore)
      ? []
      : drawExecuted(report, fillsBefore, [
          "Fees, before the unified account",
          "Volume, before the unified account",
          "Maker share, before the unified account"
        ]))
  ]
}

const isShown = (block: Block): block is Html => block instanceof Html

const isOmitted = (block: Block): block is Omitted => block instanceof Omitted

/** The subject of the page: the whole export, or a month of it. */
const subject = ({ manifest: { from, to }, months: { zone }, month }: Report): Html =>
  html`<p class="soft">
    ${month === undefined ? "" : `${month}, in the time zone ${zone}, of the export from `}${instant(from)} to
    ${instant(to)} UTC, the end not included
  </p>`

/** The whole page. The same export gives the same page. */
export const page = (report: Report): string => {
  const { from, to } = report.manifest
  const blocks = [moneySection(report), ...monthsSection(report), ...statementSections(report), ...charts(report)]
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Export report, ${report.month ?? `${day(from)} to ${day(to)}`}</title>
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
            ${alarm(report)} ${subject(report)}
            <dl class="tiles">${tiles(report)}</dl>
          </header>
          ${blocks.filter(isShown)} ${coverageSection(report)} ${partsSection(report)}
          ${listOmitted(blocks.filter(isOmitted))} ${provenance.provenanceSection(report)}
          <footer>
            <p>
              Sums are exact; what is drawn is rounded to the size of the picture, in steps of UTC. The rows do not name
              their currencies: those follow from category and symbol, and fees of spot trades are taken to be in the
              currency that was received. Executions that are no trades, such as funding, count neither as volume nor
              for the maker share.
            </p>
          </footer>
        </main>
      </body>
    </html> `.text
}
