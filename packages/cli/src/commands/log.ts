import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { load } from "../run/invocation.js"
import * as Symbols from "../export/symbols.js"
import * as options from "../options/options.js"
import { Refusal } from "../run/failures.js"

export const logCommand = Command.make(
  "log",
  {
    folder: options.finishedExport,
    ...options.tables,
    as: Options.choice("as", ["beancount", "ledger", "koinly", "rotki"]).pipe(
      Options.optional,
      Options.withDescription("The program to write for, instead of lines.")
    ),
    format: Options.choice("format", ["csv", "ndjson", "parquet"]).pipe(
      Options.optional,
      Options.withDescription("The format of the lines. Defaults to csv.")
    ),
    spreadsheetSafe: options.spreadsheetSafe,
    out: Options.text("out").pipe(
      Options.optional,
      Options.withDescription("The file to write; for rotki, the folder. Defaults to standard output.")
    ),
    symbols: options.symbols,
    timeZone: options.timeZone
  },
  ({ as, folder, format, name, out, prefix, spreadsheetSafe, symbols, timeZone: zone }) =>
    Effect.gen(function* () {
      if (Option.isSome(as) && Option.isSome(format)) {
        return yield* new Refusal({
          message: "--format and --as cannot be combined: --format is for lines, --as for other programs"
        })
      }
      const { find } = yield* load(() => import("../export/exported.js"))
      const { writeLog } = yield* load(() => import("../export/writeLog.js"))
      const exported = yield* find({ location: folder, name, prefix }, { what: "the location", command: "log" })
      const chosen = Option.getOrElse(
        Option.orElse(as, () => format),
        () => "csv" as const
      )
      const table = yield* Symbols.read(symbols)
      yield* writeLog(exported, { as: chosen, symbols: table, out: Option.getOrUndefined(out), spreadsheetSafe, zone })
    }).pipe(Effect.scoped)
).pipe(
  Command.withDescription(
    "Write every change of a balance in a finished export: as lines, as a ledger, or for a program for taxes. Standard error names what keeps it from adding up. Exit codes: 0 written; 1 the export was changed after it was written, or there is none; 2 wrong arguments."
  )
)
