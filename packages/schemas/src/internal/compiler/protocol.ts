// What the files of the compiler agree on. How they belong together: docs/decisions/0017-compiled-decoders.md
import type * as Schema from "effect/Schema"

/** What a reader answers instead of a value. Why it refuses is for the schema's own decoder to say. */
export const refused: unique symbol = Symbol.for("@effect-venue/schemas/refused")

/** What a field is that stays out of its struct. */
export const leftOut: unique symbol = Symbol.for("@effect-venue/schemas/leftOut")

/** Decodes in one go, with nothing wrapped around the value. */
export type Read<A = unknown> = (input: unknown) => A | typeof refused

/** Encodes in one go. */
export type Write = (value: unknown) => unknown

/** Whether something fits, as it is. */
export type Check = (input: unknown) => boolean

/** How a field of a struct is read, and what it is when its key is missing. */
export interface ReadField {
  readonly read: Read
  readonly absent: unknown
}

// Where a schema of ours says how it is read directly. Created on first use.
export const ReadId: unique symbol = Symbol.for("@effect-venue/schemas/Read")
export const CheckId: unique symbol = Symbol.for("@effect-venue/schemas/Check")
export const ReadFieldId: unique symbol = Symbol.for("@effect-venue/schemas/ReadField")
export const WriteFieldId: unique symbol = Symbol.for("@effect-venue/schemas/WriteField")

/** For a transformation: reads what it decodes, and refuses what it fails on. */
export const reads = <A>(read: () => Read<A>): Schema.Annotations.Schema<A> => ({ [ReadId]: read })
