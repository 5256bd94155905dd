import { describe, expect, it } from "@effect/vitest"
import type * as Journal from "../src/Journal.js"
import * as Judge from "../src/Judge.js"

const expectations: Judge.Expectations = {
  banLength: 600_000,
  isRepeatable: (wish) => wish === "transfer",
  isWrite: (wish) => wish !== "read",
  isLimitOurs: true
}

type Loose<F> = F extends Journal.Fact ? Omit<F, "at" | "seq"> & { readonly at?: number } : never

const journal = (facts: ReadonlyArray<Loose<Journal.Fact>>, end: Journal.Journal["end"] = "Done"): Journal.Journal => ({
  facts: facts.map((fact, seq) => ({ seq, ...fact, at: fact.at ?? seq })),
  end,
  open: end === "Done" ? [] : ["order"],
  leaks: []
})

const sent = (call: string, sending = 1, at?: number) =>
  ({ _tag: "Sent", call, sending, ...(at === undefined ? {} : { at }) }) as const
const arrived = (call: string, isExecuted: boolean, more: Partial<Journal.Arrived> = {}) =>
  ({
    _tag: "Arrived",
    call,
    sending: 1,
    wishes: [call],
    executed: isExecuted ? [call] : [],
    code: 0,
    status: 200,
    isCopy: false,
    ...more
  }) as const
const ended = (call: string, isBan = false, at?: number) =>
  ({ _tag: "Ended", call, sending: 1, isBan, ...(at === undefined ? {} : { at }) }) as const
const reported = (call: string, outcome: Journal.Reported["outcome"], tag = "") =>
  ({ _tag: "Reported", call, wish: call, outcome, tag }) as const
const queued = (call: string, rank: number, line = "line") => ({ _tag: "Queued", call, rank, line }) as const
const reserved = (call: string, reservation: string) => ({ _tag: "Reserved", call, reservation, spare: [0] }) as const
const settled = (call: string, reservation: string) => ({ _tag: "Settled", call, reservation }) as const

const cases: ReadonlyArray<readonly [string, ReadonlyArray<Judge.Rule>, Journal.Journal]> = [
  [
    "an order that is executed and reported as done",
    [],
    journal([sent("order"), arrived("order", true), reported("order", "done")])
  ],
  [
    "an order that arrives again after it was executed",
    ["Twice"],
    journal([arrived("order", true), arrived("order", false), reported("order", "unknown")])
  ],
  [
    "executed and reported as refused",
    ["Denied"],
    journal([arrived("order", true), reported("order", "refused", "Rejected")])
  ],
  ["reported as done and not executed", ["Invented"], journal([arrived("order", false), reported("order", "done")])],
  [
    "executed, interrupted and not reported",
    ["Silent"],
    journal([arrived("order", true), reported("order", "interrupted")])
  ],
  ["a call that died", ["Defect"], journal([reported("order", "died", "TypeError")])],
  ["a call without an outcome", ["Stuck"], journal([sent("order")], "Asleep")],
  ["time that stands still", ["Spinning", "Stuck"], journal([sent("order")], "Spinning")],
  ["sent while the ban is known", ["IntoBan"], journal([ended("a", true, 10), sent("b", 1, 20)])],
  [
    "two calls at once after the ban",
    ["Probes"],
    journal([ended("a", true, 10), sent("b", 1, 600_010), sent("c", 1, 600_010), ended("b", false, 600_020)])
  ],
  [
    "two calls at once after the first of two bans",
    ["Probes"],
    journal([
      ended("a", true, 10),
      sent("b", 1, 600_010),
      sent("c", 1, 600_010),
      ended("b", true, 600_020),
      sent("d", 1, 1_200_020)
    ])
  ],
  ["places that were taken and not settled", ["Leak"], journal([reserved("a", "1"), settled("a", "2")])],
  [
    "a call that goes before one that waits longer",
    ["Order"],
    journal([queued("a", 1), queued("b", 1), sent("b"), sent("a")])
  ],
  [
    "a call that goes before one of a higher priority that is then interrupted",
    ["Order"],
    journal([queued("a", 0), queued("b", 1), sent("b"), reported("a", "interrupted")])
  ],
  ["refused for a limit", ["Limit"], journal([arrived("read", false, { code: 10006 })])]
]

describe("the judge", () => {
  it.each(cases)("%s", (_, rules, journal) => {
    const found = Judge.violations(journal, expectations).map(({ rule }) => rule)
    expect([...new Set(found)].sort()).toEqual([...rules].sort())
  })

  it("has a case for each rule but that of secrets", () => {
    const shown = new Set(cases.flatMap(([, rules]) => rules))
    expect(Judge.rules.filter((rule) => !shown.has(rule))).toEqual(["Secret"])
    expect(Judge.violations({ ...journal([]), leaks: ["a line"] }, expectations)).toMatchObject([{ rule: "Secret" }])
  })
})
