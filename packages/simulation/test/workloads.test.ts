import { describe, expect, it } from "@effect/vitest"
import * as Remote from "../src/world/Remote.js"
import { operations } from "../src/workloads/answers/Plan.js"
import { ends, faults as banFaults } from "../src/workloads/bans/Plan.js"
import * as Corpus from "../src/workloads/Corpus.js"
import { databaseFaults } from "../src/workloads/owners/Plan.js"
import { workloads } from "../src/workloads/Workloads.js"
import { hashes } from "./utils/hash.js"
import { runs } from "./utils/runs.js"

const product = (...sets: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  sets.reduce(
    (names, set) => names.flatMap((name) => set.map((part) => (name === "" ? part : `${name} x ${part}`))),
    [""]
  )

const spaced = (...sets: ReadonlyArray<ReadonlyArray<string>>) =>
  product(...sets).map((name) => name.replaceAll(" x ", " "))

const missing = (coverage: ReadonlyArray<string>, reached: ReadonlyArray<string>) =>
  reached.filter((name) => !coverage.some((found) => found === name || found.startsWith(`${name} `)))

describe("plans that once found something", () => {
  it.each(Corpus.findings)("$rule: $title", ({ plan }) => {
    expect(workloads.calls.runPlan(plan).violations).toEqual([])
  })
})

describe("workloads made from seeds", () => {
  it("calls break no rule with the seeds 0 to 29, in which every outcome occurs", async () => {
    const { coverage, violations } = await runs(workloads.calls, 0, 30)
    expect(violations).toEqual([])
    const outcomes = ["done", "refused", "unknown", "interrupted", "death"]
    for (const outcome of outcomes) expect(coverage.some((name) => name.includes(`x ${outcome}`))).toBe(true)
  })

  it("recorded writes break no rule, however their processes end", async () => {
    const { coverage, violations } = await runs(workloads.writes, 0, 25)
    expect(violations).toEqual([])
    const reached = [
      ...["crashed", "frozen", "killed"].map((fate) => `process ${fate}`),
      ...["Done yes", "Refused no", "Reconciled yes", "Reconciled no"].map((outcome) => `entry ${outcome}`),
      "journal TakenOver"
    ]
    expect(missing(coverage, reached)).toEqual([])
  })

  it("the limiter breaks no rule, whatever happens to its store and to its callers", async () => {
    const { coverage, violations } = await runs(workloads.limits, 0, 140, { also: 172 })
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
      "interrupted at its reservation",
      "the server forgets",
      "the server forgets at a reservation",
      "a replica takes over",
      "the server's clock is set forward",
      "the server's clock is set back",
      "a refusal that is inherent"
    ]
    expect(missing(coverage, reached)).toEqual([])
  })

  it("ban gates break no rule, however calls and probes end", async () => {
    const { coverage, violations } = await runs(workloads.bans, 0, 200, { also: 245 })
    expect(violations).toEqual([])
    const reached = [
      ...banFaults.flatMap((fault) => [`enter ${fault}`, `close ${fault}`, `leave ${fault}`]),
      ...["Open", "Closed", "Probe", "Probing", "Unreachable"].map((reply) => `enter ${reply}`),
      ...[...ends, "banned", "interrupted from outside"].map((end) => `sent x ${end}`),
      ...product(["no fault"], ["queued", "inFlight"], ["interrupted"]),
      "death"
    ]
    expect(missing(coverage, reached)).toEqual([])
  })

  it("a store of rate limits returns the results of the model, whatever is done to it", async () => {
    const { coverage, violations } = await runs(workloads.stores, 0, 150)
    expect(violations).toEqual([])
    const reached = [
      ...["Reserve Taken", "Reserve finite", "Reserve infinite", "State finite", "State infinite"],
      ...spaced(["Settle"], ["counted", "refused", "unsent"]),
      ...spaced(["Observe"], ["a limit", "no limit", "a limit refused", "no limit refused"])
    ]
    expect(missing(coverage, reached)).toEqual([])
  })

  it("an answer means the outcome of the model, with the seeds 0 to 299", async () => {
    const { coverage, violations } = await runs(workloads.answers, 0, 300)
    expect(violations).toEqual([])
    const unclear = ["ConnectionFailed", "Rejected", "Unavailable", "UnexpectedResponse"]
    const reached = [
      ...spaced(operations, ["done", "Banned", "RateLimited", "Rejected", "Unauthorized"]),
      ...spaced(["read", "write", "transfer"], ["held", "interrupted"]),
      ...spaced(["read", "legacyRead", "bareRead"], unclear),
      ...spaced(["write", "transfer"], ["OutcomeUnknown"], unclear)
    ]
    expect(missing(coverage, reached)).toEqual([])
  })

  it("exports break no rule with the seeds 20 to 34, in which processes end in every way", async () => {
    const { coverage, violations } = await runs(workloads.exports, 20, 15)
    expect(violations).toEqual([])
    const reached = ["crashed", "frozen", "killed"].map((fate) => `process ${fate}`)
    expect(missing(coverage, [...reached, "list shifted", "start failed Refused"])).toEqual([])
  })

  it("owners break no rule with the seeds 10 to 33, in which machines end in every way", async () => {
    const { coverage, violations } = await runs(workloads.owners, 10, 24, { also: 61 })
    expect(violations).toEqual([])
    const events = ["Cut", "Frozen", "FrozenAtWrite", "Jump", "Killed", "Outage", "Stopped"]
    const reached = [
      ...events.map((event) => `machine ${event}`),
      ...["declared anew", "limit reached", "lock lost", "write refused", "export failed"]
    ]
    expect(missing(coverage, reached)).toEqual([])
    for (const fault of databaseFaults) expect(coverage.some((name) => name.endsWith(` ${fault}`))).toBe(true)
  })

  // In other processes: workloads.accept.test.ts
  it("are the same when they are run again", async () => {
    expect(await hashes(1)).toEqual(await hashes(1))
  })
})
