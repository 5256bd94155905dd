/**
 * A record of every write that outlives the process. The intent is durable before the first byte of the write leaves, its outcome follows
 * after the answer. What a killed process had in flight is what has no outcome; `OpenWrites.reconcile` looks it up.
 *
 * No journal is the default, and costs nothing. One is used where it is provided: to the layer of the transport, or around a call, of
 * which the one around the call is taken. `FileWriteJournal` and `SqlWriteJournal` keep one on disk, `WriteJournalLaws` has the laws of a
 * journal of the application's own.
 *
 * The parameters of a write are kept verbatim where a look-up needs them. Keys, secrets and signatures are never part of an entry.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as journalEntries from "./internal/journalEntries.js"

/**
 * @since 0.1.0
 * @category tags
 */
export class WriteJournal extends Context.Tag("@effect-venue/transport/WriteJournal")<
  WriteJournal,
  WriteJournal.Shape
>() {}

/**
 * @since 0.1.0
 */
export declare namespace WriteJournal {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /** An id that no other entry has. */
    readonly nextId: Effect.Effect<string>
    /**
     * Makes an intent durable: when it ends, the entry survives the death of the process. A further sending of the same call begins the same
     * id again, which replaces `at`. Fails where that cannot be done, also when a later process has taken over the journal: the write is then
     * not sent. May be interrupted.
     */
    readonly begin: (intent: Intent) => Effect.Effect<void, WriteJournalFailed>
    /**
     * Records the outcome of an entry. One that is `Unknown` leaves it open, any other closes it. Changes nothing for an entry that is
     * closed or was never begun. Must end without being interrupted: it is called where a call cannot be interrupted any more.
     */
    readonly end: (id: string, outcome: Outcome) => Effect.Effect<void, WriteJournalFailed>
    /** The entries that are open and whose calls are over: those of earlier processes, and those whose outcome is unknown. */
    readonly open: Effect.Effect<ReadonlyArray<Entry>, WriteJournalFailed>
  }
}

/**
 * A write that is about to be sent.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Intent = Schema.Struct({
  id: Schema.NonEmptyString,
  /** The operation, as its endpoint is named: `orders.create`. */
  operation: Schema.String,
  /** Hostname of the service, with its port where that is not a default one. */
  host: Schema.String,
  /** A keyed digest of the API key, as in `Transport.identity`. */
  key: Schema.String,
  /** The UID that the credentials declare. */
  uid: Schema.optionalWith(Schema.String, { exact: true }),
  /** The parameters that a look-up needs, on the wire side; of an operation without a look-up those that identify the write. */
  parameters: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  /** The time of the latest sending: milliseconds by the service's clock, as it is signed. */
  at: Schema.Int,
  /** How long after `at` the service takes the request, milliseconds. */
  recvWindow: Schema.Int
})

/**
 * @since 0.1.0
 * @category models
 */
export type Intent = typeof Intent.Type

const said = {
  /** The tag of the failure, with its reason where it has one. */
  failure: Schema.String,
  retCode: Schema.optionalWith(Schema.Int, { exact: true })
}

/**
 * The service may have executed the write.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Unknown = Schema.TaggedStruct("Unknown", said)

/**
 * @since 0.1.0
 * @category models
 */
export type Unknown = typeof Unknown.Type

/**
 * The outcome of a write. `Done`: the service accepted it; of a batch `codes` has the return code of each part. `Refused`: the service
 * answered, and did not execute it. `NotSent`: nothing left this process. `Reconciled`: what `OpenWrites.reconcile` found out.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Outcome = Schema.Union(
  Schema.TaggedStruct("Done", { codes: Schema.optionalWith(Schema.Array(Schema.Int), { exact: true }) }),
  Schema.TaggedStruct("Refused", said),
  Schema.TaggedStruct("NotSent", said),
  Unknown,
  Schema.TaggedStruct("Reconciled", {
    executed: Schema.Literal("yes", "no", "partly", "unknowable"),
    reason: Schema.String
  })
)

/**
 * @since 0.1.0
 * @category models
 */
export type Outcome = typeof Outcome.Type

/**
 * A write that was begun and is not closed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry {
  readonly intent: Intent
  /** `undefined`: the process ended before it recorded an outcome. */
  readonly outcome: Unknown | undefined
}

/**
 * The journal could not do what it was asked. `reason` `"TakenOver"`: another process has begun a journal of the same name, and this one
 * records no more writes. `"Storage"`: the file system or the database failed.
 *
 * @since 0.1.0
 * @category failures
 */
export class WriteJournalFailed extends Data.TaggedError("WriteJournalFailed")<{
  readonly reason: "TakenOver" | "Storage"
  readonly detail: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return this.reason === "TakenOver"
      ? `another process has taken over the journal of writes: ${this.detail}`
      : `the journal of writes failed: ${this.detail}`
  }
}

/**
 * What a journal in memory keeps. Several journals over one storage are as processes that follow one another.
 *
 * @since 0.1.0
 * @category models
 */
export interface MemoryStorage {
  entries: ReadonlyArray<Entry>
  owner: object
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const memoryStorage = (): MemoryStorage => ({ entries: [], owner: {} })

/**
 * A journal in the memory of this process, for tests. It takes over its storage from the journal before.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeMemory = (storage: MemoryStorage = memoryStorage()): Effect.Effect<WriteJournal.Shape> =>
  Effect.sync(() => {
    const owner = {}
    const entries = journalEntries.make()
    entries.restore(storage.entries)
    storage.owner = owner
    const owned = Effect.suspend(() =>
      storage.owner === owner
        ? Effect.void
        : Effect.fail(new WriteJournalFailed({ reason: "TakenOver", detail: "a later journal uses its storage" }))
    )
    const change = (apply: () => void) =>
      Effect.map(owned, () => {
        apply()
        storage.entries = entries.all()
      })
    return {
      nextId: Effect.sync(() => globalThis.crypto.randomUUID()),
      begin: (intent) =>
        change(() => {
          entries.begin(intent)
        }),
      end: (id, outcome) =>
        Effect.zipRight(
          Effect.sync(() => entries.leave(id)),
          change(() => {
            entries.end(id, outcome)
          })
        ),
      open: Effect.sync(entries.open)
    }
  })

/**
 * A journal in the memory of this process, for tests.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<WriteJournal> = Layer.effect(
  WriteJournal,
  Effect.suspend(() => makeMemory())
)
