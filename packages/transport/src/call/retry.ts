import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import * as CallOptions from "../model/CallOptions.js"
import * as Failure from "../model/Failure.js"
import * as RetryPolicy from "../model/RetryPolicy.js"
import type { AttemptFailure, Call, Restore } from "../attempt/callState.js"
import type { Outcomes } from "../attempt/outcome.js"
import * as monotonic from "../time/monotonic.js"
import * as keys from "../telemetry/metricKeys.js"

/** An attempt that failed. */
interface FailedAttempt {
  /** When it began, milliseconds of the wall clock. */
  readonly at: number
  /** When it failed, milliseconds of the monotonic clock: the wall clock can be set while the next attempt waits. */
  readonly failedAt: number
  /** How long after that the service accepts no calls, milliseconds. */
  readonly closedFor: number
  /** How much of that its response states in `Retry-After`, milliseconds. */
  readonly statedWait: number
  readonly failure: Failure.ReadFailure
}

const millisUntil = (instant: DateTime.Utc | undefined, now: number): number =>
  instant === undefined ? 0 : instant.epochMillis - now

/** How long the service still refuses calls. Operations without a documented limit have no rate limit that waits for that. */
const waitsOf = (failure: Failure.ReadFailure, now: number): Pick<FailedAttempt, "closedFor" | "statedWait"> => {
  const isStated = failure._tag === "RateLimited" || failure._tag === "Unavailable"
  const statedWait = isStated ? millisUntil(failure.retryAt, now) : 0
  const resetAfter = failure._tag === "RateLimited" ? millisUntil(failure.resetAt, now) : 0
  return { closedFor: Math.max(statedWait, resetAfter), statedWait }
}

const longestWaitByDefault = Duration.seconds(30)

// Clocks return whole milliseconds. A jittered wait would put a clock that counts its sleeps, such as a test's, between two of them.
const wholeMillis = <Out>(
  schedule: Schedule.Schedule<Out, Failure.ReadFailure>
): Schedule.Schedule<Out, Failure.ReadFailure> =>
  Schedule.modifyDelay(schedule, (_, delay) => Duration.millis(Math.ceil(Duration.toMillis(delay))))

/** The end of a wait: records the attempt before the next one begins. */
const resume = (
  { around, attempts, endpoint }: Call,
  { at, closedFor, failedAt, failure }: FailedAttempt
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const left = failedAt + closedFor - (yield* monotonic.millis)
    if (left > 0) yield* Effect.sleep(left)
    const wait = Duration.millis(Math.round((yield* monotonic.millis) - failedAt))
    const attempt = new Failure.Attempt({
      at: DateTime.unsafeMake(at),
      failure: failure._tag,
      message: failure.message,
      wait
    })
    attempts.push(attempt)
    yield* Context.get(around.references, CallOptions.OnRetry)(attempt)
    yield* Metric.increment(keys.retriesOf(endpoint.name))
    yield* Effect.logDebug(`${failure.message}; trying again`).pipe(
      Effect.annotateLogs({ operation: endpoint.name, attempt: attempts.length, wait: Duration.format(wait) })
    )
  })

/**
 * Repeats an attempt as the policy decides, in an uninterruptible region, and ends with the last failure. What the guard has blocked is not repeated. The first
 * attempt begins at once. `restore` makes the waits between attempts interruptible.
 */
export const repeat = <A>(
  call: Call,
  attempt: () => Effect.Effect<A, AttemptFailure>,
  outcomes: Outcomes,
  restore: Restore
): Effect.Effect<A, Failure.Failure> => {
  const begunAt = call.around.time.unsafeCurrentTimeMillis()
  return Effect.catchAll(attempt(), (failure) => {
    const failed = toFailed(call, begunAt, failure)
    const repeated = isBlocked(failed) ? Effect.fail(failed) : restore(repeatAfter(failed, call, attempt, outcomes))
    return Effect.mapError(repeated, (last) => outcomes.ended(call, isBlocked(last) ? last : last.failure))
  })
}

const isBlocked = (failure: AttemptFailure | FailedAttempt): failure is Failure.Blocked =>
  "_tag" in failure && failure._tag === "Blocked"

const toFailed = ({ around: { time } }: Call, at: number, failure: AttemptFailure): Failure.Blocked | FailedAttempt =>
  failure._tag === "Blocked"
    ? failure
    : { at, failedAt: monotonic.unsafeMillis(time), ...waitsOf(failure, time.unsafeCurrentTimeMillis()), failure }

const repeatAfter = <A>(
  first: FailedAttempt,
  call: Call,
  attempt: () => Effect.Effect<A, AttemptFailure>,
  outcomes: Outcomes
): Effect.Effect<A, Failure.Blocked | FailedAttempt> => {
  const { around, endpoint } = call
  const policy = Context.get(around.references, RetryPolicy.RetryPolicy)
  const { longestWait = longestWaitByDefault, shouldRetry, schedule } = policy
  const latest = first.failedAt + Duration.toMillis(longestWait)
  /** Whether the next attempt can still begin in time. */
  const isInTime = ({ closedFor, failedAt, statedWait }: FailedAttempt) =>
    (statedWait <= 0 || failedAt + statedWait <= latest) && (closedFor <= 0 || failedAt + closedFor < call.deadline)
  // A write that can have been executed stays in doubt, even if its last attempt ended with a harmless failure: the policy decides about that.
  const decisive = ({ failure }: FailedAttempt) =>
    endpoint.safety === "write" ? (outcomes.doubt(call, failure) ?? failure) : failure
  const next = Effect.suspend(() => {
    const at = around.time.unsafeCurrentTimeMillis()
    return Effect.mapError(attempt(), (failure) => toFailed(call, at, failure))
  }).pipe(Effect.uninterruptible)
  let last: FailedAttempt | undefined
  const resumed = Effect.suspend(() =>
    last === undefined ? Effect.fail(first) : Effect.zipRight(resume(call, last), next)
  )
  return Effect.retry(resumed, {
    schedule: Schedule.mapInput(wholeMillis(schedule), (failed: Failure.Blocked | FailedAttempt) =>
      isBlocked(failed) ? first.failure : failed.failure
    ),
    while: (failed) => {
      if (isBlocked(failed)) return false
      last = failed
      return isInTime(failed) && shouldRetry(decisive(failed), endpoint.safety)
    }
  })
}
