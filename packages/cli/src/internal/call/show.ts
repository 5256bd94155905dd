import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { table } from "../output/table.js"
import { instant } from "../output/text.js"

// An answer as people read it: records as rows, the rest as names and values.

type Fields = Readonly<Record<string, unknown>>

const cell = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value)

const isRows = (value: unknown): value is ReadonlyArray<Fields> =>
  Array.isArray(value) && value.every((one) => Predicate.isRecord(one))

/** A table that is wider than this is narrowed: what all its rows have in common goes below. */
const widest = 100

const few = 4

/** A value as people read it: an instant of a field that has one, in UTC. */
const read = (name: string, value: unknown): string => {
  const text = cell(value)
  return /(time|timestamp)$/i.test(name) && /^1\d{12}$/.test(text) ? `${instant(Number(text))} UTC` : text
}

const lines = (rows: ReadonlyArray<Fields>, columns: ReadonlyArray<string>): string =>
  table([columns, ...rows.map((row) => columns.map((column) => read(column, row[column])))])

/** Columns of what any row has something in; where they are too many, those that are the same in all rows go below. */
const rowsText = (rows: ReadonlyArray<Fields>): string => {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row).filter((name) => cell(row[name]) !== "")))]
  const whole = lines(rows, columns)
  const [first, ...others] = rows
  if (first === undefined || others.length === 0 || whole.split("\n").every((line) => line.length <= widest))
    return whole
  const shared = columns.slice(few).filter((name) => others.every((row) => cell(row[name]) === cell(first[name])))
  if (shared.length === 0) return whole
  const below = table(shared.map((name) => [name, read(name, first[name])]))
  return `${lines(
    rows,
    columns.filter((name) => !shared.includes(name))
  )}\n\nin every row:\n${below}`
}

const listOf = (endpoint: Endpoint.Any, result: Fields): Option.Option<string> => {
  const paged = Option.map(endpoint.paging, ({ items }) => items)
  if (Option.exists(paged, (name) => isRows(result[name]))) return paged
  return Option.fromNullable(Object.keys(result).find((name) => isRows(result[name])))
}

/** The outcome of each order of a batch, beside the order. */
const paired = (result: Fields, extInfo: Fields): Fields => {
  const [orders, outcomes] = [result.list, extInfo.list]
  return isRows(orders) && isRows(outcomes) && orders.length === outcomes.length
    ? { ...result, list: orders.map((order, index) => ({ ...order, ...outcomes[index] })) }
    : { ...result, ...extInfo }
}

const parts = ({ extended }: Endpoint.Any, answer: Fields): Fields =>
  extended === true && Predicate.isRecord(answer.result) && Predicate.isRecord(answer.extInfo)
    ? paired(answer.result, answer.extInfo)
    : answer

export const show = (endpoint: Endpoint.Any, answer: unknown): string => {
  if (isRows(answer)) return answer.length === 0 ? "no rows" : rowsText(answer)
  if (!Predicate.isRecord(answer)) return cell(answer) === "" ? "done" : cell(answer)
  const result = parts(endpoint, answer)
  const list = Option.getOrUndefined(listOf(endpoint, result))
  const rows = list === undefined ? undefined : result[list]
  const rest = Object.entries(result).filter(([name, value]) => name !== list && cell(value) !== "")
  const blocks = [
    ...(isRows(rows) ? [rows.length === 0 ? "no rows" : rowsText(rows)] : []),
    ...(rest.length === 0 ? [] : [table(rest.map(([name, value]) => [name, read(name, value)]))])
  ]
  return blocks.length === 0 ? "done" : blocks.join("\n\n")
}

/** The outcome of one part of a write, such as an order of a batch: its place, counted from 1, and the service's message. */
export interface Outcome {
  readonly place: number
  readonly code: number
  readonly msg: string
}

/** What the service said of each part of a write that it takes or refuses part by part; `none` where it does not, or did not. */
export const outcomes = ({ extended }: Endpoint.Any, answer: unknown): Option.Option<ReadonlyArray<Outcome>> => {
  if (extended !== true || !Predicate.isRecord(answer) || !Predicate.isRecord(answer.extInfo)) return Option.none()
  const { list } = answer.extInfo
  return isRows(list)
    ? Option.some(list.map(({ code, msg }, index) => ({ place: index + 1, code: Number(code), msg: cell(msg) })))
    : Option.none()
}
