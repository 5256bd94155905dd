import { expect } from "@effect/vitest"
import { Effect } from "effect"
import * as FastCheck from "effect/FastCheck"
import { type AnyRead, begin, labelOf, type Server, trade } from "./hostile.js"
import { type Answer, pagesOf, type Row } from "./listing.js"
import { day } from "./world.js"

const hour = day / 24

/** A range that the service answers badly in one night. */
interface Fault {
  readonly night: number
  readonly from: number
  readonly to: number
  readonly kind: "missingCursor" | "html" | "cut" | "refused"
}

export interface BadNights {
  readonly faults: ReadonlyArray<Fault>
  /** Hours between two rows. */
  readonly every: number
  /** How many days the service keeps rows; none: for ever. */
  readonly keeps: number | undefined
}

/** Bad answers at random. The last two nights are sound: the first of them can finish a range that was begun earlier. */
export const badNights = (count: number): FastCheck.Arbitrary<BadNights> => {
  const fault = FastCheck.record({
    night: FastCheck.integer({ min: 0, max: count - 3 }),
    start: FastCheck.integer({ min: 0, max: 24 * count }),
    hours: FastCheck.integer({ min: 1, max: 24 * Math.ceil(count / 3) }),
    kind: FastCheck.constantFrom("missingCursor" as const, "html" as const, "cut" as const, "refused" as const)
  }).map(({ hours, kind, night, start }): Fault => {
    const from = begin + start * hour
    return { night, kind, from, to: from + hours * hour }
  })
  return FastCheck.record({
    faults: FastCheck.array(fault, { minLength: Math.ceil(count / 3), maxLength: 2 * count }),
    every: FastCheck.integer({ min: 3, max: 9 }),
    keeps: FastCheck.constantFrom(undefined, undefined, Math.ceil(count / 4), Math.ceil(count / 2))
  })
}

/** The ends of nights, a day apart. */
export const nightsOf = (count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => begin + (index + 1) * day)

/** The rows of all nights. */
export const rowsOf = ({ every }: BadNights, count: number): ReadonlyArray<Row> =>
  Array.from({ length: Math.floor((24 * count) / every) }, (_, index) =>
    trade(`e${index}`, (index * every + 1) * hour - 1)
  )

const answerBadly = (kind: Fault["kind"], page: ReturnType<ReturnType<typeof pagesOf>>): ReturnType<Answer> => {
  if (kind === "missingCursor") return { list: page.list.slice(0, 2) }
  if (kind === "html") return "<html><body>Bad gateway</body></html>"
  if (kind === "cut") return '{"retCode":0,"retMsg":"OK","result":{"category":"linear","list":[{"execId":"e'
  return '{"retCode":10001,"retMsg":"the range cannot be read","result":{}}'
}

/** A server with these rows, that forgets old ones and has bad nights. */
export const serverOf = ({ every, faults, keeps }: BadNights, count: number): Server => {
  const nights = nightsOf(count)
  const all = rowsOf({ every, faults, keeps }, count)
  return {
    kind: "executions",
    isDaily: true,
    ...(keeps === undefined ? {} : { keeps: keeps * day }),
    answer: (night) => (ask) => {
      const now = nights[night()] ?? 0
      const earliest = keeps === undefined ? 0 : now - keeps * day
      const present = all.filter(({ execTime }) => Number(execTime) < now && Number(execTime) >= earliest)
      const page = pagesOf(present, "execTime")(ask)
      const fault = faults.find((each) => each.night === night() && each.from < ask.to && each.to > ask.from)
      return fault === undefined ? page : answerBadly(fault.kind, page)
    }
  }
}

/** Reads night after night in some cases: in the end every row is there once, or is named. */
export const readThrough = (
  read: AnyRead,
  { cases, count, seed }: { readonly count: number; readonly cases: number; readonly seed: number }
) =>
  Effect.forEach(FastCheck.sample(badNights(count), { numRuns: cases, seed }), (each) =>
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
