import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Venue from "@effect-venue/services/Venue"
import { describe, expect, it } from "@effect/vitest"
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader
} from "@opentelemetry/sdk-metrics"
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { Effect, Layer } from "effect"
import * as OpenTelemetry from "../src/openTelemetry.js"

/** Runs the example with in-memory exporters, and returns what was exported. */
const exported = Effect.gen(function* () {
  const spans = new InMemorySpanExporter()
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter: metrics })
  const context = yield* Layer.build(
    Sandbox.layer({ seed: 7, faults: { rules: [{ fault: { kind: "dropBefore" }, count: 1 }] } })
  )
  const exchange = Layer.provide(Venue.layer, Layer.succeedContext(context))
  // Read before the telemetry is shut down: what was remembered is gone with it.
  return yield* Effect.zipRight(
    Effect.provide(OpenTelemetry.program, exchange),
    Effect.promise(async () => {
      await reader.forceFlush()
      return { spans: spans.getFinishedSpans().slice(), metrics: metrics.getMetrics().slice() }
    })
  ).pipe(Effect.provide(OpenTelemetry.telemetry(new SimpleSpanProcessor(spans), reader)))
}).pipe(Effect.scoped)

const named = (spans: ReadonlyArray<ReadableSpan>, name: string) => spans.filter((span) => span.name === name)

describe("the example of OpenTelemetry", () => {
  it.live("exports a span per call and one per attempt, and the metrics of the library by their names", () =>
    Effect.gen(function* () {
      const { metrics, spans } = yield* exported
      const [report] = named(spans, "report")
      const [wallet, ...moreWallets] = named(spans, "venue.account.walletBalance")
      const [fills] = named(spans, "venue.executions.list")
      const attempts = named(spans, "venue.attempt")
      expect(moreWallets).toEqual([])
      expect(wallet?.attributes).toMatchObject({
        "http.request.method": "GET",
        "url.path": "/cloud/trade/v3/account/wallet-balance",
        "server.address": "sandbox.invalid",
        "venue.operation": "account.walletBalance"
      })
      expect(fills?.attributes).toMatchObject({ "venue.operation": "executions.list" })
      for (const call of [wallet, fills]) {
        expect(call?.parentSpanContext?.spanId).toBe(report?.spanContext().spanId)
        expect(call?.resource.attributes["service.name"]).toBe("report")
      }
      expect(
        attempts.map(({ attributes, parentSpanContext }) => [
          parentSpanContext?.spanId === wallet?.spanContext().spanId,
          attributes["venue.operation"],
          attributes["venue.attempt"],
          attributes["venue.sends"],
          attributes["http.response.status_code"],
          attributes["venue.return_code"]
        ])
      ).toEqual([
        [true, "account.walletBalance", 1, 1, undefined, undefined],
        [true, "account.walletBalance", 2, 1, 200, 0],
        [false, "executions.list", 1, 1, 200, 0]
      ])
      for (const { attributes } of attempts) expect(attributes["venue.rate_limit_wait_ms"]).toBeTypeOf("number")
      const all = metrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
      const points = (name: string) =>
        all.filter(({ descriptor }) => descriptor.name === name).flatMap(({ dataPoints }) => [...dataPoints])
      for (const operation of ["account.walletBalance", "executions.list"]) {
        expect(points("venue_calls_total").map(({ attributes }) => attributes)).toContainEqual(
          expect.objectContaining({ operation, outcome: "success" })
        )
        for (const name of ["venue_rate_limit_wait_milliseconds", "venue_limit_remaining"]) {
          expect(points(name).map(({ attributes }) => attributes)).toContainEqual(
            expect.objectContaining({ operation })
          )
        }
      }
      expect(points("venue_retries_total").map(({ attributes }) => attributes)).toContainEqual(
        expect.objectContaining({ operation: "account.walletBalance" })
      )
      expect(points("venue_clock_skew_milliseconds")).toHaveLength(1)
    })
  )
})
