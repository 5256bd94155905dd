import { describe, expect, it } from "@effect/vitest"
import type * as Journal from "../src/owners/Journal.js"
import * as Judge from "../src/owners/Judge.js"
import type * as Plan from "../src/owners/Plan.js"

const calm: Plan.Plan = {
  seed: 0,
  mode: { _tag: "lawful" },
  limit: 5,
  egresses: ["a"],
  accounts: [{ name: "account0", egress: "a", days: 1, rows: 2 }],
  machines: [
    { id: "m0", at: 0, ahead: 0 },
    { id: "m1", at: 0, ahead: 0 }
  ],
  events: [],
  database: { latency: 0, faults: { probability: 0, kinds: [] } },
  network: { latency: 0, faults: { probability: 0, kinds: [] } }
}

const name = "account0/executions-linear"

const done: Journal.Export = {
  name,
  rows: ["r0", "r1"],
  expected: ["r0", "r1"],
  newer: [],
  declared: { from: 10, to: 20 },
  covered: { from: 10, to: 20 },
  isFinished: true,
  doneBy: undefined,
  state: "finished"
}

const sound: Journal.Journal = { facts: [], end: "Done", settledAt: 100_000, exports: [done] }

const withFacts = (...facts: ReadonlyArray<Journal.Fact>): Journal.Journal => ({ ...sound, facts })

const written = (at: number, epoch: number): Journal.Fact => ({
  _tag: "Written",
  at,
  name,
  write: "commit",
  run: epoch,
  egress: "a",
  epoch
})

const owner = (machine: string, epoch: number) => ({ machine, egress: "a", epoch })

const heard = (askedAt: number, epoch: number, machine = "m0"): Journal.Fact => ({
  _tag: "Heard",
  at: askedAt + 5,
  askedAt,
  ...owner(machine, epoch)
})

const begun = (at: number, epoch: number, machine = "m0"): Journal.Fact => ({
  _tag: "Begun",
  at,
  ...owner(machine, epoch)
})

const killed: Plan.Event = { _tag: "Killed", machine: "m0", at: 50_000 }

const frozen: Plan.Event = { _tag: "Frozen", machine: "m0", at: 50_000, length: 45_000 }

const struck = (event: Plan.Event, running = 1): Journal.Fact => ({
  _tag: "Struck",
  at: 50_000,
  event,
  running,
  ...owner("m0", 1)
})

const left: Journal.Fact = { _tag: "Left", at: 30_000, machine: "m0", running: [name] }

const cases: ReadonlyArray<readonly [string, ReadonlyArray<Judge.Rule>, Journal.Journal, Partial<Plan.Plan>?]> = [
  ["a run in which all went well", [], sound],
  [
    "a write of an earlier owner after one of the next",
    ["Fenced"],
    withFacts(written(1, 1), written(2, 2), written(3, 1))
  ],
  [
    "a call of an earlier owner after the first of the next",
    ["Overlap"],
    withFacts(heard(0, 1), heard(0, 2), begun(1, 2), begun(2, 1))
  ],
  ["a call later than nine seconds after the question", ["Lease"], withFacts(heard(0, 1), begun(9_002, 1))],
  ["a call of a machine that has asked for an earlier epoch", ["Lease"], withFacts(heard(0, 1), begun(10, 2))],
  ["more calls than the limit allows", ["Limit"], withFacts({ _tag: "Arrived", at: 1, egress: "a", count: 6 })],
  ["an address that nothing uses after its machine died", ["Idle"], withFacts(struck(killed)), { events: [killed] }],
  [
    "an address that the next owner uses later than that",
    ["Idle"],
    withFacts(struck(killed), heard(70_000, 2, "m1"), begun(75_001, 2, "m1")),
    { events: [killed] }
  ],
  [
    "one that only the frozen owner uses",
    ["Idle"],
    withFacts(struck(frozen), written(60_000, 1)),
    { events: [frozen] }
  ],
  ["an export that runs when its machine has ended", ["Released"], withFacts(left)],
  ["a row that is missing", ["Short"], { ...sound, exports: [{ ...done, rows: ["r0"] }] }],
  ["a row that is there twice", ["Doubled"], { ...sound, exports: [{ ...done, rows: ["r0", "r1", "r1"] }] }],
  ["a row that the exchange does not have", ["Doubled"], { ...sound, exports: [{ ...done, rows: ["r0", "r1", "x"] }] }],
  [
    "a finished export that ends before the declared range does",
    ["Covered"],
    { ...sound, exports: [{ ...done, declared: { from: 10, to: 21 } }] }
  ],
  [
    "a complete export that begins after the declared range does",
    ["Covered"],
    { ...sound, exports: [{ ...done, declared: { from: 9, to: undefined }, isFinished: false }] }
  ],
  ["a finished export that is incomplete", ["Covered"], { ...sound, exports: [{ ...done, covered: undefined }] }],
  ["an export that is due and not done", ["Forgotten"], { ...sound, exports: [{ ...done, doneBy: 150_000 }] }],
  [
    "an export that was done before it was due",
    ["Forgotten"],
    { ...withFacts({ _tag: "Done", at: 99_000, name }), exports: [{ ...done, doneBy: 150_000 }] }
  ],
  ["a run that sleeps for ever", ["Stuck"], { ...sound, end: "Asleep" }]
]

describe("the judge of owners", () => {
  for (const [title, rules, journal, plan] of cases) {
    it(`finds ${rules.length === 0 ? "no fault" : rules.join(", ")} in ${title}`, () => {
      expect(Judge.violations(journal, Object.assign({}, calm, plan)).map(({ rule }) => rule)).toEqual(rules)
    })
  }
})
