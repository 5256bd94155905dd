/**
 * A grid bot: a ladder of cells around a price. Each cell buys at its lower rung and sells at its upper rung, repeatedly. It stores
 * nothing: the next order of a cell follows from the state of its orders, whose ids consist of the cell and its turn. A bot that is killed
 * continues where it stopped, and places no order twice, because the exchange accepts an id only once.
 */
import * as History from "@effect-venue/history/History"
import * as Orders from "@effect-venue/services/Orders"
import * as BigDecimal from "effect/BigDecimal"
import * as Chunk from "effect/Chunk"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"

export interface Grid {
  readonly symbol: string
  /** Distinguishes this grid's orders from all others: letters and digits, at most 20, never used before. */
  readonly id: string
  /** The start of the grid, in milliseconds. Orders from a minute before are searched, since clocks differ. */
  readonly since: number
  readonly center: BigDecimal.BigDecimal
  /** The distance between two rungs. */
  readonly step: BigDecimal.BigDecimal
  /** The number of cells below the center, and above it. */
  readonly cells: number
  /** The quantity of each cell. */
  readonly qty: BigDecimal.BigDecimal
}

const whole = (count: number) => BigDecimal.fromBigInt(BigInt(count))

/** The order of a cell in a turn. Cells below the center begin by buying, cells above it by selling. */
const orderOf = (grid: Grid, cell: number, turn: number) => {
  const buys = cell < 0 === (turn % 2 === 0)
  const rung = whole(buys ? cell : cell + 1)
  return {
    symbol: grid.symbol,
    orderLinkId: `${grid.id}_${cell}_${turn}`,
    side: buys ? "Buy" : "Sell",
    orderType: "Limit",
    qty: grid.qty,
    price: BigDecimal.sum(grid.center, BigDecimal.multiply(rung, grid.step))
  } as const
}

/** The closed orders of the grid with their outcomes: filled, or cancelled elsewhere. */
export const streamEnded = (grid: Grid) =>
  History.stream(History.orderHistory, { category: "linear", symbol: grid.symbol, from: grid.since - 60_000 }).pipe(
    Stream.filterMap(({ orderLinkId, orderStatus }) =>
      Option.map(orderLinkId, (id) => [String(id), orderStatus === "Filled" ? "filled" : "ended"] as const)
    ),
    Stream.filter(([id]) => id.startsWith(`${grid.id}_`)),
    Stream.runFold(new Map<string, "filled" | "ended">(), (all, [id, how]) => all.set(id, how))
  )

/** Places the missing orders; returns how many were accepted. */
const tend = (grid: Grid) =>
  Effect.gen(function* () {
    const orders = yield* Orders.Orders
    const market = { category: "linear", symbol: grid.symbol } as const
    const open = yield* Stream.runCollect(orders.openStream({ ...market, limit: 50 }))
    // Read after the open orders, so that an order that fills in between is seen twice instead of never.
    const over = yield* streamEnded(grid)
    const there = new Set<string>(Chunk.toReadonlyArray(open).flatMap(({ orderLinkId }) => Option.toArray(orderLinkId)))
    const due = Array.from({ length: 2 * grid.cells }, (_, index) => {
      const cell = index - grid.cells
      let turn = 0
      while (over.get(orderOf(grid, cell, turn).orderLinkId) === "filled") turn++
      return orderOf(grid, cell, turn)
      // A cell whose order was cancelled elsewhere pauses.
    }).filter(({ orderLinkId }) => !there.has(orderLinkId) && !over.has(orderLinkId))
    const outcomes = yield* Stream.fromIterable(due).pipe(
      Stream.grouped(10),
      Stream.mapEffect((request) => orders.createBatch({ category: "linear", request: [...request] })),
      Stream.runCollect
    )
    return Chunk.toReadonlyArray(outcomes).flat().filter(Either.isRight).length
  }).pipe(
    // The next round sees which orders were placed. A refusal or a wrong key would not change, and ends the bot.
    Effect.catchTag("OutcomeUnknown", "ConnectionFailed", "Unavailable", "RateLimited", () => Effect.succeed(0))
  )

/**
 * Maintains the grid at an interval until it is interrupted. Streams the number of orders that each round placed. The orders stay open, and
 * the next run continues with them.
 */
export const gridBot = (grid: Grid, every: Duration.DurationInput) =>
  Stream.repeatEffectWithSchedule(tend(grid), Schedule.spaced(every))
