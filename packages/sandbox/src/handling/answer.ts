import * as Encoder from "@effect-venue/schemas/siblings/Encoder"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Envelope from "@effect-venue/schemas/siblings/Envelope"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as Refusal from "./refusal.js"

/** A response, before the headers that every response has. */
export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly body: string
  /** The return code in the envelope. */
  readonly code?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The response confirms that the request was executed. */
  readonly executed?: true
}

export const plain = (status: number, body: string): Answer => ({
  status,
  contentType: "text/plain; charset=utf-8",
  body
})

// Refusals by the gateway. (docs/reference/responses.md#http-statuses)
export const badMethod = plain(400, "bad method")
export const notFound = plain(404, "404 page not found")
export const bodyOnGet = plain(403, "")
export const tooFrequent = plain(403, "access too frequent")
export const tooLarge = plain(413, "request entity too large")
export const unauthorized = plain(401, "")
export const noCategory = plain(400, "must input category")
export const unknownCategory = plain(400, "We don't support the category, plz check.")
export const unknownSymbol = plain(400, "we don't support this symbol, plz check.")

const encoders = {
  standard: Encoder.encodeSync(Envelope.fromKind("standard")),
  legacy: Encoder.encodeSync(Envelope.fromKind("legacy")),
  bare: Encoder.encodeSync(Envelope.fromKind("bare"))
}

const wrapInEnvelope = (
  kind: Endpoint.Envelope,
  now: number,
  code: number,
  message: string,
  result: unknown,
  extInfo: unknown = {}
): Answer => ({
  status: 200,
  contentType: "application/json; charset=utf-8",
  code,
  body: JSON.stringify(
    encoders[kind]({
      code,
      message,
      result,
      extInfo: kind === "standard" ? extInfo : null,
      time: Option.some(DateTime.unsafeMake(now))
    })
  )
})

// The result of an extended endpoint is in two fields of the envelope.
const isExtended = (
  endpoint: Endpoint.Any,
  result: unknown
): result is { readonly result: unknown; readonly extInfo: unknown } =>
  endpoint.extended === true && typeof result === "object" && result !== null && "extInfo" in result

export const success = (endpoint: Endpoint.Any, now: number, result: unknown): Answer => {
  const message = endpoint.envelope === "standard" ? "OK" : "success"
  return {
    ...(isExtended(endpoint, result)
      ? wrapInEnvelope(endpoint.envelope, now, 0, message, result.result, result.extInfo)
      : wrapInEnvelope(endpoint.envelope, now, 0, message, result)),
    executed: true
  }
}

// Failures have the result null or {}: null for invalid parameters and in the older envelopes. (docs/reference/responses.md#error-bodies)
export const refusal = (endpoint: Endpoint.Any, now: number, { code, message }: Refusal.Refusal): Answer =>
  wrapInEnvelope(endpoint.envelope, now, code, message, endpoint.envelope !== "standard" || code === 10001 ? null : {})
