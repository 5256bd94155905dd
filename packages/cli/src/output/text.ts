import { inOneLine } from "@effect-venue/transport/siblings/ShownText"
import * as DateTime from "effect/DateTime"

/** `12345` as `12,345`. */
export const count = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",")

/** `1 page`, `2 pages`. */
export const countNoun = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? "" : "s"}`

/** An instant to the second, in UTC. */
export const instant = (millis: number): string =>
  DateTime.formatIso(DateTime.unsafeMake(millis))
    .replace("T", " ")
    .replace(/\.\d+Z$/, "")

/** Bytes, for people. */
export const size = (bytes: number): string =>
  bytes < 1000
    ? `${bytes} bytes`
    : bytes < 1_000_000
      ? `${(bytes / 1000).toFixed(1)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`

/** Rows of text in aligned columns; the first row is the header. Values of the service cannot command the terminal. */
export const table = (texts: ReadonlyArray<ReadonlyArray<string>>): string => {
  const rows = texts.map((row) => row.map(inOneLine))
  const widths = rows.reduce<ReadonlyArray<number>>(
    (known, row) => row.map((cell, column) => Math.max(known[column] ?? 0, cell.length)),
    []
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}
