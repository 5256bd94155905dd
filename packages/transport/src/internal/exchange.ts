import type * as Signer from "@effect-venue/signing/Signer"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Connections from "../Connections.js"
import { isBeforeSending } from "./connection.js"
import type { Answer, Evidence } from "./verdict.js"

export const requestOf = (host: string, signed: Signer.Signed): HttpClientRequest.HttpClientRequest => {
  // The query goes in as text: as an URL object, or as parameters, it would be encoded again and no longer be what was signed.
  const url = `${host}${signed.path}${signed.query === "" ? "" : `?${signed.query}`}`
  const request = HttpClientRequest.make(signed.method)(url, { headers: signed.headers, acceptJson: true })
  return signed.body === undefined
    ? request
    : HttpClientRequest.setBody(request, HttpBody.text(signed.body, "application/json"))
}

export const requestError = (
  request: HttpClientRequest.HttpClientRequest,
  description: string
): HttpClientError.RequestError => new HttpClientError.RequestError({ request, reason: "Transport", description })

/** Reads a response to its end. */
export const receive = (
  response: HttpClientResponse.HttpClientResponse
): Effect.Effect<Answer, HttpClientError.ResponseError> =>
  Effect.map(response.text, (body) => ({ response, status: response.status, headers: response.headers, body }))

class TimedOut extends Data.TaggedError("TimedOut")<{ readonly message: string }> {}

export const evidenceOf = (connections: Connections.Connections.Shape): Evidence => ({
  isTimeout: connections.isTimeout ?? (({ cause }) => cause instanceof TimedOut),
  isNotSent: connections.isNotSent ?? ((error) => error._tag === "RequestError" && isBeforeSending(error.cause))
})

/** Sends a request and receives its answer within the time for one attempt. */
export const make = (connections: Connections.Connections.Shape) => {
  const exchange = (request: HttpClientRequest.HttpClientRequest) =>
    connections.use((client) => Effect.flatMap(client.execute(request), receive))
  return (
    request: HttpClientRequest.HttpClientRequest,
    timeout: Duration.Duration
  ): Effect.Effect<Answer, HttpClientError.HttpClientError> =>
    connections.isTimeout !== undefined
      ? exchange(request)
      : Effect.timeoutFail(exchange(request), {
          duration: timeout,
          onTimeout: () => {
            const cause = new TimedOut({ message: `no answer within ${Duration.format(timeout)}` })
            return new HttpClientError.RequestError({ request, reason: "Transport", cause })
          }
        })
}
