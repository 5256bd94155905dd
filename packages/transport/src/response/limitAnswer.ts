import * as DateTime from "effect/DateTime"
import * as Failure from "../model/Failure.js"
import type { Answer, Timing } from "./answer.js"

type Fields = Pick<Failure.RateLimited, "operation" | "attempts" | "status" | "retCode" | "retMsg">

/** When calls are accepted again, in milliseconds of the wall clock: by the rate limit of the UID, and by `Retry-After`. */
export interface Waits {
  readonly resetAt: number | undefined
  readonly retryAt: number | undefined
}

export const noWaits: Waits = { resetAt: undefined, retryAt: undefined }

const retryAtField = (retryAt: number | undefined) =>
  retryAt === undefined ? {} : { retryAt: DateTime.unsafeMake(retryAt) }

export const rateLimited = (fields: Fields, { resetAt, retryAt }: Waits): Failure.RateLimited =>
  new Failure.RateLimited({
    ...fields,
    ...retryAtField(retryAt),
    ...(resetAt === undefined ? {} : { resetAt: DateTime.unsafeMake(resetAt) })
  })

export const unavailable = (
  fields: Fields,
  { retryAt }: Waits,
  executed: Failure.Unavailable["executed"]
): Failure.Unavailable => new Failure.Unavailable({ ...fields, ...retryAtField(retryAt), executed })

/** Whether a text reports that a rate limit is used up. */
export const isLimitText = (text: string): boolean => /^\s*too many visits/i.test(text)

const wholeNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^-?\d{1,16}$/.test(text) ? Number(text) : undefined

/** The limit of the UID in the headers. */
export interface LimitHeaders {
  readonly limit: number | undefined
  readonly remaining: number | undefined
  /** When the service accepts calls again, by the monotonic clock. */
  readonly resetAt: number | undefined
}

export const limitHeaders = ({ headers }: Answer, { ahead }: Timing): LimitHeaders => {
  const resetAt = wholeNumber(headers["x-bapi-limit-reset-timestamp"])
  return {
    limit: wholeNumber(headers["x-bapi-limit"]),
    remaining: wholeNumber(headers["x-bapi-limit-status"]),
    resetAt: resetAt === undefined ? undefined : resetAt - ahead
  }
}

const month = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"

// The three formats of a date in HTTP; the last one has no zone, which is GMT too. `Date.parse` alone would read almost any text.
const dates = [
  new RegExp(`^[A-Za-z]{3}, \\d{1,2} ${month} \\d{4} \\d{2}:\\d{2}:\\d{2} (?:GMT|UTC)$`),
  new RegExp(`^[A-Za-z]{6,9}, \\d{2}-${month}-\\d{2} \\d{2}:\\d{2}:\\d{2} GMT$`),
  new RegExp(`^[A-Za-z]{3} ${month} [ \\d]\\d \\d{2}:\\d{2}:\\d{2} \\d{4}$`)
]

const dateOf = (text: string | undefined): number | undefined => {
  const date = text?.trim() ?? ""
  if (!dates.some((format) => format.test(date))) return undefined
  const millis = Date.parse(/[A-Z]{3}$/.test(date) ? date : `${date} GMT`)
  return Number.isNaN(millis) ? undefined : millis
}

// The last millisecond of the year 9999: a longer wait has no instant that can be written.
const lastInstant = 253_402_300_799_999

/**
 * When the sender of a response accepts calls again, by its `Retry-After`, in milliseconds of the wall clock: seconds, or a date that is compared with the
 * response's `Date`, or without one with the service's clock. `undefined` if it states no wait, or none that can be read.
 */
export const retryAt = ({ headers }: Answer, { ahead, receivedAt, wall }: Timing): number | undefined => {
  const text = headers["retry-after"]?.trim() ?? ""
  const date = dateOf(text)
  const wait = /^\d+(?:\.\d+)?$/.test(text)
    ? Math.ceil(Number(text) * 1000)
    : date === undefined
      ? 0
      : date - (dateOf(headers.date) ?? receivedAt + ahead)
  return wait > 0 ? Math.min(Math.ceil(wall + wait), lastInstant) : undefined
}

// No documented window is longer than a minute, so a reset that is further away is wrong.
const longestWindow = 61_000

/** Whether a limit can be closed until an instant, both by the monotonic clock. */
export const isSaneReset = (resetAt: number | undefined, now: number): resetAt is number =>
  resetAt !== undefined && resetAt > now && resetAt <= now + longestWindow
