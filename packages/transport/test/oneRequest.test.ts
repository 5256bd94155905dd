import * as Orders from "@effect-venue/schemas/Orders"
import * as Connections from "@effect-venue/transport/Connections"
import * as Limits from "@effect-venue/transport/Limits"
import * as Transport from "@effect-venue/transport/Transport"
import { FetchHttpClient, type HttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Layer, Option } from "effect"
import { createServer } from "node:http"
import { once } from "./utils/calls.js"
import { listen } from "@effect-venue/testing/Listening"
import { clients, transportTo } from "./utils/servers.js"

// A client that repeats a request by itself repeats a write whose first copy may have been executed, without asking anybody.

const everyClient: Readonly<Record<string, Layer.Layer<HttpClient.HttpClient>>> = {
  ...clients,
  "fetch in connections that can be renewed": Connections.layer(FetchHttpClient.layer),
  "a fetch of the application": Layer.provide(
    FetchHttpClient.layer,
    Layer.succeed(FetchHttpClient.Fetch, (input, init) => fetch(input, init))
  )
}

const statuses = [300, 301, 302, 303, 304, 305, 307, 308, 451, 599].concat(
  Array.from({ length: 32 }, (_, index) => 400 + index),
  Array.from({ length: 12 }, (_, index) => 500 + index)
)

const request = { category: "linear", symbol: "BTCUSDT", orderLinkId: "é-1", price: "1" } as const

/** A server that answers every request with the status, and with what a client needs to try again. */
const refusing = (status: () => number) => {
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
  return Effect.map(listen(server), ({ url }) => ({ arrived, url }))
}

describe("a write that is answered with an error status", () => {
  for (const [name, client] of Object.entries(everyClient)) {
    it.scopedLive(`arrives once through ${name} for every status, with its content length`, () =>
      Effect.gen(function* () {
        let status = 0
        const { arrived, url } = yield* refusing(() => status)
        const repeated: Array<number> = []
        yield* Effect.gen(function* () {
          const venue = yield* Transport.Transport
          for (status of statuses) {
            const before = arrived.length
            expect(Either.isLeft(yield* Effect.either(venue.call(Orders.amend, request)))).toBe(true)
            if (arrived.length !== before + 1) repeated.push(status)
          }
        }).pipe(
          once,
          Effect.provide(transportTo(url, client)),
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
