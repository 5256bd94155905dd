import type * as Failure from "@effect-venue/transport/Failure"
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * A sink could not be written. `detail` says why in a few words.
 */
export class SinkFailure extends Schema.TaggedError<SinkFailure>()("SinkFailure", {
  location: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `cannot write ${this.location}: ${this.detail}`
  }
}

/**
 * An export was not begun, and nothing was touched. `Locked`: another run is at work there. `OtherExport`: what is there, finished or
 * not, was begun with other parameters; `detail` names them. `OtherAccount`: the API key is of another account than the rows that are there.
 * `UnknownKey`: the export has not seen the API key before, and has no rows that could show whose it is.
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

/**
 * The start of a range is older than what the service keeps: rows before `earliest` would be missing without a trace. It is
 * reported before the first row. `retention` is how long the service keeps records of this operation, `earliest` the oldest instant
 * that it had by its own clock when the range was checked.
 *
 * To read what the service still has, pass `from: "earliest"` or `beyondRetention: "clamp"`.
 */
export class BeyondRetention extends Schema.TaggedError<BeyondRetention>()("BeyondRetention", {
  operation: Schema.String,
  from: Schema.DateTimeUtc,
  earliest: Schema.DateTimeUtc,
  retention: Schema.Duration
}) {
  override get message(): string {
    return `${this.operation}: from ${DateTime.formatIso(this.from)} exceeds the retention of ${Duration.toDays(this.retention)} days, the earliest record that the service keeps is of ${DateTime.formatIso(this.earliest)}: pass from "earliest" or beyondRetention "clamp" to read what there is`
  }
}

/**
 * A call for one of several accounts failed. `failure` is how.
 */
export class AccountFailed extends Data.TaggedError("AccountFailed")<{
  readonly account: string
  readonly part: string
  readonly failure: Failure.ReadFailure
}> {
  override get message(): string {
    return `account ${this.account}: ${this.failure.message}`
  }
}

interface OfAccount {
  readonly name: string
  readonly account: Option.Option<string>
}

/** Names the account in the failures of a part, where an export has several. */
export const namingAccounts = (parts: ReadonlyArray<OfAccount>) => {
  const hasSeveral = new Set(parts.map(({ account }) => Option.getOrNull(account))).size > 1
  return ({ account, name }: OfAccount, failure: Failure.ReadFailure): Failure.ReadFailure | AccountFailed =>
    hasSeveral && Option.isSome(account) ? new AccountFailed({ account: account.value, part: name, failure }) : failure
}
