import type * as Failure from "@effect-venue/transport/Failure"
import * as Effect from "effect/Effect"
import type * as Dataset from "../model/Dataset.js"
import type * as Manifest from "../model/Manifest.js"
import { unitMillis } from "../model/datasetWindows.js"
import type { Arrival } from "./arrivals.js"
import type { ArrivedPage, Collected } from "./collect.js"
import { lostGap, missingOf, reasons } from "./missing.js"
import type { WalkPages } from "./walkPages.js"

/** The middle of a window in whole units; `undefined` if the window has no two units. */
const middleOf = ({ from, to }: Dataset.Window, unit: number): number | undefined => {
  const middle = Math.floor((from + (to - from) / 2) / unit) * unit
  return middle > from && middle < to ? middle : undefined
}

/**
 * Reads a window of an operation that has no pages: a response with `limit` rows can lack some, so its window is read again in halves.
 * Returns the ranges that are full and cannot be halved.
 */
export const readHalves = <E, F, R>(
  dataset: Dataset.Dataset<never, unknown>,
  window: Dataset.Window,
  limit: number,
  collected: Collected<E>,
  walkPages: WalkPages<E, F, R>
): Effect.Effect<ReadonlyArray<Manifest.Missing>, Failure.ReadFailure | E | F, R> => {
  const missing: Array<Manifest.Missing> = []
  const unit = unitMillis[dataset.windows.unit]

  /** Rows outside of the window are kept, so that they are reported; rows of the other half are not. */
  const isOf =
    (half: Dataset.Window) =>
    ({ at }: Arrival): boolean =>
      at === undefined || at < window.from || at >= window.to || (at >= half.from && at < half.to)

  const read = (half: Dataset.Window): Effect.Effect<void, Failure.ReadFailure | E | F, R> =>
    Effect.gen(function* () {
      let page: ArrivedPage = { rows: [], aside: [] }
      const take = (arrived: ArrivedPage) => Effect.sync(() => void (page = arrived))
      const { problem } = yield* walkPages(half, { prepare: collected.prepare, take })
      missing.push(...missingOf(half, problem))
      if (page.rows.length + page.aside.length >= limit) {
        const middle = middleOf(half, unit)
        if (middle !== undefined) {
          // Newest first, as the rows of a page are.
          yield* read({ from: middle, to: half.to })
          return yield* read({ from: half.from, to: middle })
        }
        missing.push(lostGap(half, reasons.dense(limit)))
      }
      yield* collected.take({ ...page, rows: page.rows.filter(isOf(half)) })
    })

  return Effect.map(read(window), () => missing.toSorted((left, right) => left.from - right.from))
}
