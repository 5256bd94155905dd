import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import { ensuring } from "../ended.js"
import type { Surroundings } from "../call/surroundings.js"
import type * as Failure from "../../Failure.js"
import * as Metrics from "../../Metrics.js"
import * as ServerClock from "../../ServerClock.js"
import * as keys from "./metricKeys.js"
import type { Attempt, Call } from "../call/callState.js"
import type { LimitHeaders } from "../response/limitAnswer.js"

const serverOf = (host: string): Record<string, string | number> => {
  if (!URL.canParse(host)) return { "server.address": host }
  const { hostname, port } = new URL(host)
  return port === "" ? { "server.address": hostname } : { "server.address": hostname, "server.port": Number(port) }
}

// Attributes are those of HTTP clients where there is one. None has the query, the body, or a header: key and signature are in
// them.
const attributesOf = (endpoint: Endpoint.Properties, host: string) => ({
  "http.request.method": endpoint.method,
  "url.path": endpoint.path,
  ...serverOf(host),
  "venue.operation": endpoint.name
})

const outcomeOf = <A>(exit: Exit.Exit<A, Failure.Failure>): string =>
  Exit.match(exit, {
    onSuccess: () => "success",
    onFailure: (cause) =>
      Option.match(Cause.failureOption(cause), {
        onNone: () => (Cause.isInterrupted(cause) ? "interrupted" : "defect"),
        onSome: (failure) => failure._tag
      })
  })

/** A span for a whole call, where there is a tracer. */
export const call = <A, E>(
  effect: Effect.Effect<A, E>,
  endpoint: Endpoint.Properties,
  host: string,
  { isTraced }: Surroundings
): Effect.Effect<A, E> =>
  isTraced
    ? Effect.withSpan(effect, `venue.${endpoint.name}`, {
        kind: "client",
        captureStackTrace: false,
        attributes: attributesOf(endpoint, host)
      })
    : effect

/** Counts a call by how it ended. */
export const counted = <A>(
  { name }: Endpoint.Properties,
  exit: Exit.Exit<A, Failure.Failure>,
  { labels }: Surroundings
): void => keys.callsOf(name, outcomeOf(exit)).unsafeUpdate(1, labels)

/** The clock and the limit that an answer states. */
export const observed = (
  { around: { labels }, endpoint }: Call,
  sample: Option.Option<ServerClock.Sample>,
  { remaining }: LimitHeaders
): void => {
  if (Option.isSome(sample)) Metrics.skew.unsafeUpdate(ServerClock.skew(sample.value), labels)
  if (remaining !== undefined) keys.remainingOf(endpoint.name).unsafeUpdate(remaining, labels)
}

/** What the last answer said, as far as there was one. */
const answerOf = ({ sendings }: Attempt): Record<string, unknown> => {
  const last = sendings.at(-1)?.phase
  return last?._tag === "Answered"
    ? { "http.response.status_code": last.status, "venue.return_code": last.retCode ?? "none" }
    : {}
}

/** Logs at debug level that an attempt was answered. */
const logged = (attempt: Attempt, number: number): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logDebug("answered"), {
    operation: attempt.operation,
    attempt: number,
    ...answerOf(attempt)
  })

/** A span for one attempt. That of an attempt that failed ends with its failure. */
const spanned = <A>(
  attempted: Effect.Effect<A, Failure.ReadFailure>,
  attempt: Attempt,
  number: number
): Effect.Effect<A, Failure.ReadFailure> => {
  // A tracer is given what a span ended with, and that of a success is the caller's alone.
  let result: Effect.Effect<A> = Effect.never
  return attempted.pipe(
    Effect.map((value) => {
      result = Effect.succeed(value)
    }),
    Effect.ensuring(
      Effect.suspend(() =>
        Effect.annotateCurrentSpan({
          ...answerOf(attempt),
          "venue.rate_limit_wait_ms": attempt.waited,
          "venue.sends": attempt.sendings.filter(({ phase }) => phase._tag !== "Queued" && phase._tag !== "Held").length
        })
      )
    ),
    Effect.withSpan("venue.attempt", {
      captureStackTrace: false,
      attributes: { "venue.operation": attempt.operation, "venue.attempt": number }
    }),
    Effect.flatMap(() => result)
  )
}

/** A span, a debug line and the waiting time of one attempt. */
export const attempt = <A>(
  attempt: Attempt,
  use: () => Effect.Effect<A, Failure.ReadFailure>
): Effect.Effect<A, Failure.ReadFailure> => {
  const { isDebugged, isTraced, labels } = attempt.call.around
  const number = attempt.attempts.length + 1
  const counted = () =>
    ensuring(use, () => {
      keys.rateLimitWaitOf(attempt.operation).unsafeUpdate(attempt.waited, labels)
      const isAnswered = attempt.sendings.at(-1)?.phase._tag === "Answered"
      return isDebugged && isAnswered ? logged(attempt, number) : Exit.void
    })
  return isTraced ? spanned(Effect.suspend(counted), attempt, number) : counted()
}
