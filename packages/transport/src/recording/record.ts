/** Records the requests and responses of clients. */
import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { describeCause } from "../response/connection.js"
import * as parts from "./exchangeParts.js"
import type { Exchange } from "./Recording.js"
import type * as secrets from "./secrets.js"

interface Recorder {
  readonly secrets: secrets.Secrets
  readonly transform: (exchange: Exchange) => Exchange
  readonly put: (exchange: Exchange) => Effect.Effect<void>
}

/** Each exchange is stored after its response was read to its end, or after it failed. */
export const record =
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
      // The platform keeps its text, so it can be read twice.
      return response.response
    })

/** Sort by the time of sending; a stable sort keeps the order of completion for equal times. */
export const inOrder = (exchanges: ReadonlyArray<Exchange>): ReadonlyArray<Exchange> =>
  exchanges.toSorted((left, right) => left.at.epochMillis - right.at.epochMillis)
