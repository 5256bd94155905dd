import * as Decimal from "@effect-venue/schemas/Decimal"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

import { RecordList } from "./recordList.js"

/** The position of unreadable data, from the outside in, and the reason. */
export interface Unreadable {
  readonly path: ReadonlyArray<string>
  readonly reason: string
}

// `BigDecimal.format` and `Decimal.format` print 1500 for 15e2 as well, but the scale is part of the value.
const decimalText = (decimal: BigDecimal.BigDecimal): string =>
  decimal.scale < 0 ? `${decimal.value}e${-decimal.scale}` : Decimal.format(decimal)

const isTagged = (keys: ReadonlyArray<string>): boolean => keys.length === 1 && keys[0]?.startsWith("$") === true

/** Encodes a value as JSON. New fields of the state need a change here only for new kinds of values. */
export const encode = (value: unknown): unknown => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : { $number: Object.is(value, -0) ? "-0" : String(value) }
    case "bigint":
      return { $bigint: String(value) }
    case "undefined":
      return { $undefined: true }
    case "object":
      return value === null ? null : encodeObject(value)
    default:
      throw new TypeError(`A state holds no ${typeof value}`)
  }
}

const encodeObject = (value: object): unknown => {
  if (Array.isArray(value)) return value.map(encode)
  if (Option.isOption(value)) {
    return Option.isSome(value) ? { $some: encode(value.value) } : { $none: {} }
  }
  if (BigDecimal.isBigDecimal(value)) return { $decimal: decimalText(value) }
  if (DateTime.isDateTime(value) && DateTime.isUtc(value)) return { $utc: value.epochMillis }
  if (value instanceof RecordList) return { $records: Array.from(value, encode) }
  if (value instanceof Map) return { $map: Array.from(value, ([key, item]) => [encode(key), encode(item)]) }
  if (Redacted.isRedacted(value)) return { $secret: encode(Redacted.value(value)) }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`A state holds no ${value.constructor.name}`)
  }
  const entries = Object.entries(value).map(([key, item]) => [key, encode(item)] as const)
  return isTagged(Object.keys(value)) ? { $object: entries } : Object.fromEntries(entries)
}

type Decoded = Either.Either<unknown, Unreadable>

// Only thrown within `decode`: an `Either` for each of a million fields would dominate the time.
class Broken {
  constructor(
    readonly path: Array<string>,
    readonly reason: string
  ) {}
}

const failDecoding = (reason: string): never => {
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- it never leaves this module
  throw new Broken([], reason)
}

const within = <A>(key: string, read: () => A): A => {
  try {
    return read()
  } catch (error) {
    if (error instanceof Broken) error.path.unshift(key)
    throw error
  }
}

const read = (json: unknown): unknown => {
  if (typeof json !== "object" || json === null) return json
  if (Array.isArray(json)) return readItems(json)
  const keys = Object.keys(json)
  const entries: ReadonlyArray<readonly [string, unknown]> = Object.entries(json)
  const [first] = entries
  if (first !== undefined && isTagged(keys)) return within(first[0], () => readTagged(first[0], first[1]))
  return Object.fromEntries(entries.map(([key, item]) => [key, within(key, () => read(item))]))
}

const readItems = (json: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  json.map((item, index) => within(String(index), () => read(item)))

const pairs = (json: unknown): ReadonlyArray<readonly [unknown, unknown]> =>
  Array.isArray(json)
    ? json.map((pair: unknown, index): readonly [unknown, unknown] =>
        Array.isArray(pair) && pair.length === 2 ? [pair[0], pair[1]] : failDecoding(`must have a pair at ${index}`)
      )
    : failDecoding("must be a list of pairs")

const readNone = (json: unknown): Option.Option<never> =>
  typeof json === "object" && json !== null && Object.keys(json).length === 0
    ? Option.none()
    : failDecoding("must be {}")

const readTagged = (tag: string, json: unknown): unknown => {
  switch (tag) {
    case "$some":
      return Option.some(read(json))
    case "$none":
      return readNone(json)
    case "$decimal":
      return typeof json === "string"
        ? Option.getOrElse(Decimal.parse(json), () => failDecoding("must be decimal text"))
        : failDecoding("must be decimal text")
    case "$utc":
      return typeof json === "number"
        ? Option.getOrElse(DateTime.make(json), () => failDecoding("must be milliseconds"))
        : failDecoding("must be milliseconds")
    case "$map":
      return new Map(
        pairs(json).map(([key, item]) => within(String(key), (): [unknown, unknown] => [read(key), read(item)]))
      )
    case "$records":
      return Array.isArray(json) ? RecordList.from(readItems(json)) : failDecoding("must be a list")
    case "$secret":
      return Redacted.make(read(json))
    case "$bigint":
      return typeof json === "string" && /^-?\d+$/.test(json) ? BigInt(json) : failDecoding("must be digits")
    case "$number":
      return typeof json === "string" && ["NaN", "Infinity", "-Infinity", "-0"].includes(json)
        ? Number(json)
        : failDecoding("must be NaN, Infinity, -Infinity or -0")
    case "$undefined":
      return undefined
    case "$object":
      return Object.fromEntries(
        pairs(json).map(([key, item]) =>
          typeof key === "string" ? [key, within(key, () => read(item))] : failDecoding("must have text as keys")
        )
      )
    default:
      return failDecoding("is not a kind of value that is known")
  }
}

/** Decodes an encoded value. */
export const decode = (json: unknown): Decoded => {
  try {
    return Either.right(read(json))
  } catch (error) {
    if (error instanceof Broken) {
      // Tags are part of the format, not of the path.
      return Either.left({ path: error.path.filter((key) => !key.startsWith("$")), reason: error.reason })
    }
    throw error
  }
}
