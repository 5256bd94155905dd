import type * as Failure from "@effect-venue/transport/Failure"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as Manifest from "../model/Manifest.js"
import type * as Part from "../model/Part.js"
import type * as Sink from "../store/Sink.js"
import { collect, WindowCounts } from "./collect.js"
import { missingOf, openGap, reasons } from "./missing.js"
import { readHalves } from "./readHalves.js"
import { likelyTime, readStatedTime } from "./serviceNow.js"
import type { Arrival } from "./arrivals.js"
import type * as Sorting from "./Sorting.js"
import * as WalkPages from "./walkPages.js"
import type * as Dataset from "../model/Dataset.js"
import { untilClear } from "./untilClear.js"

/** The rows of one window, and the anomalies that were noticed while they were fetched. */
export interface FetchedWindow<E> {
  readonly window: Dataset.Window
  readonly rows: Sorting.Sorted<Arrival, E>
  /** Lines of the side file for items that are no records. */
  readonly rejectedRows: ReadonlyArray<string>
  readonly pages: number
  readonly anomalies: ReadonlyMap<string, number>
  readonly missing: ReadonlyArray<Manifest.Missing>
  readonly rereads: number
  readonly retries: number
  /** The beginning and the end of the reading, by the service's clock. */
  readonly begunAt: number
  readonly endedAt: number
  /** Releases the rows. */
  readonly close: Effect.Effect<void>
}

export interface Options<E, R, F> extends WalkPages.Options<R, F> {
  /** Buffers the rows of a window. Defaults to memory. */
  readonly spool: Sink.Spool<E> | undefined
}

/** The largest error of the estimated time of the service, in milliseconds. */
const clockDoubt = 1000

/** Waits, if a window ends about now, until its end has passed for certain; otherwise its end would be reported as in the future. */
const untilPassed = <R>(part: Part.Part<unknown, R>, { to }: Dataset.Window) =>
  Effect.flatMap(likelyTime(part), (now) => {
    const wait = to + clockDoubt - now
    return wait > 0 && wait <= 2 * clockDoubt ? Effect.sleep(Duration.millis(wait)) : Effect.void
  })

type OnPage = WalkPages.Options<never, unknown>["onPage"]

/** Counts a page of a list once: in a second reading, only those beyond the first. `restart` begins a reading. */
const countOnce = (onPage: OnPage) => {
  let most = { pages: 0, rows: 0 }
  let here = { pages: 0, rows: 0 }
  return {
    restart: Effect.sync(() => {
      here = { pages: 0, rows: 0 }
    }),
    onPage: (rows: number): Effect.Effect<void> =>
      Effect.suspend(() => {
        here = { pages: here.pages + 1, rows: here.rows + rows }
        if (here.pages <= most.pages) return Effect.void
        const more = Math.max(here.rows - most.rows, 0)
        most = { pages: here.pages, rows: most.rows + more }
        return onPage(more)
      })
  }
}

/** Reads the rows of a window, by pages or in halves. */
const readWindowRows = <E, R, F>(
  { spool, ...options }: Options<E, R, F>,
  window: Dataset.Window,
  counts: WindowCounts,
  scope: Scope.Scope
) => {
  const { dataset } = options.part
  const walkPages = (onPage: OnPage) => WalkPages.make<R, F, E>({ ...options, onPage }, counts)
  const opening = spool === undefined ? Effect.succeed(undefined) : Scope.extend(spool.open, scope)
  const collecting = Effect.map(opening, (buffer) => collect(dataset, window, buffer, counts))

  const byPages = Effect.gen(function* () {
    const counting = countOnce(options.onPage)
    const walk = walkPages(counting.onPage)
    const readOnce = Effect.gen(function* () {
      yield* counting.restart
      const collected = yield* collecting
      return { collected, walked: yield* walk(window, collected) }
    })
    const { content, problem, readings } = yield* untilClear(
      Effect.map(readOnce, ({ collected, walked }) => ({ content: collected, walked })),
      () => counts.count("overlappingPage")
    )
    counts.rereads += readings - 1
    return { collected: content, missing: missingOf(window, problem) }
  })

  const inHalves = (limit: number) =>
    Effect.gen(function* () {
      const collected = yield* collecting
      // The rows of a full response are read again in the halves.
      const walk = walkPages((rows) => options.onPage(rows < limit ? rows : 0))
      return { collected, missing: yield* readHalves(dataset, window, limit, collected, walk) }
    })

  return Option.match(dataset.windows.halved, { onNone: () => byPages, onSome: inHalves })
}

/** Fetches windows of one part, each to its last page. */
export const fetchWindow =
  <E, R, F>(options: Options<E, R, F>, scope: Scope.Scope) =>
  (window: Dataset.Window): Effect.Effect<FetchedWindow<E>, Failure.ReadFailure | E | F, R> =>
    Effect.gen(function* () {
      const { part } = options
      yield* untilPassed(part, window)
      const counts = new WindowCounts()
      const windowScope = yield* Scope.fork(scope, ExecutionStrategy.sequential)
      const begun = yield* Clock.currentTimeNanos
      const { collected, missing } = yield* Effect.provideService(
        readWindowRows(options, window, counts, windowScope),
        CallOptions.OnRetry,
        () =>
          Effect.sync(() => {
            counts.retries++
          })
      )
      // The service's time is known from the responses only: take it now and subtract the time since the beginning.
      const elapsed = Number((yield* Clock.currentTimeNanos) - begun) / 1_000_000
      const stated = yield* readStatedTime(part)
      const endedAt = Math.ceil(Option.getOrElse(stated, () => window.to + elapsed))
      return {
        window,
        begunAt: Math.floor(endedAt - elapsed),
        endedAt,
        rows: collected.rows,
        rejectedRows: collected.rejectedRows,
        pages: counts.requests,
        anomalies: counts.anomalies,
        missing: Option.isSome(stated) ? missing : [...missing, openGap(window, reasons.noServiceTime)],
        rereads: counts.rereads,
        retries: counts.retries,
        close: Scope.close(windowScope, Exit.void)
      }
    })

const noRows: Sorting.Sorted<Arrival, never> = Stream.empty

/** A window whose reading failed: it stays a gap, with the failure as its reason. */
export const failedWindow = <R>(
  part: Part.Part<unknown, R>,
  window: Dataset.Window,
  failure: { readonly message: string }
): Effect.Effect<FetchedWindow<never>, never, R> =>
  Effect.map(likelyTime(part), (now) => ({
    window,
    begunAt: Math.floor(now),
    endedAt: Math.ceil(now),
    rows: noRows,
    rejectedRows: [],
    pages: 0,
    anomalies: new Map(),
    missing: [openGap(window, reasons.failed(failure))],
    rereads: 0,
    retries: 0,
    close: Effect.void
  }))
