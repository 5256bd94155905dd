import * as Executions from "@effect-venue/schemas/Executions"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import * as Egress from "@effect-venue/transport/Egress"
import * as DocumentedLimits from "@effect-venue/transport/siblings/DocumentedLimits"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as Transport from "@effect-venue/transport/Transport"
import { listen } from "@effect-venue/testing/Listening"
import { FetchHttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Context, Duration, Effect, Fiber, Layer, Option, Redacted, TestClock } from "effect"
import * as http from "node:http"
import * as Connections from "@effect-venue/transport/Connections"

/** A server that answers with an empty list, and notes the address of each caller. */
const server = Effect.gen(function* () {
  const callers: Array<string | undefined> = []
  const server = http.createServer((request, response) => {
    callers.push(request.socket.remoteAddress)
    const result = { nextPageCursor: "", category: "linear", list: [] }
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify({ retCode: 0, retMsg: "OK", result, retExtInfo: {}, time: Date.now() }))
  })
  const { url } = yield* listen(server)
  return { callers, url }
})

const call = Effect.flatMap(Transport.Transport, (transport) =>
  transport.call(Executions.list, { category: "linear", limit: 1 })
)

/** A call of an account behind an address. */
const callFrom = (egress: Egress.Egress, baseUrl: string) =>
  call.pipe(
    Effect.provide(
      Transport.layer.pipe(
        Layer.provide([egress.layer, Signer.layer]),
        Layer.provide(
          Credentials.layer({
            baseUrl,
            apiKey: "EXAMPLEKEY0001",
            apiSecret: Redacted.make("example-secret-not-real-0001")
          })
        )
      )
    )
  )

const charge = {
  key: "ip",
  scope: "ip",
  limit: DocumentedLimits.perIp.count,
  window: DocumentedLimits.perIp.window,
  cost: 1
} as const

describe("an egress address", () => {
  it.scopedLive("sends calls from its local address", () =>
    Effect.gen(function* () {
      const { callers, url } = yield* server
      for (const address of ["127.0.0.2", "127.0.0.3"]) {
        const egress = Egress.make(address, NodeConnections.layerAddress(address), { rest: false })
        yield* callFrom(egress, url)
      }
      expect(callers).toEqual(["127.0.0.2", "127.0.0.3"])
    })
  )

  it.scopedLive("fails with sent: false if the machine does not have the address", () =>
    Effect.gen(function* () {
      const { callers, url } = yield* server
      const egress = Egress.make("elsewhere", NodeConnections.layerAddress("192.0.2.1"), { rest: false })
      const failure = yield* Effect.flip(
        callFrom(egress, url).pipe(Effect.timeoutFail({ duration: "1 minute", onTimeout: () => "no failure" as const }))
      )
      expect(failure).toMatchObject({ _tag: "ConnectionFailed" })
      expect(callers).toEqual([])
    })
  )

  it.scoped("sends nothing for one window after it was built", () =>
    Effect.gen(function* () {
      const connections = Connections.layer(FetchHttpClient.layer)
      const limiter = Context.get(yield* Layer.build(Egress.make("a", connections).layer), RateLimiter.RateLimiter)
      const fiber = yield* Effect.fork(
        RateLimiter.charged(limiter, Effect.succeed("sent"), { charges: [charge], priority: "read" })
      )
      yield* TestClock.adjust(Duration.millis(Duration.toMillis(DocumentedLimits.perIp.window) - 1))
      expect(Option.isNone(yield* Fiber.poll(fiber))).toBe(true)
      yield* TestClock.adjust("10 millis")
      expect(yield* Fiber.join(fiber)).toBe("sent")
    })
  )

  it.scoped("has limits that no other address shares, even if it is built twice", () =>
    Effect.gen(function* () {
      const egress = Egress.make("a", Connections.layer(FetchHttpClient.layer), { rest: false })
      const contexts = Chunk.toReadonlyArray(
        Chunk.fromIterable([yield* Layer.build(egress.layer), yield* Layer.build(egress.layer)])
      )
      const [first, second] = contexts.map((context) => Context.get(context, RateLimiter.RateLimiter))
      yield* Effect.forEach([first, second], (limiter) =>
        limiter === undefined
          ? Effect.dieMessage("no limiter")
          : RateLimiter.charged(limiter, Effect.void, { charges: [{ ...charge, limit: 1 }], priority: "read" })
      ).pipe(Effect.timeout("1 second"))
    })
  )
})
