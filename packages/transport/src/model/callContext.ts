import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import type * as HashMap from "effect/HashMap"
import * as LogLevel from "effect/LogLevel"
import type * as MetricLabel from "effect/MetricLabel"
import * as Tracer from "effect/Tracer"
import { catchDefects, onEnd } from "./exits.js"
import type * as Inherit from "./Inherit.js"

/** The tracer of a call, and the attributes that the application puts on its spans. */
export interface Tracing {
  readonly tracer: Tracer.Tracer
  readonly annotations: HashMap.HashMap<string, unknown>
}

/** The services of a call, read once. */
export interface CallContext {
  /** The context of the call, with the references that its transport inherits. */
  readonly references: Context.Context<never>
  /** Whether the context of the call lacks some of them. */
  readonly isInheriting: boolean
  readonly time: Clock.Clock
  readonly labels: ReadonlyArray<MetricLabel.MetricLabel>
  readonly tracing: Tracing | undefined
  readonly isDebugged: boolean
}

// The tracer of a program without tracing: it records and exports nothing.
const noopTracer = Context.get(DefaultServices.liveServices, Tracer.Tracer)

const tracerOf = <A, E>(fiber: Fiber.RuntimeFiber<A, E>): Tracer.Tracer =>
  Context.get(fiber.getFiberRef(DefaultServices.currentServices), Tracer.Tracer)

/** Whether a fiber has a tracer that records. */
export const isTraced = <A, E>(fiber: Fiber.RuntimeFiber<A, E>): boolean =>
  tracerOf(fiber) !== noopTracer && fiber.getFiberRef(FiberRef.currentTracerEnabled)

const tracingOf = <A, E>(fiber: Fiber.RuntimeFiber<A, E>): Tracing | undefined =>
  isTraced(fiber)
    ? { tracer: tracerOf(fiber), annotations: fiber.getFiberRef(FiberRef.currentTracerSpanAnnotations) }
    : undefined

/** The context of a call of this fiber, whose transport inherits references. */
export const of = <A, E>(fiber: Fiber.RuntimeFiber<A, E>, inherit: Inherit.Add | undefined): CallContext => {
  const services = fiber.getFiberRef(DefaultServices.currentServices)
  const context: Context.Context<never> = fiber.getFiberRef(FiberRef.currentContext)
  const references = inherit === undefined ? context : inherit(context)
  return {
    references,
    isInheriting: references !== context,
    time: Context.get(services, Clock.Clock),
    labels: fiber.getFiberRef(FiberRef.currentMetricLabels),
    tracing: tracingOf(fiber),
    isDebugged: LogLevel.lessThanEqual(fiber.getFiberRef(FiberRef.currentMinimumLogLevel), LogLevel.Debug)
  }
}

/**
 * Runs a call of a fiber with the references that its transport inherits, in an uninterruptible region. `Effect.provide` takes three times as many operations.
 */
export const provide = <A, E, A2, E2>(
  fiber: Fiber.RuntimeFiber<A2, E2>,
  { isInheriting, references }: CallContext,
  call: () => Effect.Effect<A, E>
): Effect.Effect<A, E> => {
  if (!isInheriting) return call()
  const restored = FiberRef.set(FiberRef.currentContext, fiber.getFiberRef(FiberRef.currentContext))
  return Effect.flatMap(FiberRef.set(FiberRef.currentContext, references), () =>
    onEnd(catchDefects(call), (exit) => Effect.zipRight(restored, exit))
  )
}
