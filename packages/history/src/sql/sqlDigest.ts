import * as sha256 from "#sha256"
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Dataset from "../model/Dataset.js"
import * as Cell from "../formats/cell.js"
import { isPostgres } from "./sqlSelect.js"

const bits = 128

const utf8 = new TextEncoder()

/** The first half of a text's digest, as hexadecimal text. */
const sumOf = (text: string): string => {
  const digest = sha256.begin()
  digest.update(utf8.encode(text))
  return digest.hex().slice(0, 32)
}

/** A text of a record that is the same before writing and after reading. Postgres stores the values of decimals, SQLite their text. */
const spell = (
  sql: SqlClient.SqlClient,
  dataset: Dataset.Dataset<never, unknown>,
  record: Readonly<Record<string, unknown>>
): string =>
  JSON.stringify([
    record.venue_key,
    record.venue_extra,
    record.venue_account,
    record.venue_category,
    ...dataset.columns.map((column) => {
      const value = record[column.name]
      if (value === null || value === undefined) return null
      if (column.kind === "boolean") return Number(value)
      const kind = column.kind === "decimal" && isPostgres(sql) ? "decimal" : "text"
      return Cell.canonical({ ...column, kind }, value)
    })
  ])

/** Adds texts to a digest, or removes them. The digest is a sum, so the order does not matter. Hexadecimal text. */
export const digestTexts = (texts: ReadonlyArray<string>, before = "0", sign: 1n | -1n = 1n): string =>
  BigInt.asUintN(
    bits,
    texts.reduce((sum, text) => sum + sign * BigInt(`0x${sumOf(text)}`), BigInt(`0x${before}`))
  ).toString(16)

/** The digest of all the texts of several digests; `undefined` if a digest is damaged. */
export const sum = (digests: ReadonlyArray<string>): string | undefined =>
  digests.every((digest) => /^[0-9a-f]+$/.test(digest))
    ? BigInt.asUintN(
        bits,
        digests.reduce((sum, digest) => sum + BigInt(`0x${digest}`), 0n)
      ).toString(16)
    : undefined

/** Adds records to the digest of a window, or removes them. */
export const digest = (
  sql: SqlClient.SqlClient,
  dataset: Dataset.Dataset<never, unknown>,
  records: ReadonlyArray<Readonly<Record<string, unknown>>>,
  before?: string,
  sign?: 1n | -1n
): string =>
  digestTexts(
    records.map((record) => spell(sql, dataset, record)),
    before,
    sign
  )
