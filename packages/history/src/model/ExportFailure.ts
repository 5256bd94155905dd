/** The failures of exports and streams of history. */
import type * as Failure from "@effect-venue/transport/Failure"
import { formatDuration } from "@effect-venue/schemas/siblings/Words"
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/** A sink could not be written. `detail` is the reason in a few words. */
export class SinkFailure extends Schema.TaggedError<SinkFailure>()("SinkFailure", {
  location: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `cannot write ${this.location}: ${this.detail}`
  }
}

/**
 * An export was not begun, and nothing was changed.
 *
 * `Locked`: another run is active. `OtherExport`: the existing export, finished or not,
 * has other parameters; `detail` names them. `OtherAccount`: the existing rows are of another account than the API key. `UnknownKey`: the
 * API key is new to the export, and no rows can show its account.
 */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  location: Schema.String,
  reason: Schema.Literal("Locked", "OtherAccount", "OtherExport", "UnknownKey"),
  detail: Schema.String
}) {
  override get message(): string {
    const remedy = this.reason === "UnknownKey" ? ": declare it (sameAccount, --same-account)" : ""
    return `${this.location}: ${this.detail}${remedy}`
  }
}

/** The rows of a part cannot be read: its file is not there or is damaged, or its format or dataset is unknown. */
export class Unreadable extends Schema.TaggedError<Unreadable>()("Unreadable", {
  location: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.location}: ${this.detail}`
  }
}

/**
 * The start of a range is beyond the retention of the service: rows before `earliest` would be missing without a trace. The stream fails
 * before the first row. `retention` is how long the service keeps records of this operation, `earliest` the oldest instant by its clock
 * when the range was checked.
 *
 * To read the remaining rows, pass `from: "earliest"` or `beyondRetention: "clamp"`.
 */
export class BeyondRetention extends Schema.TaggedError<BeyondRetention>()("BeyondRetention", {
  operation: Schema.String,
  from: Schema.DateTimeUtc,
  earliest: Schema.DateTimeUtc,
  retention: Schema.Duration
}) {
  override get message(): string {
    return `${this.operation}: from ${DateTime.formatIso(this.from)} exceeds the retention of ${formatDuration(Duration.toMillis(this.retention))}, the earliest record that the service keeps is of ${DateTime.formatIso(this.earliest)}: pass from "earliest" or beyondRetention "clamp" to read what there is`
  }
}

/** A call for one of several accounts failed. `failure` is how. */
export class AccountFailed extends Data.TaggedError("AccountFailed")<{
  readonly account: string
  readonly part: string
  readonly failure: Failure.ReadFailure
}> {
  override get message(): string {
    return `account ${this.account}: ${this.failure.message}`
  }
}
