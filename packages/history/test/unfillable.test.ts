import * as Breadth from "@effect-venue/testing/Breadth"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type AnyRead, begin, labelOf, nightlyReads, type Outcome, type Server, trade } from "./utils/hostile.js"
import { type Answer, pagesOf, type Row } from "@effect-venue/testing/BadNights"
import { day, onThatDay } from "./utils/world.js"

const hour = day / 24

const minute = hour / 60

/** When an export is first run, and again, minute after minute. */
const runs = Array.from({ length: 4 }, (_, index) => begin + 9 * day + index * minute)

const all = Array.from({ length: 30 }, (_, index) => trade(`e${index}`, 7 * index * hour + 1))

/** The range of which no answer is good. */
const bad = { from: begin + 3 * day, to: begin + 4 * day }

/** What the service answers for the range in a run. */
type BadAnswer = (page: ReturnType<ReturnType<typeof pagesOf>>, run: number) => ReturnType<Answer>

const badAnswers: Readonly<Record<string, BadAnswer>> = {
  "no cursor": ({ list }) => ({ list: list.slice(0, 2) }),
  "something else each time": ({ list }, run) =>
    ["<html></html>", `{"retCode":10001,"retMsg":"${run}","result":{}}`, { list: list.slice(0, 1) }][run % 3] ?? "",
  "rows of another range": (page) => ({ ...page, list: [...page.list, trade("stray", -2 * day)] }),
  "items that are no rows": ({ list }) => ({ list: [...list.slice(0, 2), "item" as never] }),
  // The first answer has the rows as they are.
  "other contents": ({ list }, run) => ({ list: run === 0 ? list : list.map((row) => ({ ...row, execFee: "9" })) })
}

const serverOf = (answerBadly: BadAnswer, rowsIn: (run: number) => ReadonlyArray<Row>): Server => ({
  kind: "executions",
  isDaily: true,
  answer: (run) => (ask) => {
    const page = pagesOf(rowsIn(run()), "execTime")(ask)
    return ask.from < bad.to && ask.to > bad.from ? answerBadly(page, run()) : page
  }
})

/** Every way of reading that keeps files or tables. */
const reads = nightlyReads.flatMap(([name, read]) =>
  read === undefined || ["commits", "follow", "tap"].includes(name) ? [] : [[name, read] as const]
)

/** Formats to whose files and windows later rows are added. */
const growing = reads.filter(([way]) => way !== "parquet")

const cases = Object.keys(badAnswers).flatMap((name, turn) =>
  Breadth.some(reads, 3, turn).map(([way, read]) => [name, way, read] as const)
)

const readTo = (read: AnyRead, server: Server, count: number) => read(server, runs.slice(0, count))

describe("a gap that the service cannot fill", () => {
  it.scoped.each(cases)("adds nothing in later runs: %s, %s", ([name, , read]) =>
    Effect.gen(function* () {
      const server = serverOf(badAnswers[name] ?? (() => ""), () => all)
      const first = yield* readTo(read, server, 2)
      const last = yield* readTo(read, server, runs.length)
      expect(last.kept).toEqual(first.kept)
      expect(last.rows.toSorted()).toEqual(first.rows.toSorted())
      expect(last.missing.map(({ from, lost, to }) => [from, to, lost])).toEqual(
        first.missing.map(({ from, lost, to }) => [from, to, lost])
      )
      expect(last.missing.length).toBeGreaterThan(0)
      expect(last.findings).toEqual(first.findings)
    }).pipe(onThatDay, Effect.provide(NodeContext.layer))
  )

  it.scoped.each(Breadth.some(growing, 2, 0))(
    "leaves the new rows of a day in one file and one window: %s",
    ([, read]) =>
      Effect.gen(function* () {
        const added = (run: number) => trade(`n${run}`, runs[run] === undefined ? 0 : runs[run] - begin - minute / 2)
        const rowsIn = (run: number) => [...all, ...Array.from({ length: run }, (_, index) => added(index + 1))]
        const server = serverOf(badAnswers["no cursor"] ?? (() => ""), rowsIn)
        const first = yield* readTo(read, server, 2)
        const last = yield* readTo(read, server, runs.length)
        expect(last.rows).toContain(labelOf("executions", added(runs.length - 1)))
        expect(last.findings).toEqual([])
        // The number of a file counts how often rows were added to it.
        const counted = ({ kept }: Outcome) => kept.map((name) => name.replace(/\.\d+\./, ".N."))
        expect(counted(last)).toEqual(counted(first))
      }).pipe(onThatDay, Effect.provide(NodeContext.layer))
  )
})
