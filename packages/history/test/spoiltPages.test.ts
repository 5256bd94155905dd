import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as ExecutionEndpoints from "@effect-venue/schemas/Executions"
import { Path } from "@effect/platform"
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { begin, trade } from "./utils/hostile.js"
import { pagesOf, type Answer, type Ask, type Page } from "@effect-venue/testing/BadNights"
import { exchangeWith } from "./utils/listing.js"
import { settle } from "@effect-venue/testing/Settling"
import { day, folder, linesOf, onThatDay, today, withFiles } from "./utils/world.js"

const from = begin

/** Thirty records in each of three windows, of which those of the second are looked for. */
const instants = [0, 8, 15].flatMap((days) =>
  Array.from({ length: 30 }, (_, index) => from + days * day + index * 1000)
)
const target = from + 8 * day

const executions = instants.map((at, index) => trade(`e${index}`, at - begin))

interface Suspicion {
  /** What a page that is not the first of its list becomes; `steady` answers as it should. */
  readonly spoil: (page: Required<Page>, ask: Ask & { readonly cursor: string }, steady: Answer) => Page | string
  /** What an export says. */
  readonly because: string
}

const suspicions: Readonly<Record<string, Suspicion>> = {
  unreadableAnswer: {
    spoil: () => '{"retCode":0,"retMsg":"OK","result":{"list":[{"execId":',
    because: "an answer could not be read"
  },
  noList: {
    spoil: ({ nextPageCursor }) => JSON.stringify({ retCode: 0, retMsg: "OK", result: { nextPageCursor } }),
    because: "an answer could not be read"
  },
  missingCursor: {
    spoil: ({ list }) => ({ list }),
    because: "a page did not say whether another one follows"
  },
  repeatedCursor: {
    spoil: ({ list }, { cursor }) => ({ list, nextPageCursor: cursor }),
    because: "a page pointed back to one that was given before"
  },
  repeatedPage: {
    spoil: (page, ask, steady) => {
      const first = steady({ ...ask, cursor: undefined })
      return typeof first === "string" ? first : { ...page, list: first.list }
    },
    because: "a page repeated an earlier one instead of continuing"
  },
  emptyPages: {
    // A cursor is the number of a row, and what follows a point makes it another one.
    spoil: (_, { cursor }) => ({ list: [], nextPageCursor: cursor.includes(".") ? `${cursor}0` : `${cursor}.0` }),
    because: "pages without rows followed each other without end"
  }
}

/** Answers of which the first `times` that belong to the target's window, and not to its beginning, are spoilt. */
const spoilt = ({ spoil }: Suspicion, times: number): Answer => {
  const steady = pagesOf(executions, "execTime")
  let count = 0
  return (ask) => {
    const { cursor } = ask
    const page = steady(ask)
    const isTarget = ask.from <= target && target <= ask.to && cursor !== undefined && page.nextPageCursor !== ""
    return isTarget && count++ < times ? spoil(page, { ...ask, cursor }, steady) : page
  }
}

const part = Part.make(Datasets.executions, { category: "linear" })

// The pages of a list by themselves: packages/transport/test/Pages.test.ts
describe("an export", () => {
  const outcome = (suspicion: Suspicion, times: number) =>
    Effect.gen(function* () {
      const path = yield* Path.Path
      const directory = yield* folder
      let rows = 0
      const onProgress = (progress: History.Progress) =>
        Effect.sync(() => {
          expect(progress.rows).toBeGreaterThanOrEqual(rows)
          rows = progress.rows
        })
      const manifest = yield* settle(
        History.runAll([part], { from, to: today }, Sink.ndjson(directory), { onProgress })
      )
      const file = manifest.parts[0]?.files[0]?.name ?? ""
      return { manifest, rows, given: (yield* linesOf(path.join(directory, file))).map((row) => Number(row.execTime)) }
    }).pipe(Effect.provide(exchangeWith(ExecutionEndpoints.list.path, spoilt(suspicion, times))), onThatDay)

  for (const [kind, suspicion] of Object.entries(suspicions)) {
    withFiles(`has every row once if pages are requested again because of ${kind}`, function* () {
      for (const times of [2, 4]) {
        const { given, manifest, rows } = yield* outcome(suspicion, times)
        expect(manifest.verdict).toBe("complete")
        // Rows that are read again are no progress.
        expect(rows).toBe(given.length)
        expect(given).toEqual(instants)
      }
    })

    withFiles(`reports the window if ${kind} persists, and reads the others`, function* () {
      const { given, manifest } = yield* outcome(suspicion, Number.POSITIVE_INFINITY)
      expect(manifest.verdict).toBe("incomplete")
      expect(manifest.missing).toMatchObject([{ because: suspicion.because }])
      expect(manifest.missing[0]?.from).toBeLessThanOrEqual(target)
      expect(manifest.missing[0]?.to).toBeGreaterThan(target)
      expect(given.filter((at) => at < target || at >= target + day)).toEqual(
        instants.filter((at) => at < target || at >= target + day)
      )
    })
  }
})
