import { inOneLine } from "@effect-venue/transport/siblings/ShownText"

/** A row of a table of amounts. */
export interface AmountRow {
  readonly names: ReadonlyArray<string>
  readonly amounts: ReadonlyArray<string>
}

/** No line is longer, if its names are not. */
const mostColumns = 80

/** The digits before the point, and the rest. */
const cut = (amount: string): readonly [whole: string, rest: string] => {
  const whole = /^-?\d+/.exec(amount)?.[0] ?? ""
  return [whole, amount.slice(whole.length)]
}

/** The columns that a text takes: signs of East Asian scripts take two. */
const widthOf = (text: string): number =>
  Array.from(text).reduce(
    (width, sign) => width + (/[\p{scx=Han}\p{scx=Hangul}\p{scx=Hira}\p{scx=Kana}]/u.test(sign) ? 2 : 1),
    0
  )

const longest = (texts: ReadonlyArray<string>): number => Math.max(0, ...texts.map(widthOf))

const padEnd = (text: string, width: number): string => `${text}${" ".repeat(Math.max(width - widthOf(text), 0))}`

/** Pads amounts so that their points stand below each other. */
const alignPoints = (amounts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const cuts = amounts.map(cut)
  const [wholes, rests] = [longest(cuts.map(([whole]) => whole)), longest(cuts.map(([, rest]) => rest))]
  return cuts.map(([whole, rest]) => `${whole.padStart(wholes)}${rest.padEnd(rests)}`)
}

/** Lays out amounts under their names, with the points below each other: as a table, or a block for each row if that is wider than a terminal. */
export const layoutAmounts = (
  names: ReadonlyArray<string>,
  heads: ReadonlyArray<string>,
  rows: ReadonlyArray<AmountRow>
): string => {
  const shown = rows.map((row) => ({ ...row, names: row.names.map(inOneLine) }))
  const columns = heads.map((head, column) => {
    const aligned = alignPoints(shown.map(({ amounts }) => amounts[column] ?? ""))
    const width = longest([head, ...aligned])
    return { head: head.padStart(width), cells: aligned.map((cell) => cell.padStart(width)) }
  })
  const widths = names.map((name, column) => longest([name, ...shown.map((row) => row.names[column] ?? "")]))
  const named = (texts: ReadonlyArray<string>) => texts.map((text, column) => padEnd(text, widths[column] ?? 0))
  const lines = [
    [...named(names), ...columns.map(({ head }) => head)],
    ...shown.map((row, index) => [...named(row.names), ...columns.map(({ cells }) => cells[index] ?? "")])
  ].map((cells) => cells.join("  ").trimEnd())
  if (longest(lines) <= mostColumns) return lines.join("\n")
  const width = longest(heads)
  return shown
    .map((row) => {
      const aligned = alignPoints(row.amounts)
      return [
        row.names.join("  "),
        ...heads.map((head, column) => `  ${head.padEnd(width)}  ${aligned[column] ?? ""}`.trimEnd())
      ].join("\n")
    })
    .join("\n")
}

/** Breaks a text into lines that fit into a terminal, the second and later ones indented. Words that are longer stay whole. */
export const wrap = (text: string): string => {
  const lines: Array<string> = []
  let line = ""
  for (const word of inOneLine(text).split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`
    if (widthOf(longer) <= mostColumns || line.trim() === "") line = longer
    else {
      lines.push(line)
      line = `    ${word}`
    }
  }
  return [...lines, line].join("\n")
}
