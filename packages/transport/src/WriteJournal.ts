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
import { hook } from "./internal/journalWrites.js"
import type { Operations } from "./WriteEntry.js"

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
 * A journal from its operations. `WriteJournalLaws` has the laws that they keep.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (operations: Operations): WriteJournal.Shape => ({ ...operations, "~hook": hook })
