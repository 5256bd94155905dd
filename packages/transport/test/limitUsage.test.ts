import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { Usage } from "../src/stores/limitUsage.js"

interface Place {
  readonly id: number
  readonly cost: number
  settledAt: number
}

const rememberedFor = 5

/** The same in the simplest way: a list of all places. */
const makeModel = () => {
  let places: Array<Place> = []
  let over: Array<Place> = []
  const isOut = ({ settledAt }: Place) => settledAt === Number.POSITIVE_INFINITY
  const costOf = (some: ReadonlyArray<Place>) => some.reduce((sum, { cost }) => sum + cost, 0)
  const settled = () => places.filter((place) => !isOut(place)).sort((a, b) => a.settledAt - b.settledAt)
  return {
    take: (id: number, cost: number) => {
      places.push({ id, cost, settledAt: Number.POSITIVE_INFINITY })
    },
    takeSettled: (id: number, cost: number, at: number) => {
      places = [...places, { id, cost, settledAt: at }]
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
    expire: (upTo: number) => {
      over = [...over, ...places.filter(({ settledAt }) => settledAt <= upTo)]
      places = places.filter(({ settledAt }) => settledAt > upTo)
    },
    used: () => costOf(places),
    all: () => [...settled(), ...places.filter(isOut)],
    answered: (after: number, by: number) =>
      costOf([...over, ...places].filter(({ settledAt }) => settledAt > after && settledAt <= by)),
    since: (settledAfter: number) => costOf([...over, ...places].filter(({ settledAt }) => settledAt > settledAfter))
  }
}

const step = FastCheck.record({
  what: FastCheck.constantFrom("take", "take", "take", "settle", "settle", "takeSettled", "giveBack", "expire", "ask"),
  /** How long after the step before it. */
  later: FastCheck.integer({ min: 0, max: 3 }),
  /** Which of the last places. */
  back: FastCheck.integer({ min: 0, max: 8 }),
  cost: FastCheck.integer({ min: 1, max: 5 }),
  /** How long an answer may still take, or how far back a question goes. */
  span: FastCheck.integer({ min: 0, max: 12 })
})

describe("the number of taken places", () => {
  it("equals that of a list of all places, after any sequence of reservations, responses, returns and expiries", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.array(step, { minLength: 200, maxLength: 400, size: "max" }), (steps) => {
        const usage = new Usage(rememberedFor)
        const model = makeModel()
        let now = 0
        let last = 0
        let overUpTo = 0
        for (const { back, cost, later, span, what } of steps) {
          now += later
          switch (what) {
            case "take":
              last++
              usage.take(last, cost)
              model.take(last, cost)
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
            case "expire":
              overUpTo = Math.max(overUpTo, now - span)
              usage.expire(overUpTo)
              model.expire(overUpTo)
              break
            case "ask":
              usage.expire(overUpTo)
              model.expire(overUpTo)
              for (const settledAfter of [overUpTo - rememberedFor, overUpTo - 1, overUpTo]) {
                expect(usage.since(settledAfter)).toBe(model.since(settledAfter))
              }
              for (const settledAfter of [overUpTo - rememberedFor, overUpTo - 1, now, now + span]) {
                expect(usage.answered(settledAfter, now)).toBe(model.answered(settledAfter, now))
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
