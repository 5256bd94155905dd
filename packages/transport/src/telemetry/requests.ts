import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import * as HashMap from "effect/HashMap"
import * as Metric from "effect/Metric"
import * as MetricKey from "effect/MetricKey"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import type { Attempt, EndRequest } from "../attempt/callState.js"
import * as sendings from "../attempt/sending.js"
import * as keys from "./metricKeys.js"

// Spans and durations of requests follow OpenTelemetry's convention for HTTP clients. They contain neither query, body nor headers, in
// which the API key and the signature are sent.

/** The destination of requests, without user, password and query. */
const serverOf = (host: string) => {
  if (!URL.canParse(host)) return { base: host, server: { "server.address": host } }
  const { hostname, pathname, port, protocol } = new URL(host)
  const base = `${protocol}//${hostname}${port === "" ? "" : `:${port}`}${pathname.replace(/\/$/, "")}`
  const number = port === "" ? (protocol === "http:" ? 80 : 443) : Number(port)
  return { base, server: { "server.address": hostname, "server.port": number } }
}

/** The attributes of an answered request. */
export const answerOf = (phase: sendings.Phase | undefined): Readonly<Record<string, number>> =>
  phase?._tag !== "Answered"
    ? {}
    : {
        "http.response.status_code": phase.status,
        ...(phase.retCode === undefined ? {} : { "venue.return_code": phase.retCode })
      }

const nanosOf = (millis: number): bigint => BigInt(Math.round(millis * 1000)) * 1000n

type Target = ReturnType<typeof serverOf>

const attributesOf = ({ server }: Target, { method, path }: Pick<Endpoint.Properties, "method" | "path">) => ({
  "http.request.method": method,
  ...server,
  "url.template": path
})

/** The histogram of durations for an operation and its end. */
const durationsOf = (target: Target) =>
  keys.memoize((method: Endpoint.Properties["method"], path: string, status: string, errorType: string) => {
    const tags = {
      ...attributesOf(target, { method, path }),
      ...(status === "" ? {} : { "http.response.status_code": status }),
      ...(errorType === "" ? {} : { "error.type": errorType })
    }
    const tagged = Object.entries(tags).reduce(
      (key, [name, value]) => MetricKey.tagged(key, name, String(value)),
      keys.requestDuration
    )
    return Metric.fromMetricKey(tagged)
  })

/** The span of a request that departs now; `undefined` without tracing. */
const spanOf = (target: Target, { attempts, call, waited }: Attempt, sentAt: number): Tracer.Span | undefined => {
  const { around, endpoint, sendings: all, span: parent } = call
  if (around.tracing === undefined || parent === undefined) return undefined
  const { annotations, tracer } = around.tracing
  const { method, name, path } = endpoint
  const span = tracer.span(`${method} ${path}`, Option.some(parent), Context.empty(), [], nanosOf(sentAt), "client")
  const resent = all.filter(sendings.isDeparted).length
  const attributes = {
    ...attributesOf(target, endpoint),
    "url.full": `${target.base}${path}`,
    ...(resent === 0 ? {} : { "http.request.resend_count": resent }),
    "venue.operation": name,
    "venue.attempt": attempts.length + 1,
    "venue.rate_limit.wait": waited / 1000
  }
  HashMap.forEach(annotations, (value, key) => span.attribute(key, value))
  for (const [key, value] of Object.entries(attributes)) span.attribute(key, value)
  return span
}

/** Spans and durations of the requests to a host. */
export const make = (host: string) => {
  const target = serverOf(host)
  const durationOf = durationsOf(target)

  /** Begins the span of a request that departs now. To be called before its phase changes. */
  return (attempt: Attempt, sentAt: number): EndRequest => {
    const { around, endpoint } = attempt.call
    const span = spanOf(target, attempt, sentAt)
    return (phase, endedAt, cause = Cause.empty) => {
      const failure = Option.getOrUndefined(sendings.failure(phase, attempt))
      const isUnended = phase._tag === "InFlight"
      const errorType = isUnended ? (Cause.isInterrupted(cause) ? "interrupted" : "defect") : (failure?._tag ?? "")
      const status = phase._tag === "Answered" ? String(phase.status) : ""
      durationOf(endpoint.method, endpoint.path, status, errorType).unsafeUpdate(
        (endedAt - sentAt) / 1000,
        around.labels
      )
      if (span === undefined) return
      for (const [key, value] of Object.entries(answerOf(phase))) span.attribute(key, value)
      if (errorType !== "") span.attribute("error.type", errorType)
      span.end(
        nanosOf(endedAt),
        isUnended ? Exit.failCause(cause) : failure === undefined ? Exit.void : Exit.fail(failure)
      )
    }
  }
}
