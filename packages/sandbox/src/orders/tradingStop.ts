import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import * as Decimal from "@effect-venue/schemas/Decimal"
import type * as Positions from "@effect-venue/schemas/Positions"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Accounts from "../state/accounts.js"
import type * as Exchange from "../state/Exchange.js"
import * as Checks from "./checks.js"
import * as Closing from "../positions/closing.js"
import * as Liquidity from "../book/liquidity.js"
import * as Handler from "../handling/handler.js"
import * as Ids from "../trading/ids.js"
import * as Money from "../trading/money.js"
import * as OrderRecord from "../records/orderRecord.js"
import * as Refusal from "../handling/refusal.js"
import type { RecordList } from "../state/recordList.js"

/** The result of changing the stops of a position. */
export interface Stops {
  readonly state: Exchange.State
  readonly position: Exchange.Position
  readonly openOrders: ReadonlyArray<Exchange.Order>
  readonly closedOrders: RecordList<Exchange.ClosedOrder>
}

export type StopKind = "TakeProfit" | "StopLoss" | "TrailingStop" | "PartialTakeProfit" | "PartialStopLoss"

export interface Terms {
  readonly kind: StopKind
  readonly trigger: Option.Option<BigDecimal.BigDecimal>
  readonly triggerBy: Enumerations.TriggerBy
  readonly qty: BigDecimal.BigDecimal
  readonly limit: Option.Option<BigDecimal.BigDecimal>
  readonly distance: Option.Option<BigDecimal.BigDecimal>
}

const partialCap = 20

const isOf = (position: Exchange.Position, kind: StopKind) => (order: Exchange.Order) =>
  OrderRecord.isConditional(order) &&
  Accounts.isSamePosition(order, position) &&
  Option.contains(order.stopOrderType, kind)

const priceNames = { LastPrice: "last", MarkPrice: "mark", IndexPrice: "index" } as const

// Checks that a take profit is on the gaining side of the current price, and a stop loss on the losing side.
const checkSide = (
  listing: Exchange.Listing,
  position: Exchange.Position,
  side: { readonly gains: boolean; readonly field: string; readonly by: string },
  price: BigDecimal.BigDecimal
): Either.Either<void, Refusal.Refusal> =>
  Either.flatMap(Checks.price(listing, side.field, price), () => {
    const above = side.gains === BigDecimal.isPositive(position.size)
    const now = Checks.triggering(listing, Option.some(side.by))
    const fits = above ? BigDecimal.greaterThan(price, now) : BigDecimal.lessThan(price, now)
    const name = side.by === "MarkPrice" || side.by === "IndexPrice" ? priceNames[side.by] : priceNames.LastPrice
    return fits
      ? Either.void
      : Refusal.left(10001, `${side.field} should be ${above ? "higher" : "lower"} than the ${name} price`)
  })

// A part that is not a whole number of steps would leave a position that no order can close.
const checkSize = (
  listing: Exchange.Listing,
  field: string,
  qty: BigDecimal.BigDecimal
): Either.Either<void, Refusal.Refusal> =>
  Money.isMultiple(qty, Liquidity.qtyStep(listing)) &&
  BigDecimal.greaterThanOrEqualTo(qty, listing.instrument.lotSizeFilter.minOrderQty)
    ? Either.void
    : Refusal.parameter(`${field} must be a multiple of ${Decimal.format(Liquidity.qtyStep(listing))}`)

// A trailing stop without an activation price is active from the start.
const activeNow = (listing: Exchange.Listing, { distance, trigger }: Terms): Option.Option<BigDecimal.BigDecimal> =>
  Option.isSome(distance) && Option.isNone(trigger) ? Option.some(listing.lastPrice) : Option.none()

const draft = (
  listing: Exchange.Listing,
  position: Exchange.Position,
  terms: Terms,
  id: string,
  now: number
): Exchange.Order => {
  const long = BigDecimal.isPositive(position.size)
  const gains = terms.kind !== "StopLoss" && terms.kind !== "PartialStopLoss"
  const at = DateTime.unsafeMake(now)
  return OrderRecord.make({
    category: position.category,
    filter: "StopOrder",
    orderId: Ids.OrderId(id),
    symbol: Ids.Symbol(position.symbol),
    positionIdx: position.positionIdx,
    side: long ? "Sell" : "Buy",
    qty: terms.qty,
    price: terms.limit,
    orderStatus: "Untriggered",
    orderType: Option.isSome(terms.limit) ? "Limit" : "Market",
    timeInForce: Option.isSome(terms.limit) ? "GTC" : "IOC",
    stopOrderType: Option.some(terms.kind),
    triggerPrice: terms.trigger,
    triggerDirection: Option.some(gains === long ? 1 : 2),
    triggerBy: Option.some(terms.triggerBy),
    tpslMode: Option.some(terms.kind.startsWith("Partial") ? "Partial" : "Full"),
    lastPriceOnCreated: Option.some(listing.lastPrice),
    trailingStop: terms.distance,
    extreme: activeNow(listing, terms),
    reduceOnly: true,
    closeOnTrigger: true,
    createdTime: at,
    updatedTime: at
  })
}

const remove = (stops: Stops, kind: StopKind, now: number): Stops => {
  const gone = stops.openOrders.filter(isOf(stops.position, kind))
  return {
    ...stops,
    openOrders: stops.openOrders.filter((order) => !gone.includes(order)),
    closedOrders: stops.closedOrders.append(
      gone.map((order) => Closing.cancel(order, now, { cancelType: "CancelByTpSlTsClear" }))
    )
  }
}

const add = (
  stops: Stops,
  listing: Exchange.Listing,
  terms: Terms,
  now: number
): readonly [stops: Stops, orderId: string] => {
  const [id, state] = Handler.issue(stops.state, now)
  return [{ ...stops, state, openOrders: [...stops.openOrders, draft(listing, stops.position, terms, id, now)] }, id]
}

/** Changes the existing order of this kind, or creates one. */
const set = (
  stops: Stops,
  listing: Exchange.Listing,
  terms: Terms,
  now: number
): readonly [stops: Stops, orderId: string] => {
  const existing = stops.openOrders.find(isOf(stops.position, terms.kind))
  if (existing === undefined) return add(stops, listing, terms, now)
  const changed: Exchange.Order = {
    ...existing,
    qty: terms.qty,
    leavesQty: Option.some(terms.qty),
    triggerPrice: terms.trigger,
    triggerBy: Option.some(terms.triggerBy),
    trailingStop: terms.distance,
    extreme: activeNow(listing, terms),
    updatedTime: DateTime.unsafeMake(now)
  }
  return [
    { ...stops, openOrders: stops.openOrders.map((order) => (order === existing ? changed : order)) },
    existing.orderId
  ]
}

/** Creates a stop, or changes the existing one if a position has only one of this kind. */
export const place = (
  stops: Stops,
  listing: Exchange.Listing,
  terms: Terms,
  now: number
): readonly [stops: Stops, orderId: string] =>
  terms.kind.startsWith("Partial") ? add(stops, listing, terms, now) : set(stops, listing, terms, now)

// A take profit and a stop loss set together are a pair; one set or removed alone is not. (rule states/4)
const pair = (stops: Stops, made: ReadonlyArray<string>): Stops => {
  const [first, second] = made
  return {
    ...stops,
    openOrders: stops.openOrders.map((order) => {
      if (order.orderId === first) return { ...order, pairedWith: Option.fromNullable(second) }
      if (order.orderId === second) return { ...order, pairedWith: Option.fromNullable(first) }
      const lost = Option.exists(
        order.pairedWith,
        (id) => made.includes(id) || !stops.openOrders.some((open) => open.orderId === id)
      )
      return lost ? { ...order, pairedWith: Option.none() } : order
    })
  }
}

const sameDecimal = Option.getEquivalence(BigDecimal.Equivalence)

/** The parameters and orders of the take profit and the stop loss. */
export const sides = [
  {
    field: "takeProfit",
    by: "tpTriggerBy",
    size: "tpSize",
    limit: "tpLimitPrice",
    type: "tpOrderType",
    gains: true,
    full: "TakeProfit",
    partial: "PartialTakeProfit"
  },
  {
    field: "stopLoss",
    by: "slTriggerBy",
    size: "slSize",
    limit: "slLimitPrice",
    type: "slOrderType",
    gains: false,
    full: "StopLoss",
    partial: "PartialStopLoss"
  }
] as const

// Checked against the mode in force, which is the position's if the request has no `tpslMode`.
const checkMode = (mode: string, request: Positions.TradingStopRequest): Either.Either<void, Refusal.Refusal> => {
  for (const side of mode === "Full" ? sides : []) {
    if (request[side.size] !== undefined) return Refusal.parameter(`${side.size} only with tpslMode=Partial`)
    if (request[side.type] === "Limit") return Refusal.parameter(`${side.type} must be Market with tpslMode=Full`)
  }
  return Either.void
}

// A missing size is that of the other side, because both must be equal. (docs/reference/positions/setTradingStop.md)
const sizeOf = (request: Positions.TradingStopRequest): Option.Option<BigDecimal.BigDecimal> =>
  Handler.optionalDecimal(request.tpSize ?? request.slSize)

/** Sets, moves or cancels the trailing stop. A new activation price alone moves the existing one. */
const applyTrailing = (
  before: Stops,
  listing: Exchange.Listing,
  request: Positions.TradingStopRequest,
  now: number
): Either.Either<Stops, Refusal.Refusal> =>
  Either.gen(function* () {
    const { position } = before
    if (request.trailingStop === undefined && request.activePrice === undefined) return before
    const distance =
      request.trailingStop === undefined
        ? position.trailingStop
        : Option.filter(Handler.optionalDecimal(request.trailingStop), BigDecimal.isPositive)
    if (Option.isNone(distance)) {
      if (request.trailingStop === undefined) return yield* Refusal.parameter("activePrice needs a trailingStop")
      return remove(
        { ...before, position: { ...position, trailingStop: Option.none(), activePrice: Option.none() } },
        "TrailingStop",
        now
      )
    }
    const { tickSize } = listing.instrument.priceFilter
    if (!Money.isMultiple(distance.value, tickSize)) {
      return yield* Refusal.parameter(`trailingStop must be a multiple of ${Decimal.format(tickSize)}`)
    }
    const active = Handler.optionalDecimal(request.activePrice)
    if (Option.isSome(active)) {
      yield* checkSide(listing, position, { gains: true, field: "activePrice", by: "LastPrice" }, active.value)
    }
    const activePrice = Option.orElse(active, () => position.activePrice)
    const [after] = place(
      { ...before, position: { ...position, trailingStop: distance, activePrice } },
      listing,
      {
        kind: "TrailingStop",
        trigger: activePrice,
        triggerBy: "LastPrice",
        qty: BigDecimal.abs(position.size),
        limit: Option.none(),
        distance
      },
      now
    )
    return after
  })

/** Sets, changes or cancels the stop of one side. Returns the stops and the id of the order that was set, if there is one. */
const applySide = (
  before: Stops,
  listing: Exchange.Listing,
  request: Positions.TradingStopRequest,
  side: (typeof sides)[number],
  now: number
): Either.Either<readonly [stops: Stops, id: string | undefined], Refusal.Refusal> =>
  Either.gen(function* () {
    const { position } = before
    const requested = request[side.field]
    if (requested === undefined) return [before, undefined]
    const isFull = (request.tpslMode ?? position.tpslMode) === "Full"
    const price = Option.filter(Handler.optionalDecimal(requested), BigDecimal.isPositive)
    const kind = isFull ? side.full : side.partial
    const stops = isFull ? { ...before, position: { ...position, [side.field]: price } } : before
    if (Option.isNone(price)) return [remove(stops, kind, now), undefined]
    const present = isFull ? stops.openOrders.find(isOf(position, side.full)) : undefined
    const triggerBy = request[side.by] ?? Option.getOrUndefined(present?.triggerBy ?? Option.none()) ?? "LastPrice"
    yield* checkSide(listing, position, { gains: side.gains, field: side.field, by: triggerBy }, price.value)
    const limit = Handler.optionalDecimal(request[side.limit])
    if (Option.isSome(limit)) yield* Checks.price(listing, side.limit, limit.value)
    const size = BigDecimal.abs(position.size)
    const qty = isFull ? size : Option.getOrElse(sizeOf(request), () => size)
    const terms: Terms = { kind, trigger: price, triggerBy, qty, limit, distance: Option.none() }
    if (isFull) return set(stops, listing, terms, now)
    yield* checkSize(listing, side.size, qty)
    if (BigDecimal.greaterThan(qty, size)) {
      return yield* Refusal.left(110058, "You can't set TP/SL for more than the position size")
    }
    if (stops.openOrders.filter(isOf(position, kind)).length >= partialCap) {
      return yield* Refusal.left(110061, "Not more than 20 TP/SLs under Partial tpSlMode")
    }
    return add(stops, listing, terms, now)
  })

/**
 * Sets, changes and cancels the stops of an open position. Full stops change the existing orders, partial stops only add orders; 0 cancels.
 * (docs/reference/positions/setTradingStop.md)
 */
export const apply = (
  before: Stops,
  listing: Exchange.Listing,
  request: Positions.TradingStopRequest,
  now: number
): Either.Either<Stops, Refusal.Refusal> =>
  Either.gen(function* () {
    if (BigDecimal.isZero(before.position.size)) return yield* Refusal.left(110034, "There is no net position")
    yield* checkMode(request.tpslMode ?? before.position.tpslMode, request)
    let stops = before
    const made: Array<string> = []
    for (const side of sides) {
      const [after, id] = yield* applySide(stops, listing, request, side, now)
      stops = after
      if (id !== undefined) made.push(id)
    }
    stops = yield* applyTrailing(pair(stops, made), listing, request, now)
    return sameStops(before, stops) ? yield* Refusal.left(34040, "not modified") : stops
  })

// An unchanged order only has a new update time.
const sameStops = (before: Stops, after: Stops): boolean =>
  before.openOrders.length === after.openOrders.length &&
  before.closedOrders.length === after.closedOrders.length &&
  (["takeProfit", "stopLoss", "trailingStop", "activePrice"] as const).every((field) =>
    sameDecimal(before.position[field], after.position[field])
  ) &&
  before.openOrders.every((order, index) => {
    const next = after.openOrders[index]
    return (
      next !== undefined &&
      sameDecimal(order.triggerPrice, next.triggerPrice) &&
      sameDecimal(order.trailingStop, next.trailingStop) &&
      Option.getOrElse(order.triggerBy, () => "") === Option.getOrElse(next.triggerBy, () => "") &&
      BigDecimal.equals(order.qty, next.qty)
    )
  })
