import { describe, expect, it } from "@effect/vitest"
import * as CallWorld from "../src/CallWorld.js"
import type * as Journal from "../src/Journal.js"
import * as Judge from "../src/Judge.js"
import * as Plan from "../src/Plan.js"
import * as ProcessesWorld from "../src/ProcessesWorld.js"
import * as Faults from "../src/processes/faults.js"
import type * as World from "../src/World.js"

interface Run {
  readonly facts: ReadonlyArray<Journal.Fact>
  readonly coverage: ReadonlyArray<string>
  readonly violations: ReadonlyArray<World.Violation>
}

const calm: Omit<Plan.Plan, "calls" | "faults"> = {
  seed: 7,
  exchange: "sandbox",
  ahead: 0,
  mode: { _tag: "lawful" },
  latency: 1_000,
  isRetrying: false,
  signing: 0,
  jumps: [],
  isWaiting: false
}

const inCall = (fault: Plan.Fault, kind: Plan.Kind, interruptedAfter?: number): Run => {
  const { coverage, expectations, journal } = CallWorld.run({
    ...calm,
    faults: { probability: 1, kinds: [fault] },
    calls: [{ id: "c0", kind, at: 0, interruptedAfter }]
  })
  return { facts: journal.facts, coverage, violations: Judge.violations(journal, expectations) }
}

const inProcesses = (fault: Faults.Fault, kind: Plan.Kind, interruptedAfter?: number, diesAt?: number): Run =>
  ProcessesWorld.run({
    ...calm,
    faults: { probability: 1, kinds: [fault] },
    calls: [{ id: "c0", kind, at: 0, process: 0, interruptedAfter }],
    clocks: [0, 900],
    jumps: [],
    deaths: diesAt === undefined ? [] : [{ process: 0, at: diesAt }],
    isSharing: false,
    isLosing: false
  })

/** Instants in the middle of the phases of the first sending, where it has them: found by a run that nothing disturbs. */
const instants = ({ facts }: Run): Readonly<Record<string, number>> => {
  const sent = facts.filter((fact) => fact._tag === "Sent")
  const ended = facts.find((fact) => fact._tag === "Ended")
  const [first, second] = sent
  return {
    // Before the dispatcher has begun it, at an instant at which nothing else happens.
    queued: first === undefined ? 1 : first.at / 2,
    ...(first === undefined || ended === undefined ? {} : { inFlight: (first.at + ended.at) / 2 }),
    // Another sending follows: until then the call waits.
    ...(ended === undefined || second === undefined ? {} : { answered: (ended.at + second.at) / 2 })
  }
}

const reached = <F extends string>(
  run: (fault: F, kind: Plan.Kind, interruptedAfter?: number) => Run,
  fault: F,
  kind: Plan.Kind,
  phases: ReadonlyArray<string>
): ReadonlyArray<string> =>
  Object.entries(instants(run(fault, kind))).flatMap(([phase, at]) => {
    if (!phases.includes(phase)) return []
    const { coverage, violations } = run(fault, kind, at)
    expect(violations, `${kind} ${fault} ${phase}`).toEqual([])
    return coverage.includes(`${fault} x ${phase} x interrupted`) ? [`${fault} x ${phase}`] : []
  })

const every = (faults: ReadonlyArray<string>, phase: string, impossible: ReadonlyArray<string>) =>
  faults.filter((fault) => !impossible.includes(fault)).map((fault) => `${fault} x ${phase}`)

describe("a caller is interrupted", () => {
  it("in every phase of a sending with every fault of the network", () => {
    const names = Plan.faults.flatMap((fault) => [
      ...reached(inCall, fault, "create", ["inFlight"]),
      // A write is not sent again after most of them.
      ...reached(inCall, fault, "transfer", ["answered"])
    ])
    // A fault is one of a sending: a call that is queued has none, and is interrupted without one in the fixed seeds.
    expect(every(Plan.faults, "inFlight", []).filter((name) => !names.includes(name))).toEqual([])
    // A call whose answer is one has ended with it: nothing is left to interrupt.
    expect(every(Plan.faults, "answered", ["doubled"]).filter((name) => !names.includes(name))).toEqual([])
  })

  it("in every phase of a request with every fault of the dispatcher, or its process dies there", () => {
    const names = Faults.faults.flatMap((fault) =>
      reached(inProcesses, fault, "transfer", ["queued", "inFlight", "answered"])
    )
    expect(every(Faults.faults, "queued", []).filter((name) => !names.includes(name))).toEqual([])
    // One that starts never, or after its time, is in flight at no instant.
    const unstarted = ["notStarted", "neverStarted", "startedLate"]
    expect(every(Faults.faults, "inFlight", unstarted).filter((name) => !names.includes(name))).toEqual([])
    // Those that are answered, or not begun, end without an `Ended`; the calls with an answer have ended with it.
    const answered = ["startedTwice", "interim", "failedAfterEnd"]
    expect(
      every(Faults.faults, "answered", [...unstarted, ...answered]).filter((name) => !names.includes(name))
    ).toEqual([])

    for (const fault of Faults.faults.filter((fault) => !unstarted.includes(fault))) {
      const { inFlight } = instants(inProcesses(fault, "create"))
      const { coverage, violations } = inProcesses(fault, "create", undefined, inFlight)
      expect(violations, fault).toEqual([])
      expect(coverage).toContain(`${fault} x inFlight x death`)
    }
  })
})
