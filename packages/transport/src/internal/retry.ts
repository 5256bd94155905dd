import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import * as CallOptions from "../CallOptions.js"
import * as Failure from "../Failure.js"
import * as RetryPolicy from "../RetryPolicy.js"
import type { Call } from "./callState.js"
import * as keys from "./metricKeys.js"

/** An attempt that failed: when it began and when it failed, milliseconds. */
interface Failed {
  readonly at: number
  readonly failedAt: number
  readonly failure: Failure.ReadFailure
}

// Clocks return whole milliseconds. A jittered wait would bring one that counts its sleeps, as a test's does, between two of them.
const wholeMillis = <Out>(
  schedule: Schedule.Schedule<Out, Failure.ReadFailure>
): Schedule.Schedule<Out, Failure.ReadFailure> =>
  Schedule.modifyDelay(schedule, (_, delay) => Duration.millis(Math.ceil(Duration.toMillis(delay))))

/** The end of a wait: records the attempt before the next one begins. */
const resume = ({ attempts, endpoint }: Call, { at, failedAt, failure }: Failed): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (failure._tag === "RateLimited" && failure.resetAt !== undefined) {
      // Operations without a documented limit have no rate limit to wait for.
      const now = yield* Clock.currentTimeMillis
      yield* Effect.sleep(Math.max(failure.resetAt.epochMillis - now, 0))
    }
    const wait = Duration.millis((yield* Clock.currentTimeMillis) - failedAt)
    const attempt = new Failure.Attempt({
      at: DateTime.unsafeMake(at),
      failure: failure._tag,
      message: failure.message,
      wait
    })
    attempts.push(attempt)
    yield* Effect.flatMap(CallOptions.OnRetry, (report) => report(attempt))
    yield* Metric.increment(keys.retriesOf(endpoint.name))
    yield* Effect.logDebug(`${failure.message}; trying again`).pipe(
      Effect.annotateLogs({ operation: endpoint.name, attempt: attempts.length, wait: Duration.format(wait) })
    )
  })

/**
 * Repeats an attempt as the policy says, and ends with the last failure. `decisive` is what the policy is asked about: a write that
 * may have been executed stays in doubt, however harmless the failure is that its last attempt ended with.
 */
export const repeated = <A>(
  call: Call,
  attempt: Effect.Effect<A, Failure.ReadFailure>,
  decisive: (failure: Failure.ReadFailure) => Failure.ReadFailure
): Effect.Effect<A, Failure.ReadFailure> => {
  const next: Effect.Effect<A, Failed> = Effect.clockWith((clock) => {
    const at = clock.unsafeCurrentTimeMillis()
    return Effect.mapError(attempt, (failure) => ({ at, failedAt: clock.unsafeCurrentTimeMillis(), failure }))
  })

  /** The schedule begins with the first failure: most calls have none, and make no schedule. */
  const after = (first: Failed): Effect.Effect<A, Failed> =>
    Effect.flatMap(RetryPolicy.RetryPolicy, ({ mayRepeat, schedule }) => {
      let last = first
      let isFirst = true
      const resumed = Effect.suspend(() => {
        if (!isFirst) return Effect.zipRight(resume(call, last), next)
        isFirst = false
        return Effect.fail(first)
      })
      return Effect.retry(resumed, {
        schedule: Schedule.mapInput(wholeMillis(schedule), ({ failure }: Failed) => failure),
        while: (failed) => {
          last = failed
          return mayRepeat(decisive(failed.failure), call.endpoint.safety)
        }
      })
    })

  return Effect.catchAll(next, (first) => Effect.mapError(after(first), ({ failure }) => failure))
}
