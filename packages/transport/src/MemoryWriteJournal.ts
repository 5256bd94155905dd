/**
 * A journal of writes in the memory of this process, for tests.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as journalEntries from "./internal/journal/journalEntries.js"
import { type RecordedEntry, WriteJournalFailed } from "./WriteEntry.js"
import { make as makeJournal, WriteJournal } from "./WriteJournal.js"

/**
 * The storage of a journal in memory. Journals that share a storage behave like processes that run one after the other.
 *
 * @since 0.1.0
 * @category models
 */
export interface Storage {
  entries: ReadonlyArray<RecordedEntry>
  owner: object
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const storage = (): Storage => ({ entries: [], owner: {} })

/**
 * A journal in the memory of this process, for tests. It takes over its storage from the previous journal.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (from: Storage = storage()): Effect.Effect<WriteJournal.Shape> =>
  Effect.sync(() => {
    const owner = {}
    const entries = journalEntries.make()
    entries.restore(from.entries)
    from.owner = owner
    const owned = Effect.suspend(() =>
      from.owner === owner
        ? Effect.void
        : Effect.fail(new WriteJournalFailed({ reason: "TakenOver", detail: "a later journal uses its storage" }))
    )
    const change = (apply: () => void) =>
      Effect.map(owned, () => {
        apply()
        from.entries = entries.all()
      })
    return makeJournal({
      nextId: Effect.sync(() => globalThis.crypto.randomUUID()),
      begin: (intent) =>
        change(() => {
          entries.begin(intent)
        }),
      end: (id, outcome) =>
        change(() => {
          entries.end(id, outcome)
        }),
      open: Effect.sync(entries.open),
      guarded: (since) => Effect.sync(() => entries.guarded(since))
    })
  })

/**
 * A journal in the memory of this process, for tests.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<WriteJournal> = Layer.effect(
  WriteJournal,
  Effect.suspend(() => make())
)
