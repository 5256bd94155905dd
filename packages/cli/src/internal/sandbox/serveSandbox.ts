import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as stateFile from "./stateFile.js"
import * as Output from "../output/output.js"

export interface Options {
  readonly seed: number
  readonly port: number
  readonly host: string
  /** Whether `host` may be an address that other machines can reach. */
  readonly exposed: boolean
  /** What control commands have to send; without it they are taken from this machine alone. */
  readonly controlToken: Option.Option<Redacted.Redacted>
  readonly limits: "documented" | "off"
  /** The file to resume from, if it exists, and to save the state to. */
  readonly state: Option.Option<string>
}

// The keys of a sandbox are generated from its seed and open nothing else: here they are meant to be seen.
const welcome = ({ credentials, url }: Server.Server.Shape): string =>
  [
    "The sandbox is running; stop it with Ctrl-C. To use it:",
    "",
    `export VENUE_BASE_URL=${url}`,
    `export VENUE_API_KEY=${Redacted.value(credentials.main.apiKey)}`,
    `export VENUE_API_SECRET=${Redacted.value(credentials.main.apiSecret)}`
  ].join("\n")

/** Serves a sandbox until it is interrupted. */
export const serve = ({ controlToken, exposed, host, limits, port, seed, state }: Options) =>
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
      yield* Output.print(welcome(server))
      return yield* Effect.never
    })
    // To be stopped is how it is meant to end: requests under way are answered, the state is kept, and all is well.
    const ended = yield* Effect.exit(Effect.interruptible(Effect.scoped(serve)))
    if (Exit.isFailure(ended) && !Cause.isInterruptedOnly(ended.cause)) return yield* ended
    if (Option.isNone(state)) return
    yield* stateFile.save(state.value, yield* sandbox.snapshot)
    yield* Output.print(`The state is in ${state.value}.`)
  })
