import * as Command from "@effect/cli/Command"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as datasets from "../internal/datasets.js"
import { exportHistory } from "../internal/exportHistory.js"
import * as options from "../internal/options.js"
import * as venue from "../internal/venue.js"

const days = 60

export const startCommand = Command.make(
  "start",
  { out: options.out, seed: options.seed, port: options.port },
  ({ out, port, seed }) =>
    Effect.gen(function* () {
      yield* Console.log("Starting the sandbox: an exchange with two years of history, on this machine only.")
      const source = yield* venue.sandbox({ seed, port })
      const now = yield* Clock.currentTimeMillis
      yield* Console.log(
        `It listens on ${source.credentials.baseUrl}. Exporting the trade history of the last ${days} days over HTTP.`
      )
      yield* exportHistory({
        source,
        dataset: datasets.executions,
        category: "linear",
        symbol: undefined,
        from: now - days * 86_400_000,
        to: now,
        out,
        afresh: true
      })
    }).pipe(Effect.scoped)
).pipe(
  Command.withDescription(
    `Start a sandbox, export the trade history of its last ${days} days from it, and check the result.`
  )
)
