import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Dataset from "../model/Dataset.js"
import type * as Manifest from "../model/Manifest.js"
import * as SeenIds from "../model/seenIds.js"
import * as Rows from "../formats/Rows.js"

/** Whether an id belongs to one record of a part for ever. A row that is a sum, or has no id, is another matter. */
export const hasLastingIds = ({ instant, key }: Pick<Rows.AnyDataset, "instant" | "key">): boolean =>
  key !== "content" && Option.isSome(instant)

type RowStream<E, R> = Stream.Stream<Dataset.Row, E, R>

/** Calls `found` for each row, with its id. */
const forEachId = <E, R>(
  dataset: Rows.AnyDataset,
  rows: RowStream<E, R>,
  found: (id: string, row: Dataset.Row) => void
) => Stream.runForEach(rows, (row) => Effect.sync(() => found(Rows.id(dataset, row) ?? "", row)))

/**
 * The added rows whose id an earlier row has at another instant. Both are read to their ends, and memory holds the added ids.
 */
export const find = <E, R, E2, R2>(
  dataset: Rows.AnyDataset,
  added: RowStream<E, R>,
  earlier: RowStream<E2, R2>
): Effect.Effect<ReadonlyArray<Manifest.Conflict>, E | E2, R | R2> =>
  Effect.gen(function* () {
    if (!hasLastingIds(dataset)) return []
    const ids = SeenIds.make(Number.POSITIVE_INFINITY)
    let count = 0
    yield* forEachId(dataset, added, (id) => {
      ids.add(id)
      count++
    })
    if (count === 0) return []
    const keys = new Map<string, Set<string>>()
    yield* forEachId(dataset, earlier, (id, row) => {
      if (ids.has(id)) keys.set(id, (keys.get(id) ?? new Set()).add(Rows.key(dataset, row)))
    })
    if (keys.size === 0) return []
    const conflicts: Array<Manifest.Conflict> = []
    yield* forEachId(dataset, added, (id, row) => {
      const there = keys.get(id)
      // A row with the same key took the place of the earlier one.
      if (there === undefined || there.has(Rows.key(dataset, row))) return
      conflicts.push({ id, at: Rows.instant(dataset, row) ?? null })
    })
    return conflicts
  })

/** The rows whose id an earlier one of them has at another instant. They are read twice if an id is repeated. */
export const findWithin = <E, R>(
  dataset: Rows.AnyDataset,
  rows: RowStream<E, R>
): Effect.Effect<ReadonlyArray<Manifest.Conflict>, E, R> =>
  Effect.gen(function* () {
    if (!hasLastingIds(dataset)) return []
    const ids = SeenIds.make(Number.POSITIVE_INFINITY)
    const repeated = new Set<string>()
    yield* forEachId(dataset, rows, (id) => {
      if (ids.add(id)) repeated.add(id)
    })
    if (repeated.size === 0) return []
    const keys = new Map<string, Set<string>>()
    const conflicts: Array<Manifest.Conflict> = []
    yield* forEachId(dataset, rows, (id, row) => {
      if (!repeated.has(id)) return
      const key = Rows.key(dataset, row)
      const there = keys.get(id)
      if (there !== undefined && !there.has(key)) conflicts.push({ id, at: Rows.instant(dataset, row) ?? null })
      keys.set(id, (there ?? new Set()).add(key))
    })
    return conflicts
  })
