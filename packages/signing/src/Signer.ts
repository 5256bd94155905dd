/**
 * Turns parameters into the exact text of a request, signed in the way its endpoint asks for. Replace the layer to sign
 * elsewhere (a hardware module, RSA keys, a signing service).
 *
 * @since 0.1.0
 */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Credentials from "./Credentials.js"
import * as Hmac from "./Hmac.js"
import * as Wire from "./Wire.js"

/**
 * @since 0.1.0
 * @category tags
 */
export class Signer extends Context.Tag("@effect-venue/signing/Signer")<Signer, Signer.Shape>() {}

/**
 * @since 0.1.0
 */
export declare namespace Signer {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /** Builds and signs one sending. Call it anew for every attempt: the timestamp is part of what is signed. */
    readonly sign: (request: Unsigned) => Effect.Effect<Signed>
  }
}

/**
 * What is to be signed: the parameters on the wire side, and the service's time in milliseconds.
 *
 * @since 0.1.0
 * @category models
 */
export interface Unsigned {
  readonly endpoint: Pick<Endpoint.Properties, "method" | "path" | "signing">
  readonly parameters: Wire.Parameters
  readonly timestamp: number
}

/**
 * The text to send, byte for byte. It carries the API key and the signature: keep it out of logs and spans.
 *
 * @since 0.1.0
 * @category models
 */
export interface Signed {
  readonly method: "GET" | "POST"
  readonly path: string
  /** Percent-encoded, without the question mark; empty when there is none. */
  readonly query: string
  /** The JSON body; `undefined` for GET, which must not carry one (facts/signing.md 4). */
  readonly body: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Names of the headers that must not be seen in logs and spans.
 *
 * @since 0.1.0
 * @category constants
 */
export const sensitiveHeaders: ReadonlyArray<string> = ["x-bapi-api-key", "x-bapi-sign"]

/**
 * The text that the header method signs: timestamp, key, window, and the query or body exactly as sent. (facts/signing.md 1)
 *
 * @since 0.1.0
 * @category conversions
 */
export const headerText = (timestamp: string, apiKey: string, recvWindow: string, payload: string): string =>
  timestamp + apiKey + recvWindow + payload

/**
 * The text that the parameter method signs: all parameters but `sign`, sorted by name in byte order, decoded values.
 * (facts/signing.md 2)
 *
 * @since 0.1.0
 * @category conversions
 */
export const parameterText = (parameters: Wire.Parameters): string =>
  Wire.given(parameters)
    .filter(([name]) => name !== "sign")
    // Names are ASCII: code-unit order is byte order. No two are the same.
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${Wire.valueText(value)}`)
    .join("&")

const text = (endpoint: Unsigned["endpoint"], parameters: Wire.Parameters): Pick<Signed, "query" | "body"> =>
  endpoint.method === "GET"
    ? { query: Wire.query(parameters), body: undefined }
    : { query: "", body: Wire.body(parameters) }

const signatureHeaders = (apiKey: string, timestamp: string, recvWindow: string, sign: string) => ({
  "X-BAPI-API-KEY": apiKey,
  "X-BAPI-TIMESTAMP": timestamp,
  "X-BAPI-RECV-WINDOW": recvWindow,
  "X-BAPI-SIGN": sign
})

/**
 * Signs with HMAC-SHA256.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (credentials: Credentials.Credentials.Shape, hmac: Hmac.Hmac.Shape = Hmac.make()): Signer.Shape => {
  const window = Duration.toMillis(credentials.recvWindow)
  const recvWindow = String(window)
  const signature = (message: string) => hmac.sha256Hex(Redacted.value(credentials.apiSecret), message)

  const publicly = ({ endpoint, parameters }: Unsigned): Signed => ({
    method: endpoint.method,
    path: endpoint.path,
    ...text(endpoint, parameters),
    headers: {}
  })

  const byHeader = ({ endpoint, parameters, timestamp }: Unsigned): Signed => {
    const apiKey = Redacted.value(credentials.apiKey)
    const sent = text(endpoint, parameters)
    const at = String(timestamp)
    const sign = signature(headerText(at, apiKey, recvWindow, sent.body ?? sent.query))
    return {
      method: endpoint.method,
      path: endpoint.path,
      ...sent,
      headers: signatureHeaders(apiKey, at, recvWindow, sign)
    }
  }

  const byParameter = ({ endpoint, parameters, timestamp }: Unsigned): Signed => {
    const apiKey = Redacted.value(credentials.apiKey)
    const all = { ...parameters, api_key: apiKey, timestamp, recv_window: window }
    const sign = signature(parameterText(all))
    return {
      method: endpoint.method,
      path: endpoint.path,
      ...text(endpoint, { ...all, sign }),
      headers: signatureHeaders(apiKey, String(timestamp), recvWindow, sign)
    }
  }

  const by = { public: publicly, header: byHeader, parameter: byParameter }

  return { sign: (request) => Effect.sync(() => by[request.endpoint.signing](request)) }
}

/**
 * Signs with the `Hmac` that the layer is built with.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Signer, never, Credentials.Credentials> = Layer.effect(
  Signer,
  Effect.zipWith(Credentials.Credentials, Hmac.Hmac, make)
)
