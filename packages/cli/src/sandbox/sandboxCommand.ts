import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import { load } from "../run/invocation.js"
import { monitoring } from "../options/options.js"
import * as options from "../options/options.js"

const limits = Options.choice("limits", ["documented", "off"]).pipe(
  Options.withDefault("documented"),
  Options.withDescription("Whether the documented rate limits apply. Defaults to documented.")
)

const state = Options.file("state").pipe(
  Options.optional,
  Options.withDescription(
    "The file with the state: read at the start if it exists, and written when the sandbox is stopped."
  )
)

const host = Options.text("host").pipe(
  Options.withDefault("127.0.0.1"),
  Options.withDescription("The address to listen on; defaults to 127.0.0.1.")
)

const exposed = Options.boolean("allow-remote").pipe(
  Options.withDescription(
    "Allow a host that other machines can reach. Control commands and the page are off there, unless there is a control token."
  )
)

const controlToken = Options.redacted("control-token").pipe(
  Options.withFallbackConfig(Config.redacted("VENUE_CONTROL_TOKEN")),
  Options.optional,
  Options.withDescription(
    "The bearer token of control commands and the password of the page, which opens both to other machines. Defaults to VENUE_CONTROL_TOKEN."
  )
)

const scenario = Options.choice("scenario", ["about-to-be-liquidated", "500-open-orders", "pre-upgrade"]).pipe(
  Options.optional,
  Options.withDescription("Open an account in this scenario, and print its key instead of the main account's.")
)

export const sandboxCommand = Command.make(
  "sandbox",
  { seed: options.seed, port: options.port, limits, state, host, exposed, controlToken, scenario, monitoring },
  (options) =>
    Effect.flatMap(
      load(() => import("./serveSandbox.js")),
      ({ serve }) => serve(options)
    )
).pipe(Command.withDescription("Run the sandbox as a server on this machine."))
