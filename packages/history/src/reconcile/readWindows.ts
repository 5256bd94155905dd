import type * as Failure from "@effect-venue/transport/Failure"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Part from "../model/Part.js"
import type * as Sink from "../store/Sink.js"
import { failedWindow, fetchWindow, type FetchedWindow } from "../read/fetchWindow.js"
import * as Gaps from "../model/gaps.js"
import { SinkFailure } from "../model/ExportFailure.js"
import { readAhead } from "../read/readAhead.js"
import { type ReconcileState, type Unit, type WindowResult, type WindowSummary } from "./models.js"
import { Reconciliation } from "./reconcile.js"

export interface Options<E extends SinkFailure, R, F extends Error> {
  readonly units: ReadonlyArray<Unit<R>>
  readonly concurrency: number
  readonly spool: Sink.Spool<E> | undefined
  /** Adds details to a failure that ends the reading. */
  readonly failed: (part: Part.Part<unknown, R>, failure: Failure.ReadFailure) => F
  readonly onPage: (part: Part.Part<unknown, R>, rows: number) => Effect.Effect<void>
}

/** The windows of all units in the order in which they are read: the first ones are those that the service forgets first. */
const inTurn = <R>(units: ReadonlyArray<Unit<R>>) =>
  units
    .flatMap((unit, index) => {
      // Windows of one unit stay in their order.
      let reached = Number.NEGATIVE_INFINITY
      return unit.windows.map((window) => {
        reached = Math.max(reached, window.from)
        return { index, unit, window, by: reached }
      })
    })
    .sort((left, right) => left.by - right.by || left.index - right.index)

type Fetch<E, R, F> = ReturnType<typeof fetchWindow<E, R, F>>

/** Keeps a gap whose reading fails, so that the windows after it are read. */
const tolerateGaps =
  <E extends SinkFailure, R, F extends Error>({ gaps, part }: Unit<R>, fetch: Fetch<E, R, F>): Fetch<E, R, F> =>
  (window) =>
    Gaps.touches(gaps, window)
      ? Effect.catchAll(fetch(window), (failure) =>
          failure instanceof SinkFailure ? Effect.fail(failure) : failedWindow(part, window, failure)
        )
      : fetch(window)

/** Reads one unit. Its windows share the state that each leaves for the next. */
const makeReader = <E, R, F>(unit: Unit<R>, index: number, fetch: Fetch<E, R, F>) => {
  const { part } = unit
  let state: ReconcileState = unit.state

  return (window: Parameters<typeof fetch>[0]) =>
    Effect.map(fetch(window), (fetched: FetchedWindow<E>): WindowResult<E, R> => {
      let begun: Reconciliation<E> | undefined
      let ended: WindowSummary | undefined
      let areRowsRead = false
      // Begun with the first row, when the state of the window before is known.
      const begin = () => (begun ??= new Reconciliation(unit, state, fetched))
      const end = () => {
        if (ended === undefined) {
          // A checkpoint without all rows would cover rows that no store has.
          if (!areRowsRead) throw new Error("the checkpoint of a window was run before the end of its rows")
          ended = begin().summary()
          state = ended.state
        }
        return ended
      }
      return {
        part,
        index,
        rows: Stream.concat(
          Stream.map(fetched.rows, (rows) => begin().chunk(rows)),
          Stream.execute(Effect.sync(() => void (areRowsRead = true)))
        ),
        summary: Effect.zipLeft(Effect.sync(end), fetched.close)
      }
    })
}

/**
 * The windows of all units, oldest first. Some are read ahead; they are reconciled as their rows are taken, each with the state that the
 * window before of its unit left.
 */
export const readWindows = <E extends SinkFailure, R, F extends Error>(
  options: Options<E, R, F>
): Stream.Stream<WindowResult<E, R>, Failure.ReadFailure | E | F, R> =>
  Stream.unwrapScoped(
    Effect.map(Effect.scope, (scope) => {
      const { concurrency, failed, onPage, spool, units } = options
      const readers = units.map((unit, index) => {
        const { part } = unit
        const fetch = fetchWindow<E, R, F>(
          { part, spool, failed: (failure) => failed(part, failure), onPage: (rows) => onPage(part, rows) },
          scope
        )
        return makeReader(unit, index, tolerateGaps(unit, fetch))
      })
      return readAhead(
        inTurn(units),
        ({ index, window }, turn) =>
          // Without turns all windows would progress alike and end together, and all be stored after the last page.
          Effect.provideService(
            readers[index]?.(window) ?? Effect.dieMessage("a unit without windows"),
            CallOptions.Turn,
            turn
          ),
        concurrency
      )
    })
  )

/** The windows of one part, each in memory. */
export const readPart = <R>(
  unit: Unit<R>,
  concurrency: number
): ReturnType<typeof readWindows<never, R, Failure.ReadFailure>> =>
  readWindows({
    units: [unit],
    concurrency,
    spool: undefined,
    failed: (_part, failure) => failure,
    onPage: () => Effect.void
  })
