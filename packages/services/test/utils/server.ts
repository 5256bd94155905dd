import * as Venue from "@effect-venue/services/Venue"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import { listen } from "@effect-venue/testing/Listening"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer, Redacted } from "effect"
import { createServer } from "node:http"

export interface Received {
  readonly method: string
  readonly path: string
  /** The parameters of the query, or the members of the body. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** The body of an answer; `"reset"` ends the connection without one, and `"hang"` never answers. */
export type Handle = (received: Received) => object | string

const parametersOf = (url: URL, body: string): Readonly<Record<string, unknown>> => {
  if (body === "") return Object.fromEntries(url.searchParams)
  // The client sends JSON objects only.
  return JSON.parse(body) as Readonly<Record<string, unknown>>
}

/** An HTTP server on a free port of this machine. */
export const serve = (handle: Handle) =>
  Effect.gen(function* () {
    const received: Array<Received> = []
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const url = new URL(request.url ?? "/", "http://localhost")
        const one: Received = {
          method: request.method ?? "",
          path: url.pathname,
          parameters: parametersOf(url, Buffer.concat(chunks).toString("utf8"))
        }
        received.push(one)
        const answer = handle(one)
        if (answer === "hang") return
        if (answer === "reset") {
          request.socket.destroy()
          return
        }
        response.setHeader("content-type", "application/json")
        response.end(typeof answer === "string" ? answer : JSON.stringify(answer))
      })
    })
    const { url } = yield* listen(server)
    return { received, url }
  })

/** The services of an account at a server. A call is sent once. */
export const venueAt = (baseUrl: string) =>
  Venue.layer.pipe(
    Layer.provide(NodeHttpClient.layerUndici),
    Layer.provide(
      Layer.succeed(
        Credentials.Credentials,
        Credentials.make({ baseUrl, apiKey: "EXAMPLEKEY0001", apiSecret: Redacted.make("example-secret-0001") })
      )
    ),
    Layer.merge(Layer.succeed(RetryPolicy.RetryPolicy, RetryPolicy.none))
  )

/** The envelope of a result, under the names of every kind of envelope. */
export const enveloped = (result: unknown, time = Date.now()) => ({
  retCode: 0,
  retMsg: "OK",
  result,
  retExtInfo: {},
  time,
  ret_code: 0,
  ret_msg: "OK",
  ext_code: "",
  ext_info: null,
  time_now: time
})
