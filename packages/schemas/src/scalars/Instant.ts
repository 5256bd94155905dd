/**
 * Instants: milliseconds or seconds since 1970, as text or a number on the wire, `DateTime.Utc` in the domain. Each schema is named after
 * the spelling that the service documents and writes that spelling. Text and numbers are both accepted
 * (docs/reference/contradictions.md#units-of-instants).
 */
import type * as DateTime from "effect/DateTime"
import type * as Either from "effect/Either"
import type * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as instants from "./instants.js"

/** The type of an instant in a request: a `DateTime`, a `Date`, ISO text, milliseconds, or calendar parts. */
export type Input = InstantInput

// The name that editors show in type errors.
type InstantInput = DateTime.DateTime | Partial<DateTime.DateTime.Parts> | Date | number | string

/** Milliseconds as text. */
export const MillisText: Schema.Schema<DateTime.Utc, string | number> = instants.MillisText

/** Seconds as text. Writing drops the milliseconds. */
export const SecondsText: Schema.Schema<DateTime.Utc, string | number> = instants.SecondsText

/**
 * Returns the milliseconds of an input, or the rule that it violates. Text is ISO 8601: a date, or a date and a time to the millisecond;
 * without a zone it is UTC. A day, month, hour, minute, second or zone offset that does not exist is refused and never rolled over: the
 * 31st of a month with 30 days, 24 o'clock, a leap second.
 *
 * @category conversions
 */
export const parse: (input: unknown) => Either.Either<number, string> = instants.parse

/**
 * Returns the milliseconds of an input, or `none` if `parse` refuses it.
 *
 * @category conversions
 */
export const millis: (input: unknown) => Option.Option<number> = instants.millis
