/**
 * Recorded HTTP exchanges for tests: `layerRecord` records the requests and responses of a client, and `layerReplay` replays the responses to the same
 * requests without a network.
 *
 * A recording contains no key, secret or signature. Only the headers of rate limits are recorded; the parameters of signatures are removed from queries and
 * bodies; and key, secret and signature are removed from responses that repeat them. UIDs, addresses and amounts are recorded, because requests contain them:
 * `pseudonyms` replaces UIDs and addresses.
 *
 * @since 0.1.0
 */
import * as Credentials from "@effect-venue/signing/Credentials"
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as PlatformError from "@effect/platform/Error"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { type Exchange, parse, print, type Recording, type RecordingInvalid } from "./internal/recording/models.js"
import { make as makePseudonyms } from "./internal/recording/pseudonyms.js"
import { inOrder, record } from "./internal/recording/record.js"
import { replay } from "./internal/recording/replay.js"
import * as secrets from "./internal/recording/secrets.js"

export {
  /**
   * @since 0.1.0
   * @category schemas
   */
  Answer,
  /**
   * @since 0.1.0
   * @category schemas
   */
  Exchange,
  /**
   * @since 0.1.0
   * @category failures
   */
  NotRecorded,
  /**
   * @since 0.1.0
   * @category schemas
   */
  Recording,
  /**
   * @since 0.1.0
   * @category failures
   */
  RecordingInvalid,
  /**
   * @since 0.1.0
   * @category schemas
   */
  Request,
  /**
   * @since 0.1.0
   * @category conversions
   */
  parse,
  /**
   * @since 0.1.0
   * @category conversions
   */
  print
} from "./internal/recording/models.js"

/**
 * Stores exchanges, in the order in which their requests end.
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
 *
 * @since 0.1.0
 * @category constructors
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

/**
 * Makes clients that record their requests and responses. Each response is read to its end before it is returned.
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
 * A sink that writes a file when its scope closes, even after a failure. It replaces an existing file, and creates missing folders. A killed process leaves no
 * file.
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

/**
 * Records into a new file. The secret of `Credentials` is removed if they are in the context; all other secrets are known from the requests.
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
  /** Names of parameters that are ignored in the comparison, such as `startTime` or `orderLinkId`. Defaults to none. */
  readonly ignore?: ReadonlyArray<string> | undefined
}

/**
 * A client that responds from a recording. A request matches by method, path, and the parameters of query or body except those of the signature. Different
 * requests can be sent in any order; the responses to equal requests are returned in the order of recording, each once. A request without a recorded response
 * fails with a `RequestError` whose cause is `NotRecorded`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const replaying = (recording: Recording, options: ReplayOptions = {}): HttpClient.HttpClient =>
  replay(recording, new Set(options.ignore))

/**
 * Credentials for replayed requests. They belong to no account, and are the same in every test.
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
 * Responds from a recording, with `credentials`.
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
 * Responds from a recorded file, with `credentials`.
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
