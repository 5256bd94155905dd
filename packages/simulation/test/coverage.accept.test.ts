import { describe, expect, it } from "@effect/vitest"
import * as Faults from "../src/world/Faults.js"
import * as Plan from "../src/workloads/calls/Plan.js"
import type * as Workload from "../src/run/Workload.js"
import { workloads } from "../src/workloads/Workloads.js"

interface Disturbed {
  readonly interruptedAfter?: number
  readonly diesAt?: number
}

/** One call whose sendings all have a fault. */
const run = (
  fault: Faults.Fault,
  kind: Plan.Kind,
  isDispatched: boolean,
  { diesAt, interruptedAfter }: Disturbed = {}
) =>
  workloads.calls.runPlan({
    ...Plan.calm,
    seed: 7,
    latency: 1_000,
    isDispatched,
    faults: { probability: 1, kinds: [fault] },
    calls: [{ id: "c0", kind, at: 0, process: 0, interruptedAfter }],
    clocks: isDispatched ? [0, 900] : [0],
    deaths: diesAt === undefined ? [] : [{ process: 0, at: diesAt }]
  })

/** Instants in the middle of the phases of the first sending, as far as it has them: found by a run that nothing disturbs. */
const instants = ({ journal }: Workload.RunOutcome): Readonly<Record<string, number>> => {
  const [first, second] = journal.of("Sent")
  const ended = journal.of("Ended")[0]
  return {
    // Before the dispatcher has begun it, at an instant at which nothing else happens.
    queued: first === undefined ? 1 : first.at / 2,
    ...(first === undefined || ended === undefined ? {} : { inFlight: (first.at + ended.at) / 2 }),
    // Another sending follows: until then the call waits.
    ...(ended === undefined || second === undefined ? {} : { answered: (ended.at + second.at) / 2 })
  }
}

const reached = (
  fault: Faults.Fault,
  kind: Plan.Kind,
  isDispatched: boolean,
  phases: ReadonlyArray<string>
): ReadonlyArray<string> =>
  Object.entries(instants(run(fault, kind, isDispatched))).flatMap(([phase, interruptedAfter]) => {
    if (!phases.includes(phase)) return []
    const { coverage, violations } = run(fault, kind, isDispatched, { interruptedAfter })
    expect(violations, `${kind} ${fault} ${phase}`).toEqual([])
    return coverage.includes(`${fault} x ${phase} x interrupted`) ? [`${fault} x ${phase}`] : []
  })

const every = (faults: ReadonlyArray<string>, phase: string, impossible: ReadonlyArray<string>) =>
  faults.filter((fault) => !impossible.includes(fault)).map((fault) => `${fault} x ${phase}`)

describe("a caller is interrupted", () => {
  it("in every phase of a sending with every fault of a client", () => {
    const names = Faults.ofClient.flatMap((fault) => [
      ...reached(fault, "create", false, ["inFlight"]),
      // A write is not sent again after most of them.
      ...reached(fault, "transfer", false, ["answered"])
    ])
    // A fault is one of a sending: a call that is queued has none, and is interrupted without one in the fixed seeds.
    expect(every(Faults.ofClient, "inFlight", []).filter((name) => !names.includes(name))).toEqual([])
    // A call whose response is whole has ended with it: nothing is left to interrupt.
    expect(every(Faults.ofClient, "answered", ["doubled"]).filter((name) => !names.includes(name))).toEqual([])
  })

  it("in every phase of a request with every fault of the dispatcher, or its process dies there", () => {
    const names = Faults.all.flatMap((fault) => reached(fault, "transfer", true, ["queued", "inFlight", "answered"]))
    expect(every(Faults.all, "queued", []).filter((name) => !names.includes(name))).toEqual([])
    // A request that never starts, or after its time, is in flight at no instant.
    const unstarted = ["notConnected", "neverStarted", "startedLate"]
    expect(every(Faults.all, "inFlight", unstarted).filter((name) => !names.includes(name))).toEqual([])
    // Requests that never start end without an `Ended`; calls whose response is whole have ended with it.
    const answered = ["startedTwice", "interim", "doubled", "failedAfterEnd"]
    expect(every(Faults.all, "answered", [...unstarted, ...answered]).filter((name) => !names.includes(name))).toEqual(
      []
    )

    for (const fault of Faults.all.filter((fault) => !unstarted.includes(fault))) {
      const { inFlight } = instants(run(fault, "create", true))
      const { coverage, violations } = run(fault, "create", true, inFlight === undefined ? {} : { diesAt: inFlight })
      expect(violations, fault).toEqual([])
      expect(coverage).toContain(`${fault} x inFlight x death`)
    }
  })
})
