import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { formats } from "../internal/formats.js"
import * as options from "../internal/options.js"
import { Refusal } from "../internal/refusal.js"

const out = options.out("venue-fleet")

/** Loads a module of this package that needs a database. */
const load = <Module>(module: () => Promise<Module>) =>
  Effect.tryPromise({
    try: module,
    catch: () => new Refusal({ message: "venue fleet needs @effect/sql and @effect/sql-libsql installed" })
  })

const runCommand = Command.make(
  "run",
  {
    file: Args.text({ name: "accounts.json" }).pipe(
      Args.withDescription("The accounts: what to export of each, from which addresses, and where their keys are.")
    ),
    out,
    format: Options.choice("format", formats).pipe(
      Options.withDefault("ndjson" as const),
      Options.withDescription("The file format; defaults to ndjson.")
    ),
    gzip: Options.boolean("gzip").pipe(Options.withDescription("Compress the files, of ndjson.")),
    once: Options.boolean("once").pipe(
      Options.withDescription("End when no export is due. Without it the fleet goes on until it is stopped.")
    ),
    rebalance: Options.boolean("rebalance").pipe(
      Options.withDescription(
        "Spread the accounts over the addresses anew. Without it each keeps the address that it has."
      )
    ),
    accountsAtOnce: Options.integer("accounts-at-once").pipe(
      Options.withDefault(9),
      Options.withDescription("How many accounts to export side by side from each address. Defaults to 9.")
    )
  },
  (choice) =>
    Effect.flatMap(
      load(() => import("../internal/fleet.js")),
      ({ run }) => run(choice)
    )
).pipe(
  Command.withDescription(
    "Export many accounts, again and again, from every address in the file. The file is read again when it changes: accounts are added, paused and removed while this runs. The same command goes on where one was stopped. Exit codes: 0 done; 1 exports failed, were stopped or may lack rows; 2 wrong arguments or file; 130 stopped."
  )
)

const statusCommand = Command.make(
  "status",
  {
    out,
    json: Options.boolean("json").pipe(Options.withDescription("Print JSON."))
  },
  (choice) =>
    Effect.flatMap(
      load(() => import("../internal/fleetStatus.js")),
      ({ print }) => print(choice)
    )
).pipe(
  Command.withDescription(
    "How far a fleet is: accounts, exports that are done, due and failing, the rate of each address and the time to finish. It may run meanwhile. Exit codes: 0 printed; 1 there is no fleet in the folder."
  )
)

export const fleetCommand = Command.make("fleet").pipe(
  Command.withDescription("Export many accounts over one or more addresses."),
  Command.withSubcommands([runCommand, statusCommand])
)
