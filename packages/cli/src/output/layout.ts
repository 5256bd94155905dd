/** Lays out everything that is printed for people. No line is wider than the terminal, except for words that are wider by themselves. */
import type * as Manifest from "@effect-venue/history/Manifest"
import { formatInstant, listAll } from "@effect-venue/schemas/siblings/Words"
import { inOneLine } from "@effect-venue/schemas/siblings/ShownText"
import * as Terminal from "@effect/platform/Terminal"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"

const usualWidth = 80

/** The place that text is printed to. */
export interface Page {
  /** The width of the terminal, or 80 without one. */
  readonly width: number
  /** False in a pipe: programs that read a table from it expect one line per row, of any length. */
  readonly isTerminal: boolean
}

/** Returns the page of a terminal with a number of columns; 0 if there is none. */
export const pageOf = (columns: number): Page => ({
  width: columns > 0 ? columns : usualWidth,
  isTerminal: columns > 0
})

/** The page of standard output. */
export const page: Effect.Effect<Page, never, Terminal.Terminal> = Effect.map(
  Effect.flatMap(Terminal.Terminal, ({ columns }) => columns),
  pageOf
)

/** The columns that a text takes: signs of East Asian scripts take two. */
const widthOf = (text: string): number =>
  Array.from(text).reduce(
    (width, sign) => width + (/[\p{scx=Han}\p{scx=Hangul}\p{scx=Hira}\p{scx=Kana}]/u.test(sign) ? 2 : 1),
    0
  )

const longest = (texts: ReadonlyArray<string>): number => Math.max(0, ...texts.map(widthOf))

const padEnd = (text: string, width: number): string => `${text}${" ".repeat(Math.max(width - widthOf(text), 0))}`

const padStart = (text: string, width: number): string => `${" ".repeat(Math.max(width - widthOf(text), 0))}${text}`

/** Spaces where a line can be broken: not before a time of day, a zone or a unit. */
const spaces = /\s+(?!\d\d:\d\d\b|UTC\b|(?:ms|s|min|h|kB|MB)(?![\w-]))/

/** Breaks a text at spaces. The first line begins with `first`, the others with `hang`. */
const wrapAfter = (first: string, text: string, hang: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = first
  let isEmpty = true
  for (const word of text.split(spaces)) {
    if (isEmpty) line += word
    else if (widthOf(line) + 1 + widthOf(word) <= width) line += ` ${word}`
    else {
      lines.push(line)
      line = hang + word
    }
    isEmpty = false
  }
  return [...lines, line]
}

/** Breaks a text into lines of at most `width` columns, each after an indent. */
export const wrapText = (text: string, width: number = usualWidth, indent = ""): ReadonlyArray<string> =>
  text.trim() === "" ? [] : wrapAfter(indent, text.trim(), indent, width)

/** A line that begins with its subject, such as `verdict   complete`, continues below what it says about it. */
const subject = /^ *\S+ {2,}/

const wrapLine = (line: string, width: number): ReadonlyArray<string> => {
  if (widthOf(line) <= width) return [line]
  const indent = /^ */.exec(line)?.[0] ?? ""
  const head = subject.exec(line)?.[0] ?? ""
  return head !== "" && head.length <= width / 3
    ? wrapAfter(head, line.slice(head.length), " ".repeat(head.length), width)
    : wrapAfter(indent, line.trim(), `${indent}    `, width)
}

/** Wraps each line that is too wide. */
export const wrapLines = (text: string, width: number): string =>
  text
    .split("\n")
    .flatMap((line) => wrapLine(line, width))
    .join("\n")

const amount = /^-?[\d,]*\d(\.\d+)?( \[\d+\])?$/

const isAmounts = (cells: ReadonlyArray<string>): boolean =>
  cells.some((cell) => cell !== "") && cells.every((cell) => cell === "" || amount.test(cell))

/** Pads amounts so that their points stand below each other. Other cells stay as they are. */
const alignPoints = (cells: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (!isAmounts(cells)) return cells
  const cuts = cells.map((cell) => {
    const whole = /^[-\d,]*/.exec(cell)?.[0] ?? ""
    return [whole, cell.slice(whole.length)] as const
  })
  const [wholes, rests] = [longest(cuts.map(([whole]) => whole)), longest(cuts.map(([, rest]) => rest))]
  return cuts.map(([whole, rest]) => `${whole.padStart(wholes)}${rest.padEnd(rests)}`)
}

interface PairsOptions {
  readonly indent?: string
  /** The names to the right of which the values stand. Defaults to those of the entries. */
  readonly names?: ReadonlyArray<string>
}

/** Lays out names with their values beside them, or below them if a value has no room there. */
export const pairs = (
  entries: ReadonlyArray<readonly [name: string, value: string]>,
  width: number,
  { indent = "", names = entries.map(([name]) => name) }: PairsOptions = {}
): string => {
  const shown = entries.map(([name, value]) => [inOneLine(name), inOneLine(value)] as const)
  const margin = indent.length + longest(names.map(inOneLine)) + 2
  return shown
    .flatMap(([name, value]) => {
      const head = `${indent}${name}`
      const beside = `${padEnd(head, margin)}${value}`.trimEnd()
      if (widthOf(beside) <= width) return [beside]
      const hasRoom = margin <= width / 2 && margin + longest(value.split(spaces)) <= width
      if (hasRoom) return wrapAfter(padEnd(head, margin), value.trim(), " ".repeat(margin), width)
      return [head, ...wrapText(value, width, `${indent}  `)]
    })
    .join("\n")
}

/** A table: its rows have a cell for each head. */
export interface Table {
  readonly heads: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  /** The number of columns at the beginning that name a row. Defaults to 1. */
  readonly names?: number | undefined
}

/**
 * Lays out a table: amounts with their points below each other, and each row as a block of names and values if the table is wider than
 * `width`. Values of the service cannot command the terminal.
 */
export const table = ({ heads, names = 1, rows }: Table, width: number): string => {
  const shown = rows.map((row) => row.map(inOneLine))
  const columns = heads.map((head, column) => {
    const cells = shown.map((row) => row[column] ?? "")
    const aligned = alignPoints(cells)
    const pad = isAmounts(cells) ? padStart : padEnd
    const most = longest([head, ...aligned])
    return [head, ...aligned].map((cell) => pad(cell, most))
  })
  const lines = [heads, ...shown].map((_, row) =>
    columns
      .map((cells) => cells[row] ?? "")
      .join("  ")
      .trimEnd()
  )
  if (longest(lines) <= width) return lines.join("\n")
  return shown
    .map((row) => {
      const values = isAmounts(row.slice(names)) ? alignPoints(row.slice(names)) : row.slice(names)
      const entries = heads.slice(names).flatMap((head, column) => {
        const value = values[column] ?? ""
        return value.trim() === "" ? [] : [[head, value] as const]
      })
      const title = wrapLine(row.slice(0, names).join("  "), width).join("\n")
      return entries.length === 0
        ? title
        : `${title}\n${pairs(entries, width, { indent: "  ", names: heads.slice(names) })}`
    })
    .join("\n")
}

/** Lays out the records of a list: one line per row in a pipe, whatever its length. */
export const list = (content: Table, { isTerminal, width }: Page): string =>
  table(content, isTerminal ? width : Number.POSITIVE_INFINITY)

/** The lines of a call that can be typed into a shell, joined by backslashes. */
export const callLines = (call: string, width: number): ReadonlyArray<string> =>
  call.length + 2 <= width
    ? [`  ${call}`]
    : wrapText(call, width - 2, "    ").map(
        (part, index, all) => `${index === 0 ? part.slice(2) : part}${index === all.length - 1 ? "" : " \\"}`
      )

const entryMargin = 22

/** A name with its meaning beside or below it, in a page of help. */
export const entry = (name: string, meaning: string, width: number): ReadonlyArray<string> => {
  const head = `  ${name}`
  if (meaning.trim() === "") return [head]
  const margin = width < 60 ? 4 : entryMargin
  const lines = wrapText(meaning, width, " ".repeat(margin))
  return head.length < margin
    ? [head.padEnd(margin) + (lines[0] ?? "").trimStart(), ...lines.slice(1)]
    : [head, ...lines]
}

/** A heading with its lines; nothing without lines. */
export const section = (heading: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", heading, ...lines]

/** A part of a line that is redrawn. Empty texts are not shown. */
export interface RankedPart {
  readonly text: string
  /** The part with the highest rank is left out first if the line does not fit. */
  readonly rank: number
}

/** Joins the parts of a line, as many as fit. */
export const fitParts = (parts: ReadonlyArray<RankedPart>, width: number): string => {
  const shown = parts.filter(({ text }) => text !== "")
  const text = shown.map((part) => part.text).join("  ")
  if (widthOf(text) <= width) return text
  if (shown.length < 2) return text.slice(0, width)
  const last = Math.max(...shown.map(({ rank }) => rank))
  return fitParts(
    shown.filter(({ rank }) => rank !== last),
    width
  )
}

/** The line of a range that can lack rows: `missing` if a later run can fill it, `lost` if none can. */
export const missingLine = ({ because, from, lost, part, to }: Manifest.MissingOfPart): string =>
  `${lost ? "lost     " : "missing  "} ${part}, ${formatInstant(from)} to ${formatInstant(to)} UTC: ${because}`

/** The caveats of parts, each once with the names of its parts. */
export const caveatsOf = (parts: ReadonlyArray<Pick<Manifest.Part, "caveat" | "name">>): ReadonlyArray<string> =>
  Object.entries(Arr.groupBy(parts, ({ caveat }) => caveat ?? "")).flatMap(([caveat, of]) =>
    caveat === "" ? [] : [`${listAll(of.map(({ name }) => name))}: ${caveat}`]
  )
