import type * as Lists from "@effect-venue/transport/Lists"
import * as Windows from "@effect-venue/transport/Windows"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, DateTime, Duration, Effect, Either, FastCheck, Fiber, Option, Stream, TestClock } from "effect"

interface Row {
  readonly id: string
  readonly at: number
}

/** The pages of a window, by cursors that number them. */
const paged =
  (pages: (window: Windows.Window) => ReadonlyArray<ReadonlyArray<Row>>) =>
  (window: Windows.Window, cursor: string | undefined): Effect.Effect<Lists.Page<Row>> =>
    Effect.sync(() => {
      const all = pages(window)
      const index = Number(cursor ?? 0)
      return { rows: all[index] ?? [], next: index + 1 < all.length ? String(index + 1) : "" }
    })

describe("a range", () => {
  it("takes any instants and gives milliseconds", () => {
    expect(Windows.make("op", { from: DateTime.unsafeMake(5), to: new Date("1970-01-02T00:00:00Z") })).toStrictEqual(
      Either.right({ from: 5, to: 86_400_000 })
    )
  })

  it.each([
    [{ from: 2, to: 1 }, "from", "must be before to"],
    [{ from: 1, to: 1 }, "from", "must be before to"],
    [{ from: "yesterday", to: 1 }, "from", "must be an instant"],
    [{ from: 1, to: Number.NaN }, "to", "must be an instant"],
    [{ from: "2026-02-31", to: 1 }, "from", 'must be an instant, not "2026-02-31": there is no such day'],
    [{ from: 1, to: "2026-01-31T24:00Z" }, "to", 'must be an instant, not "2026-01-31T24:00Z": there is no such hour']
  ])("%j is refused", (range, field, rule) => {
    expect(Either.flip(Windows.make("op", range))).toMatchObject({
      right: { _tag: "InvalidRequest", operation: "op", field, rule, issues: [{ field, rule }] }
    })
  })
})

describe("windows", () => {
  it.prop(
    "cover the range without gap or overlap, none longer than the span",
    {
      from: FastCheck.integer({ min: -1_000_000, max: 1_000_000 }),
      length: FastCheck.integer({ min: 1, max: 1_000_000 }),
      span: FastCheck.integer({ min: 1000, max: 500_000 })
    },
    ({ from, length, span }) => {
      const range = { from, to: from + length }
      const windows = Windows.split(range, Duration.millis(span))
      expect(windows[0]?.from).toBe(range.from)
      expect(windows.at(-1)?.to).toBe(range.to)
      windows.forEach((window, index) => {
        expect(window.to - window.from).toBeGreaterThan(0)
        expect(window.to - window.from).toBeLessThanOrEqual(span)
        if (index > 0) expect(window.from).toBe(windows[index - 1]?.to)
      })
    }
  )

  it.effect.each(["id", "content"] as const)("read a second time by one stream have the same rows (%s)", (keyIs) =>
    Effect.gen(function* () {
      const rows: ReadonlyArray<Row> = [5, 10, 10].map((at, index) => ({
        id: keyIs === "id" ? `r${index}` : `r${at}`,
        at
      }))
      const stream = Windows.read({
        operation: "op",
        range: { from: 5, to: 1_000 },
        span: Duration.seconds(10),
        page: paged(() => [rows.toReversed()]),
        key: ({ id }) => id,
        keyIs,
        at: ({ at }) => at
      }).pipe(Stream.flatMap((content) => Stream.fromIterable(content.rows)))
      expect(Chunk.toReadonlyArray(yield* Stream.runCollect(stream))).toHaveLength(3)
      expect(Chunk.toReadonlyArray(yield* Stream.runCollect(stream))).toHaveLength(3)
    })
  )

  /** A list as a service keeps it; whether its bounds are inclusive is the service's affair. */
  const service =
    (rows: ReadonlyArray<Row>, endInclusive: boolean, size: number) =>
    (window: Windows.Window): ReadonlyArray<ReadonlyArray<Row>> => {
      const held = rows
        .filter(({ at }) => at >= window.from && (endInclusive ? at <= window.to : at < window.to))
        .toReversed()
      return Array.from({ length: Math.ceil(held.length / size) }, (_, page) =>
        held.slice(page * size, (page + 1) * size)
      )
    }

  const rowsArbitrary = FastCheck.array(FastCheck.integer({ min: 0, max: 100 }), { maxLength: 60 }).map((instants) =>
    instants.toSorted((one, other) => one - other).map((at, index): Row => ({ id: String(index), at }))
  )

  it.effect.prop(
    "give every row of the range once and in order, whether the service's bounds are inclusive or not",
    {
      rows: rowsArbitrary,
      endInclusive: FastCheck.boolean(),
      size: FastCheck.integer({ min: 1, max: 7 }),
      span: FastCheck.integer({ min: 1, max: 40 }),
      concurrency: FastCheck.integer({ min: 1, max: 5 })
    },
    ({ concurrency, endInclusive, rows, size, span }) =>
      Effect.gen(function* () {
        const range = { from: 10, to: 90 }
        const contents = yield* Stream.runCollect(
          Windows.read({
            operation: "lists.list",
            range,
            span: Duration.millis(span),
            concurrency,
            page: paged(service(rows, endInclusive, size)),
            key: (row) => row.id,
            at: (row) => row.at
          })
        )
        const given = Chunk.toReadonlyArray(contents).flatMap((content) => content.rows)
        expect(given).toEqual(rows.filter(({ at }) => at >= range.from && at < range.to))
        expect(Chunk.toReadonlyArray(contents).map(({ window }) => window)).toEqual(
          Windows.split(range, Duration.millis(span))
        )
      })
  )

  it.effect("are read four at a time by default", () =>
    Effect.gen(function* () {
      const reading = (concurrency: number | undefined) =>
        Effect.gen(function* () {
          let begun = 0
          const all = Windows.read<Row, never, never>({
            operation: "things.list",
            range: { from: 0, to: 100 },
            span: Duration.millis(10),
            concurrency,
            page: () => Effect.suspend(() => ((begun += 1), Effect.never)),
            key: (row) => row.id,
            at: (row) => row.at
          })
          const fiber = yield* Effect.fork(Stream.runDrain(all))
          yield* TestClock.adjust("1 second")
          yield* Fiber.interrupt(fiber)
          return begun
        })
      expect(yield* reading(undefined)).toBe(4)
      expect(yield* reading(2)).toBe(2)
    })
  )

  it.effect(
    "give rows of one instant in the order in which they came about, and those of all pages by their time",
    () =>
      Effect.gen(function* () {
        const [first, second, third] = [
          { id: "first", at: 5 },
          { id: "second", at: 5 },
          { id: "third", at: 5 }
        ]
        const contents = yield* Stream.runCollect(
          Windows.read({
            operation: "things.list",
            range: { from: 0, to: 10 },
            span: Duration.millis(10),
            page: paged(() => [
              [third, second],
              [first, { id: "late", at: 9 }, { id: "early", at: 1 }]
            ]),
            key: (row) => row.id,
            at: (row) => row.at
          })
        )
        expect(Chunk.toReadonlyArray(contents).flatMap(({ rows }) => rows.map(({ id }) => id))).toEqual([
          "early",
          "first",
          "second",
          "third",
          "late"
        ])
      })
  )

  it.effect("count the rows that they leave out because a page begins with rows of the one before", () =>
    Effect.gen(function* () {
      const page: ReadonlyArray<Row> = [
        { id: "b", at: 2 },
        { id: "a", at: 1 }
      ]
      const contents = yield* Stream.runCollect(
        Windows.read({
          operation: "lists.list",
          range: { from: 0, to: 10 },
          span: Duration.millis(10),
          page: paged(() => [
            [{ id: "c", at: 3 }, ...page],
            [...page, { id: "z", at: 0 }]
          ]),
          key: (row) => row.id,
          at: (row) => row.at
        })
      )
      expect(Chunk.toReadonlyArray(contents)).toEqual([
        {
          window: { from: 0, to: 10 },
          rows: [
            { id: "z", at: 0 },
            { id: "a", at: 1 },
            { id: "b", at: 2 },
            { id: "c", at: 3 }
          ],
          pages: 2,
          duplicates: 2
        }
      ])
    })
  )

  it.effect("fail at a page that was given before: another one's rows are missing", () =>
    Effect.gen(function* () {
      const page: ReadonlyArray<Row> = [{ id: "b", at: 2 }]
      const failure = yield* Effect.flip(
        Stream.runDrain(
          Windows.read({
            operation: "lists.list",
            range: { from: 0, to: 10 },
            span: Duration.millis(10),
            page: paged(() => [page, [], [{ id: "a", at: 1 }], [], page]),
            key: (row) => row.id,
            at: (row) => row.at
          })
        )
      )
      expect(failure).toMatchObject({ _tag: "UnexpectedResponse", operation: "lists.list", path: "result.list" })
    })
  )

  describe("whose rows cannot be distinguished", () => {
    /** One reading of the window after the other. */
    const reading = (...readings: ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>>) => {
      const count = { readings: 0 }
      const rows = Stream.runCollect(
        Windows.read({
          operation: "lists.list",
          range: { from: 0, to: 10 },
          span: Duration.millis(10),
          keyIs: "content",
          page: (window, cursor) => {
            if (cursor === undefined) count.readings++
            const pages = readings[Math.min(count.readings, readings.length) - 1] ?? []
            return paged(() => pages.map((page) => page.map((id): Row => ({ id, at: 1 }))))(window, cursor)
          },
          key: (row) => row.id,
          at: (row) => row.at
        })
      ).pipe(
        Effect.map((contents) =>
          Chunk.toReadonlyArray(contents).flatMap(({ rows }) => rows.map(({ id }) => id).reverse())
        )
      )
      return { rows, count }
    }

    it.effect("are read once where no page has rows of the one before, and equal ones are all kept", () =>
      Effect.gen(function* () {
        const { count, rows } = reading([["a", "a"], ["b"]])
        expect(yield* rows).toEqual(["a", "a", "b"])
        expect(count.readings).toBe(1)
      })
    )

    it.effect("are read again until no page has", () =>
      Effect.gen(function* () {
        const { count, rows } = reading([["a"], ["a", "b"]], [["c"], ["a", "b"]])
        expect(yield* rows).toEqual(["c", "a", "b"])
        expect(count.readings).toBe(2)
      })
    )

    it.effect("or until two readings have the same rows, in whatever order", () =>
      Effect.gen(function* () {
        const { count, rows } = reading(
          [
            ["a", "b"],
            ["b", "c"]
          ],
          [["b", "a"], ["c", "b"], ["b"]],
          [["b", "a"], ["b", "b"], ["c"]]
        )
        expect([...(yield* rows)].sort()).toEqual(["a", "b", "b", "b", "c"])
        expect(count.readings).toBe(3)
      })
    )

    it.effect("fail after four readings: a list that goes on changing is not reported as complete", () =>
      Effect.gen(function* () {
        const shifting = Array.from({ length: 9 }, (_, index) => [["a"], ["a", `new ${index}`]])
        const { count, rows } = reading(...shifting)
        expect(yield* Effect.flip(rows)).toMatchObject({
          _tag: "UnexpectedResponse",
          operation: "lists.list",
          attempts: [],
          status: 200,
          path: "result.list",
          expected: "expected a list that does not change while it is read",
          body: ""
        })
        expect(count.readings).toBe(4)
      })
    )
  })
})

describe("the retention of a range", () => {
  const now = Date.UTC(2026, 0, 31)
  const keeps = Option.some(Duration.days(7))
  const earliest = now - 7 * 86_400_000
  const within = (range: Windows.HistoryRange, retention = { keeps, now }) => Windows.within("op", range, retention)

  it("is where a range from the earliest instant begins", () => {
    expect(within({ from: "earliest", to: now })).toStrictEqual(Either.right({ from: earliest, to: now }))
    expect(Either.flip(within({ from: "earliest", to: earliest }))).toMatchObject({
      right: {
        field: "to",
        rule: "must be after 2026-01-24T00:00:00.000Z, the earliest instant that the service keeps"
      }
    })
    expect(Either.flip(within({ from: "earliest", to: now }, { keeps: Option.none(), now }))).toMatchObject({
      right: {
        field: "from",
        rule: "must be an instant: the service documents no retention for this operation"
      }
    })
    expect(Either.flip(within({ from: "earliest", to: "later" }))).toMatchObject({ right: { field: "to" } })
  })

  it("is where an older range is refused or clamped, by its option", () => {
    expect(within({ from: earliest, to: now })).toStrictEqual(Either.right({ from: earliest, to: now }))
    expect(Either.flip(within({ from: earliest - 1, to: now }))).toMatchObject({
      right: {
        _tag: "BeyondRetention",
        operation: "op",
        from: DateTime.unsafeMake(earliest - 1),
        earliest: DateTime.unsafeMake(earliest),
        retention: Duration.days(7)
      }
    })
    expect(within({ from: earliest - 1, to: now, beyondRetention: "clamp" })).toStrictEqual(
      Either.right({ from: earliest, to: now })
    )
    expect(within({ from: earliest - 9, to: earliest - 1, beyondRetention: "clamp" })).toStrictEqual(
      Either.right({ from: earliest - 1, to: earliest - 1 })
    )
  })
})
