import * as Breadth from "@effect-venue/testing/Breadth"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Option, Schema, Stream } from "effect"
import * as Datasets from "../src/requests/Datasets.js"
import * as Singer from "../src/tap/Singer.js"
import { begin, part, parts, rows } from "./utils/scripted.js"
import { settle } from "@effect-venue/testing/Settling"
import { day, onThatDay } from "./utils/world.js"

const range = { from: begin, to: begin + 28 * day }

/** The lines of a tap from a state on. */
const linesOf = (state?: string, tapped = parts(), stateEvery: "0 seconds" | "5 seconds" = "0 seconds") =>
  Effect.gen(function* () {
    const options = state === undefined ? {} : { state: Schema.decodeSync(Schema.parseJson(Singer.State))(state) }
    const messages = yield* settle(
      Stream.runCollect(Singer.tap(tapped, { ...range, ...options, stateEvery, onIncomplete: () => Effect.void }))
    )
    return Chunk.toReadonlyArray(messages).flatMap((some) => some.map((message) => JSON.stringify(message)))
  })

type Row = Readonly<Record<string, unknown>>

/** A target: a table for each stream, by its key, and the last state. */
const target = () => {
  const tables = new Map<string, Map<unknown, Row>>()
  const keys = new Map<string, ReadonlyArray<string>>()
  let state: string | undefined
  const receive = (line: string) => {
    const message = JSON.parse(line) as Singer.Message
    if (message.type === "STATE") state = JSON.stringify(message.value)
    else if (message.type === "SCHEMA") {
      keys.set(message.stream, message.key_properties)
      if (!tables.has(message.stream)) tables.set(message.stream, new Map())
    } else {
      const [name = ""] = keys.get(message.stream) ?? expect.fail(`a record of ${message.stream} before its schema`)
      const table = tables.get(message.stream)
      if (typeof message.record._sdc_deleted_at === "string") table?.delete(message.record[name])
      else table?.set(message.record[name], message.record)
    }
  }
  return { receive, state: () => state, tables }
}

/** The distance of the lines before which it is killed. */
const stride = Breadth.repeats(1, 7)

const ids = (table: ReadonlyMap<unknown, Row> | undefined) => Array.from(table?.values() ?? [], ({ execId }) => execId)

describe("a tap", () => {
  it.effect("gives a target every row once if it is killed anywhere and continues from the last state", () =>
    Effect.gen(function* () {
      const whole = yield* linesOf()
      const states = whole.filter((line) => line.includes('"STATE"'))
      expect(states.length).toBeGreaterThan(5)
      let kills = 0
      for (let cut = 0; cut <= whole.length; cut += stride) {
        const killed = target()
        whole.slice(0, cut).forEach(killed.receive)
        const rest = yield* linesOf(killed.state())
        rest.forEach(killed.receive)
        expect([...killed.tables.keys()].sort()).toEqual(
          parts()
            .map(({ name }) => name)
            .sort()
        )
        for (const table of killed.tables.values()) expect(ids(table)).toEqual(rows.map(({ execId }) => execId))
        kills++
      }
      expect(kills).toBeGreaterThan(100 / stride)
    }).pipe(onThatDay)
  )

  it.effect("writes a state after the rows that it covers, and no row twice without a kill", () =>
    Effect.gen(function* () {
      const messages = (yield* linesOf(undefined, parts(), "5 seconds")).map(
        (line) => JSON.parse(line) as Singer.Message
      )
      expect(messages.filter(({ type }) => type === "STATE").length).toBeLessThan(5)
      const records = messages.filter((message) => message.type === "RECORD")
      expect(records).toHaveLength(2 * rows.length)
      expect(messages.at(-1)?.type).toBe("STATE")
      const again = yield* linesOf(
        JSON.stringify(messages.flatMap((one) => (one.type === "STATE" ? [one.value] : [])).at(-1))
      )
      expect(again.filter((line) => !line.includes('"SCHEMA"'))).toEqual([])
    }).pipe(onThatDay)
  )

  it.effect("replaces a record that has changed", () =>
    Effect.gen(function* () {
      const at = begin + 3 * day
      let pnl = "1"
      const closed = part(
        Datasets.closedPnl,
        { category: "linear" },
        {
          page: ({ from, to }) => ({
            rows:
              at >= from && at <= to
                ? [{ orderId: "o1", createdTime: String(at), updatedTime: String(at), closedPnl: pnl }]
                : [],
            next: ""
          })
        }
      )
      const pending = { ...closed, pending: Effect.succeed([{ at, kind: "open" }]) }
      const table = target()
      for (const days of [5, 6]) {
        const state = Option.map(Option.fromNullable(table.state()), Schema.decodeSync(Schema.parseJson(Singer.State)))
        const options = {
          from: begin,
          to: begin + days * day,
          state: Option.getOrUndefined(state),
          onIncomplete: () => Effect.void
        }
        const messages = yield* settle(Stream.runCollect(Singer.tap([pending], options)))
        for (const message of Chunk.toReadonlyArray(messages).flat()) table.receive(JSON.stringify(message))
        pnl = "2"
      }
      expect(Array.from(table.tables.get(closed.name)?.values() ?? [], (row) => row.closedPnl)).toEqual(["2"])
    }).pipe(onThatDay)
  )

  it.effect("emits records that match their schema, with all other fields in extra", () =>
    Effect.gen(function* () {
      const odd = {
        ...rows[0],
        execTime: String(begin + 1000),
        execFee: "none",
        isMaker: "yes",
        seq: 2 ** 60,
        note: { a: 1 }
      }
      const executions = part(
        Datasets.executions,
        { category: "linear" },
        { page: ({ from, to }) => ({ rows: begin + 1000 >= from && begin + 1000 <= to ? [odd] : [], next: "" }) }
      )
      const [schema, record] = (yield* linesOf(undefined, [executions])).map(
        (line) => JSON.parse(line) as Singer.Message
      )
      expect(schema).toMatchObject({
        key_properties: ["venue_key"],
        bookmark_properties: ["execTime"],
        schema: { properties: { execFee: { type: ["null", "string"] }, execTime: { format: "date-time" } } }
      })
      expect(record).toMatchObject({
        record: { execFee: null, isMaker: null, seq: null, execPrice: "0.50", execTime: "2026-05-01T00:00:01.000Z" }
      })
      const extra = record?.type === "RECORD" ? record.record.extra : undefined
      const fields: unknown = typeof extra === "string" ? JSON.parse(extra) : extra
      expect(fields).toEqual({ execFee: "none", isMaker: "yes", seq: 2 ** 60, note: { a: 1 } })
    }).pipe(onThatDay)
  )
})
