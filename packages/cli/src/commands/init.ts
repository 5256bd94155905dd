import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Prompt from "@effect/cli/Prompt"
import * as AccountsFile from "@effect-venue/fleet/siblings/AccountsFile"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Terminal from "@effect/platform/Terminal"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { fileName } from "../config/configFile.js"
import * as Files from "../output/files.js"
import * as Output from "../output/output.js"
import { Refusal } from "../run/failures.js"
import { diagnose, verbose } from "./doctor.js"

/** The days of each history that the doctor reads. */
const days = 1

const requireText = (text: string): Effect.Effect<string, string> =>
  text.trim() === "" ? Effect.fail("must not be empty") : Effect.succeed(text.trim())

const isName = Schema.is(AccountsFile.name)

/** Checks a field of the credentials. A URL of another machine needs https. */
const checkField = (baseUrl: string): Effect.Effect<string, string> =>
  Effect.flatMap(requireText(baseUrl), (baseUrl) =>
    Either.match(Credentials.makeEither({ baseUrl, apiKey: "key", apiSecret: Redacted.make("secret") }), {
      onLeft: Effect.fail,
      onRight: (credentials) => Effect.succeed(credentials.baseUrl)
    })
  )

/** Asks for an account. The secret is not shown. */
const questions = Prompt.all({
  baseUrl: Prompt.text({ message: "Base URL of the service", validate: checkField }),
  name: Prompt.text({
    message: "Name of the account",
    default: "main",
    validate: (name) =>
      isName(name) ? Effect.succeed(name) : Effect.fail("must be letters, digits, dots, underscores and hyphens")
  }),
  apiKey: Prompt.text({ message: "API key", validate: requireText }),
  apiSecret: Prompt.hidden({ message: "API secret", validate: requireText })
})

export const initCommand = Command.make(
  "init",
  {
    config: Options.text("config").pipe(
      Options.withDefault(fileName),
      Options.withDescription(`The file to write. Defaults to ${fileName}.`)
    ),
    overwrite: Options.boolean("overwrite").pipe(Options.withDescription("Replace the file if it exists.")),
    verbose
  },
  ({ config, overwrite, verbose }) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const terminal = yield* Terminal.Terminal
      const refuse = (message: string) => new Refusal({ message })
      if (!(yield* terminal.isTTY)) {
        return yield* refuse(
          `init asks on a terminal: write ${config} yourself, or set VENUE_BASE_URL, VENUE_API_KEY and VENUE_API_SECRET`
        )
      }
      if (!overwrite && (yield* Effect.orElseSucceed(fs.exists(config), () => true))) {
        return yield* refuse(`${config} exists: --overwrite replaces it, --config names another file`)
      }
      const { apiKey, apiSecret, baseUrl, name } = yield* Effect.mapError(Prompt.run(questions), () =>
        refuse("nothing was written")
      )
      const account = { apiKey, apiSecret: Redacted.value(apiSecret) }
      const text = `${JSON.stringify({ baseUrl, accounts: { [name]: account } }, undefined, 2)}\n`
      yield* Effect.mapError(Files.writing(config, writePrivate(config, text)), ({ message }) => refuse(message))
      yield* Output.print(`${config} is written, and only you can read it. Checking the account:`)
      const credentials = yield* Effect.mapError(
        Credentials.makeEither({ baseUrl, apiKey: Redacted.make(apiKey), apiSecret }),
        refuse
      )
      const { ended } = yield* diagnose(credentials, { days, verbose })
      yield* ended
    })
).pipe(
  Command.withDescription(
    "Ask for an account, write the config file and check the account. The file is readable by you alone. Exit codes: 0 no problem; 1 there are problems; 2 nothing was written; 130 stopped."
  )
)

/** Writes a file atomically, readable only by its owner. */
const writePrivate = (file: string, text: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const partial = `${file}.partial`
    yield* fs.remove(partial, { force: true })
    yield* fs.writeFileString(partial, text, { mode: 0o600, flag: "wx" })
    yield* fs.rename(partial, file)
  })
