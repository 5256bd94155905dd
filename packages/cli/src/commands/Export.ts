import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as datasets from "../internal/datasets.js"
import { exportHistory } from "../internal/exportHistory.js"
import * as options from "../internal/options.js"
import * as venue from "../internal/venue.js"

export const exportCommand = Command.make(
  "export",
  {
    dataset: Args.choice(
      datasets.all.map((dataset) => [dataset.name, dataset] as const),
      { name: "dataset" }
    ).pipe(Args.withDescription(datasets.all.map(({ name, summary }) => `${name}: ${summary}`).join(". "))),
    category: options.category,
    symbol: Options.text("symbol").pipe(Options.optional, Options.withDescription("One symbol only, such as BTCUSDT.")),
    from: options.instant("from").pipe(Options.withDescription("First instant of the period, such as 2026-01-31.")),
    to: options
      .instant("to")
      .pipe(Options.optional, Options.withDescription("First instant after the period; now unless given.")),
    out: options.out,
    sandbox: Options.boolean("sandbox").pipe(
      Options.withDescription("Export from a sandbox started for it, instead of the service in VENUE_BASE_URL.")
    ),
    seed: options.seed,
    port: options.port
  },
  ({ category, dataset, from, out, port, sandbox, seed, symbol, to }) =>
    Effect.gen(function* () {
      const source = yield* sandbox ? venue.sandbox({ seed, port }) : venue.live
      const now = yield* Clock.currentTimeMillis
      yield* exportHistory({
        source,
        dataset,
        category,
        symbol: Option.getOrUndefined(symbol),
        from,
        to: Option.getOrElse(to, () => now),
        out,
        afresh: false
      })
    }).pipe(Effect.scoped)
).pipe(
  Command.withDescription(
    "Export history to a folder: complete, or it says what is missing. The same command goes on where one was stopped."
  )
)
