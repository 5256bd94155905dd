import * as Breadth from "@effect-venue/testing/Breadth"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { begin, continued, labelOf, lasting, type Server, trade } from "./utils/hostile.js"
import { pagesOf, type Row } from "@effect-venue/testing/BadNights"
import { day, onThatDay, today } from "./utils/world.js"

const hour = day / 24

const nights = [begin + 8 * day, begin + 9 * day, begin + 10 * day]

/** A server whose rows differ from night to night. */
const changing = (rowsOf: (night: number) => ReadonlyArray<Row>): Server => ({
  kind: "executions",
  answer: (night) => (ask) => pagesOf(rowsOf(night()), "execTime")(ask)
})

type Rows = ReadonlyArray<Row>

const labels = (...rows: ReadonlyArray<Row>) => rows.map((row) => labelOf("executions", row)).toSorted()

const conflictWith = (id: string, at: number) =>
  `executions-linear has another row with the id ${id} at ${new Date(at).toISOString()}, with other contents or at another instant`

const stores = Object.entries(continued).filter(([way]) => way !== "commits")

const first = trade("e", day)

const recent = trade("recent", 8 * day - hour / 2)

/** Nights after which each has one window, and after which most windows of a night have no row. */
const spans = { "one window": nights, "windows without rows": [begin + 2 * day, begin + 19 * day, today] }

describe.each(Object.entries(spans))(
  "an id that comes again days later, at another instant, in nights of %s,",
  (_, ends) => {
    const again = trade("e", 8.5 * day)

    it.scoped.each(Breadth.some(stores, 2, 0))("is a conflict, which verify finds: %s", ([, read]) =>
      Effect.gen(function* () {
        const outcome = yield* read(
          changing((night) => (night === 0 ? [first] : [first, again])),
          ends
        )
        expect({ ...outcome, rows: outcome.rows.toSorted() }).toMatchObject({
          rows: labels(first, again),
          isNamed: true,
          missing: [],
          findings: [conflictWith("e", begin + 8.5 * day)]
        })
      }).pipe(onThatDay, Effect.provide(NodeContext.layer))
    )
  }
)

describe("a record that the service lists late,", () => {
  it.scoped.each(Breadth.some(Object.entries(continued), 2, 1))(
    "is read by the next night if it lies within its overlap: %s",
    ([, read]) =>
      Effect.gen(function* () {
        const outcome = yield* read(
          changing((night) => (night === 0 ? [first] : [first, recent])),
          nights
        )
        expect({ ...outcome, rows: outcome.rows.toSorted() }).toMatchObject({
          rows: labels(first, recent),
          isNamed: false,
          findings: []
        })
      }).pipe(onThatDay, Effect.provide(NodeContext.layer))
  )
})

describe("a record that does not change, and differs when it is read again,", () => {
  for (const found of [1, 2]) {
    it.scoped.each(Breadth.some(Object.entries(continued), 2, found))(
      `is a conflict and no gap in night ${found}, and the first row counts: %s`,
      ([way, read]) =>
        Effect.gen(function* () {
          const other = { ...recent, execFee: "99" }
          const outcome = yield* read(
            changing((night) => [first, night < found ? recent : other]),
            found === 1 ? nights : [begin + 7 * day, ...nights.slice(0, 1), begin + 8 * day + hour / 4]
          )
          expect({ ...outcome, rows: outcome.rows.toSorted() }).toMatchObject({
            rows: labels(first, recent),
            isNamed: true,
            missing: [],
            findings: way === "commits" ? [] : [conflictWith("recent", begin + 8 * day - hour / 2)]
          })
        }).pipe(onThatDay, Effect.provide(NodeContext.layer))
    )
  }

  it.scoped.each(Breadth.some(Object.entries(continued), 2, 1))(
    "does not differ by fields that the service added: %s",
    ([, read]) =>
      Effect.gen(function* () {
        const { execFee: _, ...before } = recent
        const outcome = yield* read(
          changing((night) => [first, night === 0 ? before : { ...recent, neverSeenBefore: "1" }]),
          nights
        )
        expect(outcome.rows.toSorted()).toEqual(labels(first, recent))
        expect(outcome).toMatchObject({ isNamed: false, missing: [], findings: [] })
      }).pipe(onThatDay, Effect.provide(NodeContext.layer))
  )
})

describe("a conflict that each night reads again", () => {
  const minute = hour / 60
  const nightsOfAnHour = [8 * day, 8 * day + 10 * minute, 8 * day + 20 * minute, 8 * day + 30 * minute].map(
    (end) => begin + end
  )
  const count = 150
  const many = Array.from({ length: count }, (_, index) => trade(`m${index}`, 8 * day - hour / 2 + index))
  const others = many.map((row) => ({ ...row, execFee: "99" }))

  /** Rows of the first night, and of every later one; how many conflicts each night reports. */
  const cases: Readonly<Record<string, readonly [Rows, Rows, ReadonlyArray<number>]>> = {
    "a row that differs": [[recent], [{ ...recent, execFee: "99" }], [0, 1, 0, 0]],
    "a row that came first, and differs": [[recent], [{ ...recent, execFee: "99" }, recent], [0, 1, 0, 0]],
    "two rows of one instant": [
      [recent, { ...recent, execFee: "99" }],
      [recent, { ...recent, execFee: "99" }],
      [1, 0, 0, 0]
    ],
    "an id at two instants": [[recent], [recent, trade("recent", 8 * day - hour / 4)], [0, 1, 0, 0]],
    "more rows than a manifest lists": [many, others, [0, count, 0, 0]]
  }

  for (const [turn, [name, [before, after, expected]]] of Object.entries(cases).entries()) {
    it.scoped.each(Breadth.some(Object.entries(lasting), 3, turn))(
      `is reported once, and stays in the verdict: ${name}: %s`,
      ([, read]) =>
        Effect.gen(function* () {
          const server = changing((night) => [first, ...(night === 0 ? before : after)])
          const outcome = yield* read({ ...server, isDaily: true }, nightsOfAnHour)
          expect(outcome).toMatchObject({ conflicts: expected, isNamed: true, missing: [] })
          // Rows that are set aside are so once, in the one file of the night that found them.
          expect(outcome.kept.filter((name) => name.includes(".rejected.")).length).toBeLessThan(2)
        }).pipe(onThatDay, Effect.provide(NodeContext.layer))
    )
  }
})
