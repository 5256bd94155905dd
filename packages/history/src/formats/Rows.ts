/**
 * What identifies the rows of a dataset: their ids, keys, versions and instants.
 *
 * @sibling
 */
import * as Arr from "effect/Array"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import type * as Dataset from "../model/Dataset.js"
import * as SeenIds from "../model/seenIds.js"
import { sha256Of } from "../platform/Digest.js"
import * as Cell from "./cell.js"
import * as Column from "../model/Column.js"

/** A dataset, whatever its requests and records are. */
export type AnyDataset = Dataset.Dataset<never, unknown>

type Row = Dataset.Row

const contentOf = ({ columns }: Pick<AnyDataset, "columns">, row: Row): string =>
  JSON.stringify(columns.map((column) => Cell.canonical(column, row[column.name])))

/** The id of a record, as text; `undefined` if the records of a dataset have none. A row without its id is identified by all of its fields. */
export const id = (dataset: Pick<AnyDataset, "columns" | "key">, row: Row): string | undefined => {
  if (dataset.key === "content") return undefined
  const values = dataset.key.map((field) => row[field])
  return values.every((value) => typeof value === "string" || typeof value === "number")
    ? values.join(" ")
    : contentOf(dataset, row)
}

/**
 * The key of a row, as text: its id and its instant in milliseconds, or all of its fields if records have no id. Two rows without an id can
 * have the same key.
 */
export const key = (dataset: Pick<AnyDataset, "columns" | "instant" | "key">, row: Row): string => {
  const own = id(dataset, row)
  return own === undefined ? contentOf(dataset, row) : `${own} ${instant(dataset, row) ?? ""}`
}

/** The id that a key contains (see `key`). */
export const idOfKey = (key: string): string => key.slice(0, key.lastIndexOf(" "))

/** The texts of a row that can be compared in every format, by column; those that it does not have are empty. */
const comparable = ({ columns }: Pick<AnyDataset, "columns">, row: Row): ReadonlyArray<string> =>
  columns.map((column) => (column.kind === "json" ? "" : Cell.canonical(column, row[column.name])))

const sumOf = (texts: ReadonlyArray<string>, isCounted: (index: number) => boolean): string =>
  SeenIds.sumsOf(JSON.stringify(texts.filter((text, index) => text !== "" && isCounted(index))))
    .map((sum) => sum.toString(36))
    .join("")

/** The fields that a row has, four in a digit, and a sum of their values. */
const contentVersion = (dataset: Pick<AnyDataset, "columns">, row: Row): string => {
  const texts = comparable(dataset, row)
  const digits = Arr.chunksOf(texts, 4).map((four) =>
    four.reduce((digit, text, index) => (text === "" ? digit : digit | (1 << index)), 0).toString(16)
  )
  return `${digits.join("")} ${sumOf(texts, () => true)}`
}

/** Whether a row has the values of an earlier version. A field that the earlier one lacks is no difference. */
export const isVersion = (
  dataset: Pick<AnyDataset, "columns" | "instant" | "key" | "settling">,
  row: Row,
  earlier: string
): boolean => {
  const [, own] = version(dataset, row)
  if (own === earlier || dataset.settling.identity.length > 0) return own === earlier
  const fields = earlier.slice(0, earlier.indexOf(" "))
  const hadField = (index: number) => ((Number.parseInt(fields[index >> 2] ?? "0", 16) >> (index & 3)) & 1) === 1
  return earlier === `${fields} ${sumOf(comparable(dataset, row), hadField)}`
}

/** The identity of a record, and which version of it this is: both texts. */
export const version = (
  dataset: Pick<AnyDataset, "columns" | "instant" | "key" | "settling">,
  row: Row
): readonly [identity: string, version: string] => {
  const { identity } = dataset.settling
  const canonicalOf = (fields: ReadonlyArray<string>): string =>
    dataset.columns
      .filter(({ name }) => fields.includes(name))
      .map((column) => Cell.canonical(column, row[column.name]))
      .join(" ")
  const unique = key(dataset, row)
  return identity.length === 0 ? [unique, contentVersion(dataset, row)] : [canonicalOf(identity), unique]
}

/** Shortens the identities and the ids of records: both, so that an id is in the identity of its record still. */
export interface Shortening {
  readonly identity: (identity: string) => string
  readonly id: (id: string) => string
}

/** Leaves identities as they are. */
export const inFull: Shortening = { identity: identity, id: identity }

/** Puts a sum of 80 bits in the place of an id. A record without an id keeps its identity. */
export const asSums = ({ key, settling }: Pick<AnyDataset, "key" | "settling">): Shortening => {
  if (key === "content" || settling.identity.length > 0) return inFull
  const id = (id: string) => BigInt(`0x${sha256Of(id).slice(0, 20)}`).toString(36)
  return { id, identity: (identity) => `${id(idOfKey(identity))}${identity.slice(identity.lastIndexOf(" "))}` }
}

/** The columns that all versions of a record share; empty if the records of a dataset do not change. */
export const recordKey = ({
  instant,
  key,
  settling
}: Pick<AnyDataset, "instant" | "key" | "settling">): ReadonlyArray<string> => {
  if (settling.identity.length > 0) return settling.identity
  if (settling.version.length === 0 || key === "content") return []
  return [...new Set([...key, ...Option.match(instant, { onNone: () => [], onSome: ({ name }) => [name] })])]
}

const millisOf = (column: Option.Option<Column.Column>, row: Row): number | undefined =>
  Option.isNone(column) ? undefined : Column.millis(column.value.kind, row[column.value.name])

/** The instant of a row, in milliseconds; `undefined` if the row has none that can be read. */
export const instant = (dataset: Pick<AnyDataset, "instant">, row: Row): number | undefined =>
  millisOf(dataset.instant, row)

/** The instants by which the service can file a row, in milliseconds: its instant, if it can be read, and that of `filedBy`. */
export const instants = (dataset: Pick<AnyDataset, "filedBy" | "instant">, row: Row): ReadonlyArray<number> => {
  const at = instant(dataset, row)
  if (at === undefined) return []
  const filedAt = millisOf(dataset.filedBy, row)
  return filedAt === undefined ? [at] : [at, filedAt]
}

/** Whether the service can file a row in one of these windows, or the instant of the row cannot be read. */
export const isWithin = (
  dataset: Pick<AnyDataset, "filedBy" | "instant">,
  row: Row,
  windows: ReadonlyArray<{ readonly from: number; readonly to: number }>
): boolean => {
  const all = instants(dataset, row)
  return all.length === 0 || windows.some(({ from, to }) => all.some((at) => at >= from && at < to))
}

/** Whether all instants of a row lie in one of these windows, so that the service files it in no other. */
export const isInOneOf = (
  instants: ReadonlyArray<number>,
  windows: ReadonlyArray<{ readonly from: number; readonly to: number }>
): boolean => instants.length > 0 && windows.some(({ from, to }) => instants.every((at) => at >= from && at < to))
