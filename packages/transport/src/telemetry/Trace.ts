/**
 * Names of methods in traces and in the stacks of failures.
 *
 * @sibling
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { isTraced } from "../model/callContext.js"

type Method = (...args: never) => unknown

/** The place of a call in the code of the caller, as a line of a stack has it. */
interface CallSite {
  stack?: string
}

/** Notes who calls a method. `Effect.fn` does the same, and makes a span even if nobody traces, which costs more than the rest of a method. */
const captureCallSite = (method: Method): CallSite => {
  const site: CallSite = {}
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 1
  Error.captureStackTrace(site, method)
  Error.stackTraceLimit = limit
  return site
}

const locationOf = ({ stack = "" }: CallSite): string => /at (?:.*\()?(.*?)\)?$/.exec(stack)?.[1] ?? "unknown"

/** Puts the caller before the frames of this library in the stacks of failures. */
const putCallerFirst = <E>(cause: Cause.Cause<E>, name: string, site: CallSite): void => {
  for (const failure of Cause.failures(cause)) {
    if (!(failure instanceof Error) || failure.stack === undefined) continue
    const frames = failure.stack.search(/\n {4}at /)
    const head = frames < 0 ? failure.stack : failure.stack.slice(0, frames)
    const rest = frames < 0 ? "" : failure.stack.slice(frames)
    const value = `${head}\n    at ${name} (${locationOf(site)})${rest}`
    Reflect.defineProperty(failure, "stack", { value, configurable: true, writable: true })
  }
}

const nameEffect = <A, E, R>(effect: Effect.Effect<A, E, R>, name: string, site: CallSite): Effect.Effect<A, E, R> => {
  const located = Effect.tapErrorCause(effect, (cause) => Effect.sync(() => putCallerFirst(cause, name, site)))
  return Effect.withFiberRuntime((fiber) =>
    isTraced(fiber) ? Effect.withSpan(located, name, { captureStackTrace: false }) : located
  )
}

const nameStream = <A, E, R>(stream: Stream.Stream<A, E, R>, name: string, site: CallSite): Stream.Stream<A, E, R> => {
  const located = Stream.tapErrorCause(stream, (cause) => Effect.sync(() => putCallerFirst(cause, name, site)))
  return Stream.unwrap(
    Effect.withFiberRuntime((fiber) =>
      Effect.succeed(isTraced(fiber) ? Stream.withSpan(located, name, { captureStackTrace: false }) : located)
    )
  )
}

/**
 * Names a method that returns an effect or a stream: a run of it is a span of this name, if there is a tracer, and the stack of a failure begins with the
 * caller of the method.
 */
export const named = <F extends Method>(name: string, method: F): F => {
  const call: Method = (...args) => {
    const site = captureCallSite(call)
    const result = method(...args)
    if (Effect.isEffect(result)) return nameEffect(result, name, site)
    return isStream(result) ? nameStream(result, name, site) : result
  }
  // It takes and returns what the method does.
  return call as F
}

const isStream = (value: unknown): value is Stream.Stream<unknown, unknown, unknown> =>
  typeof value === "object" && value !== null && Stream.StreamTypeId in value

/** Names the methods of a service, such as `Orders.create`. */
export const namedAll = <Shape extends { readonly [K in keyof Shape]: Method }>(
  service: string,
  methods: Shape
): Shape =>
  // A record of the names of `methods` is a Shape by construction.
  Object.fromEntries(
    Object.entries<Method>(methods).map(([name, method]) => [name, named(`${service}.${name}`, method)])
  ) as Shape
