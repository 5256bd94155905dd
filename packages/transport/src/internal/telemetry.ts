import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Cause from "effect/Cause"
import * as FiberRef from "effect/FiberRef"
import * as LogLevel from "effect/LogLevel"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type * as Failure from "../Failure.js"
import * as Metrics from "../Metrics.js"
import * as ServerClock from "../ServerClock.js"
import * as keys from "./metricKeys.js"
import type { Attempt } from "./callState.js"
import type { LimitHeaders } from "./limitAnswer.js"

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

// The tracer of a program that has none: it records and exports nothing.
const noopTracer = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** Adds what is for a tracer, where there is one. */
const whenTraced = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  traced: (effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.tracerWith((tracer) => (tracer === noopTracer ? effect : traced(effect)))

/** Logs at debug level; the line is only built where that level is enabled. */
export const debug = (line: () => string, annotations: () => Record<string, unknown>): Effect.Effect<void> =>
  Effect.flatMap(FiberRef.get(FiberRef.currentMinimumLogLevel), (level) =>
    LogLevel.lessThanEqual(level, LogLevel.Debug)
      ? Effect.annotateLogs(
          Effect.suspend(() => Effect.logDebug(line())),
          annotations()
        )
      : Effect.void
  )

const outcomeOf = <A>(exit: Exit.Exit<A, Failure.Failure>): string =>
  Exit.match(exit, {
    onSuccess: () => "success",
    onFailure: (cause) =>
      Option.match(Cause.failureOption(cause), {
        onNone: () => (Cause.isInterrupted(cause) ? "interrupted" : "defect"),
        onSome: (failure) => failure._tag
      })
  })

/** A span and a count for a whole call. */
export const call = <A>(
  effect: Effect.Effect<A, Failure.Failure>,
  endpoint: Endpoint.Properties,
  host: string
): Effect.Effect<A, Failure.Failure> =>
  whenTraced(
    Effect.onExit(effect, (exit) => Metric.increment(keys.callsOf(endpoint.name, outcomeOf(exit)))),
    (counted) =>
      Effect.withSpan(counted, `venue.${endpoint.name}`, {
        kind: "client",
        captureStackTrace: false,
        attributes: attributesOf(endpoint, host)
      })
  )

/** The clock and the limit that an answer states. */
export const observed = (
  endpoint: Endpoint.Properties,
  sample: Option.Option<ServerClock.Sample>,
  { remaining }: LimitHeaders
): Effect.Effect<void> =>
  keys.update((tags) => {
    if (Option.isSome(sample)) Metrics.skew.unsafeUpdate(ServerClock.skew(sample.value), tags)
    if (remaining !== undefined) keys.remainingOf(endpoint.name).unsafeUpdate(remaining, tags)
  })

/** What the last answer said, as far as there was one. */
const answerOf = ({ sendings }: Attempt): Record<string, unknown> => {
  const last = sendings.at(-1)?.phase
  return last?._tag === "Answered"
    ? { "http.response.status_code": last.status, "venue.return_code": last.retCode ?? "none" }
    : {}
}

/** A span and a debug line for one attempt. The span of an attempt that failed ends with its failure. */
export const attempt = <A>(
  effect: Effect.Effect<A, Failure.ReadFailure>,
  attempt: Attempt
): Effect.Effect<A, Failure.ReadFailure> => {
  const { attempts, operation, sendings } = attempt
  const number = attempts.length + 1
  const counted = Effect.ensuring(
    effect,
    Effect.suspend(() =>
      Effect.zipRight(
        Metric.update(keys.rateLimitWaitOf(operation), attempt.waited),
        sendings.at(-1)?.phase._tag === "Answered"
          ? debug(
              () => "answered",
              () => ({ operation, attempt: number, ...answerOf(attempt) })
            )
          : Effect.void
      )
    )
  )
  return whenTraced(counted, (attempted) => {
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
            "venue.sends": sendings.filter(({ phase }) => phase._tag !== "Queued" && phase._tag !== "Held").length
          })
        )
      ),
      Effect.withSpan("venue.attempt", {
        captureStackTrace: false,
        attributes: { "venue.operation": operation, "venue.attempt": number }
      }),
      Effect.flatMap(() => result)
    )
  })
}
