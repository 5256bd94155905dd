/**
 * A record of every write that outlives the process. The intent is durable before the first byte of the write leaves, its outcome follows
 * after the answer. A write that a killed process had in flight has no outcome; `OpenWrites.reconcile` looks it up.
 *
 * No journal is the default, and costs nothing. One is used where it is provided: to the layer of the transport, or around a call, of
 * which the one around the call is taken. `FileWriteJournal` and `SqlWriteJournal` keep one on disk.
 *
 * The parameters of a write are kept verbatim where a look-up needs them. Keys, secrets and signatures are never part of an entry.
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
   * A journal that transports can use; `make` makes one from its operations.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Shape extends Operations {
    /** How transports use it. */
    readonly "~hook": unknown
  }
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * How long an operation can take, after which it fails with `WriteJournalFailed` and its fiber is interrupted. Defaults to 5 seconds.
   */
  readonly timeout?: Duration.DurationInput | undefined
}

/**
 * A journal from its operations. Each runs in a fiber of its own, so that one that hangs cannot hold up the call: the call times out and can
 * be interrupted meanwhile. An outcome is recorded after the recording of the intent has ended.
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
