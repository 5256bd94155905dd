import * as coverage from "../figures/coverage.js"
import { type Verdict, day, legend, mostRows, notesOf, section, table, verdict, when } from "./elements.js"
import { empty, html, type Html } from "./html.js"
import * as Layout from "../output/layout.js"
import * as plots from "./plots.js"
import type { Covered, Report } from "../figures/readReport.js"
import { countNoun, formatCount, formatInstant } from "@effect-venue/schemas/siblings/Words"

// The coverage of each part.

const hasGap = ({ stretches }: Covered): boolean => stretches.some(coverage.isGap)

export const verdictOf = ({ changed }: Pick<Report, "changed">, covered: Covered): Verdict =>
  changed.has(covered.part.name) ? "changed" : hasGap(covered) ? "incomplete" : covered.part.verdict

/** Completely read parts without rows, which need no line. */
const isQuiet =
  (report: Report) =>
  (covered: Covered): boolean =>
    covered.part.rows === 0 && verdictOf(report, covered) === "complete"

const gapTable = (covered: ReadonlyArray<Covered>): Html => {
  const gaps = covered.flatMap(({ part, stretches }) =>
    stretches
      .filter(coverage.isGap)
      .map((gap) => [part.name, gap.because, formatInstant(gap.from), formatInstant(gap.to)])
  )
  return gaps.length === 0
    ? empty
    : table(
        "Gaps",
        [{ name: "Part" }, { name: "Why" }, { name: "From (UTC)" }, { name: "To (UTC)" }],
        gaps.slice(0, mostRows)
      )
}

/** One picture with a band for each part. */
export const coverageSection = (report: Report): Html => {
  const { covered, manifest, period } = report
  const quiet = covered.filter(isQuiet(report))
  const drawn = covered.filter((band) => !quiet.includes(band))
  const gaps = covered.reduce((sum, { stretches }) => sum + stretches.filter(coverage.isGap).length, 0)
  const found = gaps === 0 ? "no gap" : countNoun(gaps, "gap")
  return section(
    "Coverage",
    false,
    html`${legend([
        ["var(--covered)", "read to the end; the stronger, the more rows"],
        ["color-mix(in srgb, var(--covered) 14%, transparent)", "read to the end, no rows"],
        [
          "repeating-linear-gradient(135deg, var(--bad) 0 3px, var(--bad-ground) 3px 6px)",
          "missing, or not known to be complete"
        ],
        ["var(--bad)", "red name: not as it was written"]
      ])}
      <figure class="coverage">
        <figcaption>
          <h3>${countNoun(covered.length, "part")}, ${found}</h3>
        </figcaption>
        ${
          drawn.length === 0
            ? empty
            : html`<div class="bands" style="--height:${drawn.length * plots.bandHeight}px">
                <ol style="line-height:${plots.bandHeight}px">
                  ${drawn.map(({ part }) => html`<li${report.changed.has(part.name) ? html` class="bad"` : empty}>${part.name}</li>`)}
                </ol>
                <div>
                  ${plots.bands(
                    `Bands: what was read of each part from ${formatInstant(manifest.from)} to ${formatInstant(manifest.to)} UTC: ${found}.`,
                    drawn,
                    period
                  )}
                  <p class="axis">
                    ${[period.from, (period.from + period.to) / 2, period.to].map((at) => html`<span>${day(at)}</span>`)}
                  </p>
                </div>
              </div>`
        }
        ${gapTable(covered)}
        ${
          quiet.length === 0
            ? empty
            : html`<details>
                <summary>${countNoun(quiet.length, "part")} without rows, read to the end</summary>
                <ul>
                  ${quiet.map(({ part }) => html`<li>${part.name}</li>`)}
                </ul>
              </details>`
        }
      </figure>`
  )
}

/** The exported parts. */
export const partsSection = (report: Report): Html =>
  section(
    "What was exported",
    false,
    html`<div class="card">
      ${table(
        "Parts",
        [
          { name: "Part" },
          { name: "Rows", isNumber: true },
          { name: "First row (UTC)" },
          { name: "Last row (UTC)" },
          { name: "Windows", isNumber: true },
          { name: "Verdict" }
        ],
        report.covered.map((covered) => {
          const { part } = covered
          const isChanged = report.changed.has(part.name)
          const figure = (text: string) => (isChanged ? html`<del>${text}</del>` : text)
          return [
            html`<span${isChanged ? html` class="bad"` : empty}>${part.name}</span>`,
            figure(formatCount(part.rows)),
            figure(when(part.first)),
            figure(when(part.last)),
            formatCount(part.windows.length),
            verdict(verdictOf(report, covered))
          ]
        })
      )}
      ${notesOf(Layout.caveatsOf(report.covered.map(({ part }) => part)))}
    </div>`
  )
