import type * as Edge from "@effect-venue/sandbox/siblings/Edge"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import type * as Credentials from "@effect-venue/signing/Credentials"
import { Clock, Effect, Redacted } from "effect"
import { createHmac } from "node:crypto"

/** A client by hand: it shares no code with the sandbox or with the client's signer. */
export interface Call {
  readonly path: string
  readonly method?: "GET" | "POST"
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly credentials: Credentials.Credentials.Shape
  readonly timestamp: number
  readonly recvWindow?: string
  readonly secret?: string
}

const hmac = (secret: string, text: string) => createHmac("sha256", secret).update(text, "utf8").digest("hex")

const encodeQuery = (parameters: Readonly<Record<string, unknown>>) =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join("&")

const isStructured = (value: unknown): boolean => typeof value === "object"

const textOf = (value: unknown) => (isStructured(value) ? JSON.stringify(value) : String(value))

const bytes = (text: string) => new TextEncoder().encode(text)

const isParameterSigned = (path: string) => path.startsWith("/private/") || path.endsWith("query-asset-info")

export const headersOf = (apiKey: string, timestamp: string, recvWindow: string | undefined, sign: string) => ({
  "x-bapi-api-key": apiKey,
  "x-bapi-timestamp": timestamp,
  "x-bapi-sign": sign,
  ...(recvWindow === undefined ? {} : { "x-bapi-recv-window": recvWindow })
})

/** The header method's signature over any payload. */
export const sign = (
  credentials: Credentials.Credentials.Shape,
  timestamp: number,
  recvWindow: string,
  payload: string
) =>
  hmac(
    Redacted.value(credentials.apiSecret),
    String(timestamp) + Redacted.value(credentials.apiKey) + recvWindow + payload
  )

/** Signs a call the way the documents say. */
export const request = (call: Call): Edge.Request => {
  const { path, method = "GET", parameters = {}, timestamp, recvWindow = "5000" } = call
  const key = Redacted.value(call.credentials.apiKey)
  const secret = call.secret ?? Redacted.value(call.credentials.apiSecret)
  const at = String(timestamp)
  if (isParameterSigned(path)) {
    const all: Record<string, unknown> = { ...parameters, api_key: key, timestamp, recv_window: Number(recvWindow) }
    const text = Object.keys(all)
      .sort()
      .map((name) => `${name}=${textOf(all[name])}`)
      .join("&")
    const sign = hmac(secret, text)
    const headers = headersOf(key, at, recvWindow, sign)
    return method === "GET"
      ? { method, target: `${path}?${encodeQuery({ ...all, sign })}`, headers, body: bytes("") }
      : { method, target: path, headers, body: bytes(JSON.stringify({ ...all, sign })) }
  }
  const payload = method === "GET" ? encodeQuery(parameters) : JSON.stringify(parameters)
  const headers = headersOf(key, at, recvWindow, hmac(secret, at + key + recvWindow + payload))
  return method === "GET"
    ? { method, target: payload === "" ? path : `${path}?${payload}`, headers, body: bytes("") }
    : { method, target: path, headers, body: bytes(payload) }
}

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what an answer holds is looked at as it is
  readonly json: any
  readonly code: number | undefined
}

export const read = (response: Edge.Response): Answered => {
  const isJson = response.headers["content-type"]?.startsWith("application/json") === true
  const json = isJson ? JSON.parse(response.body) : undefined
  return {
    status: response.status,
    headers: response.headers,
    text: response.body,
    json,
    code: json?.retCode ?? json?.ret_code
  }
}

/** Calls the sandbox of the context as one of its roles, at the clock's time. */
export const call = (
  path: string,
  parameters: Readonly<Record<string, unknown>> = {},
  more: Partial<Call> & { readonly role?: keyof Sandbox.Sandbox.Shape["credentials"]; readonly skew?: number } = {}
) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    const now = yield* Clock.currentTimeMillis
    const credentials = sandbox.credentials[more.role ?? "main"]
    const raw = request({ path, parameters, credentials, timestamp: now + (more.skew ?? 0), ...more })
    return read(yield* sandbox.handle(raw))
  })

export const post = (
  path: string,
  parameters: Readonly<Record<string, unknown>>,
  more: Parameters<typeof call>[2] = {}
) => call(path, parameters, { ...more, method: "POST" })

/** An unsigned request. */
export const bare = (request: Partial<Edge.Request> & { readonly target: string }) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    return read(yield* sandbox.handle({ method: "GET", headers: {}, body: bytes(""), ...request }))
  })

/** Follows the cursors of a list until the empty one. */
export const pages = (
  path: string,
  parameters: Readonly<Record<string, unknown>>,
  fields: { readonly items: string; readonly cursor: string },
  more: Parameters<typeof call>[2] = {}
) =>
  Effect.gen(function* () {
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as above
    const rows: Array<any> = []
    let cursor: string | undefined
    let count = 0
    for (;;) {
      const answer = yield* call(path, cursor === undefined ? parameters : { ...parameters, cursor }, more)
      if (answer.code !== 0) return yield* Effect.dieMessage(answer.text)
      rows.push(...answer.json.result[fields.items])
      count++
      cursor = answer.json.result[fields.cursor]
      if (cursor === "" || cursor === undefined) return { rows, count }
    }
  })

export const v3List = { items: "list", cursor: "nextPageCursor" }
