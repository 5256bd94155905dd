/** The parts of a recording, and its failures. Public as `Recording`. */
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/**
 * A request without host, headers and signature.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Request = Schema.Struct({
  method: Schema.String,
  path: Schema.String,
  /** Decoded parameters by name. */
  query: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String })),
  /** A JSON value, or the text of any other body. */
  body: Schema.optional(Schema.Unknown)
})

/**
 * @since 0.1.0
 * @category models
 */
export type Request = typeof Request.Type

/**
 * A response. `body` is a JSON value if printing it returns the same text, otherwise the text.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Answer = Schema.Struct({
  status: Schema.Int,
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  body: Schema.Unknown
})

/**
 * @since 0.1.0
 * @category models
 */
export type Answer = typeof Answer.Type

/**
 * A request and its end: a response, or the `failure` of the connection.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Exchange = Schema.Struct({
  /** When the request was sent, by the `Clock`. */
  at: Schema.DateTimeUtc,
  request: Request,
  answer: Schema.optional(Answer),
  failure: Schema.optional(Schema.String)
})

/**
 * @since 0.1.0
 * @category models
 */
export type Exchange = typeof Exchange.Type

/**
 * Exchanges in the order of their requests.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Recording = Schema.Struct({ version: Schema.Literal(1), exchanges: Schema.Array(Exchange) })

/**
 * @since 0.1.0
 * @category models
 */
export type Recording = typeof Recording.Type

/**
 * A recording that cannot be read.
 *
 * @since 0.1.0
 * @category failures
 */
export class RecordingInvalid extends Schema.TaggedError<RecordingInvalid>("@effect-venue/transport/RecordingInvalid")(
  "RecordingInvalid",
  { detail: Schema.String }
) {
  override get message(): string {
    return `not a recording: ${this.detail}`
  }
}

/**
 * No recorded exchange matches a request. It is the cause of the client's `RequestError`; a call fails with `ConnectionFailed` (`NotSent`), is not repeated,
 * and has this message as its `detail`.
 *
 * @since 0.1.0
 * @category failures
 */
export class NotRecorded extends Schema.TaggedError<NotRecorded>("@effect-venue/transport/NotRecorded")("NotRecorded", {
  method: Schema.String,
  path: Schema.String,
  /** How many responses to an equal request were recorded. All of them are used up. */
  given: Schema.Int,
  /** The nearest recorded request, and the parameters that differ from it. */
  nearest: Schema.optional(Schema.String),
  differences: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const request = `${this.method} ${this.path}`
    if (this.given > 0)
      return `${request} was recorded ${this.given} times with these parameters, and is sent once more`
    if (this.nearest === undefined) return `${request} is not recorded: the recording is empty`
    const differs = this.differences.length === 0 ? "" : `, which differs in ${this.differences.join(", ")}`
    return `${request} is not recorded; the nearest is ${this.nearest}${differs}`
  }
}

/**
 * Reads the text of a recording.
 *
 * @since 0.1.0
 * @category conversions
 */
export const parse = (text: string): Effect.Effect<Recording, RecordingInvalid> =>
  Schema.decode(Schema.parseJson(Recording))(text).pipe(
    Effect.mapError((error) => new RecordingInvalid({ detail: ParseResult.TreeFormatter.formatErrorSync(error) }))
  )

/**
 * The text of a recording: JSON with indentation and a newline at the end.
 *
 * @since 0.1.0
 * @category conversions
 */
export const print = (recording: Recording): string =>
  `${JSON.stringify(Schema.encodeSync(Recording)(recording), undefined, 2)}\n`
