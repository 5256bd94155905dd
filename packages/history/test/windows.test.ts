import type * as Dataset from "@effect-venue/history/Dataset"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Sink from "@effect-venue/history/Sink"
import { expect } from "@effect/vitest"
import { part as scripted } from "./utils/scripted.js"
import { settle } from "@effect-venue/testing/Settling"
import { day, folder, onExchange } from "./utils/world.js"

const from = Date.parse("2026-05-01T00:00Z")

onExchange(
  "reads the rows at the borders of windows from a service that leaves out the first instant of a range",
  function* () {
    // The windows of deposits are 30 days less three seconds long.
    const instants = [from, from + 30 * day - 3000, from + 40 * day]
    const page = (ask: Dataset.Ask) => ({
      rows: instants
        .filter((at) => at > ask.from && at <= ask.to)
        .map((at) => ({
          transaction_id: `t${at}`,
          coin: "USDT",
          amount: "1",
          status: "1",
          time: `${at / 1000}`,
          create_time: `${at / 1000}`
        }))
        .toReversed(),
      next: ""
    })
    const directory = yield* folder
    const part = scripted(Datasets.deposits, {}, { page })
    const { parts } = yield* settle(History.runAll([part], { from, to: from + 45 * day }, Sink.ndjson(directory)))
    expect(parts.map(({ rows }) => rows)).toEqual([instants.length])
  }
)
