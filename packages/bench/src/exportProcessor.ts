/**
 * The processor time of an export per row, compared with parsing and printing the same pages.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Runs from "./exportRuns.js"
import * as Row from "./row.js"
import type * as Selection from "./selection.js"

const day = 86_400_000

/** Large enough to make the startup time negligible. */
const count = 100_000
const days = 90

/** The minimum for an interval. */
const runs = 6

const nameOf = (format: Runs.Format): string => `export.processor.${format}`

/** `export.processor.<format>`: microseconds of processor time for a row, from the first request to the last file. */
const compared = (format: Runs.Format) =>
  Effect.gen(function* () {
    const to = Math.floor((yield* Clock.currentTimeMillis) / day) * day
    const outcomes = yield* Effect.replicateEffect(Runs.run({ from: to - days * day, to, count }, format, "none"), runs)
    // The same process parses and prints the same pages after its export.
    const pairs = outcomes.map(({ parsing, processor }) => ({ ours: processor / count, baseline: parsing / count }))
    return Row.ofPairs(
      { name: nameOf(format), baselineName: "JSON.parse and JSON.stringify of its pages", unit: "µs for a row" },
      pairs
    )
  })

/** Measures the selected formats. */
export const exportProcessor = ({ overlaps }: Selection.Selection): Effect.Effect<ReadonlyArray<Row.Row>> =>
  Effect.gen(function* () {
    yield* Runs.compile
    const rows: Array<Row.Row> = []
    for (const format of Runs.formats) if (overlaps(nameOf(format))) rows.push(yield* compared(format))
    return rows
  })
