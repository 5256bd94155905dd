/** Plans that once found something, shrunk. Each stays here, and must find nothing. */
import { calm, type CallsPlan } from "../../src/workloads/calls/Plan.js"

export interface Finding {
  /** The mistake that it found. */
  readonly title: string
  readonly rule: string
  readonly plan: CallsPlan
}

export const findings: ReadonlyArray<Finding> = [
  {
    title: "an interrupted batch in flight was not reported when the call had a time limit",
    rule: "Silent",
    plan: {
      ...calm,
      seed: 32,
      latency: 3_000,
      calls: [{ id: "c1", kind: "batch", process: 0, at: 3_425, interruptedAfter: 36 }]
    }
  },
  {
    title: "the place of an interrupted call was free while its request could still arrive",
    rule: "Limit",
    plan: {
      ...calm,
      seed: 42,
      latency: 3_000,
      calls: [
        { id: "c5", kind: "transfer", process: 0, at: 0 },
        { id: "c9", kind: "transfer", process: 0, at: 0, interruptedAfter: 16 }
      ]
    }
  },
  {
    title: "a call whose signing took long left after the ban was known",
    rule: "IntoBan",
    plan: {
      ...calm,
      seed: 144,
      signing: 2_000,
      bannedAt: 9_660,
      calls: [
        { id: "c3", kind: "transfer", process: 0, at: 9_819 },
        { id: "c4", kind: "create", process: 0, at: 8_550 }
      ]
    }
  },
  {
    title: "a ban whose answer broke off was not taken for one",
    rule: "IntoBan",
    plan: {
      ...calm,
      seed: 2082,
      faults: { probability: 0.3, kinds: ["silentBefore", "htmlBefore", "cutBody", "doubled"] },
      bannedAt: 9_762,
      calls: [{ id: "c8", kind: "read", process: 0, at: 0 }]
    }
  },
  {
    title: "a call that waited for the reset of its limit waited an hour longer when the clock was set back an hour",
    rule: "Stuck",
    plan: {
      ...calm,
      seed: 1005791,
      clocks: [0, 0],
      // Two processes share a limit of which neither knows the other's part.
      faults: { probability: 1e-9, kinds: ["doubled"] },
      jumps: [{ process: 1, at: 1_048, by: -3_600_000 }],
      isWaiting: false,
      calls: [
        { id: "c3", kind: "transfer", process: 1, at: 1 },
        { id: "c6", kind: "transfer", process: 0, at: 0 },
        { id: "c7", kind: "transfer", process: 0, at: 2 }
      ]
    }
  }
]
