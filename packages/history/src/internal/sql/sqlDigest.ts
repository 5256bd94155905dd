import * as sha256 from "#sha256"
import type * as Dataset from "../../Dataset.js"
import * as Cell from "../formats/cell.js"

const bits = 128

const utf8 = new TextEncoder()

/** The first half of a text's digest, as hexadecimal text. */
const sumOf = (text: string): string => {
  const digest = sha256.begin()
  digest.update(utf8.encode(text))
  return digest.hex().slice(0, 32)
}

/** A text of a record that is the same before writing and after reading, independent of how the database stores numbers. */
const spelled = (dataset: Dataset.Dataset<never, unknown>, record: Readonly<Record<string, unknown>>): string =>
  JSON.stringify([
    record.venue_key,
    record.venue_extra,
    record.venue_account,
    record.venue_category,
    ...dataset.columns.map((column) => {
      const value = record[column.name]
      if (value === null || value === undefined) return null
      return column.kind === "boolean"
        ? Number(value)
        : Cell.canonical({ ...column, kind: column.kind === "decimal" ? "decimal" : "text" }, value)
    })
  ])

/** Adds records to the digest of a window, or removes them. The digest is a sum, so the order does not matter. Hexadecimal text. */
export const digest = (
  dataset: Dataset.Dataset<never, unknown>,
  records: ReadonlyArray<Readonly<Record<string, unknown>>>,
  before = "0",
  sign: 1n | -1n = 1n
): string =>
  BigInt.asUintN(
    bits,
    records.reduce((sum, record) => sum + sign * BigInt(`0x${sumOf(spelled(dataset, record))}`), BigInt(`0x${before}`))
  ).toString(16)
