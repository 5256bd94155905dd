import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Edge from "./Edge.js"
import * as Faults from "../faults/Faults.js"
import * as RawRequest from "./rawRequest.js"

const nothing = new Uint8Array(0)

const concat = (chunks: Iterable<Uint8Array>): Uint8Array => {
  const parts = Array.from(chunks)
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

// The bytes that a client with sockets would send.
const bodyOf = (
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<Uint8Array, HttpClientError.RequestError> => {
  const { body } = request
  const unsendable = (cause: unknown) => new HttpClientError.RequestError({ request, reason: "Encode", cause })
  switch (body._tag) {
    case "Empty":
      return Effect.succeed(nothing)
    case "Uint8Array":
      return Effect.succeed(body.body)
    case "Stream":
      return Stream.runCollect(body.stream).pipe(Effect.mapBoth({ onSuccess: concat, onFailure: unsendable }))
    case "Raw":
      return typeof body.body === "string"
        ? Effect.succeed(RawRequest.bytes(body.body))
        : body.body instanceof Uint8Array
          ? Effect.succeed(body.body)
          : Effect.fail(unsendable(new TypeError("The sandbox takes text or bytes as a raw body")))
    case "FormData":
      return Effect.fail(unsendable(new TypeError("The service takes no forms")))
  }
}

// After a broken connection, reading the body fails behind the received part.
const contentOf = ({ body, breaksAfter }: Edge.Response): string | ReadableStream<Uint8Array> =>
  breaksAfter === undefined
    ? body
    : new ReadableStream({
        start: (controller) => {
          controller.enqueue(RawRequest.bytes(body.slice(0, breaksAfter)))
        },
        pull: (controller) => {
          controller.error(new Faults.ConnectionReset())
        }
      })

/** The exchange is the only host that the client reaches. A request of the application to another one would be lost in a 404. */
const refuseOtherHost = (
  request: HttpClientRequest.HttpClientRequest,
  { host }: URL,
  baseUrl: string
): Effect.Effect<void, HttpClientError.RequestError> =>
  host === new URL(baseUrl).host
    ? Effect.void
    : Effect.fail(
        new HttpClientError.RequestError({
          request,
          reason: "InvalidUrl",
          description:
            `the HttpClient of Sandbox.layer does not reach ${host}, only the sandbox at ${baseUrl}: ` +
            "provide another HttpClient for requests to other hosts"
        })
      )

/**
 * An HTTP client that passes requests for `baseUrl` to an edge. The target is the one that a client with sockets would put on the request
 * line.
 */
export const client = (handle: Edge.Edge["handle"], baseUrl: string): HttpClient.HttpClient =>
  HttpClient.make((request, url) =>
    Effect.flatMap(Effect.zipRight(refuseOtherHost(request, url, baseUrl), bodyOf(request)), (body) =>
      handle({ method: request.method, target: url.pathname + url.search, headers: request.headers, body }).pipe(
        Effect.mapError((cause) => new HttpClientError.RequestError({ request, reason: "Transport", cause }))
      )
    ).pipe(
      Effect.map((response) =>
        HttpClientResponse.fromWeb(
          request,
          new Response(contentOf(response), { status: response.status, headers: { ...response.headers } })
        )
      )
    )
  )
