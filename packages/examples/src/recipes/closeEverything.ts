/** Closes everything that settles in USDT: orders first, so that none of them opens a position again. */
import * as Orders from "@effect-venue/services/Orders"
import * as Positions from "@effect-venue/services/Positions"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

const everything = { category: "linear", settleCoin: "USDT" } as const

/** A market order for the whole position; `reduceOnly` keeps it from opening the other side. */
const close = ({ positionIdx, side, size, symbol }: Positions.Position) =>
  Effect.flatMap(Effect.all([Orders.Orders, Orders.newOrderLinkId]), ([orders, orderLinkId]) =>
    orders.create({
      orderLinkId,
      category: "linear",
      symbol,
      side: Option.contains(side, "Buy") ? "Sell" : "Buy",
      orderType: "Market",
      qty: size,
      positionIdx,
      reduceOnly: true
    })
  )

/** Cancels all orders and closes all positions. Returns the number of each. */
export const closeEverything = Effect.gen(function* () {
  const orders = yield* Orders.Orders
  const positions = yield* Positions.Positions
  const rounds = yield* Stream.runCollect(orders.cancelEverything(everything))
  const open = yield* positions.listStream({ ...everything, limit: 200 }).pipe(
    Stream.filter(({ size }) => BigDecimal.isPositive(size)),
    Stream.runCollect
  )
  yield* Effect.forEach(open, close, { concurrency: 5, discard: true })
  const cancelled = [...rounds].reduce((sum, round) => sum + round.cancelled.length, 0)
  return { cancelled, closed: open.length }
})
