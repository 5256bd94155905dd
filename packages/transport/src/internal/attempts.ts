import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as CallOptions from "../CallOptions.js"
import * as Failure from "../Failure.js"
import * as RetryPolicy from "../RetryPolicy.js"
import type * as answers from "./answer.js"
import * as keys from "./metricKeys.js"
import type { Sending } from "./sending.js"

export type Ambiguous = Failure.OutcomeUnknown["because"]

/** What is known of a call while it is under way, for the moment in which it is cut short. */
export interface Progress {
  sending: Sending | undefined
}

/** Whether after this failure nobody knows what became of a write. */
export const isAmbiguous = (failure: Failure.ReadFailure): failure is Ambiguous => {
  switch (failure._tag) {
    case "ConnectionFailed":
      return failure.sent
    case "Unavailable":
      return failure.executed === "unknown"
    case "UnexpectedResponse":
      return true
    default:
      return false
  }
}

type UnknownOutcome = (because: Ambiguous, before: ReadonlyArray<Failure.Attempt>) => Failure.OutcomeUnknown

// Clocks tell whole milliseconds. A jittered wait would bring one that counts its sleeps, as a test's does, between two of them.
const wholeMillis = (delay: Duration.Duration): Duration.Duration =>
  Duration.millis(Math.ceil(Duration.toMillis(delay)))

/**
 * Repeats an attempt as the policy says. Ends with the last failure and the chain of those before it; of a write with
 * `OutcomeUnknown` as soon as one of its attempts may have been executed, because no later refusal unsays that.
 */
export const repeated = <A>(
  endpoint: Endpoint.Properties,
  scrub: (text: string) => string,
  once: (context: answers.Context, progress: Progress) => Effect.Effect<A, Failure.ReadFailure>,
  unknownOutcome: UnknownOutcome
): Effect.Effect<A, Failure.Failure> =>
  Effect.suspend(() => {
    const isWrite = endpoint.safety !== "read"
    const before: Array<Failure.Attempt> = []
    const progress: Progress = { sending: undefined }
    let ambiguous: Ambiguous | undefined
    let isTimedOut = false

    let driver: Schedule.ScheduleDriver<unknown, Failure.ReadFailure> | undefined

    /** Waits as the policy says; fails where that was the last attempt. */
    const beforeNext = (failure: Failure.ReadFailure, at: number): Effect.Effect<void, Failure.Failure> =>
      Effect.gen(function* () {
        // Its failure says what became of it: while the next one is waited for, nothing is under way.
        progress.sending = undefined
        if (isWrite && isAmbiguous(failure)) ambiguous ??= failure
        const failedAt = yield* Clock.currentTimeMillis
        const policy = yield* RetryPolicy.RetryPolicy
        driver ??= yield* Schedule.driver(Schedule.modifyDelay(policy.schedule, (_, delay) => wholeMillis(delay)))
        const next = driver.next(failure)
        const goesOn = policy.mayRepeat(failure, endpoint.safety) && Option.isSome(yield* Effect.option(next))
        if (!goesOn) {
          return yield* Effect.fail(ambiguous === undefined ? failure : unknownOutcome(ambiguous, before))
        }
        if (failure._tag === "RateLimited" && failure.resetAt !== undefined) {
          // Operations without a documented limit have no budget that would wait.
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
        before.push(attempt)
        yield* Effect.flatMap(CallOptions.OnRetry, (tell) => tell(attempt))
        yield* Metric.increment(keys.retriesOf(endpoint.name))
        yield* Effect.logDebug(`${failure.message}; trying again`).pipe(
          Effect.annotateLogs({ operation: endpoint.name, attempt: before.length, wait: Duration.format(wait) })
        )
      })

    const attempts: Effect.Effect<A, Failure.Failure> = Effect.clockWith((clock) => {
      const at = clock.unsafeCurrentTimeMillis()
      return Effect.catchAll(once({ operation: endpoint.name, attempts: [...before], scrub }, progress), (failure) =>
        Effect.zipRight(beforeNext(failure, at), attempts)
      )
    })

    /** What to tell when the call is cut short where it stands. */
    const cutShort = (detail: string): Failure.Failure => {
      const connection = new Failure.ConnectionFailed({
        operation: endpoint.name,
        attempts: [...before],
        reason: "Timeout",
        sent: progress.sending?.mayBeExecuted ?? false,
        detail
      })
      const because = ambiguous ?? (connection.sent ? connection : undefined)
      return isWrite && because !== undefined ? unknownOutcome(because, before) : connection
    }

    const reported = isWrite
      ? Effect.onInterrupt(attempts, () => {
          // The timeout of the call tells of itself.
          if (isTimedOut) return Effect.void
          const failure = cutShort("interrupted")
          return failure._tag === "OutcomeUnknown"
            ? Effect.flatMap(CallOptions.OnInterruptedWrite, (tell) => tell(failure))
            : Effect.void
        })
      : attempts

    return Effect.flatMap(CallOptions.CallTimeout, (timeout) =>
      Duration.isFinite(timeout)
        ? Effect.raceFirst(
            Effect.exit(reported),
            Effect.delay(
              Effect.sync(() => {
                isTimedOut = true
                return Exit.fail(cutShort(`not done within ${Duration.format(timeout)}`))
              }),
              timeout
            )
          ).pipe(Effect.flatten)
        : reported
    )
  })
