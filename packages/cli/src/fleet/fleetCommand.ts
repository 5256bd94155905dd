import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { formats, monitoring, spreadsheetSafe } from "../options/options.js"
import * as optionalPackages from "../run/optionalPackages.js"
import { Refusal } from "../run/failures.js"

const defaultFolder = "venue-fleet"

const out = Options.text("out").pipe(
  Options.optional,
  Options.withDescription(`The folder of the ledger and the exports; defaults to ${defaultFolder}.`)
)

const database = Options.redacted("database").pipe(
  Options.optional,
  Options.withDescription(
    "The Postgres of the ledger and the exports instead of a folder, for a fleet on several machines: postgres://host/database, or env:NAME for the address in a variable."
  )
)

const inFolder = optionalPackages.load(() => import("./fleetFolder.js"), "venue fleet", optionalPackages.ofFolder)

const inDatabase = optionalPackages.load(
  () => import("./fleetDatabase.js"),
  "venue fleet --database",
  optionalPackages.ofDatabase
)

/** Refuses an option that does not apply to the kind of ledger. */
const without = (options: Readonly<Record<string, boolean>>, because: string) =>
  Effect.forEach(
    Object.entries(options),
    ([name, isGiven]) =>
      isGiven ? Effect.fail(new Refusal({ message: `--${name} cannot be used ${because}` })) : Effect.void,
    { discard: true }
  )

const runCommand = Command.make(
  "run",
  {
    file: Args.text({ name: "accounts.json" }).pipe(
      Args.withDescription("The accounts: what to export of each, from which addresses, and where their keys are.")
    ),
    out,
    database,
    listen: Options.text("listen").pipe(
      Options.optional,
      Options.withDescription(
        "With --database: host:port where the other processes reach this one. Defaults to the address from which this machine reaches the database, and a free port."
      )
    ),
    format: Options.choice("format", formats).pipe(
      Options.optional,
      Options.withDescription("The file format; defaults to ndjson.")
    ),
    gzip: Options.boolean("gzip").pipe(Options.withDescription("Compress the files. Needs the format ndjson.")),
    spreadsheetSafe,
    once: Options.boolean("once").pipe(
      Options.withDescription(
        "End when no export is due, in a database on any machine. Without it the fleet runs until it is stopped."
      )
    ),
    rebalance: Options.boolean("rebalance").pipe(
      Options.withDescription(
        "Spread the accounts over the addresses anew. Without it each keeps the address that it has."
      )
    ),
    accountsAtOnce: Options.integer("accounts-at-once").pipe(
      Options.withDefault(9),
      Options.withDescription("How many accounts to export at a time from each address. Defaults to 9.")
    ),
    monitoring
  },
  ({ accountsAtOnce, database, file, format, gzip, listen, monitoring, once, out, rebalance, spreadsheetSafe }) =>
    Effect.gen(function* () {
      const choice = { accountsAtOnce, file, monitoring, once, rebalance }
      if (Option.isNone(database)) {
        yield* without({ listen: Option.isSome(listen) }, "without --database")
        const { run } = yield* inFolder
        return yield* run({
          ...choice,
          out: Option.getOrElse(out, () => defaultFolder),
          format: Option.getOrElse(format, () => "ndjson" as const),
          gzip,
          spreadsheetSafe
        })
      }
      yield* without(
        { out: Option.isSome(out), format: Option.isSome(format), gzip, "spreadsheet-safe": spreadsheetSafe },
        "with --database"
      )
      const { run } = yield* inDatabase
      yield* run({ ...choice, database: database.value, listen: Option.getOrUndefined(listen) })
    })
).pipe(
  Command.withDescription(
    "Export many accounts, again and again, from every address in the file. The file is read again when it changes: accounts are added, paused and removed while this runs. The same command continues a stopped. With --database it runs on as many machines as wanted. Exit codes: 0 done; 1 an export failed, was stopped or can lack rows; 2 wrong arguments or file; 130 stopped."
  )
)

const statusCommand = Command.make(
  "status",
  {
    out,
    database,
    json: Options.boolean("json").pipe(Options.withDescription("Print JSON."))
  },
  ({ database, json, out }) =>
    Effect.gen(function* () {
      if (Option.isNone(database)) {
        const { status } = yield* inFolder
        return yield* status({ json, out: Option.getOrElse(out, () => defaultFolder) })
      }
      yield* without({ out: Option.isSome(out) }, "with --database")
      const { status } = yield* inDatabase
      yield* status({ json, database: database.value })
    })
).pipe(
  Command.withDescription(
    "Show the progress of a fleet: accounts, exports that are done, due and failing, the rate of each address and the time to finish. The fleet can be running. Exit codes: 0 printed; 1 there is no fleet in the folder or database."
  )
)

export const fleetCommand = Command.make("fleet").pipe(
  Command.withDescription("Export many accounts over one or more addresses."),
  Command.withSubcommands([runCommand, statusCommand])
)
