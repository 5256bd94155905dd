import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Encoding from "effect/Encoding"
import { patternsOf, without } from "../response/secretsInText.js"

/** Parameters that the signing methods add to a query or body. They differ for each sending and are never recorded. */
export const signatureParameters: ReadonlySet<string> = new Set(["api_key", "timestamp", "recv_window", "sign"])

// Headers whose values are always secret.
const secretHeaders = ["x-bapi-api-key", "x-bapi-sign", "authorization", "proxy-authorization", "cookie"]

const secretParameters = ["api_key", "sign"]

const encoder = new TextEncoder()

// Base64 of 3 bytes is 4 characters. Inside a longer text, the characters at both ends also depend on the neighbours.
const base64Inside = (secret: Uint8Array): ReadonlyArray<string> =>
  [0, 1, 2].flatMap((before) => {
    const padded = new Uint8Array(before + secret.length)
    padded.set(secret, before)
    const text = Encoding.encodeBase64(padded).replace(/=+$/, "")
    const start = before === 0 ? 0 : before + 1
    const end = padded.length % 3 === 0 ? text.length : text.length - 1
    const inside = text.slice(start, end)
    // Shorter texts occur by chance.
    return inside.length < 8 ? [] : [inside, inside.replaceAll("+", "-").replaceAll("/", "_")]
  })

const encodings = (secret: string): ReadonlyArray<string> => {
  const bytes = encoder.encode(secret)
  const hex = Encoding.encodeHex(bytes)
  return [hex, hex.toUpperCase(), ...base64Inside(bytes)]
}

// Of the characters of Base64, these two have other spellings in URLs and JSON.
const encodingPattern = (text: string): RegExp =>
  new RegExp(text.replaceAll("+", "(?:\\+|%(?:25)*2[bB])").replaceAll("/", "(?:\\\\{0,16}/|%(?:25)*2[fF])"), "g")

const patterns = (secrets: Iterable<string>): ReadonlyArray<RegExp> => {
  const distinct = Array.from(new Set(secrets))
  return [...patternsOf(distinct), ...distinct.flatMap(encodings).map(encodingPattern)]
}

/** Removes secrets from text: in the spellings of URLs, JSON and HTML, in hex, and in Base64, also inside longer text. */
export type Clean = (text: string) => string

export interface Secrets {
  /** Removes the secrets of the recording, and those of the request, from an exchange. */
  readonly clean: (
    request: HttpClientRequest.HttpClientRequest,
    parameters: ReadonlyArray<readonly [string, unknown]>
  ) => Clean
}

const nonEmpty = (values: Iterable<unknown>): ReadonlyArray<string> =>
  Array.from(values).filter((value): value is string => typeof value === "string" && value !== "")

/** Collects the secrets of a recording: the configured ones, and those of each request. */
export const make = (initial: ReadonlyArray<string>): Secrets => {
  const lasting = new Set(nonEmpty(initial))
  let lastingPatterns = patterns(lasting)
  return {
    clean: (request, parameters) => {
      const carried = nonEmpty([
        ...secretHeaders.map((name) => request.headers[name]),
        ...parameters.filter(([name]) => secretParameters.includes(name)).map(([, value]) => value)
      ])
      const key = request.headers["x-bapi-api-key"]
      if (key !== undefined && key !== "" && !lasting.has(key)) {
        lasting.add(key)
        lastingPatterns = patterns(lasting)
      }
      const momentary = patterns(carried.filter((secret) => !lasting.has(secret)))
      return (text) => without(without(text, lastingPatterns), momentary)
    }
  }
}
