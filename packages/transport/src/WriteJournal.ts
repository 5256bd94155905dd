/**
 * A record of every write that outlives the process. The intent is durable before the first byte of the write leaves; the outcome is recorded after the
 * response. A write that was in flight when its process was killed has no outcome; `OpenWrites.reconcile` looks it up.
 *
 * By default no journal is used, which costs nothing. Provide a journal to the layer of the transport or around a call; the one around the call has
 * precedence. `FileWriteJournal` and `SqlWriteJournal` store a journal on disk.
 *
 * The parameters that a look-up needs are stored verbatim. Entries never contain keys, secrets or signatures.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { hook } from "./internal/journal/journalWrites.js"
import * as timeLimit from "./internal/time/timeLimit.js"
import { type Operations, WriteJournalFailed } from "./WriteEntry.js"

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
   * A journal for transports. `make` creates it from its operations.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Shape extends Operations {
    /** Used by transports. */
    readonly "~hook": unknown
  }
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** How long an operation can take. After this time it fails with `WriteJournalFailed` and its fiber is interrupted. Defaults to 5 seconds. */
  readonly timeout?: Duration.DurationInput | undefined
}

/**
 * Makes a journal from its operations. Each operation runs in a separate fiber, so a hanging operation cannot block the call: the call times out and can be
 * interrupted meanwhile. An outcome is recorded after the recording of its intent has ended.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (operations: Operations, options: Options = {}): WriteJournal.Shape => {
  const timeout = Duration.decode(options.timeout ?? "5 seconds")
  const inFlight = new Set<string>()
  const beginning = new Map<string, Fiber.RuntimeFiber<void, WriteJournalFailed>>()

  const onTimeout = () =>
    new WriteJournalFailed({ reason: "Storage", detail: `no answer within ${Duration.format(timeout)}` })

  return {
    nextId: operations.nextId,
    begin: (intent) =>
      Effect.suspend(() => {
        inFlight.add(intent.id)
        return timeLimit.within(operations.begin(intent), timeout, onTimeout, (fiber) => {
          beginning.set(intent.id, fiber)
          fiber.addObserver(() => beginning.delete(intent.id))
        })
      }),
    end: (id, outcome) =>
      Effect.suspend(() => {
        inFlight.delete(id)
        const fiber = beginning.get(id)
        const begun = fiber === undefined ? Effect.void : Fiber.await(fiber)
        return timeLimit.within(Effect.zipRight(begun, operations.end(id, outcome)), timeout, onTimeout)
      }),
    open: Effect.map(timeLimit.within(operations.open, timeout, onTimeout), (entries) =>
      entries.filter(({ intent }) => !inFlight.has(intent.id))
    ),
    guarded: (since) => timeLimit.within(operations.guarded(since), timeout, onTimeout),
    "~hook": hook
  }
}
