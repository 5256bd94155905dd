import * as Orders from "@effect-venue/schemas/Orders"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Connections from "@effect-venue/transport/Connections"
import * as Limits from "@effect-venue/transport/Limits"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as Transport from "@effect-venue/transport/Transport"
import { FetchHttpClient, type HttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Layer, Option, Redacted } from "effect"
import { createServer } from "node:http"

// A client that repeats a request by itself repeats a write whose first copy may have been executed, without asking anybody.

const clients: Readonly<Record<string, Layer.Layer<HttpClient.HttpClient>>> = {
  fetch: FetchHttpClient.layer,
  "fetch in connections that can be renewed": Connections.layer(FetchHttpClient.layer),
  "a fetch of the application": Layer.provide(
    FetchHttpClient.layer,
    Layer.succeed(FetchHttpClient.Fetch, (input, init) => fetch(input, init))
  ),
  undici: NodeHttpClient.layerUndici,
  "node:http": NodeHttpClient.layer,
  NodeConnections: NodeConnections.layer
}

const statuses = [300, 301, 302, 303, 304, 305, 307, 308, 451, 599].concat(
  Array.from({ length: 32 }, (_, index) => 400 + index),
  Array.from({ length: 12 }, (_, index) => 500 + index)
)

const request = { category: "linear", symbol: "BTCUSDT", orderLinkId: "é-1", price: "1" } as const

/** A server that answers every request with the status, and with what a client needs to try again. */
const refusing = (status: () => number) =>
  Effect.gen(function* () {
    const arrived: Array<{ readonly length: string | undefined; readonly body: string }> = []
    const server = createServer((incoming, response) => {
      const chunks: Array<Buffer> = []
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
      incoming.on("end", () => {
        arrived.push({ length: incoming.headers["content-length"], body: Buffer.concat(chunks).toString("utf8") })
        response.writeHead(status(), { location: "/elsewhere", "retry-after": "0", "www-authenticate": "Basic" })
        response.end()
      })
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    )
    const address = server.address()
    return { arrived, url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}` }
  })

describe("a write that is answered with an error status", () => {
  for (const [name, client] of Object.entries(clients)) {
    it.scopedLive(`arrives once through ${name} for every status, with its content length`, () =>
      Effect.gen(function* () {
        let status = 0
        const { arrived, url } = yield* refusing(() => status)
        const transport = Transport.layerStandalone.pipe(
          Layer.provide(client),
          Layer.provide(
            Layer.succeed(
              Credentials.Credentials,
              Credentials.make({
                baseUrl: url,
                apiKey: "EXAMPLEKEY0001",
                apiSecret: Redacted.make("example-secret-0001")
              })
            )
          )
        )
        const repeated: Array<number> = []
        yield* Effect.gen(function* () {
          const venue = yield* Transport.Transport
          for (status of statuses) {
            const before = arrived.length
            expect(Either.isLeft(yield* Effect.either(venue.call(Orders.amend, request)))).toBe(true)
            if (arrived.length !== before + 1) repeated.push(status)
          }
        }).pipe(
          Effect.provide(transport),
          Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none),
          Effect.provideService(Limits.Limits, { perUid: () => Option.none(), perIp: Option.none() })
        )
        expect(repeated).toEqual([])
        const body = JSON.stringify(request)
        expect(new Set(arrived.map((one) => JSON.stringify(one)))).toEqual(
          new Set([JSON.stringify({ length: String(Buffer.byteLength(body)), body })])
        )
      })
    )
  }
})
