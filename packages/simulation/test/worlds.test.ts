import { describe, expect, it } from "@effect/vitest"
import { operations } from "../src/answers/Plan.js"
import * as CallJudge from "../src/CallJudge.js"
import * as CallWorld from "../src/CallWorld.js"
import * as Corpus from "../src/Corpus.js"
import { ends } from "../src/GatePlan.js"
import { faults } from "../src/limiter/Plan.js"
import * as Plan from "../src/Plan.js"
import { worlds } from "../src/worlds.js"
import { hashes } from "./utils/hash.js"
import { runs } from "./utils/runs.js"

const product = (...sets: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  sets.reduce(
    (names, set) => names.flatMap((name) => set.map((part) => (name === "" ? part : `${name} x ${part}`))),
    [""]
  )

describe("plans that once found something", () => {
  it.each(Corpus.findings)("$rule: $title", ({ plan }) => {
    const { expectations, journal } = CallWorld.run(plan)
    expect(CallJudge.violations(journal, expectations)).toEqual([])
  })
})

describe("worlds made from seeds", () => {
  it("calls of one process break no rule with the seeds 0 to 19, in which every outcome of a write occurs", async () => {
    const { coverage, violations } = await runs(worlds.call, 0, 20)
    expect(violations).toEqual([])
    const exchanges = Array.from({ length: 20 }, (_, seed) => Plan.make(seed).exchange)
    expect(new Set(exchanges)).toEqual(new Set(["sandbox", "small"]))
    for (const outcome of ["done", "refused", "unknown", "interrupted"]) {
      expect(coverage).toContain(`create reported ${outcome}`)
    }
    for (const phase of ["queued", "inFlight"]) {
      expect(coverage.filter((name) => name.endsWith(`interrupted ${phase}`)).length).toBeGreaterThan(0)
    }
  })

  it("the limiter breaks no rule, whatever happens to its store and to its callers", async () => {
    const { coverage, violations } = await runs(worlds.limiter, 1991, 140)
    expect(violations).toEqual([])
    const reached = [
      // The server is asked for places only while a call waits.
      ...product(
        faults.map((fault) => `reserve ${fault}`),
        ["waiting x interrupted", "refused StoreUnreachable"]
      ),
      // What is settled was taken by a call that ended. A client that waited for ever would settle nothing else: none is silent.
      ...product(
        faults.filter((fault) => fault !== "silent").map((fault) => `settle ${fault}`),
        ["ended", "ended x interrupted"]
      ),
      ...product(["no fault"], ["waiting", "running"], ["interrupted"]),
      ...product(["death"], ["not begun", "waiting", "running"]),
      "interrupted at its reservation",
      "the server forgets",
      "the server forgets at a reservation",
      "a replica takes over",
      "the server's clock is set forward",
      "the server's clock is set back",
      "a refusal that is inherent"
    ]
    expect(reached.filter((name) => !coverage.includes(name))).toEqual([])
  })

  it("the gate breaks no rule, however calls and probes end", async () => {
    const { coverage, violations } = await runs(worlds.gate, 340, 240)
    expect(violations).toEqual([])
    const reached = [
      ...product(["open", "half-open"], ["sent"], [...ends, "banned", "interrupted from outside"]),
      // An open gate holds nothing back.
      ...product(["closed", "half-open"], ["waiting"], ["interrupted from outside"]),
      ...product(["closed"], ["sent"], ["banned", "interrupted from outside"])
    ]
    expect(reached.filter((name) => !coverage.includes(name))).toEqual([])
  })

  it("a store of rate limits gives what its documentation says, whatever is done to it", async () => {
    const { coverage, violations } = await runs(worlds.store, 0, 150)
    expect(violations).toEqual([])
    const reached = [
      ...product(["reserve"], ["Taken", "Full", "Full infinite"]),
      ...product(["settle"], ["counted", "refused", "unsent"]),
      ...product(["observe"], ["a limit", "no limit", "a limit refused", "no limit refused"])
    ].map((name) => name.replaceAll(" x ", " "))
    expect(reached.filter((name) => !coverage.includes(name))).toEqual([])
  })

  it("an answer means what its documentation says, with the seeds 0 to 159", async () => {
    const { coverage, violations } = await runs(worlds.answers, 0, 160)
    expect(violations).toEqual([])
    const unclear = ["ConnectionFailed", "Rejected", "Unavailable", "UnexpectedResponse"]
    const reached = [
      ...product(operations, ["done", "Banned", "RateLimited", "Rejected", "Unauthorized"]),
      ...product(["read", "write", "transfer"], ["held", "interrupted"]),
      ...product(["read", "legacyRead", "bareRead"], unclear),
      ...product(["write", "transfer"], ["OutcomeUnknown"], unclear)
    ].map((name) => name.replaceAll(" x ", " "))
    expect(reached.filter((name) => !coverage.includes(name))).toEqual([])
  })

  it("several processes break no rule with the seeds 0 to 7", async () => {
    expect((await runs(worlds.processes, 0, 8)).violations).toEqual([])
  })

  // In other processes: worlds.accept.test.ts
  it("are the same when they are run again", async () => {
    expect(await hashes(1)).toEqual(await hashes(1))
  })
})
