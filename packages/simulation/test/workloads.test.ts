import * as Breadth from "@effect-venue/testing/Breadth"
import { describe, expect, it } from "@effect/vitest"
import * as Remote from "../src/world/Remote.js"

import { databaseFaults } from "../src/workloads/owners/Plan.js"
import { workloads } from "../src/workloads/Workloads.js"
import { findings } from "./utils/findings.js"
import { hashes } from "./utils/hash.js"
import { runs } from "./utils/runs.js"

const product = (...sets: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  sets.reduce(
    (names, set) => names.flatMap((name) => set.map((part) => (name === "" ? part : `${name} x ${part}`))),
    [""]
  )

/** Returns what no run reached. A part of the runs cannot reach everything. */
const missing = (coverage: ReadonlyArray<string>, reached: ReadonlyArray<string>) =>
  Breadth.isLong
    ? reached.filter((name) => !coverage.some((found) => found === name || found.startsWith(`${name} `)))
    : []

/** A seed that reaches something rare. */
const rarely = (seed: number) => (Breadth.isLong ? { also: seed } : {})

describe("plans that once found something", () => {
  it.each(findings)("$rule: $title", ({ plan }) => {
    expect(workloads.calls.runPlan(plan).violations).toEqual([])
  })
})

// What they reach: `npm run accept -- large`.
describe("workloads made from seeds", () => {
  it("calls break no rule, and in 30 runs every outcome occurs", async () => {
    const { coverage, violations } = await runs(workloads.calls, 0, Breadth.repeats(30, 4))
    expect(violations).toEqual([])
    const outcomes = ["done", "refused", "unknown", "interrupted", "death"]
    const isReached = (outcome: string) => coverage.some((name) => name.includes(`x ${outcome}`))
    if (Breadth.isLong) expect(outcomes.filter((outcome) => !isReached(outcome))).toEqual([])
  })

  it("recorded writes break no rule, however their processes end", async () => {
    const { coverage, violations } = await runs(workloads.writes, 0, Breadth.repeats(25, 3))
    expect(violations).toEqual([])
    const reached = [
      ...["crashed", "frozen", "killed"].map((fate) => `process ${fate}`),
      ...["Done yes", "Refused no", "Reconciled yes", "Reconciled no"].map((outcome) => `entry ${outcome}`),
      "journal TakenOver"
    ]
    expect(missing(coverage, reached)).toEqual([])
  })

  it("the limiter breaks no rule, whatever happens to its store and to its callers", async () => {
    const { coverage, violations } = await runs(workloads.limits, 0, Breadth.repeats(140, 10), rarely(172))
    expect(violations).toEqual([])
    const faults = Remote.faults.filter((fault) => fault !== "unanswered")
    const reached = [
      ...product(
        faults.map((fault) => `reserve ${fault}`),
        ["queued"],
        ["interrupted"]
      ),
      // A client that waited for ever for the reply to a settlement would settle nothing else: none is silent.
      ...faults.filter((fault) => fault !== "silent").map((fault) => `settle ${fault}`),
      ...product(["no fault"], ["queued", "inFlight"], ["interrupted", "death"]),
      "interrupted at its reservation"
    ]
    expect(missing(coverage, reached)).toEqual([])
  })

  it("exports break no rule, and in 15 runs processes end in every way", async () => {
    const { coverage, violations } = await runs(workloads.exports, 20, Breadth.repeats(15, 2))
    expect(violations).toEqual([])
    const reached = ["crashed", "frozen", "killed"].map((fate) => `process ${fate}`)
    expect(missing(coverage, [...reached, "list shifted", "start failed Refused"])).toEqual([])
  })

  it("owners break no rule, and in 24 runs machines end in every way", async () => {
    const { coverage, violations } = await runs(workloads.owners, 10, Breadth.repeats(24, 2), rarely(61))
    expect(violations).toEqual([])
    const events = ["Cut", "Frozen", "FrozenAtWrite", "Jump", "Killed", "Outage", "Stopped"]
    const reached = [
      ...events.map((event) => `machine ${event}`),
      ...["declared anew", "limit reached", "lock lost", "write refused", "export failed"]
    ]
    expect(missing(coverage, reached)).toEqual([])
    const isReached = (fault: string) => coverage.some((name) => name.endsWith(` ${fault}`))
    if (Breadth.isLong) expect(databaseFaults.filter((fault) => !isReached(fault))).toEqual([])
  })

  // All workloads, and in other processes: workloads.accept.test.ts
  it("are the same when they are run again", async () => {
    const quick = [workloads.calls, workloads.limits, workloads.writes]
    expect(await hashes([0], quick)).toEqual(await hashes([0], quick))
  })
})
