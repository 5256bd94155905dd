import * as Executions from "@effect-venue/schemas/Executions"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Metric, MetricState, Option, TestClock, type Tracer } from "effect"
import { read as list, write as amend } from "./utils/calls.js"
import * as scripted from "./utils/scripted.js"
import { collecting } from "@effect-venue/testing/Spans"

const page = scripted.ok({ category: "linear", list: [], nextPageCursor: "" })
const once = Effect.provideService(list, RetryPolicy.RetryPolicy, RetryPolicy.none)

/** The spans that a call makes. */
const spansOf = <A, E>(call: Effect.Effect<A, E, Transport.Transport>, script: scripted.Script) =>
  Effect.gen(function* () {
    const { spans, tracer } = collecting()
    const far = scripted.make(script)
    const fiber = yield* Effect.fork(Effect.exit(call).pipe(Effect.withTracer(tracer), Effect.provide(far.layer)))
    yield* TestClock.adjust("5 minutes")
    yield* Fiber.join(fiber)
    return spans
  })

const attributesOf = ({ attributes }: Tracer.Span) => {
  const { exit: _, ...others } = Object.fromEntries(attributes)
  return others
}

const request = {
  "http.request.method": "GET",
  "server.address": "venue.test",
  "server.port": 80,
  "url.template": "/cloud/trade/v3/execution/list",
  "url.full": "http://venue.test/cloud/trade/v3/execution/list",
  "venue.operation": "executions.list",
  "venue.attempt": 1,
  "venue.rate_limit.wait": 0
}

describe("the spans of a call", () => {
  it.effect("are an internal span of the call with a client span for each request", () =>
    Effect.gen(function* () {
      const answers = [{ status: 503, body: "busy" }, scripted.refused(10006), { body: "<html>" }, page]
      const [call, ...requests] = yield* spansOf(list, (_, index) => answers[index] ?? "hang")
      expect([call?.name, call?.kind]).toEqual(["venue.executions.list", "internal"])
      expect(call === undefined ? {} : attributesOf(call)).toEqual({
        "venue.operation": "executions.list",
        "venue.sends": 4
      })
      for (const { kind, name, parent } of requests) {
        expect([name, kind]).toEqual(["GET /cloud/trade/v3/execution/list", "client"])
        expect(Option.getOrUndefined(parent)).toBe(call)
      }
      expect(requests.map(attributesOf)).toEqual([
        { ...request, "http.response.status_code": 503, "error.type": "Unavailable" },
        {
          ...request,
          "venue.attempt": 2,
          "http.request.resend_count": 1,
          "http.response.status_code": 200,
          "venue.return_code": 10006,
          "error.type": "RateLimited"
        },
        {
          ...request,
          "venue.attempt": 3,
          "http.request.resend_count": 2,
          "venue.rate_limit.wait": expect.any(Number),
          "http.response.status_code": 200,
          "error.type": "UnexpectedResponse"
        },
        {
          ...request,
          "venue.attempt": 4,
          "http.request.resend_count": 3,
          "venue.rate_limit.wait": expect.any(Number),
          "http.response.status_code": 200,
          "venue.return_code": 0
        }
      ])
    })
  )

  it.effect("contain the failure, without a span for a request that was not sent", () =>
    Effect.gen(function* () {
      const errors = (spans: ReadonlyArray<Tracer.Span>) => spans.map(({ attributes }) => attributes.get("error.type"))
      const lost = yield* spansOf(once, () => "hang")
      expect(errors(lost)).toEqual(["ConnectionFailed", "ConnectionFailed"])
      expect(lost[1]?.attributes.has("http.response.status_code")).toBe(false)
      // The response arrived, but is not that of the operation.
      expect(errors(yield* spansOf(once, () => scripted.ok({})))).toEqual(["UnexpectedResponse", undefined])
      expect(errors(yield* spansOf(amend, () => ({ status: 502, body: "bad gateway" })))).toEqual([
        "OutcomeUnknown",
        "Unavailable"
      ])
      expect(errors(yield* spansOf(Effect.timeout(once, "1 second"), () => "hang"))).toEqual([
        "interrupted",
        "interrupted"
      ])
      const banned = yield* spansOf(Effect.zipRight(Effect.either(once), once), () => ({
        status: 403,
        body: "access too frequent"
      }))
      expect(errors(banned)).toEqual(["Banned", "Banned", "Banned"])
      expect(banned.map(({ attributes, kind }) => [kind, attributes.get("venue.sends")])).toEqual([
        ["internal", 1],
        ["client", undefined],
        ["internal", 0]
      ])
    })
  )

  it.effect("last as long as the request, and have the annotations of the application", () =>
    Effect.gen(function* () {
      const calls = Effect.all(
        Array.from({ length: 11 }, () => list),
        { concurrency: "unbounded" }
      )
      const spans = yield* spansOf(Effect.annotateSpans(calls, "bot", "grid"), () =>
        Effect.as(Effect.sleep("250 millis"), page)
      )
      const waited = spans.filter(({ attributes }) => Number(attributes.get("venue.rate_limit.wait")) > 0)
      expect(waited).toHaveLength(1)
      for (const { attributes, status } of spans)
        expect([status._tag, attributes.get("bot")]).toEqual(["Ended", "grid"])
      for (const { kind, status } of spans)
        if (kind === "client" && status._tag === "Ended")
          expect(Number(status.endTime - status.startTime) / 1e6).toBe(250)
    })
  )

  it.effect("are not created if the application disabled tracing", () =>
    Effect.gen(function* () {
      expect(yield* spansOf(Effect.withTracerEnabled(list, false), () => page)).toEqual([])
    })
  )

  it.effect("do not contain user, password or query of the base URL", () =>
    Effect.gen(function* () {
      const { spans, tracer } = collecting()
      const far = scripted.make(() => page)
      const credentials = { ...scripted.credentials, baseUrl: "https://user:word@proxy.test:8443/venue" }
      yield* Effect.flatMap(Transport.make, (transport) =>
        transport.call(Executions.list, { category: "linear" })
      ).pipe(
        Effect.provideService(Credentials.Credentials, credentials),
        Effect.withTracer(tracer),
        Effect.provide(far.layer),
        Effect.exit
      )
      expect(spans[1] === undefined ? {} : attributesOf(spans[1])).toMatchObject({
        "url.full": "https://proxy.test:8443/venue/cloud/trade/v3/execution/list",
        "server.address": "proxy.test",
        "server.port": 8443
      })
    })
  )
})

describe("the metrics of a call", () => {
  it.effect("contain the duration of each request in seconds, with conventional attributes", () =>
    Effect.gen(function* () {
      const answers = [{ status: 503, body: "busy" }, page]
      const sent = (_: unknown, index: number) => Effect.as(Effect.sleep("2 seconds"), answers[index] ?? page)
      yield* spansOf(Effect.tagMetrics(list, "test", "durations"), sent)
      const measured = (yield* Metric.snapshot).flatMap(({ metricKey: { name, tags }, metricState }) => {
        const found = Object.fromEntries(tags.map(({ key, value }) => [key, value]))
        return name === "http.client.request.duration" && found.test === "durations"
          ? [{ found, state: metricState }]
          : []
      })
      expect(measured.map(({ found }) => found)).toEqual(
        [
          { "http.response.status_code": "503", "error.type": "Unavailable" },
          { "http.response.status_code": "200" }
        ].map((answer) => ({
          ...{ "http.request.method": "GET", "server.address": "venue.test", "server.port": "80" },
          ...{ "url.template": request["url.template"], unit: "s", test: "durations" },
          ...answer
        }))
      )
      for (const { state } of measured)
        expect(MetricState.isHistogramState(state) ? [state.count, state.sum] : []).toEqual([1, 2])
    })
  )
})
