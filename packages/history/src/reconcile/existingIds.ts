import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Checkpoint from "../model/Checkpoint.js"
import type * as Dataset from "../model/Dataset.js"
import * as Rows from "../formats/Rows.js"
import type { AnyDataset } from "../formats/Rows.js"
import type * as Part from "../model/Part.js"
import type * as Sink from "../store/Sink.js"
import * as DatasetWindows from "../model/datasetWindows.js"
import type { SinkFailure } from "../model/ExportFailure.js"
import * as SeenIds from "../model/seenIds.js"

/** Numbers equal records without an id: the key of the first is its content, the second has `#2` after it. */
export const numberKeys = (): ((content: string) => string) => {
  const counts = new Map<string, number>()
  return (content) => {
    const count = (counts.get(content) ?? 0) + 1
    counts.set(content, count)
    return count === 1 ? content : `${content}#${count}`
  }
}

type Ids = SeenIds.SeenIds

/** Adds rows, by their keys, to the ids that are there. */
const adding = ({ key }: AnyDataset, ids: Ids): ((key: string) => void) => {
  if (key !== "content") return (key) => void ids.add(Rows.idOfKey(key))
  const keyOf = numberKeys()
  return (key) => void ids.add(keyOf(key))
}

/** The ids of records from their versions. */
export const idsOf = (dataset: AnyDataset, all: Checkpoint.Versions): Ids => {
  const ids = SeenIds.make()
  const add = adding(dataset, ids)
  const isIdentifiedByKey = dataset.settling.identity.length === 0
  for (const [identity, versions] of all) for (const version of versions) add(isIdentifiedByKey ? identity : version)
  return ids
}

/** The rows that a store has in some windows, and those without an instant. */
export const existingRows = (
  part: Part.Part<unknown, unknown>,
  store: Pick<Sink.Store, "existing">,
  windows: ReadonlyArray<Dataset.Window>
): Stream.Stream<Dataset.Row, SinkFailure> =>
  Stream.filter(store.existing(part, windows), (row) => Rows.isWithin(part.dataset, row, windows))

/** The ids of the rows that a store has in some windows, which are read once each. */
export const existingIds = (
  part: Part.Part<unknown, unknown>,
  store: Pick<Sink.Store, "existing">,
  windows: ReadonlyArray<Dataset.Window>
): Effect.Effect<Ids, SinkFailure> =>
  Effect.suspend(() => {
    const { dataset } = part
    const ids = SeenIds.make()
    const add = adding(dataset, ids)
    // Without an id, only a row that the service can file in another window too can come again.
    const comesAgain = (row: Dataset.Row) =>
      dataset.key !== "content" || !Rows.isInOneOf(Rows.instants(dataset, row), windows)
    const rows = Stream.filter(existingRows(part, store, DatasetWindows.merge(windows)), comesAgain)
    return Effect.as(
      Stream.runForEach(rows, (row) => Effect.sync(() => add(Rows.key(dataset, row)))),
      ids
    )
  })
