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

/** Peak memory of a process that does nothing but export. */
const peak = (shape: keyof typeof shapes, format: Runs.Format, count: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const to = Math.floor(now / day) * day
    return Effect.map(
      Runs.run({ from: to - shapes[shape] * day, to, count }, format, "none"),
      ({ mebibytes }) => mebibytes
    )
  })

const one = (shape: keyof typeof shapes, format: Runs.Format) =>
  Effect.gen(function* () {
    const small = yield* Effect.all(Array.from({ length: rounds }, () => peak(shape, format, few)))
    return Row.make({
      name: `export.memory.${shape}.${format}`,
      ours: yield* peak(shape, format, many),
      baseline: Math.min(...small),
      baselineName: `an export of ${few} rows`,
      unit: `MiB at most, for ${many} rows`
    })
  })

/** `isWanted`: of the shapes and formats those that are. */
export const exportMemory = (isWanted: (name: string) => boolean): Effect.Effect<ReadonlyArray<Row.Row>> =>
  Effect.gen(function* () {
    yield* Runs.compile
    const rows: Array<Row.Row> = []
    for (const shape of ["long", "dense"] as const) {
      for (const format of Runs.formats) {
        if (isWanted(`export.memory.${shape}.${format}`)) rows.push(yield* one(shape, format))
      }
    }
    return rows
  })
