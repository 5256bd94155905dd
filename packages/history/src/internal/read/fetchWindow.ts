import type * as Failure from "@effect-venue/transport/Failure"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Lists from "@effect-venue/transport/Lists"
import type * as Windows from "@effect-venue/transport/Windows"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Scope from "effect/Scope"
import * as Dataset from "../../Dataset.js"
import type * as Manifest from "../../Manifest.js"
import type * as Part from "../../Part.js"
import type * as Spool from "../../Spool.js"
import * as Sorting from "./sorting.js"
import { ask, unitMillis } from "../model/datasetWindows.js"
import { likelyTime, statedTime } from "./serviceNow.js"

/** The rows of one window and what was noticed while they were fetched. */
export interface FetchedWindow<E> {
  readonly window: Windows.Window
  readonly rows: Sorting.Sorted<E>
  /** What was no record at all. */
  readonly nonRecords: ReadonlyArray<NonRecord>
  readonly pages: number
  readonly anomalies: ReadonlyMap<string, number>
  readonly missing: ReadonlyArray<Manifest.Missing>
  readonly rereads: number
  readonly retries: number
  /** When reading it began and ended, by the service's clock. */
  readonly begunAt: number
  readonly endedAt: number
  /** Forgets the rows. */
  readonly close: Effect.Effect<void>
}

/** An item of a list that is no record. */
export interface NonRecord {
  readonly problem: string
  /** As it is spelled in the answer. */
  readonly text: string
}

/** An item of a page, and how it is spelled there. */
interface Item {
  readonly row: unknown
  readonly text: string
}

const itemsOf = ({ rows, texts }: Dataset.Page): ReadonlyArray<Item> =>
  rows.map((row, index) => ({ row, text: texts?.[index] ?? JSON.stringify(row) }))

/** What fetching a window needs. */
export interface Options<A, E, R, F> {
  readonly part: Part.Part<A, R>
  /** Says more of a failure that ends the reading. */
  readonly failed: (failure: Failure.ReadFailure) => F
  readonly spool: Spool.Spool<E>
  readonly onPage: (rows: number) => Effect.Effect<void>
}

/** How far the service's clock may be from what its answers let it seem. */
const clockDoubt = 1000

/** A window that ends about now is read once its end has passed beyond doubt: earlier, its end would be named as in the future. */
const untilPassed = <R>(part: Part.Part<unknown, R>, { to }: Windows.Window) =>
  Effect.flatMap(likelyTime(part), (now) => {
    const wait = to + clockDoubt - now
    return wait > 0 && wait <= 2 * clockDoubt ? Effect.sleep(Duration.millis(wait)) : Effect.void
  })

/** Fetches windows of one part, each to its last page. */
export const fetchWindow = <A, E, R, F>({ failed, onPage, part, spool }: Options<A, E, R, F>, scope: Scope.Scope) => {
  const { dataset } = part

  /** What rows of two pages are compared by. */
  const textOf = (row: unknown): string =>
    (Predicate.isRecord(row) ? Dataset.id(dataset, row) : undefined) ?? JSON.stringify(row)

  // An answer that cannot be read is asked for again, and does not end the reading.
  const page = (asked: Dataset.Ask) =>
    Effect.mapError(part.page(asked), (failure) => (failure._tag === "UnexpectedResponse" ? failure : failed(failure)))

  return (window: Windows.Window): Effect.Effect<FetchedWindow<E>, Failure.ReadFailure | E | F, R> =>
    Effect.gen(function* () {
      yield* untilPassed(part, window)
      const anomalies = new Map<string, number>()
      const count = (anomaly: string) => {
        anomalies.set(anomaly, (anomalies.get(anomaly) ?? 0) + 1)
      }
      let requests = 0
      let rereads = 0
      let retries = 0
      const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
      const begun = yield* Clock.currentTimeNanos

      /** Takes rows in the order of their arrival; what is no record is collected apart. */
      const collecting = Effect.gen(function* () {
        const nonRecords: Array<NonRecord> = []
        const buffer = yield* Scope.extend(spool.open, own)
        const sorter = Sorting.make({ buffer, newestFirst: dataset.newestFirst, otherwise: window.from })
        const rowsOf = (items: ReadonlyArray<Item>): ReadonlyArray<Sorting.Raw> =>
          items.flatMap(({ row, text }) => {
            if (Predicate.isRecord(row)) return [{ at: Dataset.instant(dataset, row), text }]
            count("noRecord")
            nonRecords.push({ problem: "is no record", text })
            return []
          })
        // All items before anything is noted: a row that cannot be printed spoils its page.
        const prepare = (page: Dataset.Page): ReadonlyArray<Sorting.Raw> => rowsOf(itemsOf(page))
        return { nonRecords, sorter, rowsOf, prepare, take: sorter.take }
      })

      const pages = <P>(
        asked: Windows.Window,
        {
          prepare,
          take
        }: {
          readonly prepare: (page: Dataset.Page) => P
          readonly take: (prepared: P) => Effect.Effect<void, E>
        }
      ) =>
        Effect.tap(
          Lists.walk(
            {
              page: (cursor) => page({ ...ask(dataset, asked), cursor }),
              text: textOf,
              comparesRows: true,
              prepare,
              onProblem: count
            },
            (prepared, rows) => Effect.zipRight(take(prepared), onPage(rows))
          ),
          (walked) =>
            Effect.sync(() => {
              requests += walked.requests
              rereads += walked.rereads
            })
        )

      const readOnce = Effect.gen(function* () {
        const content = yield* collecting
        return { content, walked: yield* pages(window, content) }
      })

      const listed = Effect.map(
        Lists.untilClear(readOnce, () => count("overlappingPage")),
        ({ content, problem, readings }) => {
          rereads += readings - 1
          return { ...content, missing: missingOf(window, problem) }
        }
      )

      /** Without pages: a window that is full may hold more, and is read in halves. */
      const halved = (limit: number) =>
        Effect.gen(function* () {
          const all = yield* collecting
          const missing: Array<Manifest.Missing> = []
          const unit = unitMillis[dataset.windows.unit]
          const read = (half: Windows.Window): Effect.Effect<void, Failure.ReadFailure | E | F, R> =>
            Effect.gen(function* () {
              let items: ReadonlyArray<Item> = []
              const { problem } = yield* pages(half, {
                prepare: itemsOf,
                take: (listed) => Effect.sync(() => void (items = listed))
              })
              missing.push(...missingOf(half, problem))
              const middle = Math.floor((half.from + (half.to - half.from) / 2) / unit) * unit
              if (items.length >= limit && middle > half.from && middle < half.to) {
                // Newest first, as the rows of a page are.
                yield* read({ from: middle, to: half.to })
                return yield* read({ from: half.from, to: middle })
              }
              if (items.length >= limit) {
                missing.push({ ...half, because: `${limit} rows at once, and the service gives no more` })
              }
              const isIts = ({ row }: Item): boolean => {
                const at = Predicate.isRecord(row) ? Dataset.instant(dataset, row) : undefined
                return at === undefined || at < window.from || at >= window.to || (at >= half.from && at < half.to)
              }
              yield* all.take(all.rowsOf(items.filter(isIts)))
            })
          yield* read(window)
          return { ...all, missing: missing.toSorted((one, other) => one.from - other.from) }
        })

      const { missing, sorter, nonRecords } = yield* Effect.provideService(
        Option.match(dataset.windows.halved, { onNone: () => listed, onSome: halved }),
        CallOptions.OnRetry,
        () =>
          Effect.sync(() => {
            retries++
          })
      )
      // Only its answers say what the service's clock is, so that it is asked for now and set back by what has passed since.
      const elapsed = Number((yield* Clock.currentTimeNanos) - begun) / 1_000_000
      const stated = yield* statedTime(part)
      const endedAt = Math.ceil(Option.getOrElse(stated, () => window.to + elapsed))
      return {
        window,
        begunAt: Math.floor(endedAt - elapsed),
        endedAt,
        rows: sorter.sorted,
        nonRecords,
        pages: requests,
        anomalies,
        missing: Option.isSome(stated) ? missing : [...missing, { ...window, because: clockIsUnknown }],
        rereads,
        retries,
        close: Scope.close(own, Exit.void)
      }
    })
}

const clockIsUnknown = "no answer states the time of the service, so that the window may not have passed"

/** Why a window may lack rows, by the problem of its list. */
export const reasons: Readonly<Record<Lists.Kind, string>> = {
  unreadableAnswer: "an answer could not be read",
  missingCursor: "a page did not say whether another one follows",
  repeatedCursor: "a page pointed back to one that was given before",
  repeatedPage: "a page repeated an earlier one instead of continuing",
  emptyPages: "pages without rows followed each other without end",
  endlessList: "pages followed each other without end",
  changingList: "the list changed while it was read, in every reading",
  outsideRows: "the answers have rows that lie outside of what was requested",
  conflictingRows: "records of one id differ"
}

const missingOf = (
  window: Windows.Window,
  problem: Lists.Problem<unknown> | undefined
): ReadonlyArray<Manifest.Missing> => (problem === undefined ? [] : [{ ...window, because: reasons[problem.kind] }])
