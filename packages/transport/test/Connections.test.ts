import * as Connections from "@effect-venue/transport/Connections"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { HttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Runtime, Schedule } from "effect"
import * as http from "node:http"
import { read } from "./utils/calls.js"
import { listen } from "@effect-venue/testing/Listening"
import { transportTo } from "./utils/servers.js"

const page = JSON.stringify({
  retCode: 0,
  retMsg: "OK",
  result: { category: "linear", list: [], nextPageCursor: "" },
  retExtInfo: {},
  time: 0
})

/** A far end with sockets, which counts those that are open. Answers are written when the script says so. */
const answering = (script: (index: number) => Effect.Effect<{ readonly status: number; readonly body: string }>) =>
  Effect.gen(function* () {
    const run = Runtime.runFork(yield* Effect.runtime())
    const closed = { count: 0 }
    let requests = 0
    const server = http.createServer((_, response) => {
      run(
        Effect.map(script(requests++), ({ body, status }) => {
          response.writeHead(status, { "content-type": "application/json" }).end(body)
        })
      )
    })
    server.on("connection", (socket) => void socket.on("close", () => (closed.count += 1)))
    const { open, url } = yield* listen(server)
    const sockets = (count: number) =>
      Effect.suspend(() => (open.size === count ? Effect.void : Effect.fail(open.size))).pipe(
        Effect.retry(Schedule.spaced("5 millis"))
      )
    return { sockets, open, closed, url }
  })

describe.each([
  ["of a client's layer", Connections.layer(NodeHttpClient.layerUndici)],
  ["for Node", NodeConnections.layer]
] as const)("connections %s after a ban", (_, connections) => {
  it.live("ends existing connections once the calls in flight have ended", () =>
    Effect.gen(function* () {
      const slow = yield* Deferred.make<void>()
      const arrived = yield* Deferred.make<void>()
      const far = yield* answering((index) => {
        if (index === 0) {
          return Deferred.succeed(arrived, undefined).pipe(
            Effect.zipRight(Deferred.await(slow)),
            Effect.as({ status: 200, body: page })
          )
        }
        return Effect.succeed(index < 3 ? { status: 200, body: page } : { status: 403, body: "access too frequent" })
      })
      yield* Effect.gen(function* () {
        const first = yield* Effect.fork(read)
        yield* Deferred.await(arrived)
        yield* read
        yield* read
        expect(yield* Effect.flip(read)).toMatchObject({ _tag: "Banned" })
        expect(far.open.size).toBeGreaterThan(1)
        yield* Deferred.succeed(slow, undefined)
        expect(yield* Fiber.join(first)).toMatchObject({ list: [] })
        yield* far.sockets(0)
      }).pipe(Effect.provide(transportTo(far.url, connections)))
    }).pipe(Effect.scoped)
  )

  it.live("ends no connection without a ban", () =>
    Effect.gen(function* () {
      const far = yield* answering((index) => Effect.succeed({ status: index === 0 ? 500 : 200, body: page }))
      yield* Effect.gen(function* () {
        yield* read
        yield* read
        expect(far.closed.count).toBe(0)
      }).pipe(Effect.provide(transportTo(far.url, connections)))
    }).pipe(Effect.scoped)
  )
})

describe("connections of a client's layer", () => {
  it.effect("keeps the old client if a new one cannot be built", () =>
    Effect.gen(function* () {
      let built = 0
      const used: Array<number> = []
      const client = Layer.effect(
        HttpClient.HttpClient,
        Effect.suspend(() => {
          built += 1
          const mine = built
          return mine === 2
            ? Effect.fail("no more sockets")
            : Effect.succeed(
                HttpClient.make(() => Effect.sync(() => used.push(mine)).pipe(Effect.zipRight(Effect.never)))
              )
        })
      )
      const connections = yield* Connections.make(client)
      const call = connections.use((client) => client.get("http://venue.test")).pipe(Effect.fork)
      yield* Effect.zipRight(call, Effect.yieldNow())
      yield* connections.renew
      yield* Effect.zipRight(call, Effect.yieldNow())
      yield* connections.renew
      yield* Effect.zipRight(call, Effect.yieldNow())
      expect(used).toEqual([1, 1, 3])
    }).pipe(Effect.scoped)
  )
})
