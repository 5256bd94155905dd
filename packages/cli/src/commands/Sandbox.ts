import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as options from "../internal/options.js"
import * as stateFile from "../internal/stateFile.js"

const limits = Options.choice("limits", ["documented", "off"]).pipe(
  Options.withDefault("documented"),
  Options.withDescription("Whether the documented limits are kept; they are unless switched off.")
)

const state = Options.file("state").pipe(
  Options.optional,
  Options.withDescription(
    "The file to go on from, if it is there, and to keep the state in when the sandbox is stopped."
  )
)

const host = Options.text("host").pipe(
  Options.withDefault("127.0.0.1"),
  Options.withDescription("The address to listen on; this machine's own unless given.")
)

const exposed = Options.boolean("allow-remote").pipe(
  Options.withDescription("Allow a host that other machines can reach. The control path is off there.")
)

// The keys of a sandbox are made up from its seed and open nothing else: here they are meant to be seen.
const welcome = ({ credentials, url }: Server.Server.Shape): string =>
  [
    "The sandbox is running; stop it with Ctrl-C. To use it:",
    "",
    `export VENUE_BASE_URL=${url}`,
    `export VENUE_API_KEY=${Redacted.value(credentials.main.apiKey)}`,
    `export VENUE_API_SECRET=${Redacted.value(credentials.main.apiSecret)}`
  ].join("\n")

export const sandboxCommand = Command.make(
  "sandbox",
  { seed: options.seed, port: options.port, limits, state, host, exposed },
  ({ exposed, host, limits, port, seed, state }) =>
    Effect.gen(function* () {
      const start = Effect.gen(function* () {
        const kept = Option.flatten(yield* Effect.transposeMapOption(state, stateFile.load))
        return yield* Sandbox.make({ seed, limits, state: Option.getOrUndefined(kept) })
      })
      const sandbox = yield* Effect.interruptible(start)
      const serve = Effect.gen(function* () {
        const server = yield* Effect.provideService(Server.serve({ port, host, exposed }), Sandbox.Sandbox, sandbox)
        yield* Console.log(welcome(server))
        return yield* Effect.never
      })
      // To be stopped is how it is meant to end: requests under way are answered, the state is kept, and all is well.
      const ended = yield* Effect.exit(Effect.interruptible(Effect.scoped(serve)))
      if (Exit.isFailure(ended) && !Cause.isInterruptedOnly(ended.cause)) return yield* ended
      if (Option.isNone(state)) return
      yield* stateFile.save(state.value, yield* sandbox.snapshot)
      yield* Console.log(`The state is in ${state.value}.`)
    })
).pipe(Command.withDescription("Run the sandbox as a server on this machine."))
