import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isDatabase } from "../run/address.js"
import { load } from "../run/invocation.js"
import { Refusal } from "../run/failures.js"
import * as Symbols from "../export/symbols.js"
import * as Months from "../options/months.js"
import * as options from "../options/options.js"
import * as Layout from "../output/layout.js"
import * as Files from "../output/files.js"
import * as Output from "../output/output.js"
import { countNoun } from "@effect-venue/schemas/siblings/Words"

/** The page was written, and reports changed files. */
class Damaged extends Data.TaggedError("Damaged")<{ readonly message: string }> {}

export const reportCommand = Command.make(
  "report",
  {
    folder: options.finishedExport,
    ...options.tables,
    out: Options.text("out").pipe(
      Options.optional,
      Options.withDescription(
        "The file to write. Defaults to report.html in the folder, or here where the export is in a database."
      )
    ),
    month: Options.text("month").pipe(
      Options.optional,
      Options.withDescription("Sum up and state one month only, such as 2026-05. Defaults to all rows of the export.")
    ),
    year: Options.text("year").pipe(
      Options.optional,
      Options.withDescription("Sum up and state one year only, such as 2025. Defaults to all rows of the export.")
    ),
    symbols: options.symbols,
    timeZone: options.timeZone,
    json: Options.boolean("json").pipe(
      Options.withDescription("Print totals, months, statements and findings as JSON, for machines.")
    )
  },
  ({ folder, json, month: named, name, out, prefix, symbols, timeZone: zone, year }) =>
    Effect.gen(function* () {
      if (Option.isSome(named) && Option.isSome(year)) {
        return yield* new Refusal({ message: "--month and --year cannot be combined: a month names its year" })
      }
      const month = Option.flatMap(named, (text) => Months.findMonth(zone, text))
      if (Option.isSome(named) && Option.isNone(month)) {
        return yield* new Refusal({ message: `--month: "${named.value}" is not a month such as 2026-05` })
      }
      const span = Option.orElse(month, () => Option.flatMap(year, (text) => Months.findYear(zone, text)))
      if (Option.isSome(year) && Option.isNone(span)) {
        return yield* new Refusal({ message: `--year: "${year.value}" is not a year such as 2025` })
      }
      const path = yield* Path.Path
      const file = Option.getOrElse(out, () => (isDatabase(folder) ? "report.html" : path.join(folder, "report.html")))
      const { find } = yield* load(() => import("../export/exported.js"))
      const report = yield* load(() => import("../figures/readReport.js"))
      const { isWhole, page, summary, terminalTable } = yield* load(() => import("../report/summary.js"))
      const exported = yield* find({ location: folder, name, prefix }, { what: "the location", command: "report" })
      const table = yield* Symbols.read(symbols)
      const read = yield* report.read(exported, { zone, span: Option.getOrUndefined(span), symbols: table })
      const fs = yield* FileSystem.FileSystem
      yield* Files.replace(file, (beside) => fs.writeFileString(beside, page(read)))
      yield* json
        ? Output.printJson(summary(read, file))
        : Output.print(
            `${terminalTable(read, yield* Layout.page)}${file}: ${countNoun(read.manifest.rows, "row")} in ${countNoun(read.manifest.parts.length, "part")}, ${isWhole(read) ? "complete" : "incomplete"}`
          )
      const [first, ...others] = read.findings
      if (first !== undefined) {
        const more = others.length === 0 ? "" : `, and ${countNoun(others.length, "more finding")}`
        return yield* new Damaged({ message: `the export was changed after it was written: ${first}${more}` })
      }
    })
).pipe(
  Command.withDescription(
    "Write a page about a finished export, for any browser, and print statements and totals: results, a statement of the wallet, months, plots, coverage. Exit codes: 0 written; 1 written, and the export was changed after it was written, or there is none; 2 wrong arguments."
  )
)
