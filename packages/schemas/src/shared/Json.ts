/**
 * JSON without loss of digits. `JSON.parse` rounds a number that a double cannot hold: `9007199254740993` becomes 9007199254740992. `parse`
 * returns such a number as text, `"9007199254740993"`, which the schemas of ids, integers and decimals accept.
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
  unquoted
} from "../internal/jsonText.js"

/**
 * Parses JSON text. Returns `none` for text that is not JSON. A number is returned as a `number` if a double holds its exact value, and
 * integers only up to 2^53 - 1 in either direction; any other number is returned as its text, verbatim. A number of fewer than 16 digits
 * with an exponent beyond the range of a double, such as `1e400`, can be returned as `JSON.parse` returns it. Takes about a fifth longer
 * than `JSON.parse` for a page of records, and three times as long if the page contains a long number.
 */
export const parse = (text: string): Option.Option<unknown> => {
  try {
    const value: unknown = JSON.parse(text)
    return Option.some(hasLongNumber(text) ? JSON.parse(quoteNumbers(text, isHeld)) : value)
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

/** Accepts a digit or a decimal point. A slash is the only other character in this range, and no number contains one. */
const isDigit = (code: number): boolean => code >= 46 && code <= 57 && code !== 47

/** Whether a value can begin after the character: `:`, `,`, `[`, white space, or (NaN) the beginning of the text. */
const isBeforeValue = (code: number): boolean =>
  code === 58 || code === 44 || code === 91 || code === 32 || (code >= 9 && code <= 13) || Number.isNaN(code)

/**
 * Returns true if the text can contain a number with more digits than a double is sure to hold. Every run of 16 characters includes a
 * multiple of 16, so only those positions are inspected. A match inside a string is harmless.
 */
const hasLongNumber = (text: string): boolean => {
  for (let at = safeDigits; at < text.length; at += stride) {
    if (!isDigit(text.charCodeAt(at))) continue
    let before = at - 1
    // A run that begins before the previous multiple was inspected there.
    while (before > at - stride && isDigit(text.charCodeAt(before))) before--
    if (text.charCodeAt(before) === 34) continue // a string of digits, which is the usual case
    const sign = text.charCodeAt(before) === 45 ? 1 : 0
    if (!isBeforeValue(text.charCodeAt(before - sign))) continue
    let end = at + 1
    while (end - before <= stride && isDigit(text.charCodeAt(end))) end++
    if (end - before > stride) return true
  }
  return false
}

// A whole number counts as exact only if the next one is exact too; above 2^53 - 1, two numbers share one double.
const isHeld = (number: string): boolean =>
  /^-?\d+$/.test(number)
    ? Number.isSafeInteger(Number(number))
    : normalized(number) === normalized(String(Number(number)))

/** Normalises the spelling of a number to its significant digits and power of ten, so that equal numbers are equal texts. */
const normalized = (number: string): string | undefined => {
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
    if (unquoted(member) !== "result" || answer.charCodeAt(result) !== openBrace) return afterValue(answer, result)
    found = []
    return forEachMember(answer, result, (name, value) => {
      if (unquoted(name) !== list || answer.charCodeAt(value) !== openBracket) return afterValue(answer, value)
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
    fields.set(unquoted(name), record.slice(value, end))
    return end
  })
  return fields
}
