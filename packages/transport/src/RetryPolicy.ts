/**
 * When a failed call is repeated: one policy, which an application can replace with `Effect.provideService` or a layer.
 *
 * @since 0.1.0
 */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Context from "effect/Context"
import * as Schedule from "effect/Schedule"
import type * as Failure from "./Failure.js"

/**
 * Which failed attempts are repeated, how often and when. Defaults to `RetryPolicy.standard`.
 *
 * @since 0.1.0
 * @category references
 */
export class RetryPolicy extends Context.Reference<RetryPolicy>()("@effect-venue/transport/RetryPolicy", {
  defaultValue: (): RetryPolicy.Shape => standard
}) {}

/**
 * @since 0.1.0
 */
export declare namespace RetryPolicy {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /** How long to wait, and how often to try. */
    readonly schedule: Schedule.Schedule<unknown, Failure.ReadFailure>
    /** Whether a failed attempt may be repeated at all. */
    readonly mayRepeat: (failure: Failure.ReadFailure, safety: Endpoint.Safety) => boolean
  }
}

/**
 * Whether a failed attempt may be repeated. Never, if the service refused it or it was refused before sending; otherwise reads, and
 * writes whose request id the service executes once. Other writes only when the failure proves that nothing was done.
 *
 * @since 0.1.0
 * @category predicates
 */
export const mayRepeat = (failure: Failure.ReadFailure, safety: Endpoint.Safety): boolean => {
  switch (failure._tag) {
    case "InvalidRequest":
    case "Rejected":
    case "Unauthorized":
    case "ClockSkew":
    case "Banned":
      return false
    case "RateLimited":
      return true
    case "ConnectionFailed":
      // A store that could not be reached was waited for already, a journal that cannot be written is for its operator, and what the
      // client does not send it never will.
      if (["RateLimitStore", "WriteJournal", "NotSent"].includes(failure.reason)) return false
      return safety !== "write" || !failure.sent
    case "Unavailable":
      return safety !== "write" || failure.executed === "no"
    case "UnexpectedResponse":
      // What is no envelope at all came from something in between, and may be gone in a second; what is one would come again.
      return safety !== "write" && failure.status === 200 && failure.path === ""
  }
}

/**
 * At most 4 more attempts, none later than half a minute after the first has failed; 200 ms apart at first, doubling, with
 * jitter. A rate-limited call also waits for its rate limit, which has the time at which the service accepts calls again.
 *
 * @since 0.1.0
 * @category constants
 */
export const standard: RetryPolicy.Shape = {
  schedule: Schedule.exponential("200 millis").pipe(
    Schedule.jittered,
    Schedule.intersect(Schedule.recurs(4)),
    Schedule.upTo("30 seconds")
  ),
  mayRepeat
}

/**
 * One attempt only.
 *
 * @since 0.1.0
 * @category constants
 */
export const none: RetryPolicy.Shape = { schedule: Schedule.stop, mayRepeat: () => false }
