// Types shared by the files of the compiler. The overview is docs/decisions/0017-compiled-decoders.md

import * as Option from "effect/Option"
import type { ParseIssue } from "effect/ParseResult"

/** Returned by a reader instead of a value. The schema's decoder then reports the reason. */
export const refused: unique symbol = Symbol.for("@effect-venue/schemas/refused")

/** The value of a field that is left out of its struct. */
export const leftOut: unique symbol = Symbol.for("@effect-venue/schemas/leftOut")

/** The filter of a refinement that refuses nothing. It only words the refusals of a record or a result. */
export const acceptAll = (): Option.Option<ParseIssue> => Option.none()

/** Decodes without wrapping the value. */
export type Read<A = unknown> = (input: unknown) => A | typeof refused

/** Encodes without wrapping the value. */
export type Write = (value: unknown) => unknown

/** Checks a value without changing it. */
export type Check = (input: unknown) => boolean

// Checks that accept every text, which generated code does not call for one.
const acceptsText = new WeakSet<Check>()

/** Marks a check that accepts every text. */
export const ofText = (check: Check): Check => {
  acceptsText.add(check)
  return check
}

/** Whether a check accepts every text. */
export const isOfText = (check: Check): boolean => acceptsText.has(check)

/** The reader of a field, and its value if the key is missing. */
export interface ReadField {
  readonly read: Read
  readonly absent: unknown
}

// The annotations for direct readers, checks and writers. Created on first use. A reader refuses every input that its transformation fails on.
export const ReadId: unique symbol = Symbol.for("@effect-venue/schemas/Read")
export const CheckId: unique symbol = Symbol.for("@effect-venue/schemas/Check")
export const ReadFieldId: unique symbol = Symbol.for("@effect-venue/schemas/ReadField")
/** The annotation of a list of details: returns the paths of the parts of an input that cannot be read and are left out. */
export const LeftOutId: unique symbol = Symbol.for("@effect-venue/schemas/LeftOut")
export const WriteFieldId: unique symbol = Symbol.for("@effect-venue/schemas/WriteField")
