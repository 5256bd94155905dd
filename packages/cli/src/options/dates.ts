import * as Instant from "@effect-venue/schemas/Instant"
import * as Either from "effect/Either"

// Dates of the command line. A relative date is the start of a day or a month of UTC, so that the same words mean the same range all day long and
// resume an export that was stopped.

const day = 86_400_000

const startOfDay = (now: number, before: number): number => Math.floor(now / day) * day - before * day

const startOfMonth = (now: number, before: number): number => {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - before, 1)
}

/** A month that is written as a date: its first instant, and that of the next month. */
const monthOf = (text: string, now: number): { readonly from: number; readonly to: number } | undefined => {
  if (text === "last-month") return { from: startOfMonth(now, 1), to: startOfMonth(now, 0) }
  if (text === "this-month") return { from: startOfMonth(now, 0), to: startOfMonth(now, -1) }
  const { month, year } = /^(?<year>\d{4})-(?<month>0[1-9]|1[0-2])$/.exec(text)?.groups ?? {}
  return year === undefined
    ? undefined
    : { from: Date.UTC(Number(year), Number(month) - 1, 1), to: Date.UTC(Number(year), Number(month), 1) }
}

const showDay = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

const units: Readonly<Record<string, number>> = { d: 1, w: 7 }

const relativeDate = (text: string, now: number): number | undefined => {
  if (text === "now") return now
  if (text === "today") return startOfDay(now, 0)
  if (text === "yesterday") return startOfDay(now, 1)
  const { count, unit } = /^(?<count>[1-9]\d{0,4})(?<unit>[dw])$/.exec(text)?.groups ?? {}
  return count === undefined || unit === undefined ? undefined : startOfDay(now, Number(count) * (units[unit] ?? 0))
}

/** Which end of a range a date is. */
export type RangeEnd = "from" | "to"

/** Reads a date, in milliseconds. Without a zone it is UTC, not the zone of this machine. Fails with the mistake. */
export const parseDate = (text: string, end: RangeEnd, now: number): Either.Either<number, string> => {
  const month = monthOf(text, now)
  if (month !== undefined) {
    return end === "from"
      ? Either.right(month.from)
      : Either.left(`is a month: ${showDay(month.from)} ends before it, ${showDay(month.to)} after it`)
  }
  const relative = relativeDate(text, now)
  if (relative !== undefined) return Either.right(relative)
  return Either.mapLeft(Instant.parse(text), (rule) => {
    const absent = /there is no such (\w+)/.exec(rule)?.[1]
    return absent === undefined
      ? "is not a date such as 2026-01-31, 2026-01-31T18:00Z, 2026-05, 7d, yesterday or last-month"
      : `is not a date: there is no such ${absent}`
  })
}

/** The range of a year of UTC; it ends now if the year is not over. */
export const parseYear = (
  text: string,
  now: number
): Either.Either<{ readonly from: number; readonly to: number | undefined }, string> => {
  const year = Number(text)
  if (!/^\d{4}$/.test(text)) return Either.left("is not a year such as 2025")
  const from = Date.UTC(year, 0, 1)
  if (from > now) return Either.left(`is in the future: it is ${showDay(now)}`)
  const to = Date.UTC(year + 1, 0, 1)
  return Either.right({ from, to: to > now ? undefined : to })
}

/** Why nothing can be between two instants; `undefined` if it can. */
export const rangeMistake = (
  { from, to }: { readonly from: number | undefined; readonly to: number | undefined },
  now: number
): string | undefined => {
  if (from === undefined) return undefined
  // Clocks differ by less than a day.
  if (from > now + day) return `--from ${showDay(from)} is in the future: it is ${showDay(now)}`
  if (to === undefined || from < to) return undefined
  const show = (at: number): string => new Date(at).toISOString().replace(/(T00:00:00)?\.000Z$/, "")
  return from === to
    ? `--from and --to are both ${show(from)}: --to is excluded, so nothing is between them`
    : `--from ${show(from)} is after --to ${show(to)}`
}
