import type * as Failure from "@effect-venue/transport/Failure"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Dataset from "../model/Dataset.js"
import * as Rows from "../formats/Rows.js"
import type * as Manifest from "../model/Manifest.js"
import { unitMillis } from "../model/datasetWindows.js"
import { type Collected, type Item, itemsOf } from "./collect.js"
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
    ({ row }: Item): boolean => {
      const at = Predicate.isRecord(row) ? Rows.instant(dataset, row) : undefined
      return at === undefined || at < window.from || at >= window.to || (at >= half.from && at < half.to)
    }

  const read = (half: Dataset.Window): Effect.Effect<void, Failure.ReadFailure | E | F, R> =>
    Effect.gen(function* () {
      let items: ReadonlyArray<Item> = []
      const { problem } = yield* walkPages(half, {
        prepare: itemsOf,
        take: (listed) => Effect.sync(() => void (items = listed))
      })
      missing.push(...missingOf(half, problem))
      if (items.length >= limit) {
        const middle = middleOf(half, unit)
        if (middle !== undefined) {
          // Newest first, as the rows of a page are.
          yield* read({ from: middle, to: half.to })
          return yield* read({ from: half.from, to: middle })
        }
        missing.push(lostGap(half, reasons.dense(limit)))
      }
      yield* collected.take(collected.rowsOf(items.filter(isOf(half))))
    })

  return Effect.map(read(window), () => missing.toSorted((left, right) => left.from - right.from))
}
