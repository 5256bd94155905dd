/**
 * The memory of an export of a million rows beside that of ten thousand.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Runs from "./exportRuns.js"
import * as Row from "./row.js"

const day = 86_400_000

/** The same range for many rows and for few: long, where windows are many; dense, where five windows hold 200,000 rows each. */
const shapes = { long: 725, dense: 34 } as const

const many = 1_000_000
const few = 10_000

/** Of the small exports the least is taken: whatever else the machine does can only add to it. */
const rounds = 3

/**
 * What Node may keep of what it no longer needs, in MiB. Left to itself it lets three times of what is in use gather before it clears up,
 * which ten thousand rows do not come to: what would be compared is the habit of the collector. Both exports have the same.
 */
const oldSpace = 80

/** Peak memory of a process that does nothing but export. */
export const peak = (shape: keyof typeof shapes, format: Runs.Format, count: number, flags: Runs.Flags) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const to = Math.floor(now / day) * day
    return Effect.map(
      Runs.run({ from: to - shapes[shape] * day, to, count }, format, "none", flags),
      ({ mebibytes }) => mebibytes
    )
  })

const one = (shape: keyof typeof shapes, format: Runs.Format, flags: Runs.Flags) =>
  Effect.gen(function* () {
    const small = yield* Effect.all(Array.from({ length: rounds }, () => peak(shape, format, few, flags)))
    return Row.make({
      name: `export.memory.${shape}.${format}${flags.length === 0 ? ".noFlags" : ""}`,
      ours: yield* peak(shape, format, many, flags),
      baseline: Math.min(...small),
      baselineName: `an export of ${few} rows, both with ${flags.length === 0 ? "no flags" : flags.join(" ")}`,
      unit: `MiB at most, for ${many} rows`
    })
  })

export const exportMemory: Effect.Effect<ReadonlyArray<Row.Row>> = Effect.gen(function* () {
  yield* Runs.compile
  const rows: Array<Row.Row> = []
  for (const shape of ["long", "dense"] as const) {
    for (const format of Runs.formats) rows.push(yield* one(shape, format, [`--max-old-space-size=${oldSpace}`]))
  }
  rows.push(yield* one("long", "ndjson", []))
  return rows
})
