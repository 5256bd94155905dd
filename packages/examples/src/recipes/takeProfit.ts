/** Places an order with a take profit and a stop loss, and moves them after the position is open. */
import * as Orders from "@effect-venue/services/Orders"
import * as Positions from "@effect-venue/services/Positions"
import * as Effect from "effect/Effect"

const market = { category: "linear", symbol: "BTCUSDT" } as const

/** Buys at the market. The position closes at the take profit or the stop loss, depending on which price is reached first. */
export const buy = (qty: string, exits: { readonly takeProfit: string; readonly stopLoss: string }) =>
  Effect.flatMap(Effect.all([Orders.Orders, Orders.newOrderLinkId]), ([orders, orderLinkId]) =>
    orders.create({ ...market, orderLinkId, side: "Buy", orderType: "Market", qty, tpslMode: "Full", ...exits })
  )

/** Moves the stop loss of the position and keeps its take profit. A stop that is already at the price is not a failure. */
export const moveStop = (stopLoss: string) =>
  Effect.flatMap(Positions.Positions, (positions) =>
    positions.setTradingStop({ ...market, positionIdx: 0, tpslMode: "Full", stopLoss })
  ).pipe(
    Effect.asVoid,
    Effect.catchIf(
      (failure) => failure._tag === "Rejected" && failure.noChange,
      () => Effect.void
    )
  )
