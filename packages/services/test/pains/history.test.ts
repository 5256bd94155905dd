import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Executions from "@effect-venue/services/Executions"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, DateTime, Effect, Either, Stream } from "effect"
import { daysAgo, onThatDay, settle, today, watched } from "../utils/exchange.js"

const linear = "linear" as const

const history = (from: DateTime.Utc, to: DateTime.Utc) =>
  Effect.flatMap(Executions.Executions, (executions) =>
    Effect.map(settle(Stream.runCollect(executions.history({ category: linear, from, to }))), (rows) =>
      Chunk.toReadonlyArray(rows).map(({ execId }) => String(execId))
    )
  )

/** The executions that the exchange holds, as its own books have them. */
const held = (from: DateTime.Utc, to: DateTime.Utc) =>
  Effect.map(
    Effect.flatMap(Sandbox.Sandbox, ({ snapshot, uids }) =>
      Effect.map(snapshot, (state) => state.accounts.get(uids.main))
    ),
    (account) =>
      (account?.executions.linear ?? [])
        .filter(({ execTime }) => DateTime.greaterThanOrEqualTo(execTime, from) && DateTime.lessThan(execTime, to))
        .map(({ execId }) => String(execId))
  )

const week = [daysAgo(7), today] as const

// Thousands of rows on a machine that may be busy.
describe("a history", () => {
  it.effect("of 60 days has every trade, not those of the last week", () => {
    const { venue } = watched()
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const all = yield* held(daysAgo(60), today)
        expect(all.length).toBeGreaterThan(5000)
        expect((yield* history(daysAgo(60), today)).toSorted()).toEqual(all.toSorted())
      })
    )
  })

  it.effect("has every trade of a window that holds more than ten pages", () => {
    const { seen, venue } = watched()
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const all = yield* held(...week)
        expect(all.length).toBeGreaterThan(1000)
        expect((yield* history(...week)).toSorted()).toEqual(all.toSorted())
        expect(seen).toHaveLength(Math.ceil(all.length / 100))
      })
    )
  })

  it.effect("does not take a page with fewer rows than asked for, or with none, for the last one", () => {
    let pages = 0
    const lost: Array<string> = []
    const { venue } = watched({}, (answer, path) => {
      if (!path.endsWith("/execution/list")) return answer
      pages += 1
      const keep = pages === 2 ? 99 : pages === 4 ? 0 : 100
      const body = JSON.parse(answer.text) as { readonly result: { list: Array<{ readonly execId: string }> } }
      lost.push(...body.result.list.splice(keep).map(({ execId }) => execId))
      return { ...answer, text: JSON.stringify(body) }
    })
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const all = yield* held(...week)
        const rows = yield* history(...week)
        expect(lost).toHaveLength(101)
        expect(rows.toSorted()).toEqual(all.filter((id) => !lost.includes(id)).toSorted())
      })
    )
  })

  for (const [what, kind, always] of [
    ["a cursor that comes again", "repeatedCursor", { _tag: "UnexpectedResponse", path: "result.cursor" }],
    // Asked for again, the sandbox gives the page itself.
    ["a page that is repeated instead of the next one", "repeatedPage", undefined]
  ] as const) {
    it.effect(`reads on past ${what}, and does not end short`, () => {
      const { venue } = watched()
      return onThatDay(
        venue,
        Effect.gen(function* () {
          const { faults } = yield* Sandbox.Sandbox
          const whole = (yield* history(...week)).join()
          const rule = { fault: { kind }, operations: ["executions.list"], skip: 3 } as const
          yield* faults.set([{ ...rule, count: 1 }])
          expect((yield* history(...week)).join() === whole).toBe(true)
          expect((yield* faults.log).filter(({ fault }) => fault._tag === "Some")).toHaveLength(1)
          yield* faults.set([rule])
          const outcome = yield* Effect.either(history(...week))
          if (always === undefined) expect(Either.isRight(outcome) && outcome.right.join() === whole).toBe(true)
          else expect(Either.isLeft(outcome) && outcome.left).toMatchObject(always)
        })
      )
    })
  }

  it.effect("whose page fails is not the history of the other pages", () => {
    const { venue } = watched()
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const { faults } = yield* Sandbox.Sandbox
        yield* faults.set([{ fault: { kind: "internal", executed: true }, skip: 4 }])
        expect(yield* Effect.flip(history(...week))).toMatchObject({ _tag: "Unavailable" })
      })
    )
  })

  it.effect("has no trade twice where windows meet, whether at its own borders or at ours", () => {
    const { venue } = watched()
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const executions = yield* Executions.Executions
        const border = daysAgo(7)
        const page = (startTime: DateTime.Utc, endTime: DateTime.Utc) =>
          Effect.map(
            settle(Stream.runCollect(executions.listStream({ category: linear, startTime, endTime, limit: 100 }))),
            (rows) => Chunk.toReadonlyArray(rows).map(({ execId }) => String(execId))
          )
        // The service's own windows have both of their ends: what lies on a border is in two of them.
        const [older, newer] = [yield* page(daysAgo(14), border), yield* page(border, today)]
        expect(older.filter((id) => newer.includes(id))).not.toEqual([])
        const rows = yield* history(daysAgo(14), today)
        expect(new Set(rows).size).toBe(rows.length)
        expect(rows.toSorted()).toEqual([...new Set([...older, ...newer])].toSorted())
        // Two histories of ours that meet are the history of both ranges.
        const halves = [yield* history(daysAgo(14), border), yield* history(border, today)]
        expect(halves.flat()).toEqual(rows)
      })
    )
  })
})
