/**
 * Instants: milliseconds or seconds since 1970, as text or as a number on the wire, `DateTime.Utc` in the domain.
 * Each schema is named after the documented spelling, which it writes; it reads the other spelling too
 * (facts/contradictions.md A9, A10, C).
 *
 * @since 0.1.0
 */
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { reads, refused } from "./internal/reading.js"

/**
 * What a request takes as an instant: a `DateTime`, a `Date`, ISO text, milliseconds, or calendar parts.
 *
 * @since 0.1.0
 * @category models
 */
export type Input = DateTime.DateTime.Input

/**
 * The unit in which an endpoint counts time.
 *
 * @since 0.1.0
 * @category models
 */
export type Unit = "ms" | "s"

const perUnit = { ms: 1, s: 1000 } as const

const wholeNumber = /^-?\d{1,16}$/

const read = (wire: string | number, unit: Unit): Option.Option<DateTime.Utc> =>
  typeof wire === "number"
    ? Number.isInteger(wire)
      ? DateTime.make(wire * perUnit[unit])
      : Option.none()
    : wholeNumber.test(wire)
      ? DateTime.make(Number(wire) * perUnit[unit])
      : Option.none()

// From the wire, of whatever type.
const readAny = (input: unknown, unit: Unit): DateTime.Utc | typeof refused =>
  typeof input === "string" || typeof input === "number" ? Option.getOrElse(read(input, unit), () => refused) : refused

const make = (unit: Unit, spelling: "text" | "number"): Schema.Schema<DateTime.Utc, string | number> => {
  const rule = `must be an instant in ${unit === "ms" ? "milliseconds" : "seconds"}`
  const wire = Schema.Union(Schema.String, Schema.Number).annotations({
    identifier: `Instant(${unit}, ${spelling})`,
    message: () => ({ message: rule, override: true }),
    arbitrary: () => (fc) => {
      const count = fc.integer({ min: 0, max: 4_102_444_800_000 / perUnit[unit] })
      return spelling === "text" ? count.map(String) : count
    }
  })
  return Schema.transformOrFail(wire, Schema.DateTimeUtcFromSelf, {
    strict: true,
    decode: (input, _, ast) =>
      Option.match(read(input, unit), {
        onNone: () => ParseResult.fail(new ParseResult.Type(ast, input, rule)),
        onSome: ParseResult.succeed
      }),
    encode: (instant) => {
      const count = Math.floor(instant.epochMillis / perUnit[unit])
      return ParseResult.succeed(spelling === "text" ? String(count) : count)
    }
  }).annotations(reads(() => (input) => readAny(input, unit)))
}

/**
 * Milliseconds as text.
 *
 * @since 0.1.0
 * @category schemas
 */
export const MillisText = make("ms", "text")

/**
 * Milliseconds as a number.
 *
 * @since 0.1.0
 * @category schemas
 */
export const MillisNumber = make("ms", "number")

/**
 * Seconds as text. Writing drops the milliseconds.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SecondsText = make("s", "text")

/**
 * Seconds as a number. Writing drops the milliseconds.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SecondsNumber = make("s", "number")

/**
 * An instant among the parameters of a query, counted in `unit`. An input that is no instant is refused; one that does
 * not fall on a whole unit is refused too, because rounding it would move the border of what was asked for.
 *
 * @since 0.1.0
 * @category schemas
 */
export const queryInstant = (unit: Unit): Schema.Schema<Input, string> => {
  const rule =
    unit === "ms"
      ? "must be an instant (DateTime, Date, ISO text or milliseconds)"
      : "must be an instant on a whole second (DateTime, Date, ISO text or milliseconds)"
  const count = (input: unknown): Option.Option<number> => Option.map(millis(input), (at) => at / perUnit[unit])
  return Schema.transformOrFail(
    Schema.String.annotations({
      arbitrary: () => (fc) => fc.integer({ min: 0, max: 4_102_444_800_000 / perUnit[unit] }).map(String)
    }),
    Schema.declare((input: unknown): input is Input => Option.exists(count(input), Number.isInteger), {
      identifier: `Instant(${unit})`,
      message: () => rule
    }),
    {
      strict: true,
      decode: (wire, _, ast) =>
        Option.match(read(wire, unit), {
          onNone: () => ParseResult.fail(new ParseResult.Type(ast, wire, rule)),
          onSome: (at): Either.Either<Input, ParseResult.ParseIssue> => Either.right(at)
        }),
      encode: (input, _, ast) =>
        Option.match(count(input), {
          onNone: () => ParseResult.fail(new ParseResult.Type(ast, input, rule)),
          onSome: (units) => ParseResult.succeed(String(units))
        })
    }
  )
}

// `DateTime.make` takes `{}` for 1970, `true` for its first millisecond and "5" for May 2001, and drops fractions of a
// millisecond: a range in a request must not come about like that.
const isInput = (input: unknown): input is Input => {
  if (typeof input === "number") return Number.isInteger(input)
  if (typeof input === "string") return /^(\d{4}|[+-]\d{6})-\d{2}-\d{2}/.test(input)
  if (typeof input !== "object" || input === null) return false
  return DateTime.isDateTime(input) || input instanceof Date || ("year" in input && Number.isInteger(input.year))
}

/**
 * Milliseconds of an input, `none` when it is no instant: not text in ISO form, or calendar parts without a year.
 *
 * @since 0.1.0
 * @category conversions
 */
export const millis = (input: unknown): Option.Option<number> =>
  isInput(input) ? Option.map(DateTime.make(input), (at) => at.epochMillis) : Option.none()

/**
 * 1970-01-01T00:00:00Z.
 *
 * @since 0.1.0
 * @category constants
 */
export const epoch: DateTime.Utc = DateTime.unsafeMake(0)

/**
 * Text whose unit the service's own pages disagree about: counts of this size are only plausible in one of the units, since
 * in the other they lie before 1973 or after 5000. Read by size. What was read is written back as it was; any other instant
 * is written in the documented unit. (facts/contradictions.md A9, A10)
 *
 * @since 0.1.0
 * @category schemas
 */
export const disputedText = (documented: Unit): Schema.Schema<DateTime.Utc, string | number> => {
  const rule = "must be an instant in seconds or milliseconds"
  const border = 100_000_000_000
  const spelled = new WeakMap<DateTime.Utc, string | number>()
  return Schema.transformOrFail(
    Schema.Union(Schema.String, Schema.Number).annotations({
      identifier: `Instant(${documented}?, text)`,
      message: () => ({ message: rule, override: true }),
      arbitrary: () => (fc) =>
        fc
          .tuple(fc.integer({ min: border, max: 4_102_444_800_000 }), fc.constantFrom(1, 1000))
          .map(([millis, perUnit]) => String(Math.floor(millis / perUnit)))
    }),
    Schema.DateTimeUtcFromSelf,
    {
      strict: true,
      decode: (wire, _, ast) =>
        Option.match(read(wire, Math.abs(Number(wire)) < border ? "s" : "ms"), {
          onNone: () => ParseResult.fail(new ParseResult.Type(ast, wire, rule)),
          onSome: (instant) => {
            spelled.set(instant, wire)
            return ParseResult.succeed(instant)
          }
        }),
      encode: (instant) =>
        ParseResult.succeed(spelled.get(instant) ?? String(Math.floor(instant.epochMillis / perUnit[documented])))
    }
  )
}
