/**
 * Options of calls. Provide them with `Effect.provideService` around a call, around a program, or to the layer of the services. An option of a call replaces
 * that of the program, which replaces that of the layer.
 *
 * @since 0.1.0
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type * as Failure from "./Failure.js"
import * as inherited from "./internal/call/inherited.js"

/**
 * The time limit of one attempt, from sending to the last byte of the response. Defaults to 10 seconds.
 *
 * @since 0.1.0
 * @category references
 */
export class AttemptTimeout extends Context.Reference<AttemptTimeout>()("@effect-venue/transport/AttemptTimeout", {
  defaultValue: (): Duration.Duration => Duration.seconds(10)
}) {}

/**
 * The most bytes of a response, after decompression. Defaults to 64 MiB. A longer one is not read to its end: a read fails with
 * `UnexpectedResponse` at `body`, a write with `OutcomeUnknown`.
 *
 * @since 0.1.0
 * @category references
 */
export class MaxResponseBytes extends Context.Reference<MaxResponseBytes>()(
  "@effect-venue/transport/MaxResponseBytes",
  { defaultValue: (): number => 64 * 1024 * 1024 }
) {}

/**
 * The time limit of a call with all its waiting and all its attempts. Defaults to no limit. A batch that is sent in several calls counts as one: when the time is
 * over, the orders that were not sent fail with `ConnectionFailed` (`NotSent`).
 *
 * @since 0.1.0
 * @category references
 */
export class CallTimeout extends Context.Reference<CallTimeout>()("@effect-venue/transport/CallTimeout", {
  defaultValue: (): Duration.Duration => Duration.infinity
}) {}

/**
 * The client that sends calls. It fails with `Banned` while the service bans this address.
 *
 * @since 0.1.0
 * @category models
 */
export interface Client extends HttpClient.HttpClient.With<
  HttpClientError.HttpClientError | Failure.Banned | Failure.ConnectionFailed
> {}

/**
 * Wraps the HTTP client that calls go through: custom logging, a proxy, further retries. The wrapped client takes the rate limits,
 * passes the gate and signs, so that a request which the wrapper repeats is signed anew; a write is still sent once. Requests, responses and
 * errors that pass through the wrapper contain no key, secret or signature, except that the text of a successful response is verbatim. Defaults to
 * the client itself.
 *
 * @since 0.1.0
 * @category references
 */
export class TransformClient extends Context.Reference<TransformClient>()("@effect-venue/transport/TransformClient", {
  defaultValue: (): ((client: Client) => Client) => (client) => client
}) {}

/**
 * Runs before a call is sent again, with the outcome of the previous attempt. Defaults to nothing. `Metrics.retries` counts the retries of the program.
 *
 * @since 0.1.0
 * @category references
 */
export class OnRetry extends Context.Reference<OnRetry>()("@effect-venue/transport/OnRetry", {
  defaultValue: (): ((attempt: Failure.Attempt) => Effect.Effect<void>) => () => Effect.void
}) {}

/**
 * Handles a write whose fiber was interrupted while the write was in flight, or after its response but before the caller had the result. Defaults to a warning in
 * the log. `accepted` contains the write, or the orders of a batch, that the service had accepted by then.
 *
 * @since 0.1.0
 * @category references
 */
export class OnInterruptedWrite extends Context.Reference<OnInterruptedWrite>()(
  "@effect-venue/transport/OnInterruptedWrite",
  {
    defaultValue: (): ((failure: Failure.OutcomeUnknown) => Effect.Effect<void>) => (failure) =>
      Effect.logWarning(failure.message).pipe(Effect.annotateLogs(failure.identifiers))
  }
) {}

/**
 * Adds references to an effect, unless the effect already has them.
 *
 * @since 0.1.0
 * @category models
 */
export type Inherit = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Captures the references that are provided to a layer while it is built, so that they can be added to the layer's calls.
 *
 * @since 0.1.0
 * @category combinators
 */
export const inherit = (...references: ReadonlyArray<{ readonly key: string }>): Effect.Effect<Inherit> =>
  Effect.map(inherited.capture(references), (add): Inherit =>
    add === undefined ? identity : (effect) => Effect.mapInputContext(effect, add)
  )
