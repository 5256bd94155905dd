import * as Headers from "@effect/platform/Headers"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type { InterpretedResponse } from "../response/answer.js"
import { inOneLine, shown } from "@effect-venue/schemas/siblings/ShownText"
import { WholeResponse } from "../response/wholeResponse.js"

/**
 * Responses and errors for a client that the application has wrapped. They refer to the request that the wrapper sent, which is not
 * signed. Wrappers print them, and the signed request has the key and the signature in its headers, its URL or its body.
 */

type Scrub = (text: string) => string

/** A response that prints no key, secret or signature. */
class WrappedResponse extends WholeResponse {
  readonly #scrub: Scrub

  constructor(
    request: HttpClientRequest.HttpClientRequest,
    { headers, status }: { readonly headers: Headers.Input; readonly status: number },
    body: string,
    scrub: Scrub
  ) {
    const scrubbed = Object.entries(Headers.fromInput(headers)).map(([name, value]) => [name, scrub(value)] as const)
    super(request, status, Headers.fromInput(scrubbed), [encoder.encode(body)])
    this.#scrub = scrub
  }

  override toJSON(): unknown {
    const { headers, received, status } = this
    return { _id: "@effect/platform/HttpClientResponse", status, headers, body: inOneLine(this.#scrub(received)) }
  }
}

const encoder = new TextEncoder()

/**
 * A response for the wrapper, which belongs to the wrapper's request. The text of a successful response is verbatim. Refusals quote the signed text, so it is
 * removed from them.
 */
export const reading = (
  request: HttpClientRequest.HttpClientRequest,
  original: InterpretedResponse,
  scrub: Scrub
): InterpretedResponse => {
  const { answer, verdict } = original
  const body = Either.isRight(verdict) ? answer.body : scrub(answer.body)
  return { ...original, answer: { ...answer, response: new WrappedResponse(request, answer.response, body, scrub) } }
}

const maxDepth = 5

const isCode = (value: unknown): value is string | number => typeof value === "string" || typeof value === "number"

/** A copy of a cause with its name, message, stack, codes and causes. Clients attach the signed request to theirs. */
const copyOfCause = (cause: unknown, scrub: Scrub, depth = 0): unknown => {
  if (typeof cause === "string") return shown(scrub, cause)
  if (!Predicate.isRecord(cause) || depth > maxDepth) return undefined
  const text = (value: unknown) => (typeof value === "string" ? shown(scrub, value) : "")
  const inner = copyOfCause(cause.cause, scrub, depth + 1)
  const copy = new Error(text(cause.message), inner === undefined ? {} : { cause: inner })
  copy.name = text(cause.name) || "Error"
  // The lines of a stack are those of the runtime.
  copy.stack = typeof cause.stack === "string" ? cause.stack.split("\n").map(text).join("\n") : ""
  const codes = Object.entries({ code: cause.code, syscall: cause.syscall, errno: cause.errno })
  const errors = Array.isArray(cause.errors)
    ? { errors: cause.errors.map((error) => copyOfCause(error, scrub, depth + 1)) }
    : {}
  return Object.assign(
    copy,
    Object.fromEntries(
      codes
        .filter(([, code]) => isCode(code))
        .map(([name, code]) => [name, typeof code === "string" ? text(code) : code])
    ),
    errors
  )
}

const bodyOf = (response: HttpClientResponse.HttpClientResponse): string =>
  response instanceof WholeResponse ? response.received : ""

/** An error of the client for the wrapper's request. */
export const error = (
  request: HttpClientRequest.HttpClientRequest,
  original: HttpClientError.HttpClientError,
  scrub: Scrub
): HttpClientError.HttpClientError => {
  const cause = copyOfCause(original.cause, scrub)
  const description = original.description === undefined ? {} : { description: shown(scrub, original.description) }
  if (original._tag === "RequestError") {
    return new HttpClientError.RequestError({ request, reason: original.reason, cause, ...description })
  }
  const response = new WrappedResponse(request, original.response, scrub(bodyOf(original.response)), scrub)
  return new HttpClientError.ResponseError({ request, response, reason: original.reason, cause, ...description })
}
