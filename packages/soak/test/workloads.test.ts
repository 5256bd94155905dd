import { Either } from "effect"
import { expect, it } from "vitest"
import { requestOf } from "../src/workloads.js"

it("takes a workload and its options from the command line", () => {
  const { name, options } = Either.getOrThrow(requestOf(["--", "kill-exports", "--runs", "5", "--seed=0"]))
  expect([name, Object.fromEntries(options)]).toEqual(["kill-exports", { runs: 5, processes: 1, seed: 0 }])
})

it.each([
  [[], /there is no workload : .*kill-writes \(writes/],
  [["sok"], /there is no workload sok/],
  [["constructor"], /there is no workload constructor/],
  [["calls", "--calls", "none"], /^--calls none is not an option of calls: --calls N --seed N/],
  [["calls", "--calls"], /^--calls nothing is not/],
  [["calls", "--calls", "0"], /^--calls 0 is not/],
  [["calls", "--seed", "-1"], /^--seed -1 is not/],
  [["calls", "--runs", "9"], /^--runs 9 is not/]
])("refuses %j, and names the rule", (words, message) => {
  expect(Either.getOrThrow(Either.flip(requestOf(words)))).toMatch(message)
})
