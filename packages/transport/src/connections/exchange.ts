import type * as Signer from "@effect-venue/signing/Signer"
import * as Signing from "@effect-venue/signing/siblings/Signing"
import * as Headers from "@effect/platform/Headers"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as CallOptions from "../model/CallOptions.js"
import type * as Connections from "./Connections.js"
import { isBeforeSending } from "../response/connection.js"
import type { Evidence } from "../response/missingAnswer.js"
import type { Answer } from "../response/answer.js"
import { BoundedBody, WholeResponse } from "../response/wholeResponse.js"
import * as TimeLimit from "../time/TimeLimit.js"

export const requestOf = (host: string, signed: Signer.Signed): HttpClientRequest.HttpClientRequest => {
  // The query is passed as text: as a URL object, or as parameters, it would be encoded again and no longer be the signed text.
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

const answerOf = (response: HttpClientResponse.HttpClientResponse, body: string, bytes?: Uint8Array): Answer => ({
  response,
  status: response.status,
  headers: response.headers,
  body,
  bytes
})

const answerOfWhole = (response: WholeResponse): Answer => {
  const { bytes, text } = response.read()
  return answerOf(response, text, bytes)
}

/** Whether the headers alone limit the bytes to read. A client that decompresses leaves them unchanged. */
const isBounded = ({ headers, status }: HttpClientResponse.HttpClientResponse, limit: number): boolean => {
  const { "content-encoding": encoding, "content-length": length } = headers
  return status === 200 && encoding === undefined && length !== undefined && Number(length) <= limit
}

const encoder = new TextEncoder()

/** The error of an incomplete response. */
export type Broken = (cause: unknown) => HttpClientError.ResponseError

/** Reads a body chunk by chunk up to the limit, and keeps the received part of a body that breaks off. */
const collect = (
  response: HttpClientResponse.HttpClientResponse,
  limit: number,
  begun: (broken: Broken) => void
): Effect.Effect<WholeResponse, HttpClientError.ResponseError> =>
  Effect.suspend(() => {
    const { headers, request, status } = response
    const body = new BoundedBody(limit)
    const whole = () => new WholeResponse(request, status, headers, body.chunks)
    const breakOff: Broken = (cause) =>
      new HttpClientError.ResponseError({ request, response: whole(), reason: "Decode", cause })
    begun(breakOff)
    const push = (chunk: Uint8Array) => body.push(chunk) ?? Effect.void
    const read = Effect.catchSomeDefect(
      Stream.runForEach(response.stream, push),
      // A wrapped client has already read the body: the platform keeps its text, but provides no second stream.
      (defect) =>
        defect instanceof TypeError && body.chunks.length === 0
          ? Option.some(Effect.flatMap(response.text, (text) => push(encoder.encode(text))))
          : Option.none()
    )
    return Effect.matchEffect(read, {
      onSuccess: () => Effect.sync(whole),
      onFailure: (error) =>
        error._tag === "ResponseTooLarge"
          ? Effect.fail(breakOff(error))
          : error.reason === "EmptyBody"
            ? Effect.sync(whole)
            : Effect.fail(breakOff(error.cause))
    })
  })

const ignore = (): void => undefined

/** Reads a response to its end, or to the limit of bytes. */
export const receive = (
  response: HttpClientResponse.HttpClientResponse,
  limit: number,
  begun: (broken: Broken) => void = ignore
): Effect.Effect<Answer, HttpClientError.ResponseError> => {
  if (response instanceof WholeResponse) return Effect.succeed(answerOfWhole(response))
  return isBounded(response, limit)
    ? Effect.map(response.text, (body) => answerOf(response, body))
    : Effect.map(collect(response, limit, begun), answerOfWhole)
}

class TimedOut extends Data.TaggedError("TimedOut")<{ readonly message: string }> {}

export const evidenceOf = (connections: Connections.Connections.Shape): Evidence => ({
  isTimeout: connections.isTimeout ?? (({ cause }) => cause instanceof TimedOut),
  isNotSent: connections.isNotSent ?? ((error) => error._tag === "RequestError" && isBeforeSending(error.cause))
})

/**
 * Keeps the signed request out of the log of foreign clients: their fibers log the errors that end them, with the URL, and loggers print the headers of
 * requests.
 */
const withoutLogs = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  effect.pipe(
    Effect.withUnhandledErrorLogLevel(Option.none()),
    Effect.locallyWith(Headers.currentRedactedNames, (names) => [...names, ...Signing.sensitiveHeaders])
  )

/**
 * Sends a request and receives its response within the time limit of an attempt. A client that does not end its attempts by itself runs in a fiber that can
 * be abandoned.
 */
export const send = (
  connections: Connections.Connections.Shape,
  request: HttpClientRequest.HttpClientRequest,
  references: Context.Context<never>
): Effect.Effect<Answer, HttpClientError.HttpClientError> => {
  const limit = Context.get(references, CallOptions.MaxResponseBytes)
  const timeout = Context.get(references, CallOptions.AttemptTimeout)
  let broken: Broken | undefined
  const exchange = connections.use((client) =>
    Effect.flatMap(client.execute(request), (response) =>
      receive(response, limit, (begun) => {
        broken = begun
      })
    )
  )
  if (connections.isTimeout !== undefined) return exchange
  return TimeLimit.within(withoutLogs(exchange), timeout, () => {
    const cause = new TimedOut({ message: `no answer within ${Duration.format(timeout)}` })
    return broken?.(cause) ?? new HttpClientError.RequestError({ request, reason: "Transport", cause })
  })
}
