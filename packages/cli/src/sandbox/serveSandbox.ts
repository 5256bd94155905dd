import type * as Control from "@effect-venue/sandbox/Control"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import type * as Credentials from "@effect-venue/signing/Credentials"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Monitoring from "../monitor/monitoring.js"
import * as stateFile from "./stateFile.js"
import * as Output from "../output/output.js"
import { networkInterfaces } from "node:os"

export interface Options {
  readonly seed: number
  readonly port: number
  readonly host: string
  /** Whether other machines can reach `host`. */
  readonly exposed: boolean
  /** The token of control commands; without it they are taken from this machine alone. */
  readonly controlToken: Option.Option<Redacted.Redacted>
  readonly limits: "documented" | "off"
  /** The scenario of an account that is opened when the sandbox starts. */
  readonly scenario: Option.Option<Control.OpenScenario["name"]>
  /** The file to resume from, if it exists, and to save the state to. */
  readonly state: Option.Option<string>
  readonly monitoring: Monitoring.MonitoringSettings
}

// The keys of a sandbox are generated from its seed and open nothing else: here they are meant to be seen.
const welcome = (
  { host, url }: { readonly host: string; readonly url: string },
  { apiKey, apiSecret }: Credentials.Credentials.Shape,
  format: Monitoring.Format
): string => {
  const variables = {
    VENUE_BASE_URL: url,
    VENUE_API_KEY: Redacted.value(apiKey),
    VENUE_API_SECRET: Redacted.value(apiSecret)
  }
  if (format === "json") return JSON.stringify(variables)
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${value}`)
  return [
    `The sandbox is running; stop it with Ctrl-C. Its page is ${url}/. To use it:`,
    "",
    ...lines,
    ...otherAddresses(host, url).map((address) => `# from another machine: export VENUE_BASE_URL=${address}`)
  ].join("\n")
}

/** Returns the addresses at which other machines reach a server that listens on all interfaces. */
const otherAddresses = (host: string, url: string): ReadonlyArray<string> =>
  host !== "0.0.0.0" && host !== "::"
    ? []
    : Object.values(networkInterfaces())
        .flatMap((addresses) => addresses ?? [])
        .filter(({ family, internal }) => !internal && family === "IPv4")
        .map(({ address }) => `http://${address}:${new URL(url).port}`)

/** Serves a sandbox until it is interrupted. */
export const serve = (options: Options) =>
  Monitoring.runMonitored(options.monitoring, "venue-sandbox", (monitor) => serving(options, monitor))

const serving = (
  { controlToken, exposed, host, limits, monitoring, port, scenario, seed, state }: Options,
  monitor: Monitoring.Monitor
) =>
  Effect.gen(function* () {
    const start = Effect.gen(function* () {
      const kept = Option.flatten(yield* Effect.transposeMapOption(state, stateFile.load))
      return yield* Sandbox.make({ seed, limits, state: Option.getOrUndefined(kept) })
    })
    const sandbox = yield* Effect.interruptible(start)
    const serve = Effect.gen(function* () {
      const server = yield* Effect.provideService(
        Server.serve({ port, host, exposed, controlToken: Option.getOrUndefined(controlToken) }),
        Sandbox.Sandbox,
        sandbox
      )
      const opened = yield* Effect.transposeMapOption(scenario, (name) => sandbox.control.openScenario({ name }))
      const credentials = Option.getOrElse(opened, () => server.credentials.main)
      yield* Output.printExactly(welcome({ host, url: server.url }, credentials, monitoring.logFormat))
      yield* monitor.readyUnless(Effect.succeed(undefined))
      return yield* Effect.never
    })
    // To be stopped is how it is meant to end: requests under way are answered, the state is kept, and all is well.
    const ended = yield* Effect.exit(Effect.interruptible(Effect.scoped(serve)))
    if (Exit.isFailure(ended) && !Cause.isInterruptedOnly(ended.cause)) return yield* ended
    if (Option.isNone(state)) return
    yield* stateFile.save(state.value, yield* sandbox.snapshot)
    yield* monitoring.logFormat === "json"
      ? Effect.logInfo(`the state is in ${state.value}`)
      : Output.print(`The state is in ${state.value}.`)
  })
