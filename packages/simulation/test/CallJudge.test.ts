import { describe, expect, it } from "@effect/vitest"
import * as CallJudge from "../src/CallJudge.js"
import type * as Journal from "../src/Journal.js"

const promises: CallJudge.Promises = {
  banLength: 600_000,
  isRepeatable: (wish) => wish !== "order",
  isWrite: (wish) => wish !== "read",
  isLimitOurs: true,
  deadlineOf: (call) => (call === "limited" ? 100 : undefined),
  doneBy: (call) => (call === "calm" ? 100 : undefined),
  isClockLearnable: true,
  isSteady: true,
  isClear: true,
  isWaiting: false
}

type Loose<F> = F extends Journal.Fact ? Omit<F, "seq"> : never

const journal = (facts: ReadonlyArray<Loose<Journal.Fact>>): Journal.Journal => ({
  facts: facts.map((fact, seq) => ({ ...fact, seq })),
  end: "Done",
  open: [],
  leaks: []
})

const sent = (call: string, at: number, sending = 1) => ({ _tag: "Sent", call, at, sending }) as const
const ended = (call: string, at: number, answer: Journal.Ended["answer"], sending = 1) =>
  ({ _tag: "Ended", call, at, sending, isBan: false, ...(answer === undefined ? {} : { answer }) }) as const
const reported = (call: string, at: number, outcome: Journal.Reported["outcome"], tag = "") =>
  ({ _tag: "Reported", call, wish: call, at, outcome, tag }) as const
const abandoned = (call: string, at: number) => ({ _tag: "Abandoned", call, at }) as const
const ban = (call: string, at: number) => ({ ...ended(call, at, "whole"), isBan: true })

const cases: ReadonlyArray<readonly [string, ReadonlyArray<CallJudge.Rule>, Journal.Journal]> = [
  ["reports a call after its time limit", ["Late"], journal([reported("limited", 101, "refused", "ConnectionFailed")])],
  ["reports a calm call after its rounds", ["Slow"], journal([reported("calm", 101, "refused", "Rejected")])],
  [
    "reports a broken sending as unknown",
    [],
    journal([sent("order", 1), ended("order", 2, "broken"), reported("order", 2, "unknown")])
  ],
  [
    "reports an answered sending as unknown",
    ["Vague"],
    journal([sent("order", 1), ended("order", 2, "whole"), reported("order", 2, "unknown")])
  ],
  [
    "reports a sending that never left as unknown",
    ["Vague"],
    journal([sent("order", 1), ended("order", 2, "unsent"), reported("order", 2, "unknown")])
  ],
  ["reports an interrupted write that was not sent", ["Vague"], journal([abandoned("order", 2)])],
  [
    "gives a read up after one sending",
    ["GaveUp"],
    journal([sent("read", 1), ended("read", 2, "broken"), reported("read", 2, "refused", "ConnectionFailed")])
  ],
  [
    "gives an idempotent write up after one sending",
    ["GaveUp"],
    journal([sent("transfer", 1), ended("transfer", 2, "broken"), reported("transfer", 2, "unknown", "OutcomeUnknown")])
  ],
  ["refuses a call for its timestamp", ["Skewed"], journal([reported("order", 1, "refused", "ClockSkew")])],
  ["reports a ban that is not known", ["Barred"], journal([reported("order", 2, "refused", "Banned")])],
  [
    "reports a ban that is over",
    ["Barred"],
    journal([ban("other", 1), reported("order", 600_002, "refused", "Banned")])
  ]
]

describe("the judge of how calls end", () => {
  it.each(cases)("%s", (_, rules, journal) => {
    expect(CallJudge.violations(journal, promises).map(({ rule }) => rule)).toEqual(rules)
  })

  it("reports a ban that a call is to wait for", () => {
    const waiting = { ...promises, isWaiting: true }
    const held = journal([ban("other", 1), reported("order", 2, "refused", "Banned")])
    const own = journal([sent("order", 1), ban("order", 2), reported("order", 2, "refused", "Banned")])
    expect(CallJudge.violations(held, waiting).map(({ rule }) => rule)).toEqual(["Barred"])
    expect(CallJudge.violations(own, waiting)).toEqual([])
  })

  it("has a case for each rule", () => {
    const shown = new Set(cases.flatMap(([, rules]) => rules))
    expect(CallJudge.rules.filter((rule) => !shown.has(rule))).toEqual([])
  })
})
