import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** A request that has begun, or waits for a connection. */
export interface Begun {
  readonly response: Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>
  /** Aborts it unless it has ended. */
  readonly giveUp: () => void
}

/** Begins a request synchronously. */
export type Begin = (request: HttpClientRequest.HttpClientRequest, references: Context.Context<never>) => Begun

/** How connections of this package begin a request. A copy of them with a replaced member has none, and is used through its effects. */
export const ofConnections = new WeakMap<object, Begin>()
