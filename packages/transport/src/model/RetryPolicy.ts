/** When a failed call is repeated: one policy, which an application can replace with `Effect.provideService` or a layer. */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Schedule from "effect/Schedule"
import type * as Failure from "./Failure.js"

/** Which failed attempts are repeated, how often and when. Defaults to `RetryPolicy.standard`. */
export class RetryPolicy extends Context.Reference<RetryPolicy>()("@effect-venue/transport/RetryPolicy", {
  defaultValue: (): RetryPolicy.Shape => standard
}) {}

export declare namespace RetryPolicy {
  export interface Shape {
    /** The delays between attempts, and how many attempts follow. */
    readonly schedule: Schedule.Schedule<unknown, Failure.ReadFailure>
    /** Whether a failed attempt can be repeated at all. */
    readonly shouldRetry: (failure: Failure.ReadFailure, safety: Endpoint.Safety) => boolean
    /**
     * How long after its first failure a call still begins the attempt that a `Retry-After` allows. A call that would have to wait longer fails at once.
     * Defaults to 30 seconds.
     */
    readonly longestWait?: Duration.DurationInput
  }
}

/**
 * Whether a failed attempt can be repeated. False if the service refused it or if it was refused before sending. Otherwise true for reads, and for writes
 * whose request id the service executes once. True for any further write only if the failure proves that nothing was done.
 *
 * @category predicates
 */
export const shouldRetry = (failure: Failure.ReadFailure, safety: Endpoint.Safety): boolean => {
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
      // The call has already waited for the unreachable store, a failing journal needs its operator, and the client will never send a request that it cannot
      // build.
      if (["RateLimitStore", "WriteJournal", "NotSent"].includes(failure.reason)) return false
      return safety !== "write" || !failure.sent
    case "Unavailable":
      return safety !== "write" || failure.executed === "no"
    case "UnexpectedResponse":
      // A body without an envelope was sent by an intermediary, and the next attempt can succeed. A malformed envelope would be repeated.
      return safety !== "write" && failure.status === 200 && failure.path === ""
  }
}

const halfMinute = Duration.seconds(30)

/**
 * At most 4 more attempts, none later than half a minute after the first has failed; 200 ms apart at first, doubling, with jitter. A rate-limited call also
 * waits for its rate limit, which knows when the service accepts calls again. No attempt begins before the end of a wait that the response states in
 * `Retry-After`; a call whose `CallTimeout` or half minute ends before that fails at once, and its failure has the instant as `retryAt`.
 */
export const standard: RetryPolicy.Shape = {
  schedule: Schedule.exponential("200 millis").pipe(
    Schedule.jittered,
    Schedule.intersect(Schedule.recurs(4)),
    Schedule.upTo(halfMinute)
  ),
  shouldRetry,
  longestWait: halfMinute
}

/** A single attempt. */
export const none: RetryPolicy.Shape = { schedule: Schedule.stop, shouldRetry: () => false }
