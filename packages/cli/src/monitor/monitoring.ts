import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as HashSet from "effect/HashSet"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import { Diagnostics } from "../output/diagnostics.js"
import * as Output from "../output/output.js"
import { lineOf, LoggedFailure } from "../run/failures.js"
import type { Refusal } from "../run/failures.js"
import { Invocation, load } from "../run/invocation.js"
import * as optionalPackages from "../run/optionalPackages.js"
import * as otlp from "./otlp.js"

export type Format = "json" | "pretty"

/** How a command that runs for months is watched, on the command line. */
export interface MonitoringSettings {
  readonly metricsPort: Option.Option<number>
  readonly metricsHost: string
  readonly logFormat: Format
}

/** The readiness and the gauges of a running command. */
export interface Monitor {
  /** From now on the command is ready while this is undefined, and otherwise not, for this reason. It must not contain a secret. */
  readonly readyUnless: (reason: Effect.Effect<string | undefined>) => Effect.Effect<void>
}

/** Standard output has results and nothing else: logs are on standard error. */
const loggerOf = (format: Format, colors: boolean): Logger.Logger<unknown, void> =>
  format === "json" ? Logger.withConsoleError(Logger.jsonLogger) : Logger.prettyLogger({ stderr: true, colors })

/** Logs Node's warnings, such as those of deprecations, until the scope ends. Node would print each as a line of text. */
const loggedWarnings = Effect.gen(function* () {
  const log = Runtime.runFork(yield* Effect.runtime())
  const listener = ({ message, name }: Error) => void log(Effect.logWarning(`${name}: ${message}`))
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const before = process.listeners("warning")
      process.removeAllListeners("warning").on("warning", listener)
      return before
    }),
    (before) =>
      Effect.sync(() => {
        process.removeListener("warning", listener)
        for (const each of before) process.on("warning", each)
      })
  )
})

/** Logs a failure in the format of standard error. */
const logFailure = (cause: Cause.Cause<unknown>): Effect.Effect<never, LoggedFailure> =>
  Effect.gen(function* () {
    if (Cause.isInterruptedOnly(cause)) return yield* Effect.interrupt
    const error = Option.getOrElse(Cause.failureOption(cause), () => Cause.squash(cause))
    yield* Effect.logError(lineOf(error, yield* Invocation))
    return yield* new LoggedFailure({ error })
  })

const telemetryOf = (service: string) =>
  Effect.gen(function* () {
    const settings = yield* otlp.fromEnvironment(service)
    if (settings === undefined) return undefined
    const { make } = yield* optionalPackages.load(
      () => import("./otlpLayer.js"),
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      optionalPackages.ofTelemetry
    )
    return make(settings)
  })

/** Runs a command with logs in one format, and, as it is set, metrics, health and telemetry. */
export const runMonitored = <A, E, R>(
  { logFormat, metricsHost: host, metricsPort }: MonitoringSettings,
  service: string,
  run: (monitor: Monitor) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | Refusal | LoggedFailure, Exclude<R, Scope.Scope>> =>
  Effect.gen(function* () {
    const { isTTY } = yield* Diagnostics
    let notReady: Effect.Effect<string | undefined> = Effect.succeed("it is starting")
    const monitor: Monitor = { readyUnless: (reason) => Effect.sync(() => void (notReady = reason)) }
    const watched = Effect.gen(function* () {
      if (logFormat === "json") yield* loggedWarnings
      if (Option.isSome(metricsPort)) {
        const { serve } = yield* load(() => import("./server.js"))
        yield* serve({ host, port: metricsPort.value, notReady: Effect.suspend(() => notReady) })
      }
      const telemetry = yield* telemetryOf(service)
      return yield* telemetry === undefined ? run(monitor) : Effect.provide(run(monitor), telemetry)
    }).pipe(Effect.scoped)
    const logger = loggerOf(logFormat, isTTY && (yield* Output.hasColors))
    const ended: Effect.Effect<A, E | Refusal | LoggedFailure, Exclude<R, Scope.Scope>> = logFormat === "json"
      ? Effect.catchAllCause(watched, logFailure)
      : watched
    return yield* Effect.locallyWith(ended, FiberRef.currentLoggers, (loggers) => HashSet.map(loggers, () => logger))
  })
