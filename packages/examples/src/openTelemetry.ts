/**
 * Traces a program with OpenTelemetry: spans and metrics, here printed to the console.
 *
 *     node --import tsx packages/examples/src/openTelemetry.ts
 */
import * as NodeSdk from "@effect/opentelemetry/NodeSdk"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Account from "@effect-venue/services/Account"
import * as Executions from "@effect-venue/services/Executions"
import * as Venue from "@effect-venue/services/Venue"
import { ConsoleMetricExporter, PeriodicExportingMetricReader, type MetricReader } from "@opentelemetry/sdk-metrics"
import { BatchSpanProcessor, ConsoleSpanExporter, type SpanProcessor } from "@opentelemetry/sdk-trace-base"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isMain } from "./main.js"

/**
 * A call, a call that is repeated, a call that the service answers with a ban, and one that the ban keeps here. The program does not
 * depend on telemetry: its span is the parent of those of its calls.
 */
export const program = Effect.gen(function* () {
  const account = yield* Account.Account
  const executions = yield* Executions.Executions
  const { list } = yield* executions.list({ category: "linear", limit: 5 })
  yield* account.walletBalance({ accountType: "UNIFIED" })
  const banned = yield* Effect.flip(account.feeRate({ category: "linear", symbol: "BTCUSDT" }))
  yield* Effect.flip(account.feeRate({ category: "linear", symbol: "BTCUSDT" }))
  return { executions: list.length, failure: banned._tag }
}).pipe(Effect.withSpan("report"))

/** The embedded exchange instead of the service. It loses the first response to one operation, and answers another with a ban. */
export const exchange = Venue.layer.pipe(
  Layer.provide(
    Sandbox.layer({
      seed: 7,
      faults: {
        rules: [
          { fault: { kind: "dropBefore" }, operations: ["account.walletBalance"], count: 1 },
          { fault: { kind: "ban" }, operations: ["account.feeRate"], count: 1 }
        ]
      }
    })
  )
)

/** Exports spans and metrics. */
export const telemetry = (spanProcessor: SpanProcessor, metricReader: MetricReader) =>
  NodeSdk.layer(() => ({ resource: { serviceName: "report" }, spanProcessor, metricReader }))

const main = program.pipe(
  Effect.provide(exchange),
  Effect.provide(
    Layer.suspend(() =>
      telemetry(
        new BatchSpanProcessor(new ConsoleSpanExporter()),
        new PeriodicExportingMetricReader({ exporter: new ConsoleMetricExporter() })
      )
    )
  )
)

if (isMain(import.meta.url)) {
  await Effect.runPromise(main)
}
