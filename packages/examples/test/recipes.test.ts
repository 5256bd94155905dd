import { listen } from "@effect-venue/testing/Listening"
import { SandboxControl } from "@effect-venue/sandbox/Control"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import * as Account from "@effect-venue/services/Account"
import * as Orders from "@effect-venue/services/Orders"
import * as Positions from "@effect-venue/services/Positions"
import * as Venue from "@effect-venue/services/Venue"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Effect, Fiber, Option, Stream, TestClock } from "effect"
import type { YieldWrap } from "effect/Utils"
import * as http from "node:http"
import * as net from "node:net"
import { allPositions } from "../src/recipes/allPositions.js"
import { closeEverything } from "../src/recipes/closeEverything.js"
import * as Ladder from "../src/recipes/ladder.js"
import { layerProxy } from "../src/recipes/proxy.js"
import { reprice } from "../src/recipes/reprice.js"
import { buy, moveStop } from "../src/recipes/takeProfit.js"
import { buySoon, equitySoon } from "../src/recipes/timeouts.js"

const market = { category: "linear", symbol: "BTCUSDT" } as const

/** Defines a test of a new account with 100,000 USDT, where BTCUSDT is at 50,000 and prices stand still. */
const test = (
  title: string,
  body: () => Generator<YieldWrap<Effect.Effect<unknown, unknown, Venue.Venue | SandboxControl>>, void, never>
) => {
  it.effect(title, () =>
    Effect.gen(function* () {
      const control = yield* SandboxControl
      yield* control.setPrice({ ...market, price: "50000" })
      const credentials = yield* control.openAccount({ funds: { USDT: "100000" } })
      yield* Effect.provide(Effect.gen(body), yield* Venue.account(credentials))
    }).pipe(
      Effect.scoped,
      Effect.provide(Venue.layerShared),
      Effect.provide(Sandbox.layer({ seed: 7, prices: "still", world: "empty" }))
    )
  )
}

const position = Effect.flatMap(Positions.Positions, (positions) => positions.list(market)).pipe(
  Effect.flatMap(({ list }) => Option.fromNullable(list[0])),
  Effect.map(({ size, stopLoss, takeProfit }) => ({
    size: BigDecimal.format(size),
    takeProfit: Option.map(takeProfit, BigDecimal.format),
    stopLoss: Option.map(stopLoss, BigDecimal.format)
  }))
)

const openOrders = Effect.flatMap(Orders.Orders, (orders) =>
  Stream.runCollect(orders.openStream({ category: "linear", settleCoin: "USDT" }))
)

const rest = (orderLinkId: string, price: string) =>
  Effect.flatMap(Orders.Orders, (orders) =>
    orders.create({ ...market, side: "Buy", orderType: "Limit", qty: "0.1", price, orderLinkId })
  )

describe("recipes", () => {
  test("takeProfit: a position has the exits of its order, its stop moves, and is closed where the price reaches it", function* () {
    const control = yield* SandboxControl
    yield* buy("0.1", { takeProfit: "55000", stopLoss: "48000" })
    expect(yield* position).toEqual({
      size: "0.1",
      takeProfit: Option.some("55000"),
      stopLoss: Option.some("48000")
    })
    yield* moveStop("49000")
    yield* moveStop("49000")
    expect(yield* position).toEqual({
      size: "0.1",
      takeProfit: Option.some("55000"),
      stopLoss: Option.some("49000")
    })
    yield* control.setPrice({ ...market, price: "48900" })
    expect((yield* position).size).toBe("0")
  })

  test("reprice: an open order moves, one that is filled is over, and a lost answer is looked up", function* () {
    const control = yield* SandboxControl
    const order = { symbol: "BTCUSDT", orderLinkId: "one" }
    yield* rest("one", "40000")
    expect(yield* reprice(order, "41000")).toBe("moved")
    yield* control.faults.set([{ operations: ["orders.amend"], fault: { kind: "dropAfter" }, count: 1 }])
    expect(yield* reprice(order, "42000")).toBe("moved")
    yield* control.faults.set([{ operations: ["orders.amend"], fault: { kind: "dropBefore" }, count: 1 }])
    expect(yield* reprice(order, "43000")).toBe("unknown")
    expect([...(yield* openOrders)].map(({ price }) => Option.map(price, BigDecimal.format))).toEqual([
      Option.some("42000")
    ])
    yield* control.setPrice({ ...market, price: "39000" })
    expect(yield* reprice(order, "41000")).toBe("over")
  })

  test("ladder: each order rests a step below the one before, and one that is refused is named", function* () {
    const below = BigDecimal.unsafeFromString("45000")
    const ladder = { symbol: "BTCUSDT", below, ticks: 1000n, orders: 4, qty: "0.01" }
    const { failed, placed } = yield* Ladder.place(ladder)
    expect({ placed: placed.length, failed }).toEqual({ placed: 4, failed: [] })
    const prices = [...(yield* openOrders)]
      .map(({ price }) => BigDecimal.unsafeToNumber(Option.getOrThrow(price)))
      .sort()
    const steps = prices.slice(1).map((price, index) => price - (prices[index] ?? 0))
    expect(new Set(steps).size).toBe(1)
    expect(prices.at(-1)).toBeLessThan(45000)
    const tooLarge = yield* Ladder.place({ ...ladder, orders: 1, qty: "400" })
    expect(tooLarge.placed).toEqual([])
    expect(tooLarge.failed.map(({ _tag }) => _tag)).toEqual(["Rejected"])
  })

  it.effect("allPositions: those of every settle coin, as the sandbox has them", () =>
    Effect.gen(function* () {
      const { snapshot } = yield* SandboxControl
      const all = yield* Stream.runCollect(Stream.concat(allPositions("linear"), allPositions("inverse")))
      const { accounts } = yield* snapshot
      const main = yield* Option.fromNullable([...accounts.values()].find(({ masterUid }) => Option.isNone(masterUid)))
      const there = main.positions.filter(({ size }) => !BigDecimal.isZero(size)).map(({ symbol }) => symbol)
      expect([...all].map(({ symbol }) => String(symbol)).sort()).toEqual(there.sort())
      expect(there).toEqual(expect.arrayContaining(["BTCUSDT", "BTCUSD", "ETHUSD"]))
    }).pipe(Effect.provide(Venue.layer), Effect.provide(Sandbox.layer({ seed: 7, prices: "still" })))
  )

  test("closeEverything: no order and no position is left", function* () {
    yield* buy("0.2", { takeProfit: "55000", stopLoss: "48000" })
    yield* rest("one", "40000")
    yield* rest("two", "41000")
    const { cancelled, closed } = yield* closeEverything
    expect(cancelled).toBeGreaterThanOrEqual(2)
    expect(closed).toBe(1)
    expect([...(yield* openOrders)]).toEqual([])
    expect((yield* position).size).toBe("0")
    expect(yield* closeEverything).toEqual({ cancelled: 0, closed: 0 })
  })

  test("timeouts: a balance that is late is left out, an order whose answer is late is looked up", function* () {
    const control = yield* SandboxControl
    expect(yield* equitySoon).toBeDefined()
    yield* control.faults.set([{ fault: { kind: "delay", millis: 60_000, executed: "atOnce" }, count: 3 }])
    const equity = yield* Effect.fork(equitySoon)
    yield* TestClock.adjust("3 seconds")
    expect(yield* Fiber.join(equity)).toBeUndefined()
    yield* control.faults.set([
      { operations: ["orders.create"], fault: { kind: "delay", millis: 60_000, executed: "atOnce" } }
    ])
    const order = yield* Effect.fork(buySoon("0.1"))
    yield* TestClock.adjust("3 seconds")
    expect(yield* Fiber.join(order)).toBe("placed")
    expect((yield* position).size).toBe("0.1")
  })

  it.scopedLive("proxy: calls go through it, and through nothing else", () =>
    Effect.gen(function* () {
      const tunnels: Array<string> = []
      const proxy = http.createServer().on("connect", (request, client: net.Socket, head) => {
        tunnels.push(request.url ?? "")
        const { hostname, port } = new URL(`http://${request.url ?? ""}`)
        const upstream = net.connect(Number(port), hostname, () => {
          client.write("HTTP/1.1 200 OK\r\n\r\n")
          upstream.write(head)
          upstream.pipe(client).pipe(upstream)
        })
        const end = () => [client, upstream].forEach((socket) => socket.destroy())
        upstream.on("error", end)
        client.on("error", end)
      })
      const { url } = yield* listen(proxy)
      const { credentials } = yield* Server.Server
      const { list } = yield* Effect.flatMap(Account.Account, (account) =>
        account.walletBalance({ accountType: "UNIFIED" })
      ).pipe(
        (balance) => Effect.flatMap(Venue.account(credentials.main), (services) => Effect.provide(balance, services)),
        Effect.provide(Venue.layerShared),
        Effect.provide(layerProxy(url))
      )
      expect(list).toHaveLength(1)
      expect(tunnels).toEqual([new URL(credentials.main.baseUrl).host])
    }).pipe(Effect.provide(Server.layer({ seed: 7 })))
  )
})
