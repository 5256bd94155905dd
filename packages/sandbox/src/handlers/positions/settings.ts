/** Position settings: leverage, the mode of the stops, and confirming a new risk limit. (docs/reference/listed-operations.md) */
import type * as Endpoints from "@effect-venue/schemas/Positions"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Liquidation from "../../positions/liquidation.js"
import * as Maintenance from "../../positions/maintenance.js"
import * as Collateral from "../../trading/collateral.js"
import * as Handler from "../../handling/handler.js"
import * as Margin from "../../trading/margin.js"
import * as Markets from "../../handling/markets.js"
import * as Money from "../../trading/money.js"
import * as PositionOf from "../../records/positionOf.js"
import * as Refusal from "../../handling/refusal.js"
import * as Exchange from "../../state/Exchange.js"

/**
 * Accepts whole steps from 1 to the maximum of the position's tier. Refused if the change needs more margin than is available or would
 * liquidate the position at once.
 */
export const setLeverage: Handler.Handler<typeof Endpoints.setLeverage> = (request, { account, now, state }) =>
  Either.gen(function* () {
    const listing = yield* Markets.contract(state, request.category, request.symbol)
    const buy = Handler.decimal(request.buyLeverage)
    const sell = Handler.decimal(request.sellLeverage)
    const positions = PositionOf.all(account, listing.category, request.symbol, state.openedAt)
    const mayDiffer = positions.every((candidate) => candidate.positionIdx !== 0 && candidate.tradeMode === "isolated")
    if (!mayDiffer && !BigDecimal.equals(buy, sell)) {
      return yield* Refusal.parameter("buyLeverage must equal sellLeverage")
    }
    const filter = listing.instrument.leverageFilter
    const step = Option.getOrElse(
      Option.flatMap(filter, (candidate) => candidate.leverageStep),
      () => Money.one
    )
    const leverageOf = (position: Exchange.Position) => (position.positionIdx === 2 ? sell : buy)
    for (const position of positions) {
      const leverage = leverageOf(position)
      if (!Money.isMultiple(leverage, step)) return yield* Refusal.parameter("leverage invalid")
      const most = Margin.tier(listing, position.riskId)?.maxLeverage ?? Money.one
      if (BigDecimal.greaterThan(leverage, most)) {
        return yield* Refusal.left(110013, "cannot set leverage gt maxLeverage by risk limit")
      }
    }
    if (positions.every((candidate) => BigDecimal.equals(candidate.leverage, leverageOf(candidate)))) {
      return yield* Refusal.left(110043, "leverage not modified")
    }
    const changed = positions.map((candidate) => ({ ...candidate, leverage: leverageOf(candidate), updatedTime: now }))
    const after = changed.reduce(PositionOf.put, account)
    const tradeMode = Margin.tradeModeOf(after, { category: listing.category, symbol: request.symbol })
    if (!Collateral.isCovered(state, account, after, listing.settleCoin, tradeMode)) {
      return yield* Refusal.left(110012, "Insufficient available balance.")
    }
    if (changed.some((candidate) => Liquidation.isIsolatedDue(listing, candidate))) {
      return yield* Refusal.left(110011, "Liquidation will be triggered immediately by this adjustment")
    }
    return yield* Handler.write(Exchange.withAccount(state, after), undefined)
  })

const blocking = [
  { type: ["TakeProfit", "PartialTakeProfit"], code: 110054, what: "take profit" },
  { type: ["StopLoss", "PartialStopLoss"], code: 110055, what: "stop loss" },
  { type: ["TrailingStop"], code: 110056, what: "trailing stop" }
] as const

/** Sets the mode of stops for requests without a mode. Existing stops prevent a change. */
export const setTpslMode: Handler.Handler<typeof Endpoints.setTpslMode> = (request, { account, now, state }) =>
  Either.gen(function* () {
    const listing = yield* Markets.contract(state, request.category, request.symbol)
    const positions = PositionOf.all(account, listing.category, request.symbol, state.openedAt)
    const tpSlMode: "Full" | "Partial" = request.tpSlMode === "Full" ? "Full" : "Partial"
    const changing = positions.filter((position) => position.tpslMode !== tpSlMode)
    const stops = account.openOrders.filter(
      (order) =>
        order.category === listing.category && order.symbol === request.symbol && Maintenance.isWaitingStop(order)
    )
    for (const { code, type, what } of changing.length === 0 ? [] : blocking) {
      if (stops.some((order) => type.some((candidate) => Option.contains(order.stopOrderType, candidate)))) {
        return yield* Refusal.left(code, `Switching the TP/SL mode is prevented by a ${what} order`)
      }
    }
    const after = changing
      .map((candidate) => ({ ...candidate, tpslMode: tpSlMode, updatedTime: now }))
      .reduce(PositionOf.put, account)
    return yield* Handler.write(Exchange.withAccount(state, after), { tpSlMode })
  })

/** Clears the reduce-only flag of a symbol's positions, once all of them are within the new limit. */
export const confirmNewRiskLimit: Handler.Handler<typeof Endpoints.confirmNewRiskLimit> = (
  request,
  { account, now, state }
) =>
  Either.gen(function* () {
    const listing = yield* Markets.contract(state, request.category, request.symbol)
    const marked = PositionOf.all(account, listing.category, request.symbol, state.openedAt).filter(
      (candidate) => candidate.isReduceOnly
    )
    if (marked.length === 0) return yield* Refusal.left(110082, "You cannot lift the reduce-only mark: there is none")
    const fits = (position: Exchange.Position) =>
      !Option.exists(position.newRiskLimit, (limit) =>
        BigDecimal.greaterThan(Margin.positionValue(listing, position), limit)
      )
    const within = marked.filter(fits)
    if (within.length === 0) {
      return yield* Refusal.left(110085, "Risk limit and margin rate changed, please select a supported risk limit")
    }
    if (within.length < marked.length) {
      return yield* Refusal.left(30153, "The reduce-only marks of the long and the short side must be lifted together")
    }
    const after = marked
      .map((candidate): Exchange.Position => ({
        ...candidate,
        isReduceOnly: false,
        newRiskLimit: Option.none(),
        mmrSysUpdatedTime: Option.some(now),
        updatedTime: now
      }))
      .reduce(PositionOf.put, account)
    return yield* Handler.write(Exchange.withAccount(state, after), undefined)
  })
