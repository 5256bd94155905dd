/**
 * The time of an export under the documented limits beside the least that they allow, and whether all rows are there.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Runs from "./exportRuns.js"
import * as Row from "./row.js"

const day = 86_400_000

/** Some 90 seconds of pages, in windows of which each has many, by a server that refuses what comes too often. */
const count = 90_000
const days = 27

/**
 * `export.bound`: seconds of a whole export, from the first request to the last file, beside pages / rate. `export.rows`: rows in the
 * files beside rows that exist. `export.refusals`: requests that had to be sent again beside those that were sent.
 */
export const exportBound: Effect.Effect<ReadonlyArray<Row.Row>> = Effect.gen(function* () {
  yield* Runs.compile
  const to = Math.floor((yield* Clock.currentTimeMillis) / day) * day
  const { pages, retries, rows, seconds } = yield* Runs.run(
    { from: to - days * day, to, count },
    "ndjson",
    "documented"
  )
  return [
    Row.make({
      name: "export.bound",
      ours: seconds,
      baseline: pages / Runs.documentedRate,
      baselineName: `${pages} pages at ${Runs.documentedRate} a second`,
      unit: "s"
    }),
    Row.make({ name: "export.rows", ours: rows, baseline: count, baselineName: "rows that exist", unit: "rows" }),
    Row.make({ name: "export.refusals", ours: retries, baseline: pages, baselineName: "requests", unit: "refusals" })
  ]
})
