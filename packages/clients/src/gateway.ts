/**
 * An HTTP server between a client of the API family and the sandbox, which forwards each request to the corresponding documented path.
 * Query and body are forwarded byte for byte with the client's signature, unless the document requires another spelling: the legacy signing
 * and envelope of `/private/v1` and of the funding account, and the capital initials of open orders. It shares no code with the library or
 * the sandbox.
 */
import { createHmac } from "node:crypto"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { type Place, places } from "./pathMap.js"

export interface Gateway {
  readonly url: string
  /** The documented paths requested since the last call, in order, each once. */
  readonly taken: () => ReadonlyArray<string>
  readonly close: () => Promise<void>
}

export interface Target {
  readonly url: string
  /** The secret of a key, to sign again if the document requires another signing method. */
  readonly secretOf: (apiKey: string) => string
}

interface Message {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

interface Reply {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

const hmac = (secret: string, text: string) => createHmac("sha256", secret).update(text, "utf8").digest("hex")

const textOf = async (stream: http.IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array)) // no encoding is set
  return Buffer.concat(chunks).toString("utf8")
}

const send = (url: string, { body, headers, method, path, query }: Message): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const target = `${url}${path}${query === "" ? "" : `?${query}`}`
    const request = http.request(target, { method, headers }, (response) => {
      textOf(response).then(
        (text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        reject
      )
    })
    request.on("error", reject)
    request.end(body)
  })

const text = (value: http.IncomingHttpHeaders[string]): string => (typeof value === "string" ? value : "")

/** Whether the client's signature is valid. An invalid one is forwarded unchanged, and refused by the sandbox. */
const isSigned = ({ body, headers, method, query }: Message, secret: string): boolean =>
  text(headers["x-bapi-sign"]) ===
  hmac(
    secret,
    text(headers["x-bapi-timestamp"]) +
      text(headers["x-bapi-api-key"]) +
      text(headers["x-bapi-recv-window"]) +
      (method === "GET" ? query : body)
  )

const parametersOf = ({ body, method, query }: Message): Readonly<Record<string, unknown>> =>
  method === "GET"
    ? Object.fromEntries(new URLSearchParams(query))
    : (JSON.parse(body === "" ? "{}" : body) as Record<string, unknown>) // clients send objects

/** Signs by parameters, sorted by name and joined before encoding. */
const signParameters = (message: Message, secret: string, { renamed = {} }: Place): Message => {
  const { headers } = message
  const parameters: Record<string, unknown> = Object.fromEntries(
    Object.entries(parametersOf(message)).map(([name, value]) => [renamed[name] ?? name, value])
  )
  parameters.api_key = text(headers["x-bapi-api-key"])
  parameters.timestamp = text(headers["x-bapi-timestamp"])
  parameters.recv_window = text(headers["x-bapi-recv-window"])
  const origin = Object.keys(parameters)
    .sort()
    .map((name) => `${name}=${String(parameters[name])}`)
    .join("&")
  const sign = hmac(secret, origin)
  const all: Readonly<Record<string, unknown>> = { ...parameters, sign }
  const signed = { ...headers, "x-bapi-sign": sign }
  if (message.method !== "GET") return { ...message, headers: signed, body: JSON.stringify(all) }
  const query = Object.entries(all)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join("&")
  return { ...message, headers: signed, query }
}

type Answer = Readonly<Record<string, unknown>>

/** Renames a legacy envelope to the standard one. A standard envelope does not change. */
const standardEnvelope = (answer: Answer): Answer =>
  "ret_code" in answer
    ? {
        retCode: answer.ret_code,
        retMsg: answer.ret_msg,
        result: answer.result,
        retExtInfo: answer.ext_info ?? {},
        time: answer.time_now
      }
    : answer

const lowerFields = (record: object): object =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name.slice(0, 1).toLowerCase() + name.slice(1), value])
  )

const smallInitials = (answer: Answer): Answer => {
  const result = answer.result as { readonly list?: ReadonlyArray<object> } | null // according to the document
  return result?.list === undefined ? answer : { ...answer, result: { ...result, list: result.list.map(lowerFields) } }
}

const respelt = ({ spelling }: Place, reply: Reply): string => {
  if (spelling === "as is" || reply.status !== 200) return reply.body
  const answer = JSON.parse(reply.body) as Answer // a response of the sandbox with status 200 is an object
  return JSON.stringify(spelling === "legacy" ? standardEnvelope(answer) : smallInitials(answer))
}

const asSent = (place: Place, message: Message, secret: string): Message =>
  place.spelling === "legacy" && isSigned(message, secret) ? signParameters(message, secret, place) : message

// Documented paths need no mapping and are only recorded.
const isOfDocument = (path: string): boolean => /^\/(cloud\/trade\/v3|private\/v1)\//.test(path)

const relay = async (target: Target, incoming: Message, taken: Set<string>): Promise<Reply> => {
  const place = isOfDocument(incoming.path)
    ? ({ path: incoming.path, spelling: "as is" } as const)
    : places.get(incoming.path)
  if (place === undefined) return { status: 404, headers: {}, body: `the document has no place for ${incoming.path}` }
  taken.add(place.path)
  const secret = target.secretOf(text(incoming.headers["x-bapi-api-key"]))
  const outgoing = asSent(place, { ...incoming, path: place.path }, secret)
  // The length is set again, because the body can have changed.
  const { "content-length": _length, host: _host, ...headers } = outgoing.headers
  const length = outgoing.method === "GET" ? {} : { "content-length": String(Buffer.byteLength(outgoing.body)) }
  const reply = await send(target.url, { ...outgoing, headers: { ...headers, ...length } })
  return { ...reply, body: respelt(place, reply) }
}

const messageOf = async (request: http.IncomingMessage): Promise<Message> => {
  const [path = "", query = ""] = (request.url ?? "").split("?", 2)
  return { method: request.method ?? "", path, query, headers: request.headers, body: await textOf(request) }
}

const passedOn = new Set(["content-type", "x-bapi-limit", "x-bapi-limit-status", "x-bapi-limit-reset-timestamp"])

const answer = async (
  target: Target,
  taken: Set<string>,
  request: http.IncomingMessage,
  response: http.ServerResponse
) => {
  const reply = await relay(target, await messageOf(request), taken)
  const headers = Object.entries(reply.headers).filter(([name]) => passedOn.has(name))
  response.writeHead(reply.status, Object.fromEntries(headers) as http.OutgoingHttpHeaders) // verbatim
  response.end(reply.body)
}

/** Listens on a free port of the loopback interface. */
export const open = async (target: Target): Promise<Gateway> => {
  const taken = new Set<string>()
  const server = http.createServer((request, response) => {
    answer(target, taken, request, response).catch((cause: unknown) => {
      response.writeHead(502)
      response.end(String(cause))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    taken: () => {
      const paths = [...taken]
      taken.clear()
      return paths
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
