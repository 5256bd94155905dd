import type * as Dataset from "@effect-venue/history/Dataset"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as Positions from "@effect-venue/schemas/Positions"
import * as Orders from "@effect-venue/schemas/Orders"
import { Path } from "@effect/platform"
import { describe, expect } from "@effect/vitest"
import { Arbitrary, Effect, FastCheck, Schema } from "effect"
import { settle } from "@effect-venue/testing/Settling"
import { day, exchange, folder, linesOf, onThatDay, today, withFiles } from "./utils/world.js"

/** A part whose pages are these, whatever the service says. */
const scripted = <A>(part: Part.Part<A>, page: (ask: Dataset.Ask) => Dataset.Page): Part.Part<A> => ({
  ...part,
  page: (ask) => Effect.sync(() => page(ask))
})

const from = today - 20 * day

const exported = (part: Part.Part) =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    const directory = yield* folder
    const manifest = yield* settle(History.runAll([part], { from, to: today }, Sink.ndjson(directory)))
    const [section] = manifest.parts
    const read = (name: string | undefined) =>
      name === undefined ? Effect.succeed([]) : linesOf(path.join(directory, name))
    return {
      manifest,
      windows: section?.windows ?? [],
      rows: yield* read(section?.files[0]?.name),
      rejected: yield* read(section?.rejected[0]?.name)
    }
  }).pipe(Effect.provide(exchange()), onThatDay)

const sample = <A, I>(schema: Schema.Schema<A, I>, count: number): ReadonlyArray<I> =>
  FastCheck.sample(Arbitrary.make(schema), { numRuns: count, seed: 7 }).map((one) => Schema.encodeSync(schema)(one))

/** A list of the service: by its instant, both ends included, newest first, in pages of `size`. */
const listed =
  (rows: ReadonlyArray<Dataset.Row>, instant: string, size: number) =>
  ({ cursor, from, to }: Dataset.Ask): Dataset.Page => {
    const within = rows
      .filter((row) => Number(row[instant]) >= from && Number(row[instant]) <= to)
      .toSorted((one, other) => Number(other[instant]) - Number(one[instant]))
    const start = Number(cursor ?? 0)
    return { rows: within.slice(start, start + size), next: start + size < within.length ? String(start + size) : "" }
  }

describe("datasets of operations that a document only lists", () => {
  const closed = Part.make(Datasets.closedPnl, { category: "linear" })
  const orders = Part.make(Datasets.orderHistory, { category: "linear" })

  withFiles("export every row of the range: closed profits, of which two can be equal, and orders", function* () {
    const profits = sample(Positions.ClosedPnl, 40).map((row, index) => ({
      ...row,
      createdTime: String(from + index * 12 * 3_600_000)
    }))
    // Two partial closings of one millisecond may say the same.
    const all = [...profits, ...profits.slice(3, 5)]
    const one = yield* exported(scripted(closed, listed(all, "createdTime", 7)))
    expect(one.manifest.verdict).toBe("complete")
    expect(one.rows.map((row) => JSON.stringify(row)).toSorted()).toEqual(
      all.map((row) => JSON.stringify(row)).toSorted()
    )
    const history = sample(Orders.Order, 40).map((row, index) => ({
      ...row,
      orderId: `order-${index}`,
      createdTime: String(from + index * 12 * 3_600_000)
    }))
    const two = yield* exported(scripted(orders, listed(history, "createdTime", 7)))
    expect(two.manifest.verdict).toBe("complete")
    expect(two.manifest.parts[0]?.caveat).toContain("older than 7 days")
    expect(two.rows.map(({ orderId }) => orderId)).toEqual(history.map(({ orderId }) => orderId))
  })
})

describe("a list of records without id that shifts by several rows while it is read", () => {
  const closed = Part.make(Datasets.closedPnl, { category: "linear" })
  const all = sample(Positions.ClosedPnl, 20).map((row, index) => ({
    ...row,
    createdTime: String(from + index * 1000)
  }))
  const steady = listed(all, "createdTime", 7)

  for (const by of [1, 2, 5]) {
    withFiles(`by ${by} is read again, without duplicate rows`, function* () {
      let shifts = 1
      const one = yield* exported(
        scripted(closed, (ask) =>
          ask.cursor === "7" && shifts-- > 0
            ? { rows: steady({ ...ask, cursor: String(7 - by) }).rows, next: String(14 - by) }
            : steady(ask)
        )
      )
      expect(one.rows).toHaveLength(20)
      expect(one.windows[0]?.anomalies).toMatchObject({ overlappingPage: 1 })
      expect(one.manifest).toMatchObject({ verdict: "complete", run: { rereads: 1 } })
    })
  }

  withFiles("in every reading by another number is incomplete", function* () {
    let shift = 0
    const one = yield* exported(
      scripted(closed, (ask) => {
        if (ask.cursor !== "7") return steady(ask)
        shift = (shift % 6) + 1
        return { rows: steady({ ...ask, cursor: String(7 - shift) }).rows, next: String(14 - shift) }
      })
    )
    expect(one.manifest).toMatchObject({ verdict: "incomplete" })
    expect(one.manifest.missing[0]?.because).toContain("changed while it was read")
  })
})

describe("an unusual response", () => {
  const executions = Part.make(Datasets.executions, { category: "linear" })
  const rows = Array.from({ length: 20 }, (_, index) => ({
    execId: `e${index}`,
    execTime: String(from + index * 1000)
  }))

  withFiles(
    "with rows that do not match the schema is exported, and the rows are listed with field and reason",
    function* () {
      const {
        manifest,
        rejected,
        rows: given,
        windows
      } = yield* exported(
        scripted(executions, (ask) =>
          listed([...rows, { execId: "x", execTime: "soon" }], "execTime", 50)(ask).rows.length > 0
            ? {
                rows: [
                  ...rows,
                  { execId: "x", execTime: "soon" },
                  { execId: "e1", execTime: rows[1]?.execTime, side: "Buy" },
                  null
                ],
                next: ""
              }
            : { rows: [], next: "" }
        )
      )
      expect(given.map(({ execId }) => execId).toSorted()).toEqual(
        [...rows.map(({ execId }) => execId), "x"].toSorted()
      )
      expect(manifest.parts[0]?.rejected[0]?.rows).toBe(rejected.length)
      expect(windows[0]).toMatchObject({
        rejected: 21,
        anomalies: { conflictingRow: 1, noInstant: 1, noRecord: 1 }
      })
      expect(rejected).toContainEqual({ path: "", problem: "is no record", row: null })
      expect(rejected.find(({ row }) => (row as { readonly execId?: string } | null)?.execId === "e0")).toMatchObject({
        problem: "is missing"
      })
    }
  )
})

describe("a list without pages", () => {
  const bonuses = Part.make(Datasets.bonusUsage, {})
  const list =
    (rows: ReadonlyArray<Dataset.Row>) =>
    ({ from, to }: Dataset.Ask): Dataset.Page => ({
      rows: rows
        .filter((row) => Number(row.time) * 1000 > from && Number(row.time) * 1000 < to)
        .toReversed()
        .slice(0, 50),
      next: ""
    })
  const start = Math.ceil(from / 1000)
  const uses = (count: number, gap: number) =>
    Array.from({ length: count }, (_, index) => ({ time: start + index * gap, amount: String(index), coin: "USDT" }))

  withFiles("is halved until every part returns fewer rows than the maximum", function* () {
    const rows = uses(400, 60)
    const given = yield* exported(scripted(bonuses, list(rows)))
    expect(given.manifest.verdict).toBe("complete")
    expect(given.rows).toEqual(rows)
  })

  withFiles("reports the second that can have more rows than the maximum", function* () {
    const rows = [
      ...uses(10, 60),
      ...Array.from({ length: 60 }, (_, index) => ({ time: start + 5000, amount: `${index}`, coin: "USDT" }))
    ]
    const given = yield* exported(scripted(bonuses, list(rows)))
    expect(given.rows).toHaveLength(60)
    expect(given.manifest.missing).toEqual([
      {
        part: "bonus-usage",
        from: (start + 5000) * 1000,
        to: (start + 5001) * 1000,
        because: "50 rows at once, and the service gives no more",
        lost: true
      }
    ])
  })
})

describe("an endless response", () => {
  const executions = Part.make(Datasets.executions, { category: "linear" })
  const rows = Array.from({ length: 3 }, (_, index) => ({ execId: `e${index}`, execTime: String(today - day + index) }))

  withFiles("with a row nested 20,000 deep makes its window incomplete, and the others are read", function* () {
    let deep: unknown = 1
    for (let level = 0; level < 20_000; level++) deep = [deep]
    const { manifest, rows: given } = yield* exported(
      scripted(executions, (ask) =>
        ask.from < today - 15 * day
          ? { rows: [{ execId: "deep", execTime: String(from), more: deep }], next: "" }
          : listed(rows, "execTime", 50)(ask)
      )
    )
    expect(given).toEqual(rows)
    expect(manifest.missing).toMatchObject([{ from, because: "an answer could not be read" }])
  })

  withFiles("with rows outside the window makes the window incomplete", function* () {
    const { manifest } = yield* exported(
      scripted(executions, () => ({ rows: [{ execId: "e", execTime: String(from - 100 * day) }], next: "" }))
    )
    expect(manifest.verdict).toBe("incomplete")
    expect(manifest.missing[0]?.because).toContain("outside")
  })
})
