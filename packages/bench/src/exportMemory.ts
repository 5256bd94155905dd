/**
 * The memory of an export of a million rows, compared with one of ten thousand.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Runs from "./exportRuns.js"
import * as Rounds from "./rounds.js"
import * as Row from "./row.js"
import type * as Selection from "./selection.js"

const day = 86_400_000

/** The same range for many and for few rows. `long` has many windows; in `dense` five windows contain 200,000 rows each. */
const shapes = { long: 725, dense: 34 } as const

const many = 1_000_000
const few = 10_000

/** The minimum for an interval; an export of a million rows takes most of a minute. */
const count = 6

/** The peak memory of a process that only exports. */
const peak = (shape: keyof typeof shapes, format: Runs.Format, rows: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const to = Math.floor(now / day) * day
    return Effect.map(
      Runs.run({ from: to - shapes[shape] * day, to, count: rows }, format, "none"),
      ({ mebibytes }) => mebibytes
    )
  })

const nameOf = (shape: keyof typeof shapes, format: Runs.Format): string => `export.memory.${shape}.${format}`

const compared = (shape: keyof typeof shapes, format: Runs.Format) =>
  Effect.map(Rounds.pairs({ count }, peak(shape, format, many), peak(shape, format, few)), (pairs) =>
    Row.ofPairs(
      {
        name: nameOf(shape, format),
        baselineName: `an export of ${few} rows`,
        unit: `MiB at most, for ${many} rows`,
        target: { atMost: 1.1 }
      },
      pairs
    )
  )

/** Measures the selected shapes and formats, and emits each result at once, because all of them take more than an hour. */
export const exportMemory = ({ overlaps }: Selection.Selection): Stream.Stream<Row.Row> =>
  Stream.cross(Stream.fromIterable(Runs.formats), Stream.make("long" as const, "dense" as const)).pipe(
    Stream.filter(([format, shape]) => overlaps(nameOf(shape, format))),
    Stream.mapEffect(([format, shape]) => compared(shape, format)),
    Stream.onStart(Runs.compile)
  )
