import type * as BigDecimal from "effect/BigDecimal"
import { empty, html, type Html } from "./html.js"
import * as money from "../figures/money.js"
import { formatInstant } from "@effect-venue/schemas/siblings/Words"

// The elements of the sections of a page.

export const day = (millis: number): string => formatInstant(millis).slice(0, 10)

export const when = (millis: number | null): string => (millis === null ? "\u2013" : formatInstant(millis))

/** The verdict on an export or a part. `changed`: its files differ from those that were written. */
export type Verdict = "complete" | "incomplete" | "changed"

export const verdict = (word: Verdict): Html => html`<span class="verdict ${word}">${word}</span>`

export interface Column {
  readonly name: string
  readonly isNumber?: boolean
}

/** The number of rows that a table shows. */
export const mostRows = 500

/** `name` is the name of the table for screen readers. The first cell of a row is its header. */
export const table = (
  name: string,
  columns: ReadonlyArray<Column>,
  rows: ReadonlyArray<ReadonlyArray<string | Html>>
): Html =>
  html` <div class="scroll" role="region" aria-label="${name}" tabindex="0">
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
              ${row.map((cell, index) =>
                index === 0
                  ? html`<th scope="row">${cell}</th>`
                  : html`<td${columns[index]?.isNumber === true ? html` class="number"` : empty}>${cell}</td>`
              )}
            </tr> `
        )}
      </tbody>
    </table>
  </div>`

export const amount = (sum: BigDecimal.BigDecimal, currency: string): string => `${money.text(sum)} ${currency}`

export const notesOf = (notes: ReadonlyArray<string>): Html =>
  notes.length === 0
    ? empty
    : html`<ul class="note">
        ${notes.map((note) => html`<li>${note}</li>`)}
      </ul>`

export const legend = (entries: ReadonlyArray<readonly [colour: string, text: string]>): Html =>
  html`<ul class="legend">
    ${entries.map(([colour, text]) => html`<li><i style="background:${colour}"></i>${text}</li>`)}
  </ul>`

/** A section without data. */
export class Omitted {
  constructor(
    readonly heading: string,
    readonly because: string
  ) {}
}

/** A section of the page, notes below it, or an empty section. */
export type Block = Html | Omitted

export const without = (heading: string, because: string): Omitted => new Omitted(heading, because)

/** Lists the sections without data in one section. */
export const listOmitted = (omitted: ReadonlyArray<Omitted>): Html => {
  const reasons = [...new Set(omitted.map(({ because }) => because))]
  const headings = (reason: string) => omitted.filter(({ because }) => because === reason).map(({ heading }) => heading)
  return omitted.length === 0
    ? empty
    : section(
        "Left out",
        false,
        html`<ul class="card note omitted">
          ${reasons.map((reason) => html`<li>${headings(reason).join(", ")}: ${reason}.</li>`)}
        </ul>`
      )
}

/** A section. If it is changed, all of its figures are struck through; if it is partly changed, only the affected ones. */
export const section = (heading: string, isChanged: boolean | "partly", content: Html): Html =>
  html`<section${isChanged === true ? html` class="changed"` : empty}>
    <h2>${heading}</h2>
    ${
      isChanged === false
        ? empty
        : html`<p class="struck-note">
            <strong>Not as it was written.</strong> Rows behind the struck figures were changed, removed or added.
          </p>`
    }
    ${content}
  </section>`
