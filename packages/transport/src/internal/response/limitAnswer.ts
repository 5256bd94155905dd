import * as DateTime from "effect/DateTime"
import * as Failure from "../../Failure.js"
import type { Answer, Timing } from "./answer.js"

type Said = Pick<Failure.RateLimited, "operation" | "attempts" | "status" | "retCode" | "retMsg">

export const rateLimited = (fields: Said, resetAt: number | undefined): Failure.RateLimited =>
  new Failure.RateLimited({ ...fields, ...(resetAt === undefined ? {} : { resetAt: DateTime.unsafeMake(resetAt) }) })

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

// No documented window is longer than a minute, so a reset that is further away is wrong.
const longestWindow = 61_000

/** Whether a limit can be closed until an instant, both by the monotonic clock. */
export const isSaneReset = (resetAt: number | undefined, now: number): resetAt is number =>
  resetAt !== undefined && resetAt > now && resetAt <= now + longestWindow
