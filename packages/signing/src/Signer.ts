/**
 * Builds the exact text of a request and signs it with the method of its endpoint. Replace the layer to sign with a hardware module, RSA
 * keys or a signing service.
 */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Inspectable from "effect/Inspectable"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Credentials from "./Credentials.js"
import * as Hmac from "./Hmac.js"
import { signatureHeader } from "./Signing.js"
import * as wire from "./wire.js"

export class Signer extends Context.Tag("@effect-venue/signing/Signer")<Signer, Signer.Shape>() {}

export declare namespace Signer {
  export interface Shape {
    /** Builds and signs one attempt. Call it for every attempt, because the timestamp is part of the signed text. */
    readonly sign: (request: Unsigned) => Effect.Effect<Signed>
  }
}

/** The parameters of a request on the wire side: texts for a query, any JSON for a body. `undefined` means absent. */
export type Parameters = Readonly<Record<string, unknown>>

/** The input of a signature: the parameters on the wire side, and the service's time in milliseconds. */
export interface Unsigned {
  readonly endpoint: Pick<Endpoint.Properties, "method" | "path" | "signing">
  readonly parameters: Parameters
  readonly timestamp: number
  /** The HMAC of the call. Defaults to that of the signer. */
  readonly hmac?: Hmac.Hmac.Shape | undefined
}

/** The text to send, byte for byte. It contains the API key and the signature: keep it out of logs and spans. If this library made it, it is printed without both. */
export interface Signed {
  readonly method: "GET" | "POST"
  readonly path: string
  /** Percent-encoded, without the question mark; empty if the request has no query. */
  readonly query: string
  /** The JSON body; `undefined` for GET, which must not have a body (docs/reference/signing.md#traps). */
  readonly body: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The text that the header method signs: timestamp, key, window, and the query or body exactly as sent.
 * (docs/reference/signing.md#header-method)
 *
 * @category conversions
 */
export const headerText = (timestamp: string, apiKey: string, recvWindow: string, payload: string): string =>
  timestamp + apiKey + recvWindow + payload

/**
 * The text that the parameter method (v1 in the service's document) signs: all parameters but `sign`, sorted by name in byte order, decoded values.
 * (docs/reference/signing.md#parameter-method)
 *
 * @category conversions
 */
export const parameterText = (parameters: Parameters): string => {
  let text = ""
  // Names are ASCII: code-unit order is byte order.
  for (const name of Object.keys(parameters).sort()) {
    const value = parameters[name]
    if (name === "sign" || value === undefined || value === null) continue
    text += `${text === "" ? "" : "&"}${name}=${wire.valueText(value)}`
  }
  return text
}

/**
 * Builds the query string, without the question mark. A cursor that looks percent-encoded is encoded once more, like any other text.
 *
 * @category conversions
 */
export const query: (parameters: Parameters) => string = wire.query

/**
 * Builds the JSON body.
 *
 * @category conversions
 */
export const body: (parameters: Parameters) => string = wire.body

// A signed text is printed without its parameters, key and signature. Properties of each text would take five times as long as a prototype.
const print = (): object => ({ _id: "Signed" })

const printed = { toJSON: print, [Inspectable.NodeInspectSymbol]: print }

/** Puts the payload into the query or the body, according to the method. */
const sending = (
  { method, path }: Unsigned["endpoint"],
  parameters: Parameters,
  headers: (payload: string) => Signed["headers"]
): Signed => {
  const isGet = method === "GET"
  const payload = isGet ? wire.query(parameters) : wire.body(parameters)
  const signed: Signed = {
    method,
    path,
    query: isGet ? payload : "",
    body: isGet ? undefined : payload,
    headers: headers(payload)
  }
  Object.setPrototypeOf(signed, printed)
  return signed
}

const signatureHeaders = (apiKey: string, timestamp: string, recvWindow: string, sign: string) => ({
  "X-BAPI-API-KEY": apiKey,
  "X-BAPI-TIMESTAMP": timestamp,
  "X-BAPI-RECV-WINDOW": recvWindow,
  [signatureHeader]: sign
})

/** Creates a signer that uses HMAC-SHA256: the `Hmac` provided to a call, otherwise `hmac`. */
export const make = (credentials: Credentials.Credentials.Shape, hmac: Hmac.Hmac.Shape = Hmac.make()): Signer.Shape => {
  const window = Duration.toMillis(credentials.recvWindow)
  const recvWindow = String(window)
  const signature = ({ sha256Hex }: Hmac.Hmac.Shape, message: string) =>
    sha256Hex(Redacted.value(credentials.apiSecret), message)

  const publicly = ({ endpoint, parameters }: Unsigned): Signed => sending(endpoint, parameters, () => ({}))

  const byHeader = ({ endpoint, parameters, timestamp }: Unsigned, hmac: Hmac.Hmac.Shape): Signed =>
    sending(endpoint, parameters, (payload) => {
      const apiKey = Redacted.value(credentials.apiKey)
      const at = String(timestamp)
      return signatureHeaders(apiKey, at, recvWindow, signature(hmac, headerText(at, apiKey, recvWindow, payload)))
    })

  const byParameter = ({ endpoint, parameters, timestamp }: Unsigned, hmac: Hmac.Hmac.Shape): Signed => {
    const apiKey = Redacted.value(credentials.apiKey)
    // `Object.assign`, because a spread followed by more fields is ten times as slow.
    const all = Object.assign({}, parameters, { api_key: apiKey, timestamp, recv_window: window })
    const sign = signature(hmac, parameterText(all))
    const headers = signatureHeaders(apiKey, String(timestamp), recvWindow, sign)
    return sending(endpoint, Object.assign(all, { sign }), () => headers)
  }

  const by = { public: publicly, header: byHeader, parameter: byParameter }

  return {
    sign: (request) => {
      try {
        return Exit.succeed(by[request.endpoint.signing](request, request.hmac ?? hmac))
      } catch (defect) {
        return Exit.die(defect)
      }
    }
  }
}

/** A signer that uses the `Hmac` provided to a call, otherwise the one provided to the layer. */
export const layer: Layer.Layer<Signer, never, Credentials.Credentials> = Layer.effect(
  Signer,
  Effect.zipWith(Credentials.Credentials, Hmac.Hmac, make)
)
