import * as Datasets from "@effect-venue/history/shared/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as ExecutionEndpoints from "@effect-venue/schemas/Executions"
import * as PositionEndpoints from "@effect-venue/schemas/Positions"
import * as Executions from "@effect-venue/services/Executions"
import * as Positions from "@effect-venue/services/Positions"
import * as Transport from "@effect-venue/transport/Transport"
import { Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, DateTime, Effect, FastCheck, Schema, Stream } from "effect"
import { exchangeWith, pagesOf, type Answer, type Ask, type Page, type Row } from "./utils/listing.js"
import { day, folder, linesOf, onThatDay, settle, today } from "./utils/world.js"

const from = today - 20 * day

/** Thirty records in each of three windows, of which those of the second are looked for. */
const instants = [0, 8, 15].flatMap((days) =>
  Array.from({ length: 30 }, (_, index) => from + days * day + index * 1000)
)
const target = from + 8 * day

const rowsOf = <A, I extends Row>(schema: Schema.Schema<A, I>, instant: string): ReadonlyArray<Row> => {
  const [record] = FastCheck.sample(Arbitrary.make(schema), { numRuns: 1, seed: 7 })
  if (record === undefined) throw new Error("no sample")
  const wire = Schema.encodeSync(schema)(record)
  return instants.map((at, index) => ({ ...wire, execId: `e${index}`, [instant]: String(at) }))
}

const executions = rowsOf(ExecutionEndpoints.Execution, "execTime")
const profits = rowsOf(PositionEndpoints.ClosedPnl, "createdTime")

interface Suspicion {
  /** What a page that is not the first of its list becomes; `steady` answers as it should. */
  readonly spoil: (page: Required<Page>, ask: Ask & { readonly cursor: string }, steady: Answer) => Page | string
  /** Where the failure of a stream says that it was. */
  readonly path: string
  /** What an export says. */
  readonly because: string
}

const suspicions: Readonly<Record<string, Suspicion>> = {
  unreadableAnswer: {
    spoil: () => '{"retCode":0,"retMsg":"OK","result":{"list":[{"execId":',
    path: "",
    because: "an answer could not be read"
  },
  noList: {
    spoil: ({ nextPageCursor }) => JSON.stringify({ retCode: 0, retMsg: "OK", result: { nextPageCursor } }),
    path: "result.list",
    because: "an answer could not be read"
  },
  missingCursor: {
    spoil: ({ list }) => ({ list }),
    path: "result.cursor",
    because: "a page did not say whether another one follows"
  },
  repeatedCursor: {
    spoil: ({ list }, { cursor }) => ({ list, nextPageCursor: cursor }),
    path: "result.cursor",
    because: "a page pointed back to one that was given before"
  },
  repeatedPage: {
    spoil: (page, ask, steady) => {
      const first = steady({ ...ask, cursor: undefined })
      return typeof first === "string" ? first : { ...page, list: first.list }
    },
    path: "result.list",
    because: "a page repeated an earlier one instead of continuing"
  },
  emptyPages: {
    // A cursor is the number of a row, and what follows a point makes it another one.
    spoil: (_, { cursor }) => ({ list: [], nextPageCursor: cursor.includes(".") ? `${cursor}0` : `${cursor}.0` }),
    path: "result.list",
    because: "pages without rows followed each other without end"
  }
}

/** Answers of which the first `times` that belong to the target's window, and not to its beginning, are spoilt. */
const spoilt = (rows: ReadonlyArray<Row>, instant: string, { spoil }: Suspicion, times: number): Answer => {
  const steady = pagesOf(rows, instant)
  let count = 0
  return (ask) => {
    const { cursor } = ask
    const page = steady(ask)
    const isTarget = ask.from <= target && target <= ask.to && cursor !== undefined && page.nextPageCursor !== ""
    return isTarget && count++ < times ? spoil(page, { ...ask, cursor }, steady) : page
  }
}

/** In `npm test` one stream and one dataset; `npm run test:long` runs all of them. */
const isLong = process.env.VENUE_TESTS === "long"

const reads = {
  "executions.listStream": {
    endpoint: ExecutionEndpoints.list,
    rows: executions,
    instant: "execTime",
    read: Effect.map(Transport.Transport, (transport) =>
      Stream.map(
        Executions.make(transport).listStream({ category: "linear", startTime: target, endTime: target + day }),
        (row) => DateTime.toEpochMillis(row.execTime)
      )
    )
  },
  "positions.closedPnlStream": {
    endpoint: PositionEndpoints.closedPnl,
    rows: profits,
    instant: "createdTime",
    read: Effect.map(Transport.Transport, (transport) =>
      Stream.map(
        Positions.make(transport).closedPnlStream({ category: "linear", startTime: target, endTime: target + day }),
        (row) => DateTime.toEpochMillis(row.createdTime)
      )
    )
  }
} as const

const exports = {
  executions: {
    part: Part.make(Datasets.executions, { category: "linear" }),
    endpoint: ExecutionEndpoints.list,
    rows: executions,
    instant: "execTime"
  },
  closedPnl: {
    part: Part.make(Datasets.closedPnl, { category: "linear" }),
    endpoint: PositionEndpoints.closedPnl,
    rows: profits,
    instant: "createdTime"
  }
} as const

describe("a stream of a service", () => {
  const quick = ["executions.listStream"]
  const chosen = Object.entries(reads).filter(([name]) => isLong || quick.includes(name))
  for (const [name, { endpoint, instant, read, rows }] of chosen) {
    const expected = instants.slice(30, 60).toReversed()

    /** The instants of the rows, and how the stream ended, where `times` answers are spoilt. */
    const outcome = (suspicion: Suspicion, times: number) =>
      Effect.gen(function* () {
        const given: Array<number> = []
        const stream = yield* read
        const exit = yield* settle(
          Effect.either(Stream.runForEach(stream, (at) => Effect.sync(() => void given.push(at))))
        )
        return { given, exit }
      }).pipe(Effect.provide(exchangeWith(endpoint.path, spoilt(rows, instant, suspicion, times))), onThatDay)

    for (const [kind, suspicion] of Object.entries(suspicions)) {
      it.effect(`${name} has every row once if a page is requested again because of ${kind}`, () =>
        Effect.gen(function* () {
          expect(yield* outcome(suspicion, 2)).toMatchObject({ given: expected, exit: { _tag: "Right" } })
        })
      )

      it.effect(`${name} fails with ${kind} if it persists`, () =>
        Effect.gen(function* () {
          const { exit, given } = yield* outcome(suspicion, Number.POSITIVE_INFINITY)
          expect(exit).toMatchObject({
            left: { _tag: "UnexpectedResponse", operation: endpoint.name, path: suspicion.path }
          })
          expect(given).toEqual(expected.slice(0, given.length))
          expect(given.length).toBeLessThan(expected.length)
        })
      )
    }
  }
})

describe("an export", () => {
  const chosen = Object.entries(exports).filter(([name]) => isLong || name === "executions")
  for (const [name, { endpoint, instant, part, rows }] of chosen) {
    const outcome = (suspicion: Suspicion, times: number) =>
      Effect.gen(function* () {
        const path = yield* Path.Path
        const directory = yield* folder
        const manifest = yield* settle(History.runAll([part], { from, to: today }, Sink.ndjson(directory)))
        const file = manifest.parts[0]?.files[0]?.name ?? ""
        return { manifest, given: (yield* linesOf(path.join(directory, file))).map((row) => Number(row[instant])) }
      }).pipe(Effect.provide(exchangeWith(endpoint.path, spoilt(rows, instant, suspicion, times))), onThatDay)

    for (const [kind, suspicion] of Object.entries(suspicions)) {
      it.scoped(`of ${name} has every row once if pages are requested again because of ${kind}`, () =>
        Effect.gen(function* () {
          for (const times of [2, 4]) {
            const { given, manifest } = yield* outcome(suspicion, times)
            expect(manifest.verdict).toBe("complete")
            expect(given).toEqual(instants)
          }
        }).pipe(Effect.provide(NodeContext.layer))
      )

      it.scoped(`of ${name} reports the window if ${kind} persists, and reads the others`, () =>
        Effect.gen(function* () {
          const { given, manifest } = yield* outcome(suspicion, Number.POSITIVE_INFINITY)
          expect(manifest.verdict).toBe("incomplete")
          expect(manifest.missing).toMatchObject([{ because: suspicion.because }])
          expect(manifest.missing[0]?.from).toBeLessThanOrEqual(target)
          expect(manifest.missing[0]?.to).toBeGreaterThan(target)
          expect(given.filter((at) => at < target || at >= target + day)).toEqual(
            instants.filter((at) => at < target || at >= target + day)
          )
        }).pipe(Effect.provide(NodeContext.layer))
      )
    }
  }
})
