import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Cause from "effect/Cause"
import * as FiberRef from "effect/FiberRef"
import * as LogLevel from "effect/LogLevel"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type * as Failure from "../Failure.js"
import * as keys from "./metricKeys.js"
import type { Received, Sending } from "./sending.js"

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

// The tracer of a program that has none: it keeps nothing, and tells nobody.
const noopTracer = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** Adds what is for a tracer, where there is one. */
const whenTraced = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  traced: (effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.tracerWith((tracer) => (tracer === noopTracer ? effect : traced(effect)))

/** Says something to whoever listens to debug lines. */
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

const codeOf = ({ verdict }: Received): number | undefined =>
  Either.match(verdict, {
    onRight: ({ code }) => code,
    onLeft: (refusal) =>
      refusal._tag === "OverLimit" || refusal._tag === "Skewed"
        ? refusal.said.retCode
        : refusal._tag === "Failed" && "retCode" in refusal.failure
          ? refusal.failure.retCode
          : undefined
  })

/** A span and a debug line for one attempt. */
export const attempt = <E>(effect: Effect.Effect<Received, E>, sending: Sending): Effect.Effect<Received, E> => {
  const { context, endpoint } = sending
  const number = context.attempts.length + 1
  const told = (received: Received) => ({
    "http.response.status_code": received.answer.status,
    "venue.return_code": codeOf(received) ?? "none"
  })
  const answered = Effect.tap(effect, (received) =>
    debug(
      () => "answered",
      () => ({ operation: endpoint.name, attempt: number, ...told(received) })
    )
  )
  const counted = Effect.ensuring(
    answered,
    Effect.suspend(() => Metric.update(keys.rateLimitWaitOf(endpoint.name), sending.waited))
  )
  return whenTraced(counted, (attempted) =>
    // A tracer is told with what a span ended, and what was received carries the request with its signature.
    Effect.flatMap(Deferred.make<Received>(), (result) =>
      attempted.pipe(
        Effect.tap((received) => Effect.annotateCurrentSpan(told(received))),
        Effect.flatMap((received) => Deferred.succeed(result, received)),
        Effect.ensuring(
          Effect.suspend(() =>
            Effect.annotateCurrentSpan({ "venue.rate_limit_wait_ms": sending.waited, "venue.sends": sending.sends })
          )
        ),
        Effect.withSpan("venue.attempt", {
          captureStackTrace: false,
          attributes: { "venue.operation": endpoint.name, "venue.attempt": number }
        }),
        Effect.zipRight(Deferred.await(result))
      )
    )
  )
}
