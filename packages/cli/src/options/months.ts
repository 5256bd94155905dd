import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"

/** No clock is further from UTC than this, in milliseconds. */
const mostOffset = 14 * 3_600_000

/** A zone by its name, such as `Europe/Berlin`, or its offset, such as `+02:00`; none if it does not exist. */
export const zone = (name: string): Option.Option<DateTime.TimeZone> =>
  Option.filter(DateTime.zoneFromString(name), (zone) => zone._tag === "Named" || Math.abs(zone.offset) <= mostOffset)

export const utc: DateTime.TimeZone = DateTime.zoneUnsafeMakeNamed("UTC")

export const nameOf = (zone: DateTime.TimeZone): string => DateTime.zoneToString(zone)

/** A month of a zone: half-open, milliseconds. */
export interface Month {
  /** `2026-03`. */
  readonly name: string
  readonly from: number
  readonly to: number
}

const at = (year: number, month: number, timeZone: DateTime.TimeZone): number =>
  DateTime.unsafeMakeZoned({ year, month, day: 1 }, { timeZone, adjustForTimeZone: true }).epochMillis

/** A month by its name, such as `2026-03`, in local time of a zone; none if it does not exist. */
export const findMonth = (timeZone: DateTime.TimeZone, name: string): Option.Option<Month> => {
  const { month, year } = /^(?<year>\d{4})-(?<month>0[1-9]|1[0-2])$/.exec(name)?.groups ?? {}
  return year === undefined ? Option.none() : Option.some(monthOf(Number(year), Number(month), timeZone))
}

const monthOf = (year: number, month: number, timeZone: DateTime.TimeZone): Month => ({
  name: `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}`,
  from: at(year, month, timeZone),
  to: month === 12 ? at(year + 1, 1, timeZone) : at(year, month + 1, timeZone)
})

/** A year by its name, such as `2025`, in local time of a zone; none if it does not exist. */
export const findYear = (timeZone: DateTime.TimeZone, name: string): Option.Option<Month> =>
  /^\d{4}$/.test(name)
    ? Option.some({ name, from: at(Number(name), 1, timeZone), to: at(Number(name) + 1, 1, timeZone) })
    : Option.none()

/** The month that an instant belongs to by the clocks of a zone: it begins with the first instant of its first day. */
export const monthAt = (timeZone: DateTime.TimeZone, millis: number): Month => {
  const { month, year } = DateTime.toParts(DateTime.unsafeMakeZoned(millis, { timeZone }))
  return monthOf(year, month, timeZone)
}

/** Names the month of an instant. Rows are in order of time, so most are in the month of the previous one and need no calendar. */
export const make = (timeZone: DateTime.TimeZone): ((millis: number) => string) => {
  let latest: Month = { name: "", from: 0, to: 0 }
  return (millis) => {
    if (millis < latest.from || millis >= latest.to) latest = monthAt(timeZone, millis)
    return latest.name
  }
}
