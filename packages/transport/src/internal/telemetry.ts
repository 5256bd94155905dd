import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Cause from "effect/Cause"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import type * as Failure from "../Failure.js"
import * as Metrics from "../Metrics.js"
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
  effect.pipe(
    Effect.onExit((exit) =>
      Metric.increment(
        Metric.tagged(Metric.tagged(Metrics.calls, "operation", endpoint.name), "outcome", outcomeOf(exit))
      )
    ),
    Effect.withSpan(`venue.${endpoint.name}`, {
      kind: "client",
      captureStackTrace: false,
      attributes: attributesOf(endpoint, host)
    })
  )

const codeOf = ({ reading }: Received): number | undefined =>
  Either.match(reading, {
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
  return Effect.flatMap(Deferred.make<Received>(), (result) =>
    effect.pipe(
      Effect.tap((received) => {
        const told = {
          "http.response.status_code": received.answer.status,
          "venue.return_code": codeOf(received) ?? "none"
        }
        return Effect.zipRight(
          Effect.annotateCurrentSpan(told),
          Effect.logDebug("answered").pipe(Effect.annotateLogs({ operation: endpoint.name, attempt: number, ...told }))
        )
      }),
      // A tracer is told with what a span ended, and what was received carries the request with its signature.
      Effect.flatMap((received) => Deferred.succeed(result, received)),
      Effect.ensuring(
        Effect.suspend(() =>
          Effect.zipRight(
            Effect.annotateCurrentSpan({ "venue.budget_wait_ms": sending.waited, "venue.sends": sending.sends }),
            Metric.update(Metric.tagged(Metrics.budgetWait, "operation", endpoint.name), sending.waited)
          )
        )
      ),
      Effect.withSpan("venue.attempt", {
        captureStackTrace: false,
        attributes: { "venue.operation": endpoint.name, "venue.attempt": number }
      }),
      Effect.zipRight(Deferred.await(result))
    )
  )
}
