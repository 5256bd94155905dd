import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { needlesOf, without } from "../model/secretsInText.js"

/** Parameters that the signing methods add to a query or body. They differ for each sending and are never recorded. */
export const signatureParameters: ReadonlySet<string> = new Set(["api_key", "timestamp", "recv_window", "sign"])

// Headers whose values are always secret.
const secretHeaders = ["x-bapi-api-key", "x-bapi-sign", "authorization", "proxy-authorization", "cookie"]

const secretParameters = ["api_key", "sign"]

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
  let lastingNeedles = needlesOf(lasting)
  return {
    clean: (request, parameters) => {
      const carried = nonEmpty([
        ...secretHeaders.map((name) => request.headers[name]),
        ...parameters.filter(([name]) => secretParameters.includes(name)).map(([, value]) => value)
      ])
      const key = request.headers["x-bapi-api-key"]
      if (key !== undefined && key !== "" && !lasting.has(key)) {
        lasting.add(key)
        lastingNeedles = needlesOf(lasting)
      }
      const momentary = needlesOf(carried.filter((secret) => !lasting.has(secret)))
      return (text) => without(without(text, lastingNeedles), momentary)
    }
  }
}
