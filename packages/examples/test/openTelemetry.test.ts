import { describe, expect, it } from "@effect/vitest"
import { SpanKind, SpanStatusCode } from "@opentelemetry/api"
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  type MetricData,
  PeriodicExportingMetricReader
} from "@opentelemetry/sdk-metrics"
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import * as conventions from "@opentelemetry/semantic-conventions/incubating"
import { Effect, Fiber, TestClock } from "effect"
import { readFile } from "node:fs/promises"
import * as OpenTelemetry from "../src/openTelemetry.js"

/** Runs the example with in-memory exporters, and returns what was exported. */
const exported = Effect.gen(function* () {
  const spans = new InMemorySpanExporter()
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter: metrics })
  // Read before the telemetry is shut down: the exporters forget everything then.
  // Metrics are those of the process: the tag tells them from those of other tests.
  const report = Effect.tagMetrics(OpenTelemetry.program, "test", "openTelemetry")
  const passed = Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.provide(report, OpenTelemetry.exchange))
    yield* TestClock.adjust("5 seconds")
    yield* Fiber.join(fiber)
  })
  return yield* passed.pipe(
    Effect.zipRight(
      Effect.promise(async () => {
        await reader.forceFlush()
        const all = metrics.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
        return { spans: spans.getFinishedSpans().slice(), metrics: all.map(ofThisTest).filter(isUsed) }
      })
    ),
    Effect.provide(OpenTelemetry.telemetry(new SimpleSpanProcessor(spans), reader))
  )
})

/** The library's metrics of this test; Effect adds some of its fibers. */
const ofThisTest = ({ dataPoints, descriptor }: MetricData) => ({
  name: descriptor.name,
  unit: descriptor.unit,
  points: dataPoints.flatMap(({ attributes: { test, ...attributes }, value }) =>
    test === "openTelemetry" ? [{ attributes, value }] : []
  )
})

const isUsed = ({ name, points }: ReturnType<typeof ofThisTest>): boolean =>
  points.length > 0 && !name.startsWith("effect_")

const executionsPath = "/cloud/trade/v3/execution/list"
const walletPath = "/cloud/trade/v3/account/wallet-balance"
const feeRatePath = "/cloud/trade/v3/account/fee-rate"

/** The attributes of the request of an operation. */
const request = (operation: string, path: string, attempt: number) => ({
  "http.request.method": "GET",
  "url.template": path,
  "url.full": `http://sandbox.invalid${path}`,
  "server.address": "sandbox.invalid",
  "server.port": 80,
  "venue.operation": operation,
  "venue.attempt": attempt,
  "venue.rate_limit.wait": 0
})

const answered = (status: number) => ({ "http.response.status_code": status })

const succeeded = { ...answered(200), "venue.return_code": 0 }

/** Every span: its kind, its parent, whether it is an error, and its attributes. */
const spansOfExample = [
  {
    ...{ name: "Executions.list", kind: SpanKind.INTERNAL, parent: "report", isError: false },
    attributes: { "venue.operation": "executions.list", "venue.sends": 1 }
  },
  {
    ...{ name: `GET ${executionsPath}`, kind: SpanKind.CLIENT, parent: "Executions.list", isError: false },
    attributes: { ...request("executions.list", executionsPath, 1), ...succeeded }
  },
  {
    ...{ name: "Account.walletBalance", kind: SpanKind.INTERNAL, parent: "report", isError: false },
    attributes: { "venue.operation": "account.walletBalance", "venue.sends": 2 }
  },
  {
    ...{ name: `GET ${walletPath}`, kind: SpanKind.CLIENT, parent: "Account.walletBalance", isError: true },
    attributes: { ...request("account.walletBalance", walletPath, 1), "error.type": "ConnectionFailed" }
  },
  {
    ...{ name: `GET ${walletPath}`, kind: SpanKind.CLIENT, parent: "Account.walletBalance", isError: false },
    attributes: {
      ...request("account.walletBalance", walletPath, 2),
      "http.request.resend_count": 1,
      ...succeeded
    }
  },
  {
    ...{ name: "Account.feeRate", kind: SpanKind.INTERNAL, parent: "report", isError: true },
    attributes: { "venue.operation": "account.feeRate", "venue.sends": 1, "error.type": "Banned" }
  },
  {
    ...{ name: `GET ${feeRatePath}`, kind: SpanKind.CLIENT, parent: "Account.feeRate", isError: true },
    attributes: { ...request("account.feeRate", feeRatePath, 1), ...answered(403), "error.type": "Banned" }
  },
  {
    ...{ name: "Account.feeRate", kind: SpanKind.INTERNAL, parent: "report", isError: true },
    attributes: { "venue.operation": "account.feeRate", "venue.sends": 0, "error.type": "Banned" }
  },
  { name: "report", kind: SpanKind.INTERNAL, parent: undefined, isError: false, attributes: {} }
]

/** The attributes of the durations of an operation. */
const measured = (path: string, answer: object) => ({
  "http.request.method": "GET",
  "url.template": path,
  ...{ "server.address": "sandbox.invalid", "server.port": "80", unit: "s" },
  ...answer
})

const operations = ["executions.list", "account.walletBalance", "account.feeRate"]

/** Every metric of the transport: its unit, and the attributes of its points. */
const metricsOfExample = {
  venue_calls_total: {
    unit: "1",
    points: [
      { operation: "executions.list", outcome: "success" },
      { operation: "account.walletBalance", outcome: "success" },
      { operation: "account.feeRate", outcome: "Banned" }
    ]
  },
  venue_retries_total: { unit: "1", points: [{ operation: "account.walletBalance" }] },
  venue_rate_limit_wait_seconds: { unit: "s", points: operations.map((operation) => ({ operation, unit: "s" })) },
  venue_limit_remaining: {
    unit: "1",
    points: ["executions.list", "account.walletBalance"].map((operation) => ({ operation }))
  },
  venue_clock_skew_seconds: { unit: "s", points: [{ unit: "s" }] },
  venue_bans_total: { unit: "1", points: [{}] },
  "http.client.request.duration": {
    unit: "s",
    points: [
      measured(executionsPath, { "http.response.status_code": "200" }),
      measured(walletPath, { "error.type": "ConnectionFailed" }),
      measured(walletPath, { "http.response.status_code": "200" }),
      measured(feeRatePath, { "http.response.status_code": "403", "error.type": "Banned" })
    ]
  }
}

const described = (spans: ReadonlyArray<ReadableSpan>) => {
  const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]))
  return spans.map(({ attributes, kind, name, parentSpanContext, status }) => ({
    ...{ name, kind, parent: names.get(parentSpanContext?.spanId ?? "") },
    isError: status.code === SpanStatusCode.ERROR,
    attributes
  }))
}

/** The names of the tables of the page: those of attributes and those of metrics. */
const documented = Effect.promise(async () => {
  const page = await readFile(new URL("../../../docs/observability.md", import.meta.url), "utf8")
  return [...page.matchAll(/^\| `([\w.]+)`/gm)].map(([, name = ""]) => name)
})

const conventional = new Set<unknown>(Object.values(conventions))

const isOurs = (name: string): boolean => /^venue[._]/.test(name)

describe("the example of OpenTelemetry", () => {
  it.effect("exports a call, a retry and a ban as spans", () =>
    Effect.gen(function* () {
      const { spans } = yield* exported
      const found = described(spans)
      expect(found).toHaveLength(spansOfExample.length)
      expect(found).toEqual(expect.arrayContaining(spansOfExample))
      for (const { resource } of spans) expect(resource.attributes["service.name"]).toBe("report")
    })
  )

  it.effect("exports their metrics, each in its unit", () =>
    Effect.gen(function* () {
      const { metrics } = yield* exported
      expect(metrics.map(({ name }) => name).sort()).toEqual(Object.keys(metricsOfExample).sort())
      for (const [name, { points, unit }] of Object.entries(metricsOfExample)) {
        const metric = metrics.find((metric) => metric.name === name)
        expect(metric?.unit, name).toBe(unit)
        const attributes = metric?.points.map(({ attributes }) => attributes) ?? []
        expect(attributes, name).toHaveLength(points.length)
        expect(attributes, name).toEqual(expect.arrayContaining(points))
      }
    })
  )

  it.effect("exports only names that are in OpenTelemetry's conventions or in the tables of the documentation", () =>
    Effect.gen(function* () {
      const { metrics, spans } = yield* exported
      const names = yield* documented
      for (const name of names) expect([name, isOurs(name) || conventional.has(name)]).toEqual([name, true])
      const attributes = new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)))
      expect(names).toEqual(expect.arrayContaining([...attributes, ...metrics.map(({ name }) => name)]))
    })
  )
})
