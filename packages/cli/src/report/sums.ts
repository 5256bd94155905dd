import * as Sum from "@effect-venue/books/Sum"
import { countNoun } from "@effect-venue/schemas/siblings/Words"
import type * as BigDecimal from "effect/BigDecimal"
import { empty, html, type Html } from "./html.js"
import * as money from "../figures/money.js"

// How a page shows sums. A sum that lacks rows has a number, and a list below has the reason of each number.

/** What a sum lacks, in words. */
export const lackText = ({ because, rows }: Sum.SumLack): string =>
  rows === undefined ? because : `${countNoun(rows, "row")}: ${because}`

/** The footnotes of a page or a table. */
export interface Footnotes {
  /** Returns the number of what a sum lacks. */
  readonly numberOf: (lacks: ReadonlyArray<Sum.SumLack>) => number
  readonly all: () => ReadonlyArray<readonly [number: number, text: string]>
}

export const makeFootnotes = (): Footnotes => {
  const numbers = new Map<string, number>()
  return {
    numberOf: (lacks) => {
      const text = lacks.map(lackText).join("; ")
      const number = numbers.get(text) ?? numbers.size + 1
      numbers.set(text, number)
      return number
    },
    all: () => Array.from(numbers, ([text, number]) => [number, text] as const)
  }
}

/** A sum with the number of its footnote, if it lacks rows. */
export const showSum = (sum: Sum.Sum, footnotes: Footnotes, show = money.text): Html =>
  Sum.match(sum, {
    whole: (value) => html`${show(value)}`,
    lacking: (value, lacks) => {
      const number = footnotes.numberOf(lacks)
      const text = lacks.map(lackText).join("; ")
      return html`${show(value)} <a class="lack" href="#lacks" title="Not in this sum: ${text}">[${number}]</a>`
    }
  })

/** The list of what sums lack. */
export const footnoteList = (footnotes: Footnotes): Html => {
  const all = footnotes.all()
  return all.length === 0
    ? empty
    : html`<div class="card lacks" id="lacks">
        <h3>Not in the sums</h3>
        <ol>
          ${all.map(([number, text]) => html`<li value="${number}">${text}</li>`)}
        </ol>
      </div>`
}

/** The amount of a sum for a position in a drawing, and what it lacks, in words. */
export const toMark = (sum: Sum.Sum): { readonly amount: BigDecimal.BigDecimal; readonly lacks: string } =>
  Sum.match(sum, {
    whole: (amount) => ({ amount, lacks: "" }),
    lacking: (amount, lacks) => ({ amount, lacks: `\nnot in it: ${lacks.map(lackText).join("; ")}` })
  })
