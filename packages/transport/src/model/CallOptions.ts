/**
 * Options of calls. Provide them with `Effect.provideService` around a call, around a program, or to the layer of the services. An option of a call replaces
 * that of the program, which replaces that of the layer.
 */
import * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Failure from "./Failure.js"

/** The time limit of one attempt, from sending to the last byte of the response. Defaults to 10 seconds. */
export class AttemptTimeout extends Context.Reference<AttemptTimeout>()("@effect-venue/transport/AttemptTimeout", {
  defaultValue: (): Duration.Duration => Duration.seconds(10)
}) {}

/**
 * The most bytes of a response, after decompression. Defaults to 64 MiB. A longer one is not read to its end: a read fails with
 * `UnexpectedResponse` at `body`, a write with `OutcomeUnknown`.
 */
export class MaxResponseBytes extends Context.Reference<MaxResponseBytes>()(
  "@effect-venue/transport/MaxResponseBytes",
  { defaultValue: (): number => 64 * 1024 * 1024 }
) {}

/**
 * The time limit of a call with all its waiting and all its attempts. Defaults to no limit. A batch that is sent in several calls counts as one: when the time is
 * over, the orders that were not sent fail with `ConnectionFailed` (`NotSent`).
 */
export class CallTimeout extends Context.Reference<CallTimeout>()("@effect-venue/transport/CallTimeout", {
  defaultValue: (): Duration.Duration => Duration.infinity
}) {}

/** The client that sends calls. It fails with `Banned` while the service bans this address. */
export interface Client extends HttpClient.HttpClient.With<
  HttpClientError.HttpClientError | Failure.Banned | Failure.Blocked | Failure.ConnectionFailed
> {}

/**
 * Wraps the HTTP client that calls go through: custom logging, a proxy, further retries. The wrapped client takes the rate limits,
 * passes the gate and signs, so that a request which the wrapper repeats is signed anew; a write is still sent once. Requests, responses and
 * errors that pass through the wrapper contain no key, secret or signature, except that the text of a successful response is verbatim. Defaults to
 * the client itself.
 */
export class TransformClient extends Context.Reference<TransformClient>()("@effect-venue/transport/TransformClient", {
  defaultValue: (): ((client: Client) => Client) => (client) => client
}) {}

/** Runs before a call is sent again, with the outcome of the previous attempt. Defaults to nothing. `Metrics.retries` counts the retries of the program. */
export class OnRetry extends Context.Reference<OnRetry>()("@effect-venue/transport/OnRetry", {
  defaultValue: (): ((attempt: Failure.Attempt) => Effect.Effect<void>) => () => Effect.void
}) {}

/**
 * Handles a write whose fiber was interrupted while the write was in flight, or after its response but before the caller had the result. Defaults to a warning in
 * the log. `accepted` contains the write, or the orders of a batch, that the service had accepted by then.
 */
export class OnInterruptedWrite extends Context.Reference<OnInterruptedWrite>()(
  "@effect-venue/transport/OnInterruptedWrite",
  {
    defaultValue: (): ((failure: Failure.OutcomeUnknown) => Effect.Effect<void>) => (failure) =>
      Effect.logWarning(failure.message).pipe(Effect.annotateLogs(failure.identifiers))
  }
) {}

/** The priorities, highest first: cancellations and amendments, other writes, reads, bulk exports. */
export type PriorityName = "urgent" | "write" | "read" | "bulk"

/**
 * The priority of the calls of a program, if it is not that of their operations: history exports run under `bulk`. Defaults to `by operation`:
 * `urgent` for cancellations and amendments, `write` for other writes, `read` for reads.
 */
export class Priority extends Context.Reference<Priority>()("@effect-venue/transport/Priority", {
  defaultValue: (): PriorityName | "by operation" => "by operation"
}) {}

/**
 * The order of calls of the same priority that wait for the same rate limits: lower turns go first, and calls of equal turns in the order of their arrival.
 * Defaults to 0. A history export sets the number of the window, so that its oldest window is stored first.
 */
export class Turn extends Context.Reference<Turn>()("@effect-venue/transport/Priority/Turn", {
  defaultValue: () => 0
}) {}

/** The meaning of every return code. Defaults to `ReturnCodes.rules`. */
export class ReturnCodeTable extends Context.Reference<ReturnCodeTable>()("@effect-venue/transport/ReturnCodeTable", {
  defaultValue: (): ReturnCodes.Table => ReturnCodes.rules
}) {}

/** Extends the table in force with more codes, or replaces the classification of existing codes. */
export const layerReturnCodes = (codes: Iterable<ReturnCodes.Rule>): Layer.Layer<never> =>
  Layer.effectContext(
    Effect.map(ReturnCodeTable, (table) => Context.make(ReturnCodeTable, ReturnCodes.extend(table, codes)))
  )

/** Adds references to an effect, unless the effect already has them. */
export type Inherit = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
