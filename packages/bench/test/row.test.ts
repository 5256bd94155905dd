import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Row from "../src/measure/row.js"

const description = { name: "x", unit: "calls/s", baselineName: "y" }

/** Pairs whose ratios are 1, 2, ... count hundredths above 0.7. */
const pairs = (count: number) => Array.from({ length: count }, (_, index) => ({ ours: 70 + index + 1, baseline: 100 }))

describe("ofPairs", () => {
  it("gives the median of the ratios with its interval", () => {
    const row = Row.ofPairs(description, pairs(17))
    assert.strictEqual(row.median, 0.79)
    assert.deepStrictEqual(row.interval, { low: 0.75, high: 0.83, confidence: 0.95096 })
    assert.strictEqual(row.n, 17)
    assert.strictEqual(row.ours, 79)
    assert.strictEqual(row.baseline, 100)
  })

  it("takes the ratio of each pair, not that of the medians", () => {
    const drifting = [1, 2, 4, 8, 16, 32, 64].map((speed) => ({ ours: 3 * speed, baseline: 2 * speed }))
    const { interval, median } = Row.ofPairs(description, drifting)
    assert.deepStrictEqual([interval?.low, median, interval?.high], [1.5, 1.5, 1.5])
  })

  it("refuses fewer pairs than an interval needs", () =>
    assert.throws(() => Row.ofPairs(description, pairs(5)), /5 pairs/))

  it("refuses a ratio that is no number", () =>
    assert.throws(() => Row.ofPairs(description, [...pairs(6), { ours: 0, baseline: 0 }]), /x: /))
})

describe("isReached", () => {
  it.each([
    [{ atLeast: 0.75 }, true],
    [{ atLeast: 0.76 }, false],
    [{ atMost: 0.83 }, true],
    [{ atMost: 0.82 }, false]
  ])("compares the worse end of the interval with %o: %s", (target, reached) =>
    assert.deepStrictEqual(Row.isReached(Row.ofPairs({ ...description, target }, pairs(17))), Option.some(reached))
  )

  it.each([
    [{ atMost: 100 }, 100, true],
    [{ atMost: 100 }, 100.1, false],
    [{ atLeast: 1 }, 0.999, false]
  ])("compares an exact value with %o: %d is %s", (target, value, reached) =>
    assert.deepStrictEqual(Row.isReached(Row.exact({ name: "x", unit: "kB", target }, value)), Option.some(reached))
  )

  it("is none without a target", () =>
    assert.deepStrictEqual(Row.isReached(Row.ofPairs(description, pairs(17))), Option.none()))
})
