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
 * not, was asked for with other parameters; `detail` says which. `OtherAccount`: the API key is not known to be of the account whose rows
 * are there.
 */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  location: Schema.String,
  reason: Schema.Literal("Locked", "OtherAccount", "OtherExport"),
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.location}: ${this.detail}`
  }
}
