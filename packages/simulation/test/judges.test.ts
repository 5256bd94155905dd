import { describe, expect, it } from "@effect/vitest"
import * as Judges from "../src/judges/Judges.js"
import * as Journal from "../src/world/Journal.js"

type Happening = Journal.Happening & { readonly at?: number }

const conditions: Journal.Conditions = {
  banLength: 600_000,
  isLimitOurs: true,
  isClockLearnable: true,
  isSteady: true,
  isClear: true
}

const requested = (call: string, safety: Journal.Safety, more: Partial<Journal.Of<"Requested">> = {}): Happening => ({
  _tag: "Requested",
  call,
  process: "",
  safety,
  ...more
})

const requests = [
  requested("order", "write", { isCreating: true, worths: { order: 200 } }),
  requested("other", "write", { worths: { other: 200 } }),
  requested("transfer", "idempotent"),
  requested("read", "read"),
  requested("limited", "read", { deadline: 100 }),
  requested("hasty", "read", { begins: 100, isWaiting: false }),
  requested("calm", "read", { doneBy: 100 }),
  requested("waiting", "write", { isWaiting: true })
]

const found = (
  happenings: ReadonlyArray<Happening>,
  more: Journal.Conditions = {},
  end: Journal.Journal["end"] = "Done"
) => {
  const facts = Journal.numberFacts([...requests, ...happenings])
  const violations = Judges.violations(Journal.make(facts, end, { ...conditions, ...more }))
  return [...new Set(violations.map(({ rule }) => rule))].sort()
}

const at = (instant: number | undefined) => (instant === undefined ? {} : { at: instant })
const sent = (call: string, instant?: number, sending = 1): Happening => ({
  _tag: "Sent",
  call,
  sending,
  ...at(instant)
})
const arrived = (call: string, isExecuted: boolean, more: Partial<Journal.Of<"Arrived">> = {}): Happening => ({
  _tag: "Arrived",
  call,
  sending: 1,
  wishes: [call],
  executed: isExecuted ? [call] : [],
  code: 0,
  status: 200,
  isCopy: false,
  ...more
})
const ended = (call: string, answer?: Journal.Of<"Ended">["answer"], instant?: number, isBan = false): Happening => ({
  _tag: "Ended",
  call,
  sending: 1,
  isBan,
  answer,
  ...at(instant)
})
const ban = (call: string, instant: number) => ended(call, "whole", instant, true)
const reported = (call: string, outcome: Journal.Of<"Reported">["outcome"], tag = "", instant?: number): Happening => ({
  _tag: "Reported",
  call,
  wish: call,
  outcome,
  tag,
  ...at(instant)
})
const queued = (call: string, rank: number, line = "line", spare = 0): Happening => ({
  _tag: "Queued",
  call,
  rank,
  line,
  spare,
  costs: [{ key: "limit", limit: 1, cost: 1 }]
})
const reserved = (call: string, reservation: string, spare = 0): Happening => ({
  _tag: "Reserved",
  call,
  reservation,
  spare: [spare]
})
const settled = (call: string, reservation: string): Happening => ({ _tag: "Settled", call, reservation })
const kept = (call: string) => ({ _tag: "Recorded", call, entry: `of ${call}`, wishes: [call] }) as const
const closed = (call: string, by: "call" | "reconcile", executed: "no" | "yes") =>
  ({ _tag: "Closed", call, entry: `of ${call}`, by, executed }) as const
const exported = (rows: ReadonlyArray<string>): Happening => ({
  _tag: "Exported",
  call: "part",
  isComplete: true,
  rows,
  expected: ["a", "b"]
})
const finished = (end: Journal.Of<"Finished">["end"], isLast: boolean, detail = ""): Happening => ({
  _tag: "Finished",
  call: "start",
  end,
  detail,
  isFrozen: false,
  isLast
})
const owner = (epoch: number, machine = "m0") => ({ machine, egress: "a", epoch })
const begun = (instant: number, epoch: number): Happening => ({ _tag: "Begun", ...owner(epoch), at: instant })
const heard = (askedAt: number, epoch: number): Happening => ({
  _tag: "Heard",
  ...owner(epoch),
  askedAt,
  at: askedAt + 1
})
const written = (epoch: number): Happening => ({
  _tag: "Written",
  call: "part",
  write: "commit",
  run: 1,
  egress: "a",
  epoch
})
const covered = (more: Partial<Journal.Of<"Covered">>): Happening => ({
  _tag: "Covered",
  call: "part",
  declared: { from: 10, to: 20 },
  covered: { from: 10, to: 20 },
  isFinished: true,
  due: undefined,
  state: "finished",
  ...more
})

const recorded = { isRecorded: true } as const
type Case = readonly [
  title: string,
  rules: ReadonlyArray<string>,
  facts: ReadonlyArray<Happening>,
  more?: Journal.Conditions
]

const cases: ReadonlyArray<Case> = [
  [
    "an order that is executed and reported as done",
    [],
    [sent("order"), arrived("order", true), reported("order", "done")]
  ],
  ["an order that arrives again after it was executed", ["Twice"], [arrived("order", true), arrived("order", false)]],
  [
    "a transfer that is sent again under another id",
    ["Renamed"],
    [arrived("transfer", false), arrived("transfer", false, { wishes: ["another"] })]
  ],
  ["executed and reported as refused", ["Denied"], [arrived("order", true), reported("order", "refused", "Rejected")]],
  ["reported as done and not executed", ["Invented"], [arrived("order", false), reported("order", "done")]],
  ["executed, interrupted and not reported", ["Silent"], [arrived("order", true), reported("order", "interrupted")]],
  ["a call that died", ["Defect"], [reported("order", "died", "TypeError")]],
  ["a secret in a log line", ["Secret"], [{ _tag: "Leaked", text: "a line" }]],
  ["a call that is reported after its time limit", ["Late"], [reported("limited", "refused", "Rejected", 101)]],
  ["a call that is reported after its rounds", ["Slow"], [reported("calm", "refused", "Rejected", 101)]],
  [
    "an answered sending that is reported as unknown",
    ["Vague"],
    [sent("order", 1), ended("order", "whole", 2), reported("order", "unknown", "", 2)]
  ],
  [
    "a broken sending that is reported as unknown",
    [],
    [sent("order", 1), ended("order", "broken", 2), reported("order", "unknown", "", 2)]
  ],
  [
    "a response that a wrapped client has dropped, reported as the outcome",
    ["Replaced"],
    [
      sent("order", 1),
      arrived("order", true),
      ended("order", "whole", 2),
      { _tag: "Replaced", call: "order" },
      reported("order", "done")
    ]
  ],
  [
    "a write of a client that races, which was interrupted in the step in which it left",
    [],
    [reported("order", "unknown")],
    { isRacing: true }
  ],
  ["an interrupted write that was not sent, and is reported", ["Vague"], [{ _tag: "Abandoned", call: "order" }]],
  [
    "a read that is given up after one sending",
    ["GaveUp"],
    [sent("read", 1), ended("read", "broken", 2), reported("read", "refused", "ConnectionFailed", 2)]
  ],
  ["a call that is refused for its timestamp", ["Skewed"], [reported("order", "refused", "ClockSkew")]],
  [
    "an outcome that is not that of the model",
    ["Verdict"],
    [{ _tag: "Compared", call: "order", rule: "Verdict", got: "a", expected: "b" }]
  ],
  ["refused for a limit", ["Limit"], [arrived("read", false, { code: 10006 })]],
  [
    "a call that is reported as interrupted, and ended by itself",
    ["Alarmed"],
    [{ _tag: "Abandoned", call: "other" }, reported("other", "refused")],
    { isClear: false }
  ],
  ["a call that waits while its limit has room", ["Hindered"], [queued("a", 0)], { isPrompt: true }],
  ["places that were taken and not settled", ["Leak"], [reserved("a", "1"), settled("a", "2")]],
  ["a call that goes before one that waits longer", ["Order"], [queued("a", 1), queued("b", 1), sent("b"), sent("a")]],
  [
    "a call that is overtaken by twenty later ones",
    ["Starved"],
    [
      queued("a", 1),
      ...Array.from({ length: 20 }, (_, index) => [queued(`b${index}`, 0), sent(`b${index}`)]).flat(),
      sent("a")
    ]
  ],
  [
    "a call that leaves a place free and is not to",
    ["Spare"],
    [queued("a", 1), reserved("a", "1", 1), settled("a", "1")]
  ],
  [
    "a call that leaves a place free though many later ones have overtaken it",
    ["Spare"],
    [
      queued("a", 1, "line", 1),
      ...Array.from({ length: 10 }, (_, index) => [
        queued(`b${index}`, 0),
        reserved(`b${index}`, `b${index}`, 0),
        settled(`b${index}`, `b${index}`)
      ]).flat(),
      reserved("a", "1", 1),
      settled("a", "1")
    ],
    { isPrompt: true }
  ],
  ["sent while the ban is known", ["IntoBan"], [ban("order", 10), sent("other", 20)]],
  [
    "two calls at once after the first of two bans",
    ["Probes"],
    [ban("order", 10), sent("other", 600_010), sent("read", 600_010), ban("other", 600_020), sent("read", 1_200_020, 2)]
  ],
  ["a ban that is reported and not known", ["Barred"], [reported("order", "refused", "Banned")]],
  [
    "a ban that another call met, reported by one that is to wait",
    ["Barred"],
    [ban("order", 100), reported("waiting", "refused", "Banned", 200)]
  ],
  [
    "a call that waits before it fails for a ban that was known",
    ["Stopped"],
    [ban("order", 10), reported("hasty", "refused", "Banned", 200)],
    { banLength: 600_000 }
  ],
  [
    "a call that fails for a journal that works",
    ["Unserved"],
    [reported("read", "refused", "ConnectionFailed WriteJournal")],
    { isServed: true }
  ],
  ["a write that left before its intent was recorded", ["Unrecorded"], [sent("order")], recorded],
  [
    "an unknown outcome that closes its entry",
    ["Owed"],
    [reported("order", "unknown"), closed("order", "call", "no")],
    { isClear: false }
  ],
  [
    "a refusal that is recorded under another name",
    ["Misnamed"],
    [
      { ...closed("order", "call", "no"), failure: "Unauthorized (Key)" },
      reported("order", "refused", "Rejected Unknown")
    ]
  ],
  [
    "a refusal that is recorded as it was",
    [],
    [
      arrived("order", false, { code: 110007 }),
      { ...closed("order", "call", "no"), failure: "Rejected (Unknown)", retCode: 110007 },
      reported("order", "refused", "Rejected Unknown")
    ]
  ],
  [
    "a refusal that is recorded with a code that the exchange has not returned",
    ["Misnamed"],
    [
      arrived("order", false, { code: 110007 }),
      { ...closed("order", "call", "no"), failure: "Rejected (Unknown)", retCode: 0 },
      reported("order", "refused", "Rejected Unknown")
    ]
  ],
  [
    "orders beyond the cap of a guard",
    ["Capped"],
    [arrived("order", true), arrived("other", true)],
    { caps: { orders: 300, transfers: 0 } }
  ],
  [
    "an order that leaves while the kill switch is on",
    ["Halted"],
    [{ _tag: "Switched", isOn: true, at: 1 }, sent("order", 2), arrived("order", true)]
  ],
  ["an order that is stopped by a switch that is off", ["Halted"], [reported("order", "refused", "Blocked stopped")]],
  [
    "a known outcome that leaves its entry to a look-up",
    ["Unclosed"],
    [kept("order"), arrived("order", true), reported("order", "done"), closed("order", "reconcile", "yes")],
    recorded
  ],
  [
    "a known outcome whose entry is closed after its caller has received it",
    ["Unclosed"],
    [kept("order"), arrived("order", true), reported("order", "done"), closed("order", "call", "yes")],
    recorded
  ],
  ["a refused order that is recorded as executed", ["Owed"], [arrived("order", false), closed("order", "call", "yes")]],
  [
    "a write that is reconciled as not executed, and arrives later",
    ["Reconciled"],
    [closed("order", "reconcile", "no"), arrived("order", true)]
  ],
  ["a write that is reconciled as executed, and was not", ["Reconciled"], [closed("order", "reconcile", "yes")]],
  [
    "a call with two entries",
    ["Reopened"],
    [
      kept("order"),
      arrived("order", true),
      closed("order", "call", "yes"),
      { ...kept("order"), entry: "2" },
      { ...closed("order", "call", "yes"), entry: "2" }
    ]
  ],
  [
    "an entry that is closed again",
    ["Reopened"],
    [kept("order"), arrived("order", true), closed("order", "call", "yes"), closed("order", "reconcile", "yes")],
    { durableFrom: 0 }
  ],
  ["an entry that is open at the end", ["Unreconciled"], [{ ...kept("order"), entry: "1" }], recorded],
  ["an export with the rows of the exchange", [], [exported(["a", "b"]), finished("complete", true)]],
  ["a row that is missing", ["Short"], [exported(["a"])]],
  ["a row that is there twice", ["Doubled"], [exported(["a", "b", "a"])]],
  ["a row that the exchange does not have", ["Mixed"], [exported(["a", "b", "x"])]],
  ["a process at work that lost its folder", ["Robbed"], [finished("failed", false, "SinkFailure: its lock is gone")]],
  [
    "a process that publishes a file after it has lost its lock",
    ["Trespassed"],
    [
      { _tag: "Looked", call: "p0", isOwn: false },
      { _tag: "Published", call: "p0", file: "rows" }
    ]
  ],
  ["a last start that is refused", ["Unfinished"], [finished("failed", true)]],
  ["a start that died", ["Defect"], [finished("died", false)]],
  ["a write of an earlier owner after one of the next", ["Fenced"], [written(2), written(1)]],
  [
    "a call of an earlier owner after the first of the next",
    ["Overlap"],
    [heard(0, 1), heard(0, 2), begun(1, 2), begun(2, 1)]
  ],
  ["a call later than nine seconds after the question", ["Lease"], [heard(0, 1), begun(9_002, 1)]],
  ["more calls than the limit allows", ["Crowded"], [{ _tag: "Counted", egress: "a", count: 6, limit: 5 }]],
  [
    "an address that only the frozen owner uses",
    ["Idle"],
    [{ _tag: "Struck", ...owner(1), running: 1, backBy: 100 }, written(1)]
  ],
  [
    "an export that runs when its machine has ended",
    ["Released"],
    [{ _tag: "Left", machine: "m0", running: ["part"], isReached: true }]
  ],
  [
    "a finished export that ends before the declared range does",
    ["Covered"],
    [covered({ declared: { from: 10, to: 21 } })]
  ],
  ["a finished export that covers nothing", ["Covered"], [covered({ covered: undefined })]],
  [
    "an export that was done before it was due",
    ["Forgotten"],
    [{ _tag: "Done", call: "part", at: 1 }, covered({ due: { from: 100, by: 200 } })]
  ]
]

describe("the judges", () => {
  for (const [title, rules, facts, more] of cases) {
    it(title, () => {
      expect(found(facts, more)).toEqual(rules)
    })
  }

  it("a run that sleeps for ever, or in which time stands still", () => {
    expect(found([], {}, "Asleep")).toEqual(["Stuck"])
    expect(found([], {}, "Spinning")).toEqual(["Spinning", "Stuck"])
  })

  it("have a case for each rule; comparisons with a model one for all", () => {
    const shown = new Set([...cases.flatMap(([, rules]) => rules), ...Journal.comparisons, "Stuck", "Spinning"])
    expect(Judges.all.map(({ rule }) => rule).filter((rule) => !shown.has(rule))).toEqual([])
  })
})
