import * as BadNights from "@effect-venue/testing/BadNights"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import * as FastCheck from "effect/FastCheck"
import { type AnyRead, begin, labelOf, type Server } from "./hostile.js"
import { day } from "./world.js"

/** A server with the rows of some days, that forgets old ones and has bad nights. */
const serverOf = (nights: BadNights.BadNights, count: number): Server => {
  const ends = BadNights.nightsOf(begin, count)
  const rows = BadNights.rowsOf(nights, begin, count)
  return {
    kind: "executions",
    isDaily: true,
    ...(nights.keeps === undefined ? {} : { keeps: nights.keeps * day }),
    answer: (night) => (ask) =>
      BadNights.answerOf(nights, rows, { begin, end: ends[night()] ?? 0, night: night() })(ask)
  }
}

/** Reads night after night in some cases: in the end every row is there once, or is named. */
export const readThrough = (
  read: AnyRead,
  { cases, count, seed }: { readonly count: number; readonly cases: number; readonly seed: number }
) =>
  Effect.forEach(FastCheck.sample(BadNights.badNights(count), { numRuns: cases, seed }), (each) =>
    Effect.gen(function* () {
      const outcome = yield* read(serverOf(each, count), BadNights.nightsOf(begin, count))
      const rows = BadNights.rowsOf(each, begin, count)
      const expected = new Map(rows.map((row) => [labelOf("executions", row), Number(row.execTime)]))
      expect(outcome.findings).toEqual([])
      expect(outcome.rows.filter((row) => !expected.has(row))).toEqual([])
      expect(new Set(outcome.rows).size).toBe(outcome.rows.length)
      expect(outcome.missing.filter(({ lost }) => !lost)).toEqual([])
      const isNamed = (at: number) => outcome.missing.some(({ from, to }) => at >= from && at < to)
      const lacking = [...expected].filter(([row, at]) => !outcome.rows.includes(row) && !isNamed(at))
      expect(lacking).toEqual([])
      if (each.keeps === undefined) expect(outcome.rows.length).toBe(rows.length)
    })
  )
