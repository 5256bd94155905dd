import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { assert, describe, it } from "@effect/vitest"
import * as Rounds from "../src/measure/rounds.js"

const ascending = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index + 1)

describe("median", () => {
  it("is the middle value of an odd count", () => assert.strictEqual(Rounds.median([9, 1, 4]), 4))

  it("is the mean of the two middle values of an even count", () => assert.strictEqual(Rounds.median([9, 1, 4, 2]), 3))

  it("compares numbers as numbers, not as text", () => assert.strictEqual(Rounds.median([10, 9, 100]), 10))

  it("is NaN without values", () => assert.isNaN(Rounds.median([])))
})

describe("medianInterval", () => {
  // Ranks and confidences as tables of the sign test print them.
  it.each([
    [6, 1, 0.96875],
    [12, 3, 0.96143],
    [17, 5, 0.95096],
    [25, 8, 0.95671],
    [100, 40, 0.9648]
  ])("of %i values ends %i ranks from either end at a confidence of %f", (count, rank, confidence) => {
    const interval = Option.getOrThrow(Rounds.medianInterval(ascending(count), 0.95))
    assert.strictEqual(interval.low, rank)
    assert.strictEqual(interval.high, count + 1 - rank)
    assert.closeTo(interval.confidence, confidence, 0.00001)
  })

  it("does not depend on the order of the values", () =>
    assert.deepStrictEqual(
      Rounds.medianInterval(ascending(17).toReversed(), 0.95),
      Rounds.medianInterval(ascending(17), 0.95)
    ))

  it("is wider at a higher confidence", () => {
    const interval = Option.getOrThrow(Rounds.medianInterval(ascending(25), 0.99))
    assert.deepStrictEqual([interval.low, interval.high], [6, 20])
  })

  it("is none of five values or fewer, whose extremes do not reach 95 %", () => {
    for (const count of [0, 1, 5]) assert.deepStrictEqual(Rounds.medianInterval(ascending(count), 0.95), Option.none())
  })
})

describe("pairs", () => {
  const recording = () => {
    const order: Array<string> = []
    const measure = (name: string) => Effect.sync(() => order.push(name))
    return { order, ours: measure("ours"), baseline: measure("baseline") }
  }

  it.effect("measures the two back to back and alternates which is first", () =>
    Effect.gen(function* () {
      const { baseline, order, ours } = recording()
      const pairs = yield* Rounds.pairs({ count: 3 }, ours, baseline)
      assert.deepStrictEqual(order, ["ours", "baseline", "baseline", "ours", "ours", "baseline"])
      assert.deepStrictEqual(pairs, [
        { ours: 1, baseline: 2 },
        { ours: 4, baseline: 3 },
        { ours: 5, baseline: 6 }
      ])
    })
  )

  it.effect("measures warm-up pairs and leaves them out", () =>
    Effect.gen(function* () {
      const { baseline, order, ours } = recording()
      const pairs = yield* Rounds.pairs({ count: 1, warmUp: 2 }, ours, baseline)
      assert.lengthOf(order, 6)
      assert.deepStrictEqual(pairs, [{ ours: 5, baseline: 6 }])
    })
  )
})
