import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import { inOneLine } from "@effect-venue/schemas/siblings/ShownText"
import { formatInstant } from "@effect-venue/schemas/siblings/Words"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Layout from "../output/layout.js"

// Prints a response for people: records as rows, the rest as names and values.

type Fields = Readonly<Record<string, unknown>>

const cell = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value)

const isRows = (value: unknown): value is ReadonlyArray<Fields> =>
  Array.isArray(value) && value.every((item) => Predicate.isRecord(item))

const few = 4

/** A value for people. Instants are printed in UTC. */
const read = (name: string, value: unknown): string => {
  const text = cell(value)
  return /(time|timestamp)$/i.test(name) && /^1\d{12}$/.test(text) ? `${formatInstant(Number(text))} UTC` : text
}

const lines = (rows: ReadonlyArray<Fields>, heads: ReadonlyArray<string>): string =>
  Layout.table({ heads, rows: rows.map((row) => heads.map((head) => read(head, row[head]))) }, Number.POSITIVE_INFINITY)

const pairsOf = (entries: ReadonlyArray<readonly [string, unknown]>, { isTerminal, width }: Layout.Page): string =>
  Layout.pairs(
    entries.map(([name, value]) => [name, read(name, value)]),
    isTerminal ? width : Number.POSITIVE_INFINITY
  )

const fits = (text: string, width: number): boolean => text.split("\n").every((line) => line.length <= width)

/** Flattens a field that is a record to names such as `priceFilter.tickSize`. */
const flatten = ([name, value]: readonly [string, unknown]): ReadonlyArray<readonly [string, unknown]> =>
  Predicate.isRecord(value)
    ? Object.entries(value).flatMap(([inner, nested]) => flatten([`${name}.${inner}`, nested]))
    : [[name, value]]

/** The names and values of a record, then its lists as tables. */
const recordText = (fields: Fields, page: Layout.Page): string => {
  const filled = Object.entries(fields)
    .flatMap(flatten)
    .filter(([, value]) => cell(value) !== "")
  const lists = filled.flatMap(([name, value]) => (isRows(value) && value.length > 0 ? [{ name, rows: value }] : []))
  const names = new Set(lists.map(({ name }) => name))
  const values = filled.filter(([name, value]) => !names.has(name) && cell(value) !== "[]")
  const blocks = [
    ...(values.length === 0 ? [] : [pairsOf(values, page)]),
    ...lists.map(({ name, rows }) => `${name}:\n${rowsText(rows, page)}`)
  ]
  return blocks.join("\n\n")
}

/** Every record separately, with its number. */
const recordTexts = (rows: ReadonlyArray<Fields>, page: Layout.Page): string =>
  rows.map((row, index) => `${index + 1} of ${rows.length}\n${recordText(row, page)}`).join("\n\n")

const hasLists = (rows: ReadonlyArray<Fields>): boolean =>
  rows.some((row) => Object.values(row).some((value) => isRows(value) && value.length > 0))

/**
 * Rows as a table of the fields that any row has. If that is too wide, fields that are equal in all rows go below, and if it is still too wide for
 * a terminal, each row is printed by itself. A single row always is.
 */
const rowsText = (rows: ReadonlyArray<Fields>, page: Layout.Page): string => {
  const [first, ...others] = rows
  if (first === undefined) return "no rows"
  if (others.length === 0) return recordText(first, page)
  if (hasLists(rows)) return recordTexts(rows, page)
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row).filter((name) => cell(row[name]) !== "")))]
  const whole = lines(rows, columns)
  if (fits(whole, page.width)) return whole
  const shared = columns.slice(few).filter((name) => others.every((row) => cell(row[name]) === cell(first[name])))
  const differing = lines(
    rows,
    columns.filter((name) => !shared.includes(name))
  )
  if (page.isTerminal && !fits(differing, page.width)) return recordTexts(rows, page)
  if (shared.length === 0) return whole
  return `${differing}\n\nin every row:\n${pairsOf(
    shared.map((name) => [name, first[name]]),
    page
  )}`
}

const listOf = (endpoint: Endpoint.Any, result: Fields): Option.Option<string> => {
  const paged = Option.map(endpoint.paging, ({ items }) => items)
  if (Option.exists(paged, (name) => isRows(result[name]))) return paged
  return Option.fromNullable(Object.keys(result).find((name) => isRows(result[name])))
}

/** The outcome of each order of a batch, beside the order. */
const pair = (result: Fields, extInfo: Fields): Fields => {
  const [orders, outcomes] = [result.list, extInfo.list]
  return isRows(orders) && isRows(outcomes) && orders.length === outcomes.length
    ? { ...result, list: orders.map((order, index) => ({ ...order, ...outcomes[index] })) }
    : { ...result, ...extInfo }
}

const parts = ({ extended }: Endpoint.Any, answer: Fields): Fields =>
  extended === true && Predicate.isRecord(answer.result) && Predicate.isRecord(answer.extInfo)
    ? pair(answer.result, answer.extInfo)
    : answer

/** Lays out a result for people. */
export const show = (endpoint: Endpoint.Any, answer: unknown, page: Layout.Page): string => {
  if (isRows(answer)) return rowsText(answer, page)
  if (!Predicate.isRecord(answer)) return cell(answer) === "" ? "done" : cell(answer)
  const result = parts(endpoint, answer)
  const list = Option.getOrUndefined(listOf(endpoint, result))
  const rows = list === undefined ? undefined : result[list]
  const rest = Object.fromEntries(Object.entries(result).filter(([name]) => name !== list))
  const blocks = [...(isRows(rows) ? [rowsText(rows, page)] : []), recordText(rest, page)].filter((text) => text !== "")
  return blocks.length === 0 ? "done" : blocks.join("\n\n")
}

/** The outcome of one part of a write, such as an order of a batch: its place, counted from 1, and the service's message. */
export interface Outcome {
  readonly place: number
  readonly code: number
  readonly msg: string
}

/** The result of each part of a write that the service accepts or refuses in parts; `none` for other writes. */
export const outcomes = ({ extended }: Endpoint.Any, answer: unknown): Option.Option<ReadonlyArray<Outcome>> => {
  if (extended !== true || !Predicate.isRecord(answer) || !Predicate.isRecord(answer.extInfo)) return Option.none()
  const { list } = answer.extInfo
  return isRows(list)
    ? Option.some(
        list.map(({ code, msg }, index) => ({ place: index + 1, code: Number(code), msg: inOneLine(cell(msg)) }))
      )
    : Option.none()
}
