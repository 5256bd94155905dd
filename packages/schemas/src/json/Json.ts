/**
 * JSON without loss of digits. `JSON.parse` rounds a number that a double cannot hold: `9007199254740993` becomes 9007199254740992. `parse`
 * returns such a number as text, `"9007199254740993"`, which the schemas of ids, integers and decimals accept.
 *
 * @sibling
 */
import * as Option from "effect/Option"
import {
  afterSpace,
  afterString,
  afterValue,
  forEachMember,
  itemsOf,
  openBrace,
  openBracket,
  quoteNumbers,
  unquote
} from "./jsonText.js"

/**
 * Parses JSON text. Returns `none` for text that is not JSON. A number is returned as a `number` if a double holds its exact value, and
 * integers only up to 2^53 - 1 in either direction; any other number is returned as its text, verbatim. A number of fewer than 16 digits
 * with an exponent beyond the range of a double, such as `1e400`, can be returned as `JSON.parse` returns it. Takes about a twentieth
 * longer than `JSON.parse` for a page of records, and three times as long if the page contains a long number. `bytes` are those of the
 * text in UTF-8; without them the text is encoded first, which takes another fifth.
 */
export const parse = (text: string, bytes?: Uint8Array): Option.Option<unknown> => {
  try {
    const value: unknown = JSON.parse(text)
    return Option.some(hasLongNumber(bytes ?? encoder.encode(text)) ? JSON.parse(quoteNumbers(text, isHeld)) : value)
  } catch {
    return Option.none()
  }
}

/**
 * Returns true if arrays and objects are nested deeper than `levels`. Scans the text without building a value. The result is unspecified
 * for text that is not JSON.
 */
export const isDeeperThan = (text: string, levels: number): boolean => {
  if (!hasMoreOpenings(text, levels)) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 34) {
      at = afterString(text, at) - 1
      if (at < 0) return false
    } else if (code === 91 || code === 123) {
      if (++depth > levels) return true
    } else if (code === 93 || code === 125) depth--
  }
  return false
}

/** Returns true if the text has more than `count` opening brackets. This cheap check accepts nearly every text. */
const hasMoreOpenings = (text: string, count: number): boolean => {
  let openings = 0
  for (const bracket of ["[", "{"]) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (++openings > count) return true
    }
  }
  return false
}

// A double holds every number of up to this many digits exactly.
const safeDigits = 15

const stride = safeDigits + 1

const half = stride / 2

const encoder = new TextEncoder()

const digits = Uint8Array.from({ length: 256 }, (_, code) => ((code >= 48 && code <= 57) || code === 46 ? 1 : 0))

/** 1 for a digit or a decimal point, otherwise 0. Before the beginning and after the end it is `undefined`, which counts as 0. */
// eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- a test for `undefined` would take as long as the rest
const digitAt = (bytes: Uint8Array, at: number): number => digits[bytes[at]!]!

/** Whether a value can begin after the byte: `:`, `,`, `[`, white space, or the beginning of the text. */
const isBeforeValue = (code: number | undefined): boolean =>
  code === undefined || code === 58 || code === 44 || code === 91 || code === 32 || (code >= 9 && code <= 13)

/**
 * Returns true if a text can contain a number with more digits than a double is sure to hold. Every run of 16 bytes includes a multiple
 * of 16 and one of the bytes 8 places from it, so only those are inspected, and without a branch for each, which would often be
 * predicted wrongly. A match inside a string is harmless.
 */
const hasLongNumber = (bytes: Uint8Array): boolean => {
  const end = bytes.length - half
  let before = digitAt(bytes, safeDigits - half)
  let at = safeDigits
  for (; at < end; at += stride) {
    const after = digitAt(bytes, at + half)
    if ((digitAt(bytes, at) & (before | after)) === 1 && isLongNumberAt(bytes, at)) return true
    before = after
  }
  return at < bytes.length && (digitAt(bytes, at) & before) === 1 && isLongNumberAt(bytes, at)
}

const isLongNumberAt = (bytes: Uint8Array, at: number): boolean => {
  let before = at - 1
  // A run that begins before the previous multiple was inspected there.
  while (before > at - stride && digitAt(bytes, before) === 1) before--
  if (bytes[before] === 34) return false // a string of digits, which is the usual case
  const sign = bytes[before] === 45 ? 1 : 0
  if (!isBeforeValue(bytes[before - sign])) return false
  let end = at + 1
  while (end - before <= stride && digitAt(bytes, end) === 1) end++
  return end - before > stride
}

// A whole number counts as exact only if the next one is exact too; above 2^53 - 1, two numbers share one double.
const isHeld = (number: string): boolean =>
  /^-?\d+$/.test(number)
    ? Number.isSafeInteger(Number(number))
    : normalize(number) === normalize(String(Number(number)))

/** Normalises the spelling of a number to its significant digits and power of ten, so that equal numbers are equal texts. */
const normalize = (number: string): string | undefined => {
  const [, sign = "", digits, fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? []
  if (digits === undefined) return undefined
  const significant = `${digits}${fraction}`.replace(/^0+/, "")
  const trimmed = significant.replace(/0+$/, "")
  const power = Number(exponent) - fraction.length + significant.length - trimmed.length
  return trimmed === "" ? "0" : `${sign}${trimmed}e${power}`
}

/** A number that JavaScript would print differently. Text inside strings can match too. */
const oddNumber = /[:,[]\s*(?:-0|-?\d+[.eE]|-?\d{16})/

const isPrintedSo = (number: string): boolean => String(Number(number)) === number

/** Returns true if the text can contain a number that `parseVerbatim` returns as text. */
export const mayHaveOddNumber = (text: string): boolean => oddNumber.test(text)

/**
 * Parses JSON text and keeps the spelling of numbers: a number that JavaScript would print differently, such as `1.50` or
 * `9007199254740993`, is returned as text. Throws a `SyntaxError` for text that is not JSON.
 */
export const parseVerbatim = (text: string): unknown =>
  JSON.parse(mayHaveOddNumber(text) ? quoteNumbers(text, isPrintedSo) : text)

/** JSON escapes line breaks in strings, so a raw one is always between tokens. */
const onOneLine = (text: string): string => text.replace(/\r\n|[\r\n]/g, " ")

/**
 * Returns the text of each item of `result.<list>` in a response, with line breaks replaced by spaces. The text must be valid JSON that
 * contains the list. If a member occurs twice, the last one counts, as in `JSON.parse`.
 */
export const itemTexts = (answer: string, list: string): ReadonlyArray<string> => {
  let found: ReadonlyArray<string> = []
  forEachMember(answer, afterSpace(answer, 0), (member, result) => {
    if (unquote(member) !== "result" || answer.charCodeAt(result) !== openBrace) return afterValue(answer, result)
    found = []
    return forEachMember(answer, result, (name, value) => {
      if (unquote(name) !== list || answer.charCodeAt(value) !== openBracket) return afterValue(answer, value)
      const [items, end] = itemsOf(answer, value)
      found = items
      return end
    })
  })
  return answer.includes("\n") || answer.includes("\r") ? found.map(onOneLine) : found
}

/** Returns the text of each field of an object, by field name. The text must be valid JSON. */
export const fieldTexts = (record: string): ReadonlyMap<string, string> => {
  const fields = new Map<string, string>()
  forEachMember(record, afterSpace(record, 0), (name, value) => {
    const end = afterValue(record, value)
    fields.set(unquote(name), record.slice(value, end))
    return end
  })
  return fields
}
