import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import { badNights, nightsOf, rowsOf, serverOf } from "./utils/badNights.js"
import { type AnyRead, continued, labelOf } from "./utils/hostile.js"

const count = 6

/** Two cases of a few nights for each way of reading; the accept test has many of 60 nights. */
const cases = FastCheck.sample(badNights(count), { numRuns: 2, seed: 11 })

const readThrough = (read: AnyRead) =>
  Effect.forEach(cases, (each) =>
    Effect.gen(function* () {
      const outcome = yield* read(serverOf(each, count), nightsOf(count))
      const rows = rowsOf(each, count)
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

describe("after nights with bad answers, a sound night", () => {
  it.scoped.each(Object.entries(continued))("leaves every row once, or names it as lost: %s", ([, read]) =>
    Effect.provide(readThrough(read), NodeContext.layer)
  )
})
