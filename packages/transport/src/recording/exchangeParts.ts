import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { flow } from "effect/Function"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { type Clean, signatureParameters } from "./secrets.js"

export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, string>> | undefined
  readonly body?: unknown
}

export interface RecordedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

const decoder = new TextDecoder()

/** The parts of a request, and the parameters of its signature. */
export interface ExchangeParts {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<readonly [string, string]>
  /** A JSON object by its members, or text; `undefined` without a body. */
  readonly body: Readonly<Record<string, unknown>> | string | undefined
}

const textOf = ({ body }: HttpClientRequest.HttpClientRequest): string | undefined => {
  switch (body._tag) {
    case "Empty":
      return undefined
    case "Uint8Array":
      return decoder.decode(body.body)
    case "Raw":
      return typeof body.body === "string" ? body.body : `<${body.contentType ?? "bytes"}>`
    // Reading a stream would take it from the client.
    case "Stream":
    case "FormData":
      return `<${body._tag}>`
  }
}

const parseJson = flow(
  Option.liftThrowable((text: string): unknown => JSON.parse(text)),
  Option.getOrUndefined
)

/** The value of JSON text, if printing it returns the same text. A string stays text, so that it is not mistaken for the text of a body. */
const faithful = (text: string): unknown => {
  const value = parseJson(text)
  return value !== undefined && typeof value !== "string" && JSON.stringify(value) === text ? value : text
}

export const partsOf = (request: HttpClientRequest.HttpClientRequest): ExchangeParts => {
  const url = Option.getOrUndefined(HttpClientRequest.toUrl(request))
  const text = textOf(request)
  const body = text === undefined ? undefined : parseJson(text)
  return {
    method: request.method,
    path: url?.pathname ?? request.url,
    query: url === undefined ? [] : Array.from(url.searchParams),
    body: Predicate.isReadonlyRecord(body) && !Array.isArray(body) ? body : text
  }
}

export const parametersOf = ({ body, query }: ExchangeParts): ReadonlyArray<readonly [string, unknown]> => [
  ...query,
  ...(typeof body === "object" ? Object.entries(body) : [])
]

const isOwn = ([name]: readonly [string, unknown]): boolean => !signatureParameters.has(name)

/** A request without its signature. Repeated names are joined, since the service accepts no such request. */
export const requestOf = ({ body, method, path, query }: ExchangeParts, clean: Clean): RecordedRequest => {
  const own = query.filter(isOwn).map(([name, value]) => [clean(name), clean(value)] as const)
  const ownBody = typeof body === "object" ? Object.fromEntries(Object.entries(body).filter(isOwn)) : body
  return {
    method,
    path: clean(path),
    ...(own.length === 0 ? {} : { query: Object.fromEntries(own) }),
    ...(ownBody === undefined
      ? {}
      : { body: typeof ownBody === "string" ? clean(ownBody) : faithful(clean(JSON.stringify(ownBody))) })
  }
}

// The headers that the transport reads. Others name machines, sessions and traces.
const isKept = (name: string): boolean =>
  ["content-type", "date", "retry-after", "timenow"].includes(name) || name.startsWith("x-bapi-limit")

export const answerOf = (
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
  clean: Clean
): RecordedAnswer => {
  const kept = Object.entries(headers).filter(([name]) => isKept(name))
  return {
    status,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, clean(value)])),
    body: faithful(clean(text))
  }
}

/** The text of a recorded body. */
export const bodyText = ({ body }: RecordedAnswer): string => (typeof body === "string" ? body : JSON.stringify(body))
