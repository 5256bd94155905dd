import * as SandboxControl from "@effect-venue/sandbox/Control"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Executions from "@effect-venue/services/Executions"
import * as Orders from "@effect-venue/services/Orders"
import * as Positions from "@effect-venue/services/Positions"
import * as Venue from "@effect-venue/services/Venue"
import type * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Clock, Effect, Exit, Fiber, Option, Stream, TestClock } from "effect"
import { streamEnded, type Grid, gridBot } from "../src/gridBot.js"

const decimal = BigDecimal.unsafeFromString
const market = { category: "linear", symbol: "XRPUSDT" } as const

/** Runs the bot while the price walks, a step a minute, and ends it without a word. */
const walk = (grid: Grid, prices: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const control = yield* SandboxControl.SandboxControl
    const bot = yield* Effect.fork(Stream.runDrain(gridBot(grid, "20 seconds")))
    for (const price of prices) {
      yield* TestClock.adjust("1 minute")
      yield* control.setPrice({ ...market, price })
    }
    yield* TestClock.adjust("1 minute")
    const end = yield* Fiber.interrupt(bot)
    // It ran until then.
    expect(Exit.isInterrupted(end)).toBe(true)
  })

/** What the grid has done: orders that are over, and open ones, by id. */
const standing = (grid: Grid) =>
  Effect.gen(function* () {
    const open = yield* Stream.runCollect((yield* Orders.Orders).openStream({ ...market, limit: 50 }))
    // It waits until the end of its range has passed at the service.
    const reading = yield* Effect.fork(streamEnded(grid))
    yield* TestClock.adjust("10 seconds")
    const over = yield* Fiber.join(reading)
    return {
      open: [...open].map(({ orderLinkId }) => Option.getOrElse(orderLinkId, () => "")).sort(),
      over: [...over].map(([id, how]) => `${id} ${how}`).sort()
    }
  })

const world = (faults?: Sandbox.Options["faults"]) => Sandbox.layer({ seed: 7, prices: "still", faults })

const inWorld = <A, E>(
  faults: Sandbox.Options["faults"],
  run: (grid: Grid) => Effect.Effect<A, E, SandboxControl.SandboxControl | Venue.Venue | Transport.Transport>
) =>
  Effect.gen(function* () {
    const control = yield* SandboxControl.SandboxControl
    const account = yield* control.openAccount({ funds: { USDT: "100000" } })
    yield* control.setPrice({ ...market, price: "0.5" })
    const grid = {
      symbol: market.symbol,
      id: "grid1",
      since: yield* Clock.currentTimeMillis,
      center: decimal("0.5"),
      step: decimal("0.01"),
      cells: 3,
      qty: decimal("100")
    }
    return yield* Effect.provide(run(grid), yield* Venue.account(account))
  }).pipe(Effect.scoped, Effect.provide(Venue.layerShared), Effect.provide(world(faults)))

const down = ["0.495", "0.489", "0.479"]
const up = ["0.491", "0.501"]

describe("the grid bot", () => {
  it.effect("buys low and sells high, and its books agree with the position", () =>
    inWorld(undefined, (grid) =>
      Effect.gen(function* () {
        yield* walk(grid, [...down, ...up])
        const { open, over } = yield* standing(grid)
        // Two cells bought on the way down and sold on the way up; all wait for their next turn, the others for their first.
        expect(over).toEqual(["-1_0", "-1_1", "-2_0", "-2_1"].map((order) => `grid1_${order} filled`))
        expect(open).toEqual(["grid1_-1_2", "grid1_-2_2", "grid1_-3_0", "grid1_0_0", "grid1_1_0", "grid1_2_0"])
        const { list } = yield* (yield* Positions.Positions).list(market)
        expect(list.map(({ size }) => BigDecimal.format(size))).toEqual(["0"])
        const { list: fills } = yield* (yield* Executions.Executions).list({ ...market, limit: 100 })
        const gain = fills.reduce(
          (sum, { execPrice, execQty, side }) =>
            BigDecimal.sum(sum, BigDecimal.multiply(execPrice, side === "Buy" ? BigDecimal.negate(execQty) : execQty)),
          decimal("0")
        )
        // Two cells, a step each.
        expect(BigDecimal.format(BigDecimal.normalize(gain))).toBe("2")
      })
    )
  )

  it.effect("goes on where it was when it is killed halfway, with the same orders", () =>
    Effect.gen(function* () {
      const whole = yield* inWorld(undefined, (grid) => Effect.zipRight(walk(grid, [...down, ...up]), standing(grid)))
      const halves = yield* inWorld(undefined, (grid) =>
        walk(grid, down).pipe(Effect.zipRight(walk(grid, up)), Effect.zipRight(standing(grid)))
      )
      expect(halves).toEqual(whole)
    })
  )

  it.effect("places no order twice when answers are lost", () =>
    Effect.gen(function* () {
      const undisturbed = yield* inWorld(undefined, (grid) =>
        Effect.zipRight(walk(grid, [...down, ...up]), standing(grid))
      )
      const rules = [
        { fault: { kind: "dropAfter" }, operations: ["orders.createBatch"], probability: 0.5 },
        { fault: { kind: "dropBefore" }, operations: ["orders.createBatch"], probability: 0.2 }
      ] as const
      const disturbed = yield* inWorld({ rules, seed: 3 }, (grid) =>
        Effect.zipRight(walk(grid, [...down, ...up]), standing(grid))
      )
      expect(disturbed).toEqual(undisturbed)
    })
  )
})
