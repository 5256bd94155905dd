/**
 * Recorded HTTP exchanges for tests: `layerRecord` records the requests and responses of a client, and `layerReplay` replays the responses to the same
 * requests without a network.
 *
 * A recording contains no key, secret or signature. Only the headers of rate limits are recorded; the parameters of signatures are removed from queries and
 * bodies; and key, secret and signature are removed from responses that repeat them. UIDs, addresses and amounts are recorded, because requests contain them:
 * `pseudonyms` replaces UIDs and addresses.
 */
import * as Folders from "../stores/Folders.js"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as PlatformError from "@effect/platform/Error"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ParseResult from "effect/ParseResult"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { make as makePseudonyms } from "./pseudonyms.js"
import { inOrder } from "./record.js"
import { replay } from "./replay.js"
import * as Recorder from "./Recorder.js"

/** A request without host, headers and signature. */
const Request = Schema.Struct({
  method: Schema.String,
  path: Schema.String,
  /** Decoded parameters by name. */
  query: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String })),
  /** A JSON value, or the text of any other body. */
  body: Schema.optional(Schema.Unknown)
})

/** A response. `body` is a JSON value if printing it returns the same text, otherwise the text. */
const Answer = Schema.Struct({
  status: Schema.Int,
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  body: Schema.Unknown
})

/** A request and its end: a response, or the `failure` of the connection. */
export const Exchange = Schema.Struct({
  /** When the request was sent, by the `Clock`. */
  at: Schema.DateTimeUtc,
  request: Request,
  answer: Schema.optional(Answer),
  failure: Schema.optional(Schema.String)
})

export type Exchange = typeof Exchange.Type

/** Exchanges in the order of their requests. */
export const Recording = Schema.Struct({ version: Schema.Literal(1), exchanges: Schema.Array(Exchange) })

export type Recording = typeof Recording.Type

/** A recording that cannot be read. */
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
 * @category conversions
 */
export const parse = (text: string): Effect.Effect<Recording, RecordingInvalid> =>
  Schema.decode(Schema.parseJson(Recording))(text).pipe(
    Effect.mapError((error) => new RecordingInvalid({ detail: ParseResult.TreeFormatter.formatErrorSync(error) }))
  )

/**
 * The text of a recording: JSON with indentation and a newline at the end.
 *
 * @category conversions
 */
export const print = (recording: Recording): string =>
  `${JSON.stringify(Schema.encodeSync(Recording)(recording), undefined, 2)}\n`

export interface Options {
  /** Additional secrets that must not be recorded. The key of each request is always removed, and so is the secret of `Credentials` if they are provided. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted> | undefined
  /** Applied to each exchange after its secrets are removed. `pseudonyms()` replaces UIDs. Defaults to no change. */
  readonly transform?: ((exchange: Exchange) => Exchange) | undefined
}

/**
 * Replaces the UIDs and addresses of accounts with pseudonyms, the same for equal values throughout a recording. Every call of this function starts with new
 * pseudonyms.
 *
 * It replaces the values of the members and parameters `uid`, `uids`, `userId`, `memberId` and the like, and `address`, `tag` and `txID`. A UID inside other
 * text is not replaced.
 */
export const pseudonyms = (): ((exchange: Exchange) => Exchange) => {
  const replace = makePseudonyms()
  return ({ answer, request, ...exchange }) => ({
    ...exchange,
    request: {
      ...request,
      ...(request.query === undefined ? {} : { query: replace.texts(request.query) }),
      ...(request.body === undefined ? {} : { body: replace.value(request.body) })
    },
    ...(answer === undefined ? {} : { answer: { ...answer, body: replace.value(answer.body) } })
  })
}

/** A sink that writes a file when its scope closes, even after a failure. It replaces an existing file, and creates missing folders. */
const fileSink = (
  file: string
): Effect.Effect<Recorder.Sink, PlatformError.PlatformError, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    yield* Folders.makeFolder({ fs: files, path }, path.dirname(file))
    const exchanges: Array<Exchange> = []
    yield* Effect.addFinalizer(() =>
      Effect.orDie(files.writeFileString(file, print({ version: 1, exchanges: inOrder(exchanges) })))
    )
    return {
      put: (exchange) =>
        Effect.sync(() => {
          exchanges.push(exchange)
        })
    }
  })

/**
 * Records into a file, which is written when the layer ends, even after a failure. It replaces an existing file, and creates missing folders. A killed process
 * leaves no file. The secret of `Credentials` is removed if they are in the context; all other secrets are known from the requests.
 */
export const layerRecord = (
  file: string,
  options?: Options
): Layer.Layer<
  HttpClient.HttpClient,
  PlatformError.PlatformError,
  HttpClient.HttpClient | FileSystem.FileSystem | Path.Path
> =>
  Layer.scoped(
    HttpClient.HttpClient,
    Effect.gen(function* () {
      const recorded = yield* Recorder.make(yield* fileSink(file), options)
      return recorded(yield* HttpClient.HttpClient)
    })
  )

export interface ReplayOptions {
  /** Names of parameters that are ignored in the comparison, such as `startTime` or `orderLinkId`. Defaults to none. */
  readonly ignore?: ReadonlyArray<string> | undefined
}

/** Credentials for replayed requests. They belong to no account, and are the same in every test. */
export const credentials: Credentials.Credentials.Shape = Credentials.make({
  baseUrl: "http://replay.invalid",
  apiKey: "replayed",
  apiSecret: Redacted.make("replayed")
})

/**
 * Responds from a recording, with `credentials`. A request matches by method, path, and the parameters of query or body except those of the signature. Different
 * requests can be sent in any order; the responses to equal requests are returned in the order of recording, each once. A request without a recorded response
 * fails with a `RequestError` whose cause is `NotRecorded`.
 */
export const layerReplayOf = (
  recording: Recording,
  options: ReplayOptions = {}
): Layer.Layer<HttpClient.HttpClient | Credentials.Credentials> =>
  Layer.sync(HttpClient.HttpClient, () =>
    replay(recording, new Set(options.ignore), (details) => new NotRecorded(details))
  ).pipe(Layer.merge(Layer.succeed(Credentials.Credentials, credentials)))

/** Responds from a recorded file, with `credentials`. */
export const layerReplay = (
  file: string,
  options?: ReplayOptions
): Layer.Layer<
  HttpClient.HttpClient | Credentials.Credentials,
  PlatformError.PlatformError | RecordingInvalid,
  FileSystem.FileSystem
> =>
  Layer.unwrapEffect(
    FileSystem.FileSystem.pipe(
      Effect.flatMap((files) => files.readFileString(file)),
      Effect.flatMap(parse),
      Effect.map((recording) => layerReplayOf(recording, options))
    )
  )
