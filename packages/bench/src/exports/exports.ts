import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Number from "effect/Number"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import * as Processes from "../measure/processes.js"
import * as Rounds from "../measure/rounds.js"
import * as Row from "../measure/row.js"

const day = 86_400_000

/** The minimum for an interval; an export of a million rows takes most of a minute. */
const runs = 6

const formats = ["ndjson", "ndjson.gz", "csv", "parquet", "sqlite"] as const

type Format = (typeof formats)[number]

/** Whole days that end with the last one. */
export const lastDays = (days: number) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const to = Math.floor(now / day) * day
    return { from: to - days * day, to }
  })

/** A folder that is removed with the scope. */
export const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "export-"))),
  (name) => Effect.promise(() => rm(name, { recursive: true, force: true }))
)

/** The rate limit of executions, per second. (rule limits/executions.list) */
const documentedRate = 10

const Outcome = Schema.Struct({
  rows: Schema.Number,
  verdict: Schema.String,
  pages: Schema.Number,
  retries: Schema.Number,
  /** Microseconds of processor time of the export, and of parsing and printing its pages; the latter is 0 if limits are enforced. */
  processor: Schema.Number,
  parsing: Schema.Number,
  seconds: Schema.Number,
  mebibytes: Schema.Number
})

/** Exports `count` executions of some days, each time with a fresh server. Dies if the export is incomplete. */
const exportDays = (days: number, count: number, format: Format, limits: "documented" | "none") =>
  Effect.gen(function* () {
    const { from, to } = yield* lastDays(days)
    const limit = limits === "documented" ? documentedRate : 0
    const url = yield* Processes.server("exports/executionsServer", [from, to, count, limit, 1_000, "path"])
    const child = yield* Processes.start("exports/exportProcess", [url, format, yield* folder, from, to, limits])
    const outcome = yield* Effect.flatMap(Processes.said(child), Schema.decodeUnknown(Outcome))
    if (outcome.rows !== count || outcome.verdict !== "complete") {
      return yield* Effect.dieMessage(`${outcome.rows} of ${count} rows, ${outcome.verdict}`)
    }
    return outcome
  }).pipe(Effect.scoped, Effect.orDie)

// Memory -------------------------------------------------------------------------------------------------------------

/** The same range for many and for few rows. `long` has many windows; in `dense` five windows contain 200,000 rows each. */
const shapes = { long: 725, dense: 34 } as const

type Shape = keyof typeof shapes

const many = 1_000_000
const few = 10_000

/** The peak memory of a process that only exports. */
const peak = (shape: Shape, format: Format, rows: number) =>
  Effect.map(exportDays(shapes[shape], rows, format, "none"), ({ mebibytes }) => mebibytes)

/** The memory of an export of a million rows, compared with one of ten thousand. */
export const memory = ({ overlaps }: Row.Selection): Stream.Stream<Row.Row> =>
  Stream.cross(Stream.fromIterable(formats), Stream.make<[Shape, Shape]>("long", "dense")).pipe(
    Stream.map(([format, shape]) => ({ format, shape, name: `export.memory.${shape}.${format}` })),
    Stream.filter(({ name }) => overlaps(name)),
    Stream.mapEffect(({ format, name, shape }) =>
      Effect.map(Rounds.pairs({ count: runs }, peak(shape, format, many), peak(shape, format, few)), (pairs) => {
        const [baselineName, unit] = [`an export of ${few} rows`, `MiB at most, for ${many} rows`]
        return Row.ofPairs({ name, baselineName, unit, target: { atMost: 1.1 } }, pairs)
      })
    )
  )

// Processor time -----------------------------------------------------------------------------------------------------

/** Large enough to make the startup time negligible. */
const rows = 100_000

/**
 * The processor time of an export per row, from the first request to the last file, compared with parsing and printing the same pages,
 * which the same process does afterwards.
 */
export const processor = ({ overlaps }: Row.Selection): Stream.Stream<Row.Row> =>
  Stream.fromIterable(formats).pipe(
    Stream.map((format) => ({ format, name: `export.processor.${format}` })),
    Stream.filter(({ name }) => overlaps(name)),
    Stream.mapEffect(({ format, name }) =>
      Effect.map(Effect.replicateEffect(exportDays(90, rows, format, "none"), runs), (outcomes) => {
        const pairs = outcomes.map(({ parsing, processor }) => ({ ours: processor / rows, baseline: parsing / rows }))
        const baselineName = "JSON.parse and JSON.stringify of its pages"
        return Row.ofPairs({ name, baselineName, unit: "µs for a row" }, pairs)
      })
    )
  )

// Time ---------------------------------------------------------------------------------------------------------------

/** About 90 seconds of pages, in windows of many pages each, from a server that enforces its limit. */
const limited = { count: 90_000, days: 27 }

/**
 * `export.bound`: seconds of a whole export, from the first request to the last file, compared with pages / rate. `export.rows`: the
 * fraction of the existing rows that the worst run exported. `export.refusals`: repeated requests in all runs.
 */
export const bound = (): Stream.Stream<Row.Row> =>
  Effect.gen(function* () {
    const { count, days } = limited
    const outcomes = yield* Effect.replicateEffect(exportDays(days, count, "ndjson", "documented"), runs)
    const baselineName = `its pages at ${documentedRate} a second`
    return [
      Row.ofPairs(
        { name: "export.bound", baselineName, unit: "s", target: { atMost: 1.03 } },
        // The baseline is computed from the pages of the same run.
        outcomes.map(({ pages, seconds }) => ({ ours: seconds, baseline: pages / documentedRate }))
      ),
      Row.exact(
        { name: "export.rows", unit: "of the rows", target: { atLeast: 1 } },
        Math.min(...outcomes.map(({ rows }) => rows / count))
      ),
      Row.exact(
        { name: "export.refusals", unit: "refusals", target: { atMost: 0 } },
        Number.sumAll(outcomes.map(({ retries }) => retries))
      )
    ]
  }).pipe(Stream.fromIterableEffect)
