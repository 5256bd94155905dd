/** A market maker: it quotes both sides of one market, follows the mark price, and finally cancels its quotes. */
import * as History from "@effect-venue/history/History"
import * as Orders from "@effect-venue/services/Orders"
import * as Positions from "@effect-venue/services/Positions"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as BigDecimal from "effect/BigDecimal"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"

const market = { category: "linear", symbol: "XRPUSDT" } as const
const tick = BigDecimal.unsafeFromString("0.0001")
const qty = "500"

const ticks = (count: number) => BigDecimal.multiply(tick, BigDecimal.unsafeFromNumber(count))

/** Cancels the old quotes and places new ones, some ticks from the mark price; returns how many were accepted. */
const quote = Effect.gen(function* () {
  const orders = yield* Orders.Orders
  const { list } = yield* (yield* Positions.Positions).list(market)
  const mark = Option.flatMap(Option.fromNullable(list[0]), (position) => position.markPrice)
  if (Option.isNone(mark)) return 0
  yield* Stream.runDrain(orders.cancelEverything(market))
  const side = (side: "Buy" | "Sell", away: number) =>
    Effect.map(Orders.newOrderLinkId, (orderLinkId) => ({
      orderLinkId,
      symbol: market.symbol,
      side,
      orderType: "Limit" as const,
      timeInForce: "PostOnly" as const,
      qty,
      price: BigDecimal.sum(mark.value, ticks(side === "Buy" ? -away : away))
    }))
  const request = yield* Effect.all([1, 2, 4].flatMap((away) => [side("Buy", away), side("Sell", away)]))
  const outcomes = yield* orders.createBatch({ category: market.category, request })
  return outcomes.filter(Either.isRight).length
})

/** Cancels the quotes at the end. It ends in seconds even if the service hangs, because limits of time hold in a finalizer too. */
const takeQuotesBack = Effect.flatMap(Orders.Orders, (orders) =>
  Stream.runDrain(orders.cancelEverything(market, { maxRounds: 3 }))
).pipe(Effect.provideService(CallOptions.CallTimeout, Duration.seconds(2)), Effect.ignoreLogged)

/** Replaces the quotes at an interval, for a number of rounds. */
export const marketMaker = (options: { readonly rounds: number; readonly every: Duration.DurationInput }) =>
  Stream.fromSchedule(Schedule.spaced(options.every)).pipe(
    Stream.take(options.rounds),
    Stream.mapEffect(() => quote),
    Stream.runSum,
    Effect.ensuring(takeQuotesBack)
  )

/** The position and fees that result from the executions of a period, to compare with the exchange. */
export const books = (from: number, to: number) =>
  History.stream(History.executions, { ...market, execType: "Trade", from, to }).pipe(
    Stream.runFold({ fills: 0, position: zero, paid: zero, fees: zero }, (all, fill) => {
      const signed = fill.side === "Buy" ? fill.execQty : BigDecimal.negate(fill.execQty)
      return {
        fills: all.fills + 1,
        position: BigDecimal.sum(all.position, signed),
        paid: BigDecimal.sum(all.paid, BigDecimal.multiply(signed, fill.execPrice)),
        fees: BigDecimal.sum(all.fees, fill.execFee)
      }
    })
  )

const zero = BigDecimal.unsafeFromNumber(0)
