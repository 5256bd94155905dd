import * as Command from "@effect/cli/Command"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { load } from "../run/invocation.js"
import * as options from "../options/options.js"
import * as subjects from "../options/subjects.js"
import * as Output from "../output/output.js"

const days = 60

export const startCommand = Command.make(
  "start",
  { out: options.out("venue-data"), seed: options.seed, port: options.port },
  ({ out, port, seed }) =>
    Effect.gen(function* () {
      yield* Output.print("Starting the sandbox: an exchange with two years of history, on this machine only.")
      const { exportHistory, sinkOf, venue } = yield* load(() => import("../export/exportHistory.js"))
      const source = yield* venue.sandbox({ seed, port, accounts: [] })
      const now = yield* Clock.currentTimeMillis
      yield* Output.print(
        `It listens on ${source.accounts[0].credentials.baseUrl}. Exporting the trade history of the last ${days} days over HTTP.`
      )
      yield* exportHistory({
        source,
        subjects: yield* subjects.select({
          datasets: ["executions"],
          categories: ["linear"],
          defaultCategories: [],
          filters: {}
        }),
        sink: yield* sinkOf({ format: "ndjson", gzip: false, spreadsheetSafe: false }, out),
        out,
        from: now - days * 86_400_000,
        to: now,
        incremental: false,
        json: false,
        follow: undefined,
        overwrite: true,
        sameAccount: false
      })
    }).pipe(Effect.scoped)
).pipe(
  Command.withDescription(
    `Start a sandbox, export the trade history of its last ${days} days from it, and check the result.`
  )
)
