import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import * as Transport from "@effect-venue/transport/Transport"
import { HttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Scheduler } from "effect"
import * as http from "node:http"
import { page, read, write } from "./utils/calls.js"
import { listen } from "@effect-venue/testing/Listening"
import { transportTo } from "./utils/servers.js"
import * as World from "./utils/world.js"

const log: Array<string> = []

/** Notes each use of a member of a service. */
const noting = <I, S extends object>(layer: Layer.Layer<I>, tag: Context.Tag<I, S>, member: keyof S, line: string) =>
  Layer.map(layer, (context) => {
    const get = (service: S, name: string | symbol): unknown => {
      if (name === member) log.push(line)
      return Reflect.get(service, name)
    }
    return Context.make(tag, new Proxy(Context.get(context, tag), { get }))
  })

const transport = Transport.layer.pipe(
  Layer.provide([
    noting(RateLimiter.layerMemory, RateLimiter.RateLimiter, "acquire", "admitted"),
    noting(ServerClock.layer, ServerClock.ServerClock, "now", "signed"),
    noting(BanGate.layer, BanGate.BanGate, "closedUntil", "checked"),
    Signer.layer,
    Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make(() => Effect.never)
    )
  ]),
  Layer.provide(Credentials.layer({ baseUrl: "http://venue.test", apiKey: "key", apiSecret: Redacted.make("secret") }))
)

const others = Effect.repeatN(
  Effect.zipRight(
    Effect.sync(() => log.push("other")),
    Effect.yieldNow()
  ),
  1_000
)

const logOf = (seed: number): ReadonlyArray<string> => {
  log.length = 0
  const next = World.random(seed)
  const program = Effect.provide(Effect.zipRight(Effect.fork(others), read), transport)
  World.run(Effect.raceFirst(Effect.exit(program), Effect.sleep(1)), {
    // Each yield is several operations, so more frequent ones would not end.
    shouldYield: () => (next() < 0.08 ? 0 : false)
  })
  return [...log]
}

describe("between the admission of a call and its departure", () => {
  it("no other fiber runs, wherever fibers yield", () => {
    const logs = Array.from({ length: 50 }, (_, seed) => logOf(seed))
    for (const [seed, log] of logs.entries()) {
      const steps = log.slice(log.indexOf("admitted"), log.lastIndexOf("checked") + 1)
      expect({ seed, steps }).toEqual({ seed, steps: ["admitted", "signed", "checked"] })
    }
    // In some of them the other fiber has run before.
    expect(logs.filter((log) => log.slice(0, log.indexOf("admitted")).includes("other")).length).toBeGreaterThan(10)
  })
})

/** How many operations of the runtime an effect takes. */
const operationsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    let operations = 0
    const counting: Scheduler.Scheduler = {
      scheduleTask: (task, priority) => Scheduler.defaultScheduler.scheduleTask(task, priority),
      shouldYield: () => {
        operations += 1
        return false
      }
    }
    return Effect.map(Effect.withScheduler(effect, counting), () => operations)
  })

// Time differs between machines; this number does not. It once doubled without being noticed, and a call took a fifth longer.
describe("a call over NodeConnections", () => {
  const inherited = Layer.succeed(RetryPolicy.RetryPolicy, RetryPolicy.none)
  const cases = [
    { name: "a read", call: read, options: Layer.empty, atMost: 46 },
    { name: "a write", call: write, options: Layer.empty, atMost: 49 },
    { name: "a read with the references of its transport", call: read, options: inherited, atMost: 54 }
  ]
  it.scopedLive.each(cases)("takes few operations of the runtime: $name", ({ atMost, call, options }) =>
    Effect.gen(function* () {
      const server = http.createServer((request, response) => {
        request.resume()
        const result = request.method === "GET" ? page : { orderId: "o-1", orderLinkId: "" }
        const body = JSON.stringify({ retCode: 0, retMsg: "OK", result, retExtInfo: {}, time: Date.now() })
        response.writeHead(200, { "content-type": "application/json", "content-length": body.length })
        response.end(body)
      })
      const { url } = yield* listen(server)
      const layer = transportTo(url, NodeConnections.layer).pipe(Layer.provide(options))
      const operations = yield* Effect.provide(
        Effect.zipRight(read, operationsOf<unknown, unknown, Transport.Transport>(call)),
        layer
      )
      expect(operations).toBeLessThanOrEqual(atMost)
    })
  )
})
