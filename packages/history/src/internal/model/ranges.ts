import * as Instant from "@effect-venue/schemas/Instant"
import * as Failure from "@effect-venue/transport/Failure"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Dataset from "../../Dataset.js"
import { BeyondRetention } from "../../ExportFailure.js"

/** A range as an application passes it: `from` belongs to it, `to` does not. */
export interface Range {
  readonly from: Instant.Input
  readonly to: Instant.Input
}

/** A range with a policy for a `from` that exceeds the retention. */
export interface RetainedRange {
  readonly from: Instant.Input
  readonly to: Instant.Input
  readonly beyondRetention?: "fail" | "clamp" | undefined
}

const refused = (operation: string, field: string, rule: string) =>
  new Failure.InvalidRequest({ operation, field, rule, issues: [{ field, rule }] })

const instant = (operation: string, field: string, input: Instant.Input) =>
  Either.mapLeft(Instant.parse(input), (rule) => refused(operation, field, rule))

/**
 * Checks that both ends of a range are instants and `from` is before `to`. A range that begins before 1970 is cut there, because the service counts
 * from 1970; a program in virtual time can request the hour before the zero of its clock.
 */
export const make = (operation: string, range: Range): Either.Either<Dataset.Window, Failure.InvalidRequest> =>
  Either.gen(function* () {
    const from = yield* instant(operation, "from", range.from)
    const to = yield* instant(operation, "to", range.to)
    if (from >= to) return yield* Either.left(refused(operation, "from", "must be before to"))
    if (to < 0) return yield* Either.left(refused(operation, "to", "must not be before 1970-01-01T00:00:00Z"))
    return { from: to > 0 ? Math.max(from, 0) : from, to }
  })

/** How long the service keeps the records of an operation (`none` if that is not documented), and its clock in milliseconds. */
export interface Retention {
  readonly keeps: Option.Option<Duration.Duration>
  readonly now: number
}

const earliestOf = ({ keeps, now }: Retention): Option.Option<number> =>
  Option.map(keeps, (retention) => Math.ceil(now - Duration.toMillis(retention)))

/** The failure of a range that begins at `from`, if that exceeds the retention. */
const beyondRetention = (operation: string, from: number, retention: Retention): Option.Option<BeyondRetention> =>
  Option.map(
    Option.filter(Option.all([retention.keeps, earliestOf(retention)]), ([, earliest]) => from < earliest),
    ([keeps, earliest]) =>
      new BeyondRetention({
        operation,
        from: DateTime.unsafeMake(from),
        earliest: DateTime.unsafeMake(earliest),
        retention: keeps
      })
  )

/**
 * Checks a range as `make` does, and its start against the retention. `"earliest"` is refused if no retention is documented. A clamped
 * range can be empty: `from` equals `to`.
 */
export const within = (
  operation: string,
  range: RetainedRange,
  retention: Retention
): Either.Either<Dataset.Window, Failure.InvalidRequest | BeyondRetention> =>
  Either.gen(function* () {
    const earliest = earliestOf(retention)
    if (range.from === "earliest") {
      const from = yield* Either.fromOption(earliest, () =>
        refused(operation, "from", "must be an instant: the service documents no retention for this operation")
      )
      const to = yield* instant(operation, "to", range.to)
      const rule = `must be after ${DateTime.formatIso(DateTime.unsafeMake(from))}, the earliest instant that the service keeps`
      return from < to ? { from, to } : yield* Either.left(refused(operation, "to", rule))
    }
    const { from, to } = yield* make(operation, range)
    const beyond = beyondRetention(operation, from, retention)
    if (Option.isNone(beyond)) return { from, to }
    if (range.beyondRetention !== "clamp") return yield* Either.left(beyond.value)
    return { from: Math.min(to, beyond.value.earliest.epochMillis), to }
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
