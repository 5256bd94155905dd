import * as Either from "effect/Either"
import * as Figures from "@effect-venue/books/Figures"
import * as Sum from "@effect-venue/books/Sum"
import { formatCount, formatInstant } from "@effect-venue/schemas/siblings/Words"
import { monthsSection, names, notesSection, resultSection, statementSections, totalsByUse } from "./books.js"
import { drawExecuted } from "./charts.js"
import * as coverage from "../figures/coverage.js"
import { coverageSection, partsSection } from "./coverageSection.js"
import { type Block, Omitted, day, mostRows, listOmitted, verdict } from "./elements.js"
import { empty, html, Html } from "./html.js"
import * as provenance from "./provenance.js"
import type { Of, Report } from "../figures/readReport.js"
import { style } from "./style.js"
import { type Footnotes, makeFootnotes, showSum } from "./sums.js"

const tile = (name: string, value: string | Html, isStruck = false): Html =>
  html`<div class="tile">
    <dt>${name}</dt>
    <dd>${isStruck ? html`<del>${value}</del>` : value}</dd>
  </div>`

/** The number of currencies with tiles; the table below has all of them. */
const mostCurrencies = 3

const tiles = (report: Report, footnotes: Footnotes): ReadonlyArray<Html> => [
  tile("Verdict", verdict(report.findings.length > 0 ? "changed" : isWhole(report) ? "complete" : "incomplete")),
  ...totalsByUse(report)
    .filter((total) => total.currency !== Figures.unknownCoin && !Sum.isNothing(Figures.netOf(total)))
    .slice(0, mostCurrencies)
    .map((total) =>
      tile(
        names.net,
        html`${showSum(Figures.netOf(total), footnotes)} <small>${total.currency}</small>`,
        report.changed.size > 0
      )
    ),
  tile(
    report.span === undefined ? "Rows" : "Rows of the export",
    formatCount(report.manifest.rows),
    report.changed.size > 0
  )
]

const isWholeResult = (result: Figures.Result): boolean =>
  Figures.parts.every((part) => Sum.lacksOf(result[part]).length === 0)

/** Whether the export is complete by its manifest and by verification, and no row is left out of a sum. */
export const isWhole = ({ covered, figures, findings, manifest }: Report): boolean =>
  manifest.verdict === "complete" &&
  findings.length === 0 &&
  figures.isWhole &&
  [...figures.totals, ...figures.lines].every(isWholeResult) &&
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

const charts = ({ executed: [fills, fillsBefore] }: Report): ReadonlyArray<Block> => [
  ...(fills === undefined ? [] : drawExecuted(fills, ["Volume", "Maker share"])),
  ...(fillsBefore === undefined || !isThere(fillsBefore)
    ? []
    : drawExecuted(fillsBefore, ["Volume, before the unified account", "Maker share, before the unified account"]))
]

const isShown = (block: Block): block is Html => block instanceof Html

const isOmitted = (block: Block): block is Omitted => block instanceof Omitted

/** The subject of the page: the whole export, or a month or year of it. */
const subject = ({ manifest: { from, to }, span, zone }: Report): Html =>
  html`<p class="soft">
    ${span === undefined ? "" : `${span}, in the time zone ${zone}, of the export from `}${formatInstant(from)} to
    ${formatInstant(to)} UTC, the end not included
  </p>`

/** The whole page. The same export gives the same page. */
export const page = (report: Report): string => {
  const { from, to } = report.manifest
  const footnotes = makeFootnotes()
  const header = tiles(report, footnotes)
  const statements = statementSections(report, footnotes)
  const months = monthsSection(report, footnotes)
  // The list of footnotes is in it, so it is made last.
  const result = resultSection(report, footnotes)
  const blocks = [result, ...statements, notesSection(report), ...months, ...charts(report)]
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Export report, ${report.span ?? `${day(from)} to ${day(to)}`}</title>
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
            <dl class="tiles">${header}</dl>
          </header>
          ${blocks.filter(isShown)} ${coverageSection(report)} ${partsSection(report)}
          ${listOmitted(blocks.filter(isOmitted))} ${provenance.provenanceSection(report)}
          <footer>
            <p>
              Sums are exact; what is drawn is rounded to the size of the picture, in steps of UTC. The coins of symbols
              are those that the service lists. Executions that are no trades, such as funding, count neither as volume
              nor for the maker share.
            </p>
          </footer>
        </main>
      </body>
    </html> `.text
}
