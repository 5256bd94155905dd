import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type { CallContext } from "../model/callContext.js"
import { onEnd } from "../model/exits.js"
import type * as Failure from "../model/Failure.js"
import * as Metrics from "./Metrics.js"
import type * as ServerClock from "../time/ServerClock.js"
import { skew } from "../time/hostClocks.js"
import * as keys from "./metricKeys.js"
import type { Attempt, Call } from "../attempt/callState.js"
import { isDeparted, type Sending } from "../attempt/sending.js"
import type { LimitHeaders } from "../response/limitAnswer.js"
import { answerOf } from "./requests.js"

const outcomeOf = <A>(exit: Exit.Exit<A, Failure.Failure>): string =>
  Exit.match(exit, {
    onSuccess: () => "success",
    onFailure: (cause) =>
      Option.match(Cause.failureOption(cause), {
        onNone: () => (Cause.isInterrupted(cause) ? "interrupted" : "defect"),
        onSome: (failure) => failure._tag
      })
  })

/** The part of a call that telemetry needs; a call that is refused here has no sendings. */
interface Subject {
  readonly around: CallContext
  readonly endpoint: Endpoint.Properties
  readonly sendings: ReadonlyArray<Sending>
}

/** The method of a service that calls an operation. */
const methodOf = ({ name }: Endpoint.Properties): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** Counts a call by its outcome, and gives it a span if there is a tracer */
export const call = <A>(
  { around, endpoint, sendings }: Subject,
  use: (span: Tracer.Span | undefined) => Effect.Effect<A, Failure.Failure>
): Effect.Effect<A, Failure.Failure> => {
  const countCall = (span?: Tracer.Span) =>
    onEnd(use(span), (exit) => {
      const outcome = outcomeOf(exit)
      keys.callsOf(endpoint.name, outcome).unsafeUpdate(1, around.labels)
      span?.attribute("venue.sends", sendings.filter(isDeparted).length)
      if (Exit.isFailure(exit)) span?.attribute("error.type", outcome)
      return exit
    })
  if (around.tracing === undefined) return countCall()
  const parent = Option.getOrUndefined(Context.getOption(around.references, Tracer.ParentSpan))
  // The span of the service's method, which makes this one call. A batch can make several.
  if (parent?._tag === "Span" && parent.name === methodOf(endpoint) && endpoint.extended !== true) {
    parent.attribute("venue.operation", endpoint.name)
    return countCall(parent)
  }
  const options = { captureStackTrace: false, attributes: { "venue.operation": endpoint.name } }
  return Effect.useSpan(`venue.${endpoint.name}`, options, (span) => Effect.withParentSpan(countCall(span), span))
}

/** The clock and the limit that an answer states. */
export const observe = (
  { around: { labels }, endpoint }: Call,
  sample: Option.Option<ServerClock.Sample>,
  remaining: LimitHeaders["remaining"]
): void => {
  if (Option.isSome(sample)) Metrics.skew.unsafeUpdate(skew(sample.value) / 1000, labels)
  if (remaining !== undefined) keys.remainingOf(endpoint.name).unsafeUpdate(remaining, labels)
}

/** Logs at debug level that an attempt was answered. */
const logAnswered = (attempt: Attempt): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logDebug("answered"), {
    operation: attempt.operation,
    attempt: attempt.attempts.length + 1,
    ...answerOf(attempt.sendings.at(-1)?.phase)
  })

/** Notes the waiting time of an attempt. Returns a debug line to be logged, if there is one. */
export const endAttempt = (attempt: Attempt): Effect.Effect<void> | undefined => {
  const { isDebugged, labels } = attempt.call.around
  keys.rateLimitWaitOf(attempt.operation).unsafeUpdate(attempt.waited / 1000, labels)
  const isAnswered = attempt.sendings.at(-1)?.phase._tag === "Answered"
  return isDebugged && isAnswered ? logAnswered(attempt) : undefined
}
