/**
 * Words of messages and tables: counts, lists, lengths of time, instants.
 *
 * @sibling
 */
import { inOneLine } from "./ShownText.js"

/** Returns `12345` as `12,345`. */
export const formatCount = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",")

/** Returns a count and its noun: `1 page`, `2 pages`. */
export const countNoun = (value: number, noun: string): string =>
  `${formatCount(value)} ${noun}${value === 1 ? "" : "s"}`

const join = (names: ReadonlyArray<string | number>, last: string): string =>
  [names.slice(0, -1).join(", "), ...names.slice(-1)].filter((text) => text !== "").join(` ${last} `)

/** Lists alternatives: `a, b or c`. */
export const listAlternatives = (names: ReadonlyArray<string | number>): string => join(names, "or")

/** The number of letters to insert, remove or replace, without regard to case. */
const distance = (left: string, right: string): number => {
  const to = Array.from(right.toLowerCase())
  let row = [...to.keys(), to.length]
  for (const [index, letter] of Array.from(left.toLowerCase()).entries()) {
    const next = [index + 1]
    for (const [column, wanted] of to.entries()) {
      const [kept = 0, removed = 0, inserted = 0] = [row[column], row[column + 1], next[column]]
      next.push(Math.min(kept + (letter === wanted ? 0 : 1), removed + 1, inserted + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

// No name is longer, and a text of the caller can be.
const longestWord = 60

/** The likely corrections of a word: the closest names, or those that begin with it; empty if none is close. */
export const nearest = (word: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (word.length > longestWord) return []
  const close = names
    .map((name) => ({ name, distance: distance(word, name) }))
    .filter(({ distance }) => distance <= Math.max(2, Math.floor(word.length / 4)))
  const least = Math.min(...close.map(({ distance }) => distance))
  const found = close.filter(({ distance }) => distance === least).map(({ name }) => name)
  return found.length > 0 || word.length < 3 ? found : names.filter((name) => name.startsWith(word))
}

/** Asks whether the user meant one of the names: `did you mean a or b?` */
export const suggest = (names: ReadonlyArray<string>): string => `did you mean ${listAlternatives(names)}?`

/** A value in a message: `, not "c"`; empty for `undefined`. */
export const showValue = (actual: unknown): string => {
  switch (typeof actual) {
    case "undefined":
      return ""
    case "string":
      return `, not ${inOneLine(JSON.stringify(actual.length > 40 ? `${actual.slice(0, 39)}…` : actual))}`
    case "number":
    case "bigint":
    case "boolean":
      return `, not ${actual}`
    default:
      return `, not ${actual === null ? "null" : Array.isArray(actual) ? "a list" : `a${typeof actual === "object" ? "n object" : ` ${typeof actual}`}`}`
  }
}

/** The rule of a list of values, with the value that breaks it: `must be a or b, not "c"`. */
export const describeChoice = (values: ReadonlyArray<string | number>, actual: unknown): string =>
  (values.length > 3 ? `must be one of ${values.join(", ")}` : `must be ${listAlternatives(values)}`) +
  showValue(actual)

/** Lists things that belong together: `a, b and c`. */
export const listAll = (names: ReadonlyArray<string | number>): string => join(names, "and")

const roundUp = (value: number, unit: string): string =>
  `${value < 10 ? Math.ceil(Number((value * 10).toFixed(3))) / 10 : Math.ceil(value)} ${unit}`

/** Returns a length of time with one unit, rounded up: `250 ms`, `1.5 s`, `42 s`, `4 min`, `41 h`, `12 days`. */
export const formatDuration = (millis: number): string => {
  const seconds = Math.abs(millis) / 1000
  if (seconds < 1) return `${Math.ceil(Math.abs(millis))} ms`
  if (seconds < 90) return roundUp(seconds, "s")
  if (seconds < 5400) return `${Math.ceil(seconds / 60)} min`
  return seconds < 48 * 3600 ? roundUp(seconds / 3600, "h") : countNoun(Math.round(seconds / 86_400), "day")
}

/** Returns an instant to the second, in UTC: `2026-01-31 18:00:00`. */
export const formatInstant = (millis: number): string => new Date(millis).toISOString().slice(0, 19).replace("T", " ")

/** Returns a number of bytes: `512 bytes`, `1.5 kB`, `20.1 MB`. */
export const formatSize = (bytes: number): string =>
  bytes < 1000
    ? countNoun(bytes, "byte")
    : bytes < 1_000_000
      ? `${(bytes / 1000).toFixed(1)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`

/** Addresses of all interfaces, at which no client can reach a server, and the address of this machine in their place. */
const wildcards = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"]
])

/** Returns the address of a port as a client on this machine uses it: `127.0.0.1:8080`, `[::1]:8080`. */
export const formatAddress = (host: string, port: number): string => {
  const reached = wildcards.get(host) ?? host
  return `${reached.includes(":") ? `[${reached}]` : reached}:${port}`
}
