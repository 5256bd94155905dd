import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { Usage } from "../src/internal/usage.js"

interface Place {
  readonly id: number
  readonly cost: number
  readonly takenAt: number
  settledAt: number
}

/** The same in the simplest way: a list of all places. */
const makeModel = () => {
  let places: Array<Place> = []
  const isOut = ({ settledAt }: Place) => settledAt === Number.POSITIVE_INFINITY
  const costOf = (some: ReadonlyArray<Place>) => some.reduce((sum, { cost }) => sum + cost, 0)
  const settled = () => places.filter((place) => !isOut(place)).sort((a, b) => a.settledAt - b.settledAt)
  return {
    take: (id: number, cost: number, takenAt: number) => {
      places.push({ id, cost, takenAt, settledAt: Number.POSITIVE_INFINITY })
    },
    takeSettled: (id: number, cost: number, at: number) => {
      places = [...places, { id, cost, takenAt: at, settledAt: at }]
    },
    settle: (id: number, settledAt: number) => {
      const place = places.find((place) => place.id === id && isOut(place))
      if (place === undefined) return
      // The last to be answered comes last.
      places = [...places.filter((other) => other !== place), { ...place, settledAt }]
    },
    giveBack: (id: number) => {
      places = places.filter((place) => place.id !== id || !isOut(place))
    },
    forget: (upTo: number) => {
      places = places.filter(({ settledAt }) => settledAt > upTo)
    },
    used: () => costOf(places),
    all: () => [...settled(), ...places.filter(isOut)],
    between: (takenBy: number, settledAfter: number) =>
      costOf(places.filter(({ settledAt, takenAt }) => takenAt <= takenBy && settledAt > settledAfter))
  }
}

const step = FastCheck.record({
  what: FastCheck.constantFrom("take", "take", "take", "settle", "settle", "takeSettled", "giveBack", "forget", "ask"),
  /** How long after the step before it. */
  later: FastCheck.integer({ min: 0, max: 3 }),
  /** Which of the last places. */
  back: FastCheck.integer({ min: 0, max: 8 }),
  cost: FastCheck.integer({ min: 1, max: 5 }),
  /** How long an answer may still take, or how far back a question goes. */
  span: FastCheck.integer({ min: 0, max: 12 })
})

describe("what was taken from a rate limit", () => {
  it("is what a list of all places says, whatever is taken, answered, given back and forgotten", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.array(step, { minLength: 200, maxLength: 400, size: "max" }), (steps) => {
        const usage = new Usage()
        const model = makeModel()
        let now = 0
        let last = 0
        for (const { back, cost, later, span, what } of steps) {
          now += later
          switch (what) {
            case "take":
              last++
              usage.take(last, cost, now)
              model.take(last, cost, now)
              break
            case "takeSettled":
              last++
              usage.takeSettled(last, cost, now)
              model.takeSettled(last, cost, now)
              break
            case "settle":
              usage.settle(last - back, now + span)
              model.settle(last - back, now + span)
              break
            case "giveBack":
              usage.giveBack(last - back)
              model.giveBack(last - back)
              break
            case "forget":
              usage.forget(now - span)
              model.forget(now - span)
              break
            case "ask":
              for (const settledAfter of [now - 2 * span, now - span, now, now + span]) {
                expect(usage.between(now - span, settledAfter)).toBe(model.between(now - span, settledAfter))
              }
              expect(Array.from(usage.all(), ({ id }) => id)).toEqual(model.all().map(({ id }) => id))
          }
          expect(usage.used).toBe(model.used())
        }
      }),
      { numRuns: 60, seed: 1 }
    )
  })
})
