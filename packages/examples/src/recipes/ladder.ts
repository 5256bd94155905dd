/** Limit orders at equal distances below a price, in as few calls as the limits allow. */
import * as Instruments from "@effect-venue/services/Instruments"
import * as Orders from "@effect-venue/services/Orders"
import * as Array from "effect/Array"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"

export interface Ladder {
  readonly symbol: string
  /** The orders start below this price. */
  readonly below: BigDecimal.BigDecimal
  /** The distance between two orders, in ticks. */
  readonly ticks: bigint
  /** 1 to 20. */
  readonly orders: number
  readonly qty: string
}

const tickSize = (symbol: string) =>
  Effect.flatMap(Instruments.Instruments, (instruments) => instruments.list({ category: "linear", symbol })).pipe(
    Effect.flatMap(({ list }) => Option.fromNullable(list[0])),
    Effect.map(({ priceFilter }) => priceFilter.tickSize)
  )

/**
 * Places the ladder. Returns the ids of the placed orders and the failures of the others, because some can be placed while others are
 * refused.
 */
export const place = ({ below, orders: count, qty, symbol, ticks }: Ladder) =>
  Effect.gen(function* () {
    const orders = yield* Orders.Orders
    const step = BigDecimal.multiply(yield* tickSize(symbol), BigDecimal.fromBigInt(ticks))
    const priceAt = (index: number) =>
      BigDecimal.subtract(below, BigDecimal.multiply(step, BigDecimal.fromBigInt(BigInt(index + 1))))
    const request = yield* Effect.forEach(Array.range(0, count - 1), (index) =>
      Effect.map(Orders.newOrderLinkId, (orderLinkId) => ({
        orderLinkId,
        symbol,
        side: "Buy" as const,
        orderType: "Limit" as const,
        qty,
        price: priceAt(index)
      }))
    )
    const outcomes = yield* orders.createBatch({ category: "linear", request })
    return {
      placed: outcomes.filter(Either.isRight).map(({ right }) => right.orderId),
      failed: outcomes.filter(Either.isLeft).map(({ left }) => left)
    }
  })
