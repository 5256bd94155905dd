import * as Instant from "@effect-venue/schemas/Instant"
import * as Failure from "@effect-venue/transport/Failure"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as Dataset from "./Dataset.js"
import { BeyondRetention } from "./ExportFailure.js"

/** An instant in milliseconds, ISO text in the file. */
export const At: Schema.Schema<number, string> = Schema.transformOrFail(Schema.String, Schema.Int, {
  strict: true,
  decode: (text, _, ast) => Either.mapLeft(Instant.parse(text), (rule) => new ParseResult.Type(ast, text, rule)),
  encode: (at) => ParseResult.succeed(new Date(at).toISOString())
}).annotations({ identifier: "At" })

/** A range as an application passes it: `from` belongs to it, `to` does not. */
export interface Range {
  readonly from: Instant.Input
  readonly to: Instant.Input
}

/** A range with a policy for a `from` that exceeds the retention. */
export interface RetainedRange extends Range {
  readonly beyondRetention?: "fail" | "clamp" | undefined
}

const refuse = (operation: string, field: string, rule: string) =>
  new Failure.InvalidRequest({ operation, field, rule, issues: [{ field, rule }] })

const instant = (operation: string, field: string, input: Instant.Input) =>
  Either.mapLeft(Instant.parse(input), (rule) => refuse(operation, field, rule))

/**
 * Checks that both ends of a range are instants and `from` is before `to`. A range that begins before 1970 is cut there, because the service counts
 * from 1970; a program in virtual time can request the hour before the zero of its clock.
 */
export const make = (operation: string, range: Range): Either.Either<Dataset.Window, Failure.InvalidRequest> =>
  Either.gen(function* () {
    const from = yield* instant(operation, "from", range.from)
    const to = yield* instant(operation, "to", range.to)
    if (from >= to) return yield* Either.left(refuse(operation, "from", "must be before to"))
    if (to < 0) return yield* Either.left(refuse(operation, "to", "must not be before 1970-01-01T00:00:00Z"))
    return { from: to > 0 ? Math.max(from, 0) : from, to }
  })

/** How long the service keeps the records of an operation (`none` if that is not documented), and its clock in milliseconds. */
export interface Retention {
  readonly keeps: Option.Option<Duration.Duration>
  readonly now: number
}

/**
 * Checks a range as `make` does, and its start against the retention. `"earliest"` is refused if no retention is documented. A clamped
 * range can be empty: `from` equals `to`.
 */
export const within = (
  operation: string,
  range: RetainedRange,
  { keeps, now }: Retention
): Either.Either<Dataset.Window, Failure.InvalidRequest | BeyondRetention> =>
  Either.gen(function* () {
    const earliest = Option.map(keeps, (longest) => Math.ceil(now - Duration.toMillis(longest)))
    if (range.from === "earliest") {
      const from = yield* Either.fromOption(earliest, () =>
        refuse(operation, "from", "must be an instant: the service documents no retention for this operation")
      )
      const to = yield* instant(operation, "to", range.to)
      const rule = `must be after ${DateTime.formatIso(DateTime.unsafeMake(from))}, the earliest instant that the service keeps`
      return from < to ? { from, to } : yield* Either.left(refuse(operation, "to", rule))
    }
    const { from, to } = yield* make(operation, range)
    if (Option.isNone(keeps) || Option.isNone(earliest) || from >= earliest.value) return { from, to }
    if (range.beyondRetention === "clamp") return { from: Math.min(to, earliest.value), to }
    const [begin, oldest] = [DateTime.unsafeMake(from), DateTime.unsafeMake(earliest.value)]
    return yield* Either.left(new BeyondRetention({ operation, from: begin, earliest: oldest, retention: keeps.value }))
  })

/** Cuts a range into windows no longer than `span`, oldest first, without gap or overlap. */
export const split = (range: Dataset.Window, span: Duration.Duration): ReadonlyArray<Dataset.Window> => {
  const step = Duration.toMillis(span)
  const windows: Array<Dataset.Window> = []
  for (let from = range.from; from < range.to; from += step) {
    windows.push({ from, to: Math.min(from + step, range.to) })
  }
  return windows
}
