/**
 * The time of an export under the documented limits, compared with the minimum that they allow, and whether all rows are exported.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Number from "effect/Number"
import * as Runs from "./exportRuns.js"
import * as Row from "./row.js"

const day = 86_400_000

/** About 90 seconds of pages, in windows of many pages each, from a server that enforces its limit. */
const count = 90_000
const days = 27

/** The minimum for an interval. */
const runs = 6

/**
 * `export.bound`: seconds of a whole export, from the first request to the last file, compared with pages / rate. `export.rows`: the
 * fraction of the existing rows that the worst run exported. `export.refusals`: repeated requests in all runs.
 */
export const exportBound: Effect.Effect<ReadonlyArray<Row.Row>> = Effect.gen(function* () {
  yield* Runs.compile
  const to = Math.floor((yield* Clock.currentTimeMillis) / day) * day
  const outcomes = yield* Effect.replicateEffect(
    Runs.run({ from: to - days * day, to, count }, "ndjson", "documented"),
    runs
  )
  // The baseline is computed from the pages of the same run.
  const pairs = outcomes.map(({ pages, seconds }) => ({ ours: seconds, baseline: pages / Runs.documentedRate }))
  const shares = outcomes.map(({ rows }) => rows / count)
  const refusals = outcomes.map(({ retries }) => retries)
  return [
    Row.ofPairs(
      {
        name: "export.bound",
        baselineName: `its pages at ${Runs.documentedRate} a second`,
        unit: "s",
        target: { atMost: 1.03 }
      },
      pairs
    ),
    Row.exact({ name: "export.rows", unit: "of the rows", target: { atLeast: 1 } }, Math.min(...shares)),
    Row.exact({ name: "export.refusals", unit: "refusals", target: { atMost: 0 } }, Number.sumAll(refusals))
  ]
})
