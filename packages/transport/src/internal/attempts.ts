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
import { type Ambiguous, type Departure, doubt, isAmbiguous, mayBeExecuted } from "./departure.js"
import * as keys from "./metricKeys.js"
import type { Scrub } from "./scrub.js"

/** What is known of a call while it is under way, for the moment in which it is cut short. */
export interface Progress {
  /** The departures of the present attempt. */
  departures: Array<Departure>
  /** The signatures that the call has sent, to be scrubbed from what is said of it. */
  readonly signatures: Array<string>
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
  scrub: Scrub,
  attempt: (context: answers.Context, progress: Progress) => Effect.Effect<A, Failure.ReadFailure>,
  unknownOutcome: UnknownOutcome
): Effect.Effect<A, Failure.Failure> =>
  Effect.suspend(() => {
    const isWrite = endpoint.safety !== "read"
    const before: Array<Failure.Attempt> = []
    const progress: Progress = { departures: [], signatures: [] }
    let ambiguous: Ambiguous | undefined
    let isTimedOut = false

    let driver: Schedule.ScheduleDriver<unknown, Failure.ReadFailure> | undefined

    const contextOf = (): answers.Context => ({
      operation: endpoint.name,
      attempts: [...before],
      scrub: (text) => scrub(text, progress.signatures)
    })

    const connectionFailed = (reason: "Connection" | "Timeout", sent: boolean, detail: string) =>
      new Failure.ConnectionFailed({ operation: endpoint.name, attempts: [...before], reason, sent, detail })

    /** Why a write's outcome is unknown after its attempt has failed: by its failure, or by a departure before the last one. */
    const doubtAfter = (failure: Failure.ReadFailure): Ambiguous | undefined => {
      const own = isAmbiguous(failure) ? failure : undefined
      const dropped = () => own ?? connectionFailed("Connection", true, "a wrapped client did not return the answer")
      return doubt(progress.departures, dropped) ?? own
    }

    /** Waits as the policy says; fails where that was the last attempt. */
    const beforeNext = (failure: Failure.ReadFailure, at: number): Effect.Effect<void, Failure.Failure> =>
      Effect.gen(function* () {
        if (isWrite) ambiguous ??= doubtAfter(failure)
        // While the next attempt is waited for, nothing is under way.
        progress.departures = []
        const failedAt = yield* Clock.currentTimeMillis
        const policy = yield* RetryPolicy.RetryPolicy
        driver ??= yield* Schedule.driver(Schedule.modifyDelay(policy.schedule, (_, delay) => wholeMillis(delay)))
        const next = driver.next(failure)
        // A write in doubt stays in doubt, however harmless the failure is that its attempt ended with.
        const decisive = endpoint.safety === "write" ? (ambiguous ?? failure) : failure
        const goesOn = policy.mayRepeat(decisive, endpoint.safety) && Option.isSome(yield* Effect.option(next))
        if (!goesOn) {
          return yield* Effect.fail(ambiguous === undefined ? failure : unknownOutcome(ambiguous, before))
        }
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
        before.push(attempt)
        yield* Effect.flatMap(CallOptions.OnRetry, (tell) => tell(attempt))
        yield* Metric.increment(keys.retriesOf(endpoint.name))
        yield* Effect.logDebug(`${failure.message}; trying again`).pipe(
          Effect.annotateLogs({ operation: endpoint.name, attempt: before.length, wait: Duration.format(wait) })
        )
      })

    const attempts: Effect.Effect<A, Failure.Failure> = Effect.clockWith((clock) => {
      const at = clock.unsafeCurrentTimeMillis()
      return Effect.catchAll(attempt(contextOf(), progress), (failure) =>
        Effect.zipRight(beforeNext(failure, at), attempts)
      )
    })

    /** What to tell when the call is cut short where it stands. */
    const cutShort = (detail: string): Failure.Failure => {
      const connection = connectionFailed("Timeout", mayBeExecuted(progress.departures), detail)
      const because = ambiguous ?? doubt(progress.departures, () => connection)
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
