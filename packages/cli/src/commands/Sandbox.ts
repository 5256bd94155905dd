import * as Command from "@effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as options from "../internal/options.js"
import * as venue from "../internal/venue.js"

export const sandboxCommand = Command.make("sandbox", { seed: options.seed, port: options.port }, ({ port, seed }) =>
  Effect.gen(function* () {
    const { credentials } = yield* venue.sandbox({ seed, port })
    // The keys of a sandbox are made up from its seed and open nothing else: here they are meant to be seen.
    yield* Console.log(
      [
        "The sandbox is running; stop it with Ctrl-C. To use it:",
        "",
        `export VENUE_BASE_URL=${credentials.baseUrl}`,
        `export VENUE_API_KEY=${Redacted.value(credentials.apiKey)}`,
        `export VENUE_API_SECRET=${Redacted.value(credentials.apiSecret)}`
      ].join("\n")
    )
    return yield* Effect.never
  }).pipe(Effect.scoped)
).pipe(Command.withDescription("Run the sandbox as a server on this machine."))
