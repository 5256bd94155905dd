import { SandboxControl } from "@effect-venue/sandbox/Control"
import * as Resting from "@effect-venue/testing/Resting"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as FileWriteJournal from "@effect-venue/transport/FileWriteJournal"
import { FileSystem, HttpServer } from "@effect/platform"
import { NodeContext, NodeHttpServer } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { createServer } from "node:http"
import { layer } from "../src/gateway.js"
import { telemetry } from "../src/openTelemetry.js"
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader
} from "@opentelemetry/sdk-metrics"
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"

const order = (orderLinkId: string) => ({
  orderLinkId,
  symbol: Resting.market.symbol,
  side: "Buy",
  qty: "1",
  price: Resting.price
})

/** An exchange with two accounts, and a folder for the journal. */
const world = Effect.gen(function* () {
  const exchange = yield* Layer.build(Sandbox.layer({ seed: 7, prices: "still" }))
  const folder = yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())
  const keys = yield* Effect.provide(
    Effect.gen(function* () {
      const { openAccount } = yield* SandboxControl
      const own = (USDT: string) => openAccount({ funds: { USDT } })
      return { alpha: yield* own("1000"), beta: yield* own("250") }
    }),
    exchange
  )
  const { control, faults } = Context.get(exchange, Sandbox.Sandbox)
  yield* Resting.hold(control)
  return { exchange, faults, folder, keys }
})

type World = Effect.Effect.Success<typeof world>

/** The application as a process: what is asked of it, and what stops it. */
const started = ({ exchange, folder, keys }: World) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
    const spans = new InMemorySpanExporter()
    const reader = new PeriodicExportingMetricReader({
      exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
    })
    const server = NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })
    const app = layer(keys).pipe(
      Layer.provideMerge(server),
      Layer.provide(FileWriteJournal.layer({ folder })),
      Layer.provide(Layer.succeedContext(exchange)),
      Layer.provide([NodeContext.layer, telemetry(new SimpleSpanProcessor(spans), reader)])
    )
    const { address } = Context.get(yield* Layer.buildWithScope(app, scope), HttpServer.HttpServer)
    const url = address._tag === "TcpAddress" ? `http://127.0.0.1:${address.port}` : ""
    const ask = (method: string, path: string, body?: unknown) =>
      Effect.promise(async () => {
        const response = await fetch(url + path, {
          method,
          headers: { "content-type": "application/json", connection: "close" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
        const text = await response.text()
        return { status: response.status, body: text === "" ? undefined : (JSON.parse(text) as unknown) }
      })
    return { ask, spans, stop: Scope.close(scope, Exit.void) }
  })

const running = <A, E>(use: (world: World) => Effect.Effect<A, E, Scope.Scope>) =>
  Effect.flatMap(world, use).pipe(Effect.provide(NodeContext.layer))

describe("the gateway", () => {
  it.scopedLive("serves several accounts, and signs with a new key from when it is set", () =>
    running((world) =>
      Effect.gen(function* () {
        const { ask, spans } = yield* started(world)
        expect(yield* ask("GET", "/health")).toEqual({
          status: 200,
          body: { accounts: ["alpha", "beta"], openWrites: 0 }
        })
        const equity = yield* ask("GET", "/accounts/alpha/equity")
        expect(equity.status).toBe(200)
        expect(yield* ask("GET", "/accounts/beta/equity")).not.toEqual(equity)
        expect(yield* ask("GET", "/accounts/none/equity")).toMatchObject({ status: 404 })
        expect(yield* ask("POST", "/accounts/alpha/orders", order("first"))).toMatchObject({ status: 200 })

        const { apiKey, apiSecret } = world.keys.beta
        const key = { apiKey: Redacted.value(apiKey), apiSecret: Redacted.value(apiSecret) }
        yield* ask("PUT", "/accounts/alpha/key", { ...key, apiSecret: "wrong" })
        expect(yield* ask("GET", "/accounts/alpha/equity")).toMatchObject({
          status: 502,
          body: { failure: "Unauthorized" }
        })
        expect((yield* ask("PUT", "/accounts/alpha/key", key)).status).toBeLessThan(300)
        expect(yield* ask("GET", "/accounts/alpha/equity")).toEqual(yield* ask("GET", "/accounts/beta/equity"))
        const text = JSON.stringify(spans.getFinishedSpans().map(({ attributes, name }) => [name, attributes]))
        expect(text).toContain("orders.create")
        expect(text).not.toContain(key.apiSecret)
      })
    )
  )

  it.scopedLive("finds out at its start what the process before has left open", () =>
    running((world) =>
      Effect.gen(function* () {
        const first = yield* started(world)
        yield* world.faults.set([{ fault: { kind: "dropAfter" }, operations: ["orders.create"], count: 1 }])
        expect(yield* first.ask("POST", "/accounts/alpha/orders", order("lost"))).toEqual({
          status: 504,
          body: { _tag: "OutcomeUnknown", orderLinkId: "lost" }
        })
        yield* first.stop
        const second = yield* started(world)
        expect(yield* second.ask("GET", "/health")).toMatchObject({ body: { openWrites: 0 } })
        // The order was placed, and its caller does not know it: a repetition finds it instead of placing another.
        const repeated = yield* second.ask("POST", "/accounts/alpha/orders", order("lost"))
        expect(repeated).toMatchObject({ status: 200 })
        // Now the caller knows it, and the id is used.
        expect(yield* second.ask("POST", "/accounts/alpha/orders", order("lost"))).toMatchObject({ status: 502 })
      })
    )
  )

  it.scopedLive("answers open calls before it stops", () =>
    running((world) =>
      Effect.gen(function* () {
        const { ask, stop } = yield* started(world)
        yield* world.faults.set([
          { fault: { kind: "delay", millis: 400, executed: "atOnce" }, operations: ["orders.create"] }
        ])
        const open = yield* Effect.fork(ask("POST", "/accounts/alpha/orders", order("slow")))
        yield* Effect.sleep("150 millis")
        yield* stop
        expect(yield* open).toMatchObject({ status: 200 })
      })
    )
  )
})
