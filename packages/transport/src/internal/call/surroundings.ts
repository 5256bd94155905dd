import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as LogLevel from "effect/LogLevel"
import type * as MetricLabel from "effect/MetricLabel"
import * as Tracer from "effect/Tracer"

/** What the fiber of a call provides, read once. */
export interface Surroundings {
  readonly references: Context.Context<never>
  readonly time: Clock.Clock
  readonly labels: ReadonlyArray<MetricLabel.MetricLabel>
  readonly isTraced: boolean
  readonly isDebugged: boolean
}

// The tracer of a program that has none: it records and exports nothing.
const noopTracer = Context.get(DefaultServices.liveServices, Tracer.Tracer)

export const of = <A, E>(fiber: Fiber.RuntimeFiber<A, E>): Surroundings => {
  const services = fiber.getFiberRef(DefaultServices.currentServices)
  return {
    references: fiber.getFiberRef(FiberRef.currentContext),
    time: Context.get(services, Clock.Clock),
    labels: fiber.getFiberRef(FiberRef.currentMetricLabels),
    isTraced: Context.get(services, Tracer.Tracer) !== noopTracer,
    isDebugged: LogLevel.lessThanEqual(fiber.getFiberRef(FiberRef.currentMinimumLogLevel), LogLevel.Debug)
  }
}
