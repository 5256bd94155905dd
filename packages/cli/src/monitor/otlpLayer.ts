import * as Gauges from "@effect-venue/transport/Gauges"
import * as OtlpLogger from "@effect/opentelemetry/OtlpLogger"
import * as OtlpMetrics from "@effect/opentelemetry/OtlpMetrics"
import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { version } from "../run/invocation.js"
import type { OtlpSettings, Target } from "./otlp.js"

/** How old a gauge can be when it is sent, in milliseconds. */
const oldest = 5_000

/** Sends traces, metrics and logs. */
export const make = ({ isJson, serviceName, targets }: OtlpSettings): Layer.Layer<never> => {
  const { logs, metrics, traces } = targets
  const optionsOf = ({ every, headers, url }: Target) => ({
    url,
    headers,
    exportInterval: every,
    resource: { serviceName, serviceVersion: version }
  })
  const refreshEvery = (every: number) =>
    Layer.scopedDiscard(Effect.forkScoped(Effect.repeat(Gauges.refresh, Schedule.spaced(Math.min(every, oldest)))))
  return Layer.mergeAll(
    logs === undefined ? Layer.empty : OtlpLogger.layer(optionsOf(logs)),
    metrics === undefined
      ? Layer.empty
      : Layer.merge(OtlpMetrics.layer(optionsOf(metrics)), refreshEvery(metrics.every)),
    traces === undefined ? Layer.empty : OtlpTracer.layer(optionsOf(traces))
  ).pipe(Layer.provide([isJson ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf, FetchHttpClient.layer]))
}
