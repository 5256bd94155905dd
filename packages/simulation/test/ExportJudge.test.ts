import { describe, expect, it } from "@effect/vitest"
import * as ExportJudge from "../src/ExportJudge.js"

const part: ExportJudge.Part = {
  name: "executions",
  isComplete: true,
  rows: ["a", "b"],
  expected: ["a", "b"],
  foreign: new Set(["x"])
}

const sound: ExportJudge.Evidence = {
  end: "Done",
  starts: [
    { start: "p0", end: "gone", detail: "" },
    { start: "last", end: "complete", detail: "" }
  ],
  last: "last",
  parts: [part],
  files: new Map([["executions.ndjson", "a\nb\n"]]),
  undisturbed: new Map([["executions.ndjson", "a\nb\n"]]),
  leaks: []
}

const lastEnds = (end: ExportJudge.Ended["end"]): ExportJudge.Evidence => ({
  ...sound,
  starts: [{ start: "last", end, detail: "" }]
})

const cases: ReadonlyArray<readonly [string, ReadonlyArray<ExportJudge.Rule>, ExportJudge.Evidence]> = [
  ["an export like the one that nothing disturbed", [], sound],
  ["a row that is missing", ["Short"], { ...sound, parts: [{ ...part, rows: ["a"] }] }],
  ["a row that is there twice", ["Doubled"], { ...sound, parts: [{ ...part, rows: ["a", "b", "a"] }] }],
  ["a row of another account", ["Mixed"], { ...sound, parts: [{ ...part, rows: ["a", "x", "b"] }] }],
  ["a file that differs", ["Differs"], { ...sound, files: new Map([["executions.ndjson", "b\na\n"]]) }],
  ["a file too many", ["Differs"], { ...sound, files: new Map([...sound.files, [".venue/lock", ""]]) }],
  [
    "a process at work that lost its folder",
    ["Robbed"],
    { ...sound, starts: [...sound.starts, { start: "p1", end: "failed", detail: "SinkFailure: its lock is gone" }] }
  ],
  ["a last start that is refused", ["Unfinished"], lastEnds("failed")],
  ["a last start that is incomplete", ["Unfinished"], lastEnds("incomplete")],
  ["a start that died", ["Defect"], { ...sound, starts: [...sound.starts, { start: "p1", end: "died", detail: "" }] }],
  ["a run that sleeps for ever", ["Stuck"], { ...sound, end: "Asleep" }],
  ["time that stands still", ["Spinning", "Stuck"], { ...sound, end: "Spinning" }],
  ["a secret in a file", ["Secret"], { ...sound, leaks: ["a line"] }]
]

describe("the judge of exports", () => {
  it.each(cases)("%s", (_, rules, evidence) => {
    expect(ExportJudge.violations(evidence).map(({ rule }) => rule)).toEqual(rules)
  })

  it("has a case for each rule", () => {
    const shown = new Set(cases.flatMap(([, rules]) => rules))
    expect(ExportJudge.rules.filter((rule) => !shown.has(rule))).toEqual([])
  })
})
