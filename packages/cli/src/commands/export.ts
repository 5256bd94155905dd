import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import type { Continued } from "../export/continued.js"
import { type Format, formats } from "../options/options.js"
import { rangeMistake } from "../options/dates.js"
import * as options from "../options/options.js"
import { load } from "../run/invocation.js"
import { Refusal } from "../run/failures.js"
import * as subjects from "../options/subjects.js"

const names = [...subjects.datasets.map(({ name }) => name), subjects.all]

type Before = Option.Option<Continued>

/** The subjects of the export in the folder. If the arguments name datasets, an unreadable export is not a failure here. */
const readContinued = <R>(
  read: (out: string) => Effect.Effect<Before, Refusal, R>,
  out: string,
  datasets: ReadonlyArray<string>
): Effect.Effect<Before, Refusal, R> =>
  datasets.length === 0 ? read(out) : Effect.orElseSucceed(read(out), () => Option.none())

interface Narrowed {
  readonly categories: ReadonlyArray<unknown>
  readonly coin: Option.Option<string>
  readonly incremental: boolean
  readonly out: string
  readonly symbol: Option.Option<string>
}

/** The datasets, categories and accounts of the export in the folder, or the reason why datasets must be named. */
const ofFolder = (
  before: Before,
  { categories, coin, incremental, out, symbol }: Narrowed
): Either.Either<Continued["subjects"], Refusal> => {
  const refuse = (message: string) => Either.left(new Refusal({ message }))
  if (!incremental) return refuse(`<dataset> is missing: choose from ${names.join(", ")} (see venue export --help)`)
  if (Option.isNone(before)) return refuse(`${out}: there is no finished export here to continue: name the datasets`)
  if (categories.length > 0 || Option.isSome(symbol) || Option.isSome(coin)) {
    return refuse("--category, --symbol and --coin need datasets: without datasets, those of the folder are continued")
  }
  return Either.right(before.value.subjects)
}

/** The format of the files: as in the continued export, unless the arguments name another. */
const settingsOf = (
  before: Before,
  {
    format,
    gzip,
    partition,
    spreadsheetSafe
  }: {
    readonly format: Option.Option<Format>
    readonly gzip: boolean
    readonly partition: Option.Option<"month">
    readonly spreadsheetSafe: boolean
  }
): Continued["settings"] => {
  const existing = Option.getOrUndefined(before)?.settings
  const isSame = Option.isNone(format) && !gzip && !spreadsheetSafe
  return {
    format: Option.getOrElse(format, () => existing?.format ?? "ndjson"),
    gzip: isSame ? (existing?.gzip ?? false) : gzip,
    spreadsheetSafe: isSame ? (existing?.spreadsheetSafe ?? false) : spreadsheetSafe,
    partition: Option.getOrElse(partition, () => existing?.partition)
  }
}

/** The range of the arguments. */
const readRange = ({
  from,
  to,
  year
}: {
  readonly from: Option.Option<number>
  readonly to: Option.Option<number>
  readonly year: Option.Option<{ readonly from: number; readonly to: number | undefined }>
}) =>
  Effect.gen(function* () {
    if (Option.isSome(year) && (Option.isSome(from) || Option.isSome(to))) {
      return yield* new Refusal({ message: "--year cannot be combined with --from and --to" })
    }
    const range = Option.getOrElse(year, () => ({ from: Option.getOrUndefined(from), to: Option.getOrUndefined(to) }))
    const mistake = rangeMistake(range, yield* Clock.currentTimeMillis)
    return mistake === undefined ? range : yield* new Refusal({ message: mistake })
  })

/** Refuses a symbol or a coin that the service cannot have, before anything is sent. */
const checkNames = (names: {
  readonly coin: Option.Option<string>
  readonly symbol: Option.Option<string>
}): Effect.Effect<void, Refusal> => {
  const mistake = Object.entries(names)
    .map(([name, text]) =>
      subjects.upperCaseMistake(
        `--${name}`,
        Option.getOrElse(text, () => "")
      )
    )
    .find((mistake) => mistake !== undefined)
  return mistake === undefined ? Effect.void : new Refusal({ message: mistake })
}

export const exportCommand = Command.make(
  "export",
  {
    datasets: Args.choice(
      names.map((name) => [name, name] as const),
      { name: "dataset" }
    ).pipe(
      Args.repeated,
      Args.withDescription("What to export. Defaults with --incremental to the datasets of the export in the folder.")
    ),
    from: options
      .instant("from")
      .pipe(
        Options.optional,
        Options.withDescription(
          "Start of the range, included, such as 2026-01-31, 2026-05, 7d, yesterday or last-month. Required except to continue with --incremental."
        )
      ),
    to: options
      .instant("to")
      .pipe(
        Options.optional,
        Options.withDescription(
          "End of the range, excluded. Defaults to the service's clock when the export begins, or to the end of the unfinished export in the folder."
        )
      ),
    year: options.year.pipe(
      Options.optional,
      Options.withDescription("A year of UTC as the range, such as 2025, instead of --from and --to.")
    ),
    categories: Options.choice("category", subjects.categories).pipe(
      Options.repeated,
      Options.withDescription(
        "The category; can be repeated. A dataset is exported in those that it has. Defaults to linear, or with all to every category."
      )
    ),
    symbol: Options.text("symbol").pipe(
      Options.optional,
      Options.withDescription("One symbol only, such as BTCUSDT, of datasets that have symbols.")
    ),
    coin: Options.text("coin").pipe(
      Options.optional,
      Options.withDescription("One coin only, such as USDT, of datasets that have coins.")
    ),
    accounts: options.accounts,
    format: Options.choice("format", formats).pipe(
      Options.optional,
      Options.withDescription("The file format. Defaults to that of the export that is continued, or to ndjson.")
    ),
    json: Options.boolean("json").pipe(
      Options.withDescription("Print the result as JSON; everything else goes to standard error.")
    ),
    gzip: Options.boolean("gzip").pipe(Options.withDescription("Compress the files. Needs the format ndjson.")),
    spreadsheetSafe: options.spreadsheetSafe,
    partition: Options.choice("partition", ["month"]).pipe(
      Options.optional,
      Options.withDescription(
        "Split the files of each dataset into folders month=2026-05, by months of UTC. Defaults to the setting of the continued export."
      )
    ),
    out: options.out("venue-export"),
    incremental: Options.boolean("incremental").pipe(
      Options.withDescription(
        "Continue where the finished export in the folder ended; without datasets, all of its datasets."
      )
    ),
    overlap: options
      .period("overlap")
      .pipe(
        Options.optional,
        Options.withDescription(
          "With --incremental or --follow: how much of the range before the end of the existing export is read again, for records that the service lists late, such as 4h. Defaults to 1h."
        )
      ),
    follow: options
      .period("follow")
      .pipe(
        Options.optional,
        Options.withDescription(
          "Continue after the present: read new rows after each pause, such as 1m, until stopped. Continues the export in the folder, as --incremental does."
        )
      ),
    overwrite: Options.boolean("overwrite").pipe(
      Options.withDescription("Discard the export in the folder; a finished one stays until the new one replaces it.")
    ),
    sameAccount: Options.boolean("same-account").pipe(
      Options.withDescription(
        "Declare that an API key which the export in the folder has not seen belongs to the same account. Needed if the export has no rows to compare; recorded in the manifest."
      )
    ),
    ...options.source
  },
  ({
    accounts,
    overwrite,
    categories,
    coin,
    datasets,
    follow,
    format,
    from,
    gzip,
    out,
    incremental,
    overlap,
    partition,
    sameAccount,
    json,
    spreadsheetSafe,
    symbol,
    to,
    year,
    ...choice
  }) =>
    Effect.gen(function* () {
      const range = yield* readRange({ from, to, year })
      yield* checkNames({ symbol, coin })
      const follows = Option.isSome(follow)
      const { continued, exportHistory, sinkOf, venue } = yield* load(() => import("../export/exportHistory.js"))
      const before =
        (incremental || follows) && !overwrite ? yield* readContinued(continued.read, out, datasets) : Option.none()
      const chosen =
        datasets.length === 0
          ? yield* ofFolder(before, { categories, coin, incremental: incremental || follows, out, symbol })
          : yield* subjects.select({
              datasets,
              categories,
              defaultCategories: ["linear"],
              filters: Record.getSomes({ symbol, coin })
            })
      const sink = yield* sinkOf(settingsOf(before, { format, gzip, partition, spreadsheetSafe }), out)
      const known = datasets.length === 0 && accounts.length === 0
      const source = yield* venue.source({
        ...choice,
        accounts: known ? Option.match(before, { onNone: () => [], onSome: (existing) => existing.accounts }) : accounts
      })
      yield* exportHistory({
        source,
        subjects: chosen,
        sink,
        out,
        ...range,
        incremental,
        overlap: Option.getOrUndefined(overlap),
        follow: Option.getOrUndefined(follow),
        json,
        overwrite,
        sameAccount
      })
    }).pipe(Effect.scoped)
).pipe(
  Command.withDescription(
    "Export history to a folder, complete or with a list of what is missing. The same command resumes a stopped export. Exit codes: 0 complete; 1 it failed, or may lack rows; 2 wrong arguments, nothing was done; 130 stopped."
  )
)
