import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import type * as HashMap from "effect/HashMap"
import * as LogLevel from "effect/LogLevel"
import type * as MetricLabel from "effect/MetricLabel"
import * as Tracer from "effect/Tracer"

/** The tracer of a call, and the attributes that the application puts on its spans. */
export interface Tracing {
  readonly tracer: Tracer.Tracer
  readonly annotations: HashMap.HashMap<string, unknown>
}

/** The services in the context of a call, read once. */
export interface Surroundings {
  readonly references: Context.Context<never>
  readonly time: Clock.Clock
  readonly labels: ReadonlyArray<MetricLabel.MetricLabel>
  readonly tracing: Tracing | undefined
  readonly isDebugged: boolean
}

// The tracer of a program without tracing: it records and exports nothing.
const noopTracer = Context.get(DefaultServices.liveServices, Tracer.Tracer)

const tracingOf = <A, E>(fiber: Fiber.RuntimeFiber<A, E>, tracer: Tracer.Tracer): Tracing | undefined =>
  tracer !== noopTracer && fiber.getFiberRef(FiberRef.currentTracerEnabled)
    ? { tracer, annotations: fiber.getFiberRef(FiberRef.currentTracerSpanAnnotations) }
    : undefined

export const of = <A, E>(fiber: Fiber.RuntimeFiber<A, E>): Surroundings => {
  const services = fiber.getFiberRef(DefaultServices.currentServices)
  return {
    references: fiber.getFiberRef(FiberRef.currentContext),
    time: Context.get(services, Clock.Clock),
    labels: fiber.getFiberRef(FiberRef.currentMetricLabels),
    tracing: tracingOf(fiber, Context.get(services, Tracer.Tracer)),
    isDebugged: LogLevel.lessThanEqual(fiber.getFiberRef(FiberRef.currentMinimumLogLevel), LogLevel.Debug)
  }
}
