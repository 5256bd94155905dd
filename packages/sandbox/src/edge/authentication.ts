import { hmacSha256Hex } from "#hmac"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { SignatureCheck } from "../faults/Faults.js"
import type * as Exchange from "../state/Exchange.js"
import * as RawRequest from "./rawRequest.js"
import * as Refusal from "../handling/refusal.js"

/** The parts of a request that authentication uses. */
export interface Input {
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The raw query or the body, according to the method. */
  readonly payload: Uint8Array
  readonly parameters: ReadonlyMap<string, unknown>
  readonly signing: "header" | "parameter"
  readonly method: "GET" | "POST"
}

/** The caller is not authenticated: a 401 of the gateway, or a refusal in an envelope. */
export type Failure = { readonly signature: SignatureCheck } & (
  { readonly _tag: "Unauthorized" } | ({ readonly _tag: "Refused" } & Refusal.Refusal)
)

const refuse = (signature: SignatureCheck, code: number, message: string): Effect.Effect<never, Failure> =>
  Effect.fail({ _tag: "Refused", signature, ...Refusal.make(code, message) })

const whole = /^-?\d{1,16}$/

const defaultWindow = 5000

// Compares in constant time.
const sameText = (a: string, b: string): boolean => {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index++) {
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index % Math.max(1, b.length))
  }
  return difference === 0
}

const signingText = (parameters: ReadonlyMap<string, unknown>): string =>
  Array.from(parameters)
    .flatMap(([name, value]) => {
      const text = RawRequest.signingTextOf(value)
      return name === "sign" || text === undefined ? [] : [[name, text] as const]
    })
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, text]) => `${name}=${text}`)
    .join("&")

/**
 * Identifies the caller from the received bytes, never from re-serialised ones. The order of refusals: no headers (401), missing parameters
 * (10001), unknown key (10003), clock (10002), signature (10004), expired key (33004). The function is long, because it is this list.
 * (docs/reference/signing.md; docs/reference/responses.md#authentication)
 */
export const check = (input: Input, state: Exchange.State, now: number): Effect.Effect<Exchange.Key, Failure> =>
  Effect.gen(function* () {
    const apiKey = input.headers["x-bapi-api-key"] ?? ""
    const timestamp = input.headers["x-bapi-timestamp"] ?? ""
    const sign = input.headers["x-bapi-sign"] ?? ""
    const window = input.headers["x-bapi-recv-window"] ?? ""
    if (apiKey === "" || timestamp === "" || sign === "") {
      return yield* Effect.fail<Failure>({ _tag: "Unauthorized", signature: "missing" })
    }

    if (input.signing === "parameter") {
      const text = (name: string) => RawRequest.signingTextOf(input.parameters.get(name)) ?? ""
      if (text("api_key") === "" || text("timestamp") === "" || text("sign") === "") {
        return yield* refuse(
          "incomplete",
          10001,
          `empty value: apiTimestamp[${text("timestamp")}] apiKey[${text("api_key")}] apiSignature[${text("sign")}]: openapi sign params error!`
        )
      }
      const copies: ReadonlyArray<readonly [string, string]> = [
        [apiKey, text("api_key")],
        [timestamp, text("timestamp")],
        [window, text("recv_window")],
        [sign, text("sign")]
      ]
      // The service does not document which of the two wins, so the sandbox refuses. (docs/reference/signing.md#parameter-method)
      if (copies.some(([header, parameter]) => header !== parameter)) {
        return yield* refuse("contradictory", 10004, "error sign! headers and parameters disagree")
      }
    }

    const key = state.keys.get(apiKey)
    if (key === undefined) return yield* refuse("unknownKey", 10003, "API key is invalid.")

    const recvWindow = window === "" ? defaultWindow : Number(window)
    const at = Number(timestamp)
    const inTime =
      whole.test(timestamp) &&
      (window === "" || whole.test(window)) &&
      recvWindow > 0 &&
      now - recvWindow <= at &&
      at < now + 1000
    if (!inTime) {
      return yield* refuse(
        "outsideWindow",
        10002,
        `invalid request, please check your server timestamp or recv_window param. req_timestamp[${timestamp}],server_timestamp[${now}],recv_window[${recvWindow}]`
      )
    }

    const secret = Redacted.value(key.apiSecret)
    const expected =
      input.signing === "header"
        ? yield* hmacSha256Hex(secret, RawRequest.bytes(timestamp + apiKey + window), input.payload)
        : yield* hmacSha256Hex(secret, RawRequest.bytes(signingText(input.parameters)))
    if (!sameText(expected, sign)) {
      const origin =
        input.signing === "header"
          ? timestamp + apiKey + window + RawRequest.bodyText(input.payload)
          : signingText(input.parameters)
      return yield* refuse("wrong", 10004, `error sign! origin_string[${origin}]`)
    }
    if (Option.exists(key.expiresAt, (expiry) => expiry <= now)) {
      return yield* refuse("valid", 33004, "Your api key has expired.")
    }
    if (key.readOnly && input.method === "POST") {
      return yield* refuse("valid", 10005, "Permission denied, please check your API key permissions.")
    }
    return key
  })
