import * as Breadth from "@effect-venue/testing/Breadth"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { begin, closing, continued, labelOf, lawful, type Server, streams, trade } from "./utils/hostile.js"
import { pagesOf, type Row } from "@effect-venue/testing/BadNights"
import { day, onThatDay } from "./utils/world.js"

const hour = day / 24

const nights = [8, 9, 10].map((days) => begin + days * day)
const end = nights.at(-1) ?? begin

interface Case {
  readonly server: Server
  /** The rows that every way of reading has. */
  readonly rows: ReadonlyArray<Row>
  /** Rows may be missing or wrong: an export is incomplete. A stream fails, or has all rows. */
  readonly isNamed: boolean
  /** The texts of its ids are a matter of each format, and are read into all of them. */
  readonly isOfFormats?: true
  /** What `verify` finds in files and tables: the row beside another of its id. Commits have no `verify`. */
  readonly conflicting?: string
}

const conflict = (id: string, instant: number) =>
  `executions-linear has another row with the id ${id} at ${new Date(instant).toISOString()}, with other contents or at another instant`

const trades = (every: number, from = -3 * day, to = 12 * day): ReadonlyArray<Row> =>
  Array.from({ length: Math.floor((to - from) / every) }, (_, index) => trade(`e${index}`, from + index * every))

const within = (rows: ReadonlyArray<Row>, instant: string): ReadonlyArray<Row> =>
  rows.filter((row) => Number(row[instant]) >= begin && Number(row[instant]) < end)

const steady = trades(7 * hour)

/** Each is updated up to two days after it was created. */
const closings = Array.from({ length: 45 }, (_, index) =>
  closing(`o${index}`, -day + index * 6 * hour, -day + index * 6 * hour + (index % 5) * 11 * hour)
)

const hostileIds = ["constructor", "__proto__", "toString", "hasOwnProperty", "a b", '"', "'", "\\", "\n", "é"]
const unstorableIds = ["\u0000", "a\u0000b", "\ud800", "x\udfff", '"\\u0000"']

const cases: Readonly<Record<string, Case>> = {
  "the documented one": {
    server: lawful("executions", steady),
    rows: within(steady, "execTime"),
    isNamed: false
  },
  "one that adds the rows of the neighbouring days": {
    server: {
      kind: "executions",
      answer: () => {
        const pages = pagesOf(steady, "execTime")
        return (ask) => pages({ ...ask, from: ask.from - day, to: ask.to + day })
      }
    },
    rows: within(steady, "execTime"),
    isNamed: true
  },
  "one that ignores the range": {
    server: {
      kind: "executions",
      answer: () => {
        const pages = pagesOf(steady, "execTime")
        return (ask) => pages({ ...ask, from: 0, to: Number.MAX_SAFE_INTEGER })
      }
    },
    rows: within(steady, "execTime"),
    isNamed: true
  },
  "one that files closed profits by their creation": {
    server: lawful("closedPnl", closings),
    rows: within(closings, "createdTime"),
    isNamed: false
  },
  "one that files closed profits by their last update": {
    server: { kind: "closedPnl", answer: () => pagesOf(closings, "updatedTime") },
    rows: within(closings, "updatedTime"),
    isNamed: true
  },
  "one with an id at two instants of a window": (() => {
    const rows = [...steady, trade("e20", 3 * day + 1)]
    return {
      server: lawful("executions", rows),
      rows: within(rows, "execTime"),
      isNamed: true,
      conflicting: conflict("e20", begin + 3 * day + 1)
    }
  })(),
  "one with an id at instants of two windows": (() => {
    const rows = [trade("twice", day), trade("other", 2 * day), trade("twice", 7.5 * day)]
    return {
      server: lawful("executions", rows),
      rows,
      isNamed: true,
      conflicting: conflict("twice", begin + 7.5 * day)
    }
  })(),
  "one with an id that has two contents": (() => {
    const [first, second] = [trade("e", day), trade("e", day, { execQty: "999" })]
    return {
      server: lawful("executions", [first, second, trade("f", 2 * day)]),
      rows: [first, trade("f", 2 * day)],
      isNamed: true,
      conflicting: conflict("e", begin + day)
    }
  })(),
  "one with ids that are names of JavaScript": (() => {
    // Within the last hour of the first night: they are read again in the second one.
    const rows = hostileIds.map((id, index) => trade(id, 8 * day - hour + 1000 * (index + 1)))
    return { server: lawful("executions", rows), rows, isNamed: false, isOfFormats: true }
  })(),
  "one with ids that no database holds": (() => {
    const rows = unstorableIds.map((id, index) => trade(id, 8 * day - hour + 1000 * (index + 1)))
    return { server: lawful("executions", rows), rows, isNamed: false, isOfFormats: true }
  })(),
  "one with 23 records of one millisecond": (() => {
    const rows = Array.from({ length: 23 }, (_, index) => trade(`e${index}`, 8 * day - 1))
    return { server: lawful("executions", rows), rows, isNamed: false }
  })()
}

/** Formats that differ from ndjson only in the text of rows. */
const formats = ["csv", "ndjson.gz", "parquet"]

/** Into which `npm test` reads the cases in turn. */
const usual = ["ndjson", "sqlite"]

describe.each(Object.entries(cases).map(([name, each], turn) => [name, { ...each, turn }] as const))(
  "%s",
  (_name, { conflicting, isNamed, isOfFormats = false, rows, server, turn }) => {
    const expected = rows.map((row) => labelOf(server.kind, row)).toSorted()

    const ways = Object.entries(continued).filter(
      ([way]) => isOfFormats || (Breadth.isLong ? !formats.includes(way) : way === usual[turn % usual.length])
    )

    it.scoped.each(ways)("is read into %s on several nights with every row once", ([way, read]) =>
      Effect.gen(function* () {
        const { missing: _, ...outcome } = yield* read(server, nights)
        expect({ ...outcome, rows: outcome.rows.toSorted() }).toMatchObject({
          rows: expected,
          isNamed,
          findings: conflicting === undefined || way === "commits" ? [] : [conflicting]
        })
      }).pipe(onThatDay, Effect.provide(NodeContext.layer))
    )

    it.scoped.each(Object.entries(streams))("is read by %s with every row once, or it fails", ([, read]) =>
      Effect.gen(function* () {
        const outcome = yield* read(server, nights)
        expect(outcome.findings).toEqual([])
        expect(new Set(outcome.rows).size).toBe(outcome.rows.length)
        expect(outcome.rows.filter((row) => !expected.includes(row))).toEqual([])
        if (!outcome.isNamed) expect(outcome.rows.toSorted()).toEqual(expected)
        if (!isNamed) expect(outcome.isNamed).toBe(false)
      }).pipe(onThatDay, Effect.provide(NodeContext.layer))
    )
  }
)
