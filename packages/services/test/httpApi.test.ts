import * as Faults from "@effect-venue/sandbox/Faults"
import * as Orders from "@effect-venue/services/Orders"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, type Exit, Layer, Option, Schema, Stream } from "effect"
import { createServer } from "node:http"
import * as Exchange from "./utils/exchange.js"

const place = HttpApiEndpoint.post("place", "/orders/:id")
  .setPath(Schema.Struct({ id: Schema.String }))
  .addSuccess(Schema.String)

const bot = HttpApi.make("bot").add(HttpApiGroup.make("orders").add(place))

/** Places an order as docs/composing.md shows, and notes its outcome in the same effect. */
const placeOrder = (id: string, outcomes: Map<string, Exit.Exit<unknown, unknown>>) =>
  Effect.flatMap(Orders.Orders, (orders) =>
    orders.create({
      category: "linear",
      symbol: "XRPUSDT",
      side: "Buy",
      orderType: "Limit",
      qty: "100",
      price: "0.15",
      orderLinkId: id
    })
  ).pipe(
    Effect.provideService(CallOptions.CallTimeout, Duration.seconds(20)),
    Effect.exit,
    Effect.tap((exit) => Effect.sync(() => outcomes.set(id, exit))),
    Effect.as(id),
    Effect.uninterruptible
  )

const clients = 30

describe("a handler of an HTTP API", () => {
  it.scopedLive("has the outcome of each write whose client disconnects", () =>
    Effect.gen(function* () {
      const outcomes = new Map<string, Exit.Exit<unknown, unknown>>()
      const entered = new Set<string>()
      const handlers = HttpApiBuilder.group(bot, "orders", (group) =>
        group.handle("place", ({ path: { id } }) => {
          entered.add(id)
          return placeOrder(id, outcomes)
        })
      )
      const services = yield* Layer.build(Exchange.watched({ prices: "still" }).venue)
      const server = yield* Layer.build(
        HttpApiBuilder.serve().pipe(
          Layer.provide(HttpApiBuilder.api(bot)),
          Layer.provide(handlers),
          Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0 })),
          Layer.provide(Layer.succeedContext(services))
        )
      )
      const url = yield* Effect.provide(HttpServer.addressFormattedWith(Effect.succeed), server)
      yield* Effect.provide(Faults.inject({ kind: "delay", millis: 40, executed: "atOnce" }, "orders.create"), services)
      yield* Effect.forEach(
        Array.from({ length: clients }, (_, index) => index),
        (index) =>
          Effect.ignore(
            Effect.raceFirst(
              Effect.tryPromise((signal) =>
                fetch(`${url}/orders/h-${index}`, { method: "POST", signal }).then((response) => response.text())
              ),
              // The client hangs up while its write is under way, or has the response by then.
              Effect.zipRight(
                Effect.repeat(Effect.sleep(1), { until: () => entered.has(`h-${index}`) }),
                Effect.sleep(3 * index)
              )
            )
          ),
        { concurrency: 5 }
      )
      while (outcomes.size < entered.size) yield* Effect.sleep(10)
      yield* Effect.provide(Faults.clear, services)
      const open = yield* Effect.provide(
        Effect.flatMap(Orders.Orders, (orders) =>
          Stream.runCollect(orders.openStream({ category: "linear", symbol: "XRPUSDT", limit: 50 }))
        ),
        services
      )
      const placed = [...open]
        .flatMap(({ orderLinkId }) => Option.toArray(orderLinkId))
        .filter((id) => id.startsWith("h-"))
      expect(entered.size).toBe(clients)
      const ended = [...outcomes].map(([id, { _tag }]) => [id, _tag])
      expect(ended.sort()).toEqual([...entered].map((id) => [id, "Success"]).sort())
      expect(placed.sort()).toEqual([...entered].sort())
    })
  )
})
