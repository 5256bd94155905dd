import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Executions from "@effect-venue/schemas/Executions"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Limits from "@effect-venue/transport/Limits"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as Transport from "@effect-venue/transport/Transport"
import { HttpClient } from "@effect/platform"
import { createServer } from "node:http"
import * as v8 from "node:v8"
import * as vm from "node:vm"
import { listen } from "@effect-venue/testing/Listening"
import { clients, transportTo } from "./utils/servers.js"

v8.setFlagsFromString("--expose-gc")
const collectAll = vm.runInNewContext("gc") as () => void

/** Larger than everything else that a call allocates in old memory. */
const cursor = "c".repeat(40_000)
const body = JSON.stringify({
  retCode: 0,
  retMsg: "OK",
  result: { category: "linear", list: [], nextPageCursor: cursor },
  retExtInfo: {},
  // Not a time, so that the responses of a whole run can be equal.
  time: 0
})

const answering = Effect.suspend(() =>
  listen(
    createServer((request, response) => {
      request.resume()
      response.setHeader("content-type", "application/json")
      response.end(body)
    })
  )
)

const read = Effect.flatMap(Transport.Transport, (transport) =>
  transport.callWire(Executions.list, { category: "linear" })
)

const oldMemory = (): number =>
  v8
    .getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name === "old_space" || space_name === "large_object_space")
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0)

/** Makes calls, 16 at a time. Returns how many bytes of each call came into old memory. */
const measure = <A, E, R>(call: Effect.Effect<A, E, R>, calls: number) =>
  Effect.gen(function* () {
    let promoted = 0
    for (let made = 0; made < calls; made += 800) {
      const before = oldMemory()
      yield* Effect.replicateEffect(Effect.replicateEffect(call, 50, { discard: true }), 16, {
        concurrency: "unbounded",
        discard: true
      })
      promoted += Math.max(oldMemory() - before, 0)
    }
    return promoted / calls
  })

/** What a client registers for finalization is released in the turn after a collection. */
const liveMemory = Effect.sync(collectAll).pipe(
  Effect.zipRight(Effect.sleep(100)),
  Effect.zipRight(Effect.sync(collectAll)),
  Effect.map(() => v8.getHeapStatistics().used_heap_size)
)

const calls = 60_000
const kept: Array<unknown> = []

describe("60,000 calls keep no response", () => {
  const wrapped = Layer.succeed(CallOptions.TransformClient, (client) => client.pipe((inner) => ({ ...inner })))
  for (const [name, client] of Object.entries({ ...clients, wrapped: NodeConnections.layer })) {
    it.scopedLive(`over ${name}`, () =>
      Effect.gen(function* () {
        const { url } = yield* answering
        // Limits would remember the calls of some seconds.
        const options = Layer.succeed(Limits.Limits, Limits.none)
        const transport = yield* Layer.build(
          transportTo(url, client).pipe(Layer.provide(name === "wrapped" ? Layer.merge(options, wrapped) : options))
        )
        const http = yield* Layer.build(client)
        const bare = Effect.provide(
          Effect.flatMap(HttpClient.get(url), ({ text }) => text),
          http
        )
        const one = Effect.provide(read, transport)
        yield* measure(one, 4_000)
        const before = yield* liveMemory
        const promoted = yield* measure(one, calls)
        const grown = (yield* liveMemory) - before
        const ofClient = yield* measure(bare, 4_000)
        yield* Effect.replicateEffect(
          Effect.map(one, (result) => kept.push(result)),
          1_000,
          { discard: true }
        )
        const control = (yield* liveMemory) - before
        kept.length = 0
        console.log(name, ...[promoted, ofClient, grown, control].map(Math.round))
        expect(grown).toBeLessThan(2_000_000)
        // Each response is larger. Some clients keep it a while themselves.
        expect(promoted - ofClient).toBeLessThan(10_000)
        expect(control).toBeGreaterThan(30_000_000)
      })
    )
  }
})
