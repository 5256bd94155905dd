import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import type * as Part from "@effect-venue/history/Part"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Ref, Stream } from "effect"
import { afterOf, empty, followed, write } from "./utils/following.js"
import { begin, part, rows } from "./utils/scripted.js"
import { settle } from "@effect-venue/testing/Settling"
import { day, exchange, onThatDay } from "./utils/world.js"

const executions = part(Datasets.executions, { category: "linear" })
const range = { from: begin, to: begin + 28 * day }

describe("the commits of a part", () => {
  it.effect("contain every row once, for any number of kills between them", () =>
    Effect.gen(function* () {
      const database = yield* Ref.make(empty)
      for (let starts = 0; starts < 20; starts++) {
        const options = { ...range, ...afterOf(yield* Ref.get(database)) }
        // It reads on after the commit that it writes, and is killed.
        const some = Stream.take(History.commits(executions, options), 2)
        const [one] = Chunk.toReadonlyArray(yield* settle(Stream.runCollect(some)))
        if (one === undefined) break
        yield* write(database, one)
      }
      const end = yield* Ref.get(database)
      expect(end.rows.map(({ row }) => row)).toEqual(rows)
      expect(end.rows.map(({ text }) => text)).toEqual(rows.map((row) => JSON.stringify(row)))
      expect(new Set(end.rows.map(({ key }) => key)).size).toBe(rows.length)
    }).pipe(onThatDay)
  )

  const overlaps = ["0 millis", "2 days", "28 days"] as const
  const three = overlaps.flatMap((first) => overlaps.flatMap((next) => overlaps.map((last) => [first, next, last])))

  it.effect.each(three)("continue where an earlier range ended, without the rows of the overlap: %s, %s, %s", (each) =>
    Effect.gen(function* () {
      const database = yield* Ref.make(empty)
      const ends = [begin + 9 * day, begin + 9 * day, begin + 20 * day, range.to]
      for (const [index, to] of ends.entries()) {
        // The first run has nothing to continue, but its checkpoint has the rows that the second one recognises.
        const overlap = each[Math.max(index - 1, 0)]
        const options = { from: range.from, to, overlap, ...afterOf(yield* Ref.get(database)) }
        yield* settle(Stream.runForEach(History.commits(executions, options), (commit) => write(database, commit)))
      }
      expect((yield* Ref.get(database)).rows.map(({ row }) => row)).toEqual(rows)
    }).pipe(onThatDay)
  )

  it.effect("are refused after a checkpoint of another part or account", () =>
    Effect.gen(function* () {
      const [one] = Chunk.toReadonlyArray(yield* settle(Stream.runCollect(History.commits(executions, range))))
      const options = { ...range, after: one?.checkpoint }
      const failureOf = (other: Part.Part<unknown, never>) =>
        Effect.flip(Stream.runDrain(History.commits(other, options)))
      const spot = part(Datasets.executions, { category: "spot" })
      expect(yield* failureOf(spot)).toMatchObject({ _tag: "Refused", reason: "OtherExport" })
      const identity = { host: "service.example", key: "f".repeat(32), uid: undefined }
      const rotated = { ...executions, identity: Effect.succeed(identity) }
      expect(yield* failureOf(rotated)).toMatchObject({ _tag: "Refused", reason: "UnknownKey" })
      const declared = History.commits(rotated, { ...options, sameAccount: true })
      const [next] = Chunk.toReadonlyArray(yield* settle(Stream.runCollect(declared)))
      expect(next?.checkpoint.identity.keys.map(({ accepted }) => accepted)).toEqual(["first", "declared"])
    }).pipe(onThatDay)
  )

  it.effect("emit a changed record again, with the row that it replaces", () =>
    Effect.gen(function* () {
      const at = begin + 3 * day
      let status = 0
      const deposits = part(
        Datasets.deposits,
        {},
        {
          page: ({ from, to }) => ({
            rows:
              at >= from && at <= to
                ? [{ transaction_id: "t1", create_time: at / 1000, status, coin: "USDT", amount: "1.50" }]
                : [],
            next: ""
          })
        }
      )
      const database = yield* Ref.make(empty)
      for (const to of [begin + 10 * day, begin + 11 * day, begin + 12 * day, begin + 13 * day]) {
        const options = { from: begin, to, ...afterOf(yield* Ref.get(database)) }
        yield* settle(Stream.runForEach(History.commits(deposits, options), (commit) => write(database, commit)))
        if (to === begin + 11 * day) status = 1
      }
      const end = yield* Ref.get(database)
      expect(end.rows.map(({ replaces, row }) => [row.status, replaces])).toEqual([
        [0, undefined],
        [1, end.rows[0]?.key]
      ])
    }).pipe(onThatDay)
  )
})

describe("following a part", () => {
  it.effect("has every row of a quarter of an hour once, with a restart in the middle", () =>
    followed(Datasets.executions, 8).pipe(Effect.provide(exchange()), onThatDay)
  )
})
