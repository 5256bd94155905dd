import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { load } from "../run/invocation.js"
import * as options from "../options/options.js"

export const tapCommand = Command.make(
  "tap",
  {
    config: Options.text("config").pipe(
      Options.withDescription("The file with start_date, datasets, categories and the account, as JSON.")
    ),
    state: Options.text("state").pipe(
      Options.optional,
      Options.withDescription("The file with the value of the last STATE. Defaults to none: from start_date on.")
    ),
    catalog: Options.text("catalog").pipe(
      Options.optional,
      Options.withDescription("The file with the catalog whose selected streams are read. Defaults to all streams.")
    ),
    discover: Options.boolean("discover").pipe(Options.withDescription("Print the catalog, and read nothing.")),
    sandbox: options.sandbox,
    seed: options.seed,
    port: options.port
  },
  (chosen) =>
    Effect.gen(function* () {
      const { tap } = yield* load(() => import("../export/tap.js"))
      yield* tap(chosen)
    }).pipe(Effect.scoped)
).pipe(
  Command.withDescription(
    "Print history as messages of Singer, for Meltano, dlt or Airbyte: killed anywhere and continued from the last STATE, a target has every row once. Exit codes: 0 done; 1 it failed; 2 wrong arguments, nothing was done; 130 stopped."
  )
)
