/**
 * Recorded exchanges of HTTP for tests: `layerRecord` writes down what a client is asked and answers, `layerReplay` answers the same
 * requests without a network.
 *
 * A recording has no key, no secret and no signature. Headers are left out but for those of rate limits; the parameters of signatures are left
 * out of queries and bodies; and key, secret and signature are removed wherever an answer repeats them. UIDs, addresses and amounts are
 * kept, because requests name them: `pseudonyms` replaces UIDs and addresses.
 *
 * @since 0.1.0
 */
import * as Credentials from "@effect-venue/signing/Credentials"
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type * as PlatformError from "@effect/platform/Error"
import * as Path from "@effect/platform/Path"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { describeCause } from "./internal/connection.js"
import * as parts from "./internal/recording/exchange.js"
import * as matching from "./internal/recording/matching.js"
import * as accounts from "./internal/recording/pseudonyms.js"
import * as secrets from "./internal/recording/secrets.js"

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
 * An answer. `body` is a JSON value where printing it gives the same text again, otherwise the text.
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
 * A request and how it ended: with an answer, or with the `failure` of the connection.
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
 * @category errors
 */
export class RecordingInvalid extends Schema.TaggedError<RecordingInvalid>("@effect-venue/transport/RecordingInvalid")(
  "RecordingInvalid",
  { detail: Schema.String }
) {
  override get message(): string {
    return `not a recording: ${this.detail}`
  }
}

const differenceText = ({ parameter, recorded, sent }: matching.Difference): string =>
  `${parameter} (recorded ${recorded ?? "without"}, sent ${sent ?? "without"})`

/**
 * A request that no recorded exchange answers. It is the cause of the client's `RequestError`; a call fails with `ConnectionFailed`
 * (`NotSent`), is not repeated, and has this message as its `detail`.
 *
 * @since 0.1.0
 * @category errors
 */
export class NotRecorded extends Schema.TaggedError<NotRecorded>("@effect-venue/transport/NotRecorded")("NotRecorded", {
  method: Schema.String,
  path: Schema.String,
  /** How many answers of this very request were recorded; all of them have been given. */
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

/**
 * Where exchanges are put, in the order of their requests' ends.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sink {
  readonly put: (exchange: Exchange) => Effect.Effect<void>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** What else must not be recorded. The key of each request is removed anyway, and the secret of `Credentials` where they are provided. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted> | undefined
  /** Applied to each exchange after its secrets are removed. `pseudonyms()` replaces UIDs. Defaults to no change. */
  readonly transform?: ((exchange: Exchange) => Exchange) | undefined
}

/**
 * Replaces the UIDs and addresses of accounts: equal ones by the same pseudonym, throughout a recording. Every call begins anew.
 *
 * Replaced are the values of the members and parameters `uid`, `uids`, `userId`, `memberId` and the like, and `address`, `tag` and `txID`.
 * A UID inside of other text stays.
 *
 * @since 0.1.0
 * @category constructors
 */
export const pseudonyms = (): ((exchange: Exchange) => Exchange) => {
  const replace = accounts.make()
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

interface Recorder {
  readonly secrets: secrets.Secrets
  readonly transform: (exchange: Exchange) => Exchange
  readonly put: Sink["put"]
}

const record =
  ({ put, secrets, transform }: Recorder) =>
  (
    execute: Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>,
    request: HttpClientRequest.HttpClientRequest
  ): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> =>
    Effect.gen(function* () {
      const sent = parts.partsOf(request)
      const clean = secrets.clean(request, parts.parametersOf(sent))
      const head = { at: yield* DateTime.now, request: parts.requestOf(sent, clean) }
      const response = yield* Effect.tapError(
        Effect.flatMap(execute, (response) => Effect.map(response.text, (text) => ({ response, text }))),
        (error) => put(transform({ ...head, failure: clean(describeCause(error)) }))
      )
      const { headers, status } = response.response
      yield* put(transform({ ...head, answer: parts.answerOf(status, headers, response.text, clean) }))
      // Its text is kept by the platform, so that it is read twice.
      return response.response
    })

/**
 * Makes clients that record what they send and receive. Each answer is read to its end before it is returned.
 *
 * @since 0.1.0
 * @category constructors
 */
export const recorder = (
  sink: Sink,
  options: Options = {}
): Effect.Effect<(client: HttpClient.HttpClient) => HttpClient.HttpClient> =>
  Effect.map(Effect.serviceOption(Credentials.Credentials), (credentials) => {
    const own = Option.match(credentials, { onNone: () => [], onSome: (shape) => [shape.apiKey, shape.apiSecret] })
    const recording = record({
      secrets: secrets.make([...own, ...(options.secrets ?? [])].map(Redacted.value)),
      transform: options.transform ?? ((exchange: Exchange) => exchange),
      put: sink.put
    })
    return HttpClient.transform(recording)
  })

/**
 * Records into a sink.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerRecordTo = (
  sink: Sink,
  options?: Options
): Layer.Layer<HttpClient.HttpClient, never, HttpClient.HttpClient> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.zipWith(HttpClient.HttpClient, recorder(sink, options), (client, recorded) => recorded(client))
  )

/**
 * A sink that writes a file when its scope closes, also after a failure. It replaces the file, and creates the folders above it. A process
 * that is killed leaves none.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fileSink = (
  file: string
): Effect.Effect<Sink, PlatformError.PlatformError, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    yield* files.makeDirectory(path.dirname(file), { recursive: true })
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

/** By the time of sending; a stable sort keeps the order of ends where times are equal. */
const inOrder = (exchanges: ReadonlyArray<Exchange>): ReadonlyArray<Exchange> =>
  exchanges.toSorted((one, other) => one.at.epochMillis - other.at.epochMillis)

/**
 * Records into a file, one for each recording. The secret of `Credentials` is removed where they are in the context; a request has all else
 * that is secret.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerRecord = (
  file: string,
  options?: Options
): Layer.Layer<
  HttpClient.HttpClient,
  PlatformError.PlatformError,
  HttpClient.HttpClient | FileSystem.FileSystem | Path.Path
> => Layer.unwrapScoped(Effect.map(fileSink(file), (sink) => layerRecordTo(sink, options)))

/**
 * @since 0.1.0
 * @category models
 */
export interface ReplayOptions {
  /** Names of parameters that are not compared, such as `startTime` or `orderLinkId`. Defaults to none. */
  readonly ignore?: ReadonlyArray<string> | undefined
}

// A status that has no body refuses even an empty one.
const withoutBody = new Set([204, 205, 304])

const responseOf = (request: HttpClientRequest.HttpClientRequest, answer: Answer) =>
  HttpClientResponse.fromWeb(
    request,
    new Response(withoutBody.has(answer.status) ? null : parts.bodyText(answer), {
      status: answer.status,
      headers: { ...answer.headers }
    })
  )

const replayed = (
  request: HttpClientRequest.HttpClientRequest,
  { answer, failure }: Exchange
): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.RequestError> =>
  answer === undefined
    ? Effect.fail(
        new HttpClientError.RequestError({ request, reason: "Transport", description: failure ?? "recorded failure" })
      )
    : Effect.sync(() => responseOf(request, answer))

interface Answers {
  readonly exchanges: Array<Exchange>
  given: number
}

const byKey = ({ exchanges }: Recording, ignored: ReadonlySet<string>): ReadonlyMap<string, Answers> => {
  const answers = new Map<string, Answers>()
  for (const exchange of exchanges) {
    const key = matching.keyOf(exchange.request, ignored)
    const same = answers.get(key)
    if (same === undefined) answers.set(key, { exchanges: [exchange], given: 0 })
    else same.exchanges.push(exchange)
  }
  return answers
}

const notRecorded = (recording: Recording, request: Request, ignored: ReadonlySet<string>, given: number) => {
  const near = matching.nearest(recording.exchanges, request, ignored)
  return new NotRecorded({
    method: request.method,
    path: request.path,
    given,
    nearest: near === undefined ? undefined : `${near.exchange.request.method} ${near.exchange.request.path}`,
    differences: near === undefined ? [] : near.differences.map(differenceText)
  })
}

/**
 * A client that answers from a recording. A request matches by method, path, and the parameters of query or body without those of the
 * signature. The order of different requests does not matter; the answers of one request are given in the order of recording, each once.
 * A request without an answer fails with a `RequestError` whose cause is `NotRecorded`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const replaying = (recording: Recording, options: ReplayOptions = {}): HttpClient.HttpClient => {
  const ignored = new Set(options.ignore)
  const answers = byKey(recording, ignored)
  return HttpClient.make((request) =>
    Effect.suspend(() => {
      const asked = parts.requestOf(parts.partsOf(request), (text) => text)
      const same = answers.get(matching.keyOf(asked, ignored))
      const exchange = same?.exchanges[same.given]
      if (same !== undefined && exchange !== undefined) {
        same.given += 1
        return replayed(request, exchange)
      }
      const cause = notRecorded(recording, asked, ignored, same?.given ?? 0)
      return Effect.fail(new HttpClientError.RequestError({ request, reason: "InvalidUrl", cause }))
    })
  )
}

/**
 * Credentials for requests that are replayed: of no account, and the same in every test.
 *
 * @since 0.1.0
 * @category constants
 */
export const credentials: Credentials.Credentials.Shape = Credentials.make({
  baseUrl: "http://replay.invalid",
  apiKey: "replayed",
  apiSecret: Redacted.make("replayed")
})

/**
 * Answers from a recording, with `credentials`.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerReplayOf = (
  recording: Recording,
  options?: ReplayOptions
): Layer.Layer<HttpClient.HttpClient | Credentials.Credentials> =>
  Layer.sync(HttpClient.HttpClient, () => replaying(recording, options)).pipe(
    Layer.merge(Layer.succeed(Credentials.Credentials, credentials))
  )

/**
 * Answers from the file of a recording, with `credentials`.
 *
 * @since 0.1.0
 * @category layers
 */
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
