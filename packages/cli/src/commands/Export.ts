import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { formats } from "../internal/formats.js"
import { load } from "../internal/loading.js"
import * as options from "../internal/options.js"
import * as subjects from "../internal/subjects.js"

const names = [...subjects.datasets.map(({ name }) => name), subjects.all]

const help = [
  ...subjects.datasets.map(({ name, summary }) => `${name}: ${summary}.`),
  `${subjects.all}: every dataset that the categories have, but for broker-volume, which is a sum.`
].join(" ")

export const exportCommand = Command.make(
  "export",
  {
    datasets: Args.choice(
      names.map((name) => [name, name] as const),
      { name: "dataset" }
    ).pipe(Args.atLeast(1), Args.withDescription(help)),
    from: options
      .instant("from")
      .pipe(
        Options.optional,
        Options.withDescription("First instant of the period, such as 2026-01-31; needed but with --incremental.")
      ),
    to: options
      .instant("to")
      .pipe(
        Options.optional,
        Options.withDescription(
          "First instant after the period. Defaults to the service's clock when the export begins, or to the end of the unfinished export in the folder."
        )
      ),
    categories: Options.choice("category", subjects.categories).pipe(
      Options.repeated,
      Options.withDescription("Which market; may be given several times. Defaults to linear, or with all to every one.")
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
      Options.withDefault("ndjson" as const),
      Options.withDescription("The file format; defaults to ndjson.")
    ),
    gzip: Options.boolean("gzip").pipe(Options.withDescription("Compress the files, of ndjson.")),
    out: options.out("venue-export"),
    incremental: Options.boolean("incremental").pipe(
      Options.withDescription("Go on where the finished export in the folder ended.")
    ),
    follow: options
      .period("follow")
      .pipe(
        Options.optional,
        Options.withDescription(
          "Go on when the export has come to the present: read what is new after each pause, such as 1m, until it is stopped. What is in the folder is continued, as with --incremental."
        )
      ),
    overwrite: Options.boolean("overwrite").pipe(
      Options.withDescription(
        "Forget what is in the folder; a finished export stays until the new one takes its place."
      )
    ),
    sameAccount: Options.boolean("same-account").pipe(
      Options.withDescription(
        "Declare that an API key which the export in the folder has not seen belongs to the same account. Needed where it has no rows that could show it; recorded in the manifest."
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
    sameAccount,
    symbol,
    to,
    ...choice
  }) =>
    Effect.gen(function* () {
      const chosen = yield* subjects.select({
        datasets,
        categories,
        filters: {
          ...(Option.isSome(symbol) ? { symbol: symbol.value } : {}),
          ...(Option.isSome(coin) ? { coin: coin.value } : {})
        }
      })
      const { exportHistory, sinkOf, venue } = yield* load(() => import("../internal/exporting.js"))
      const sink = yield* sinkOf(format, gzip, out)
      const source = yield* venue.source({ ...choice, accounts })
      yield* exportHistory({
        source,
        subjects: chosen,
        sink,
        out,
        from: Option.getOrUndefined(from),
        to: Option.getOrUndefined(to),
        incremental,
        follow: Option.getOrUndefined(follow),
        overwrite,
        sameAccount
      })
    }).pipe(Effect.scoped)
).pipe(
  Command.withDescription(
    "Export history to a folder: complete, or it says what is missing. The same command goes on where one was stopped. Exit codes: 0 complete; 1 it failed, or may lack rows; 2 wrong arguments, nothing was done; 130 stopped."
  )
)
