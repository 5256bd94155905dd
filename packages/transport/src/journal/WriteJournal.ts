/**
 * A record of every write that outlives the process. The intent is durable before the first byte of the write leaves; the outcome is recorded after the
 * response. A write that was in flight when its process was killed has no outcome; `OpenWrites.reconcile` looks it up.
 *
 * By default no journal is used, which costs nothing. Provide a journal to the layer of the transport: all its writes are recorded in this journal.
 * `FileWriteJournal` and `SqlWriteJournal` store a journal on disk.
 *
 * The parameters that a look-up needs are stored verbatim. Entries never contain keys, secrets or signatures.
 */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as journalEntries from "./journalEntries.js"
import { WriteJournal } from "./JournalHook.js"
import { hook } from "./journalWrites.js"
import * as TimeLimit from "../time/TimeLimit.js"

/** A write that is about to be sent. */
export interface Intent {
  readonly id: string
  /** The operation, named as its endpoint: `orders.create`. */
  readonly operation: string
  /** Hostname of the service, followed by the port unless it is the default port. */
  readonly host: string
  /** A keyed digest of the API key, as in `Transport.Identity`. */
  readonly key: string
  /** The UID that the credentials declare. */
  readonly uid?: string
  /** The parameters that a look-up needs, in wire form. For an operation without a look-up, those that identify the write. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** The time of the latest sending, in milliseconds by the service's clock, as signed. */
  readonly at: number
  /** How long after `at` the service accepts the request, in milliseconds. */
  readonly recvWindow: number
  /** The amounts that a guard has counted for this write. */
  readonly amounts?: ReadonlyArray<GuardedAmount>
}

/** An amount that a guard has counted for a write: the notional of an order in a currency, or a transfer of a coin. */
export interface GuardedAmount {
  readonly kind: "orders" | "transfers"
  /** The currency or the coin. */
  readonly unit: string
  /** Decimal text. */
  readonly value: string
  /** The position of the order in its batch, from 0. */
  readonly index: number
  /** The id under which the service executes the write once, with its account. Absent for an amendment and for a write without an id. */
  readonly id?: string
}

/** An amount of closed writes that a guard counts: a sum of a minute, or with an `id` a single write. */
export interface GuardedTotal {
  /** As in `Intent`. */
  readonly host: string
  readonly kind: "orders" | "transfers"
  /** The currency or the coin. */
  readonly unit: string
  /** Decimal text. */
  readonly value: string
  /** The latest instant at which it can have been executed, in milliseconds by the clock of the host. */
  readonly at: number
  /** As in `GuardedAmount`. */
  readonly id?: string
}

/** The writes that a guard counts. */
export interface GuardedWrites {
  /** Open entries, and closed entries that are not in `totals`. */
  readonly entries: ReadonlyArray<RecordedEntry>
  /** Sums of closed entries. */
  readonly totals: ReadonlyArray<GuardedTotal>
}

/** A write that a journal has recorded, open or closed. */
export interface RecordedEntry {
  readonly intent: Intent
  /** The last recorded outcome, or `undefined`. */
  readonly outcome: Outcome | undefined
}

/** How a write failed: the tag of the failure, its reason or the rule of a guard if it has any, and the return code. */
export interface Failed {
  readonly failure: string
  readonly retCode?: number
}

/** A failure after which the service can have executed the write. */
export interface Unknown extends Failed {
  readonly _tag: "Unknown"
}

/**
 * The outcome of a write.
 *
 * - `Done`: the service accepted it; for a batch `codes` contains the return code of each part.
 * - `Refused`: the service responded, and did not execute it.
 * - `NotSent`: nothing left this process.
 * - `Reconciled`: the result of `OpenWrites.reconcile`.
 */
export type Outcome =
  | { readonly _tag: "Done"; readonly codes?: ReadonlyArray<number> }
  | ({ readonly _tag: "Refused" } & Failed)
  | ({ readonly _tag: "NotSent" } & Failed)
  | Unknown
  | {
      readonly _tag: "Reconciled"
      readonly executed: "yes" | "no" | "partly" | "unknowable"
      readonly reason: string
    }

/** A write that began and is not closed. */
export interface Entry {
  readonly intent: Intent
  /** `undefined`: the process ended before it recorded an outcome. */
  readonly outcome: Unknown | undefined
}

/**
 * The journal could not record or read entries.
 *
 * `TakenOver`: another process has opened a journal of the same name, and this one records no
 * more writes. `Storage`: the file system or the database failed, or did not answer in time. `Damaged`: a line of a file was changed after it
 * was written, so that a write that was sent may be missing.
 */
export class WriteJournalFailed extends Data.TaggedError("WriteJournalFailed")<{
  readonly reason: "TakenOver" | "Storage" | "Damaged"
  readonly detail: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return this.reason === "TakenOver"
      ? `another process has taken over the journal of writes: ${this.detail}`
      : `the journal of writes failed: ${this.detail}`
  }
}

/** The operations of a journal. `WriteJournal.make` makes a journal from them, and limits the time of each. */
export interface Operations {
  /** A unique id for a new entry. */
  readonly nextId: Effect.Effect<string>
  /**
   * Makes an intent durable: when it ends, the entry survives the death of the process. A repeated sending of the same call begins the same id again, which
   * replaces `at`. Fails if the intent cannot be recorded, or if a later process has taken over the journal: the write is then not sent. It is interrupted if
   * it takes too long; the intent can be recorded all the same, and its outcome follows.
   */
  readonly begin: (intent: Intent) => Effect.Effect<void, WriteJournalFailed>
  /**
   * Records the outcome of an entry. `Unknown` leaves the entry open, any other outcome closes it. Changes nothing for an entry that is closed or never began.
   * It is interrupted if it takes too long: the entry then stays open.
   */
  readonly end: (id: string, outcome: Outcome) => Effect.Effect<void, WriteJournalFailed>
  /** The open entries. Only entries whose calls are over are listed: those of earlier processes, and those without a recorded outcome. */
  readonly open: Effect.Effect<ReadonlyArray<Entry>, WriteJournalFailed>
  /**
   * The writes with `amounts`. A journal keeps them until the service has accepted a write of the same host that is more than a day later; by no other clock.
   */
  readonly guarded: Effect.Effect<GuardedWrites, WriteJournalFailed>
}

export { WriteJournal } from "./JournalHook.js"

export interface Options {
  /** How long an operation can take. After this time it fails with `WriteJournalFailed` and its fiber is interrupted. Defaults to 5 seconds. */
  readonly timeout?: Duration.DurationInput | undefined
}

/**
 * Makes a journal from its operations. Each operation runs in a separate fiber, so a hanging operation cannot block the call: the call times out and can be
 * interrupted meanwhile. An outcome is recorded after the recording of its intent has ended.
 */
export const make = (operations: Operations, options: Options = {}): WriteJournal.Shape => {
  const timeout = Duration.decode(options.timeout ?? "5 seconds")
  const inFlight = new Set<string>()
  // A hedging client begins an entry again before its first recording has ended.
  const beginning = new Map<string, ReadonlyArray<Fiber.RuntimeFiber<void, WriteJournalFailed>>>()
  const track = ({ id }: Intent, fiber: Fiber.RuntimeFiber<void, WriteJournalFailed>) => {
    beginning.set(id, [...(beginning.get(id) ?? []), fiber])
    fiber.addObserver(() => {
      const others = beginning.get(id)?.filter((other) => other !== fiber) ?? []
      if (others.length === 0) beginning.delete(id)
      else beginning.set(id, others)
    })
  }

  const onTimeout = () =>
    new WriteJournalFailed({ reason: "Storage", detail: `no answer within ${Duration.format(timeout)}` })

  return {
    nextId: operations.nextId,
    begin: (intent) =>
      Effect.suspend(() => {
        inFlight.add(intent.id)
        return TimeLimit.within(operations.begin(intent), timeout, onTimeout, (fiber) => {
          track(intent, fiber)
        })
      }),
    end: (id, outcome) =>
      Effect.suspend(() => {
        inFlight.delete(id)
        const recordings = Effect.forEach(beginning.get(id) ?? [], Fiber.await, { discard: true })
        return TimeLimit.within(Effect.zipRight(recordings, operations.end(id, outcome)), timeout, onTimeout)
      }),
    open: Effect.map(TimeLimit.within(operations.open, timeout, onTimeout), (entries) =>
      entries.filter(({ intent }) => !inFlight.has(intent.id))
    ),
    guarded: TimeLimit.within(operations.guarded, timeout, onTimeout),
    "~hook": hook
  }
}

/** The storage of a journal in memory. Journals that share a storage behave like processes that run one after the other. */
export interface MemoryStorage {
  entries: ReadonlyArray<RecordedEntry>
  totals: ReadonlyArray<GuardedTotal>
  owner: object
}

/** Makes the storage of journals in memory, which outlives each of them. */
export const memoryStorage = (): MemoryStorage => ({ entries: [], totals: [], owner: {} })

/** A journal in the memory of this process, for tests. It takes over its storage from the previous journal. */
export const makeMemory = (from: MemoryStorage = memoryStorage()): Effect.Effect<WriteJournal.Shape> =>
  Effect.sync(() => {
    const owner = {}
    const entries = journalEntries.make()
    Array.from(entries.restore(from.entries, from.totals))
    from.owner = owner
    const owned = Effect.suspend(() =>
      from.owner === owner
        ? Effect.void
        : Effect.fail(
            new WriteJournalFailed({
              reason: "TakenOver",
              detail: "another process has opened this journal: only one process at a time can use a journal name"
            })
          )
    )
    const change = (apply: () => void) =>
      Effect.map(owned, () => {
        apply()
        from.entries = entries.open()
        from.totals = entries.totals()
      })
    return make({
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
      guarded: Effect.sync(entries.guarded)
    })
  })

/** A journal in the memory of this process, for tests. */
export const layerMemory: Layer.Layer<WriteJournal> = Layer.effect(
  WriteJournal,
  Effect.suspend(() => makeMemory())
)
