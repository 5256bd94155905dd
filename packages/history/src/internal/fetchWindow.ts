import type * as Failure from "@effect-venue/transport/Failure"
import type * as Transport from "@effect-venue/transport/Transport"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import type * as Windows from "@effect-venue/transport/Windows"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Scope from "effect/Scope"
import * as Dataset from "../Dataset.js"
import type * as Manifest from "../Manifest.js"
import type * as Part from "../Part.js"
import type * as Spool from "../Spool.js"
import * as Sorting from "./sorting.js"
import { walk } from "./walk.js"
import { ask, unitMillis } from "./windowing.js"

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
  /** When reading it began, and when the run did, by the service's clock: what had exceeded the retention then was not read. */
  readonly begunAt: number
  readonly runAt: number
  /** Forgets the rows. */
  readonly close: Effect.Effect<void>
}

/** An item of a list that is no record. */
export interface NonRecord {
  readonly problem: string
  readonly row: unknown
}

/** What fetching a window needs. */
export interface Options<A, E> {
  readonly part: Part.Part<A>
  readonly spool: Spool.Spool<E>
  /** When this run of the export began, by this machine's clock. */
  readonly runAt: number
  readonly onPage: (rows: number) => Effect.Effect<void>
}

/** Fetches windows of one part, each to its last page. */
export const fetchWindow = <A, E>({ onPage, part, runAt, spool }: Options<A, E>, scope: Scope.Scope) => {
  const { dataset } = part

  return (window: Windows.Window): Effect.Effect<FetchedWindow<E>, Failure.ReadFailure | E, Transport.Transport> =>
    Effect.gen(function* () {
      const anomalies = new Map<string, number>()
      const count = (anomaly: string) => {
        anomalies.set(anomaly, (anomalies.get(anomaly) ?? 0) + 1)
      }
      let requests = 0
      let rereads = 0
      let retries = 0
      const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
      const begun = yield* Clock.currentTimeMillis

      /** Takes rows as they come; what is no record goes aside. */
      const collecting = Effect.gen(function* () {
        const nonRecords: Array<NonRecord> = []
        const buffer = yield* Scope.extend(spool.open, own)
        const sorter = Sorting.make({ buffer, newestFirst: dataset.newestFirst, otherwise: window.from })
        const prepare = (rows: ReadonlyArray<unknown>): ReadonlyArray<Sorting.Raw> =>
          rows.flatMap((row) => {
            if (Predicate.isRecord(row)) return [{ at: Dataset.instant(dataset, row), text: JSON.stringify(row) }]
            count("noRecord")
            nonRecords.push({ problem: "is no record", row })
            return []
          })
        return { nonRecords, sorter, prepare, take: sorter.take }
      })

      const pages = <P>(
        asked: Windows.Window,
        {
          prepare,
          take
        }: {
          readonly prepare: (rows: ReadonlyArray<unknown>) => P
          readonly take: (prepared: P) => Effect.Effect<void, E>
        }
      ) =>
        Effect.tap(
          walk({
            page: (cursor) => part.page({ ...ask(dataset, asked), cursor }),
            prepare,
            take: (prepared, rows) => Effect.zipRight(take(prepared), onPage(rows)),
            count
          }),
          (walked) =>
            Effect.sync(() => {
              requests += walked.requests
              rereads += walked.rereads
            })
        )

      const listed = Effect.gen(function* () {
        const one = yield* collecting
        const first = yield* pages(window, one)
        // Records without id: is it the same one again, because the list has shifted meanwhile, or an equal one? Equal ones stay.
        const isUnclear = first.problem === undefined && first.overlaps > 0 && dataset.key === "content"
        if (isUnclear) count("overlappingPage")
        if (first.problem === undefined && !isUnclear) return { ...one, missing: [] }
        // Once more from the start: what went wrong may have been the cursor's fault.
        rereads++
        const two = yield* collecting
        const second = yield* pages(window, two)
        const [best, { problem }] =
          second.rows >= first.rows || second.problem === undefined ? [two, second] : [one, first]
        return { ...best, missing: problem === undefined ? [] : [{ ...window, because: reasons[problem] ?? problem }] }
      })

      /** Without pages: a window that is full may hold more, and is read in halves. */
      const halved = (limit: number) =>
        Effect.gen(function* () {
          const all = yield* collecting
          const missing: Array<Manifest.Missing> = []
          const unit = unitMillis[dataset.windows.unit]
          const read = (half: Windows.Window): Effect.Effect<void, Failure.ReadFailure | E, Transport.Transport> =>
            Effect.gen(function* () {
              let rows: ReadonlyArray<unknown> = []
              const { problem } = yield* pages(half, {
                prepare: (given) => given,
                take: (given) => Effect.sync(() => void (rows = given))
              })
              if (problem !== undefined) missing.push({ ...half, because: reasons[problem] ?? problem })
              const middle = Math.floor((half.from + (half.to - half.from) / 2) / unit) * unit
              if (rows.length >= limit && middle > half.from && middle < half.to) {
                // Newest first, as the rows of a page are.
                yield* read({ from: middle, to: half.to })
                return yield* read({ from: half.from, to: middle })
              }
              if (rows.length >= limit) {
                missing.push({ ...half, because: `${limit} rows at once, and the service gives no more` })
              }
              const isIts = (row: unknown): boolean => {
                const at = Predicate.isRecord(row) ? Dataset.instant(dataset, row) : undefined
                return at === undefined || at < window.from || at >= window.to || (at >= half.from && at < half.to)
              }
              yield* all.take(all.prepare(rows.filter(isIts)))
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
      const ahead = (yield* part.serverTime) - (yield* Clock.currentTimeMillis)
      return {
        window,
        begunAt: Math.floor(begun + ahead),
        runAt: Math.floor(runAt + ahead),
        rows: sorter.sorted,
        nonRecords,
        pages: requests,
        anomalies,
        missing,
        rereads,
        retries,
        close: Scope.close(own, Exit.void)
      }
    })
}

const reasons: Readonly<Record<string, string>> = {
  unreadableAnswer: "an answer could not be read",
  missingCursor: "a page did not say whether another one follows",
  repeatedCursor: "a page pointed back to one that was given before",
  repeatedPage: "a page was given in the place of another one"
}
