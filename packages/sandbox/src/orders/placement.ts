import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import type * as Endpoints from "@effect-venue/schemas/Orders"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Exchange from "../state/Exchange.js"
import * as Handler from "../handling/handler.js"
import * as Ids from "../trading/ids.js"
import * as Money from "../trading/money.js"
import * as OrderRecord from "../records/orderRecord.js"
import * as PositionOf from "../records/positionOf.js"
import * as Refusal from "../handling/refusal.js"
import * as Accounts from "../state/accounts.js"
import * as Checks from "./checks.js"
import type { Checked } from "./checks.js"
import * as Cost from "./cost.js"
import * as Liquidity from "../book/liquidity.js"
import * as Matching from "./matching.js"

type Request = Endpoint.Accepted<Endpoints.CreateRequest>
type ContractRequest = Request & Endpoint.ForCategory<"linear" | "inverse">

const isContract = (request: Request): request is ContractRequest => request.category !== "spot"

// The price limits of contract market orders. (docs/reference/listed-operations.md#orderscreate)
const guards = { btc: BigDecimal.make(3n, 2), others: BigDecimal.make(5n, 2) }

/** Returns the worst price for an order that can deviate from the market by a fraction, on a tick. */
const away = (
  listing: Exchange.Listing,
  side: Enumerations.Side,
  from: BigDecimal.BigDecimal,
  part: BigDecimal.BigDecimal
): BigDecimal.BigDecimal => {
  const { tickSize } = listing.instrument.priceFilter
  const distance = BigDecimal.multiply(from, part)
  const price = side === "Buy" ? BigDecimal.sum(from, distance) : BigDecimal.subtract(from, distance)
  const ticks = Money.divide(price, tickSize, 0)
  return BigDecimal.multiply(BigDecimal.max(ticks, Money.one), tickSize)
}

const hundred = BigDecimal.make(100n, 0)

// TickSize is in ticks, Percent in hundredths, both from the best opposite price. (docs/reference/listed-operations.md#orderscreate)
const slippage = (listing: Exchange.Listing, request: Request): Option.Option<BigDecimal.BigDecimal> => {
  const tolerance = Handler.optionalDecimal(request.slippageTolerance)
  if (Option.isNone(tolerance)) return Option.none()
  const best = Liquidity.best(listing, request.side)
  if (request.slippageToleranceType === "Percent") {
    return Option.some(away(listing, request.side, best, Money.divide(tolerance.value, hundred, 18)))
  }
  const distance = BigDecimal.multiply(tolerance.value, listing.instrument.priceFilter.tickSize)
  return Option.some(request.side === "Buy" ? BigDecimal.sum(best, distance) : BigDecimal.subtract(best, distance))
}

/** Returns the worst price of a market order. */
export const guard = (
  listing: Exchange.Listing,
  side: Enumerations.Side,
  requested: Option.Option<BigDecimal.BigDecimal>
): BigDecimal.BigDecimal => {
  const part =
    listing.category === "spot"
      ? Option.match(listing.instrument.riskParameters, {
          onNone: () => guards.others,
          onSome: (risk) => risk.marketParameter
        })
      : listing.instrument.baseCoin === "BTC"
        ? guards.btc
        : guards.others
  const own = away(listing, side, listing.lastPrice, part)
  return Option.match(requested, {
    onNone: () => own,
    onSome: (price) => (side === "Buy" ? BigDecimal.min(price, own) : BigDecimal.max(price, own))
  })
}

const positive = (input: Request["takeProfit"]) => Option.filter(Handler.optionalDecimal(input), BigDecimal.isPositive)

const timeInForce = (request: Request): Enumerations.TimeInForce =>
  request.orderType === "Market" ? "IOC" : (spellings.get(request.timeInForce ?? "GTC") ?? request.timeInForce ?? "GTC")

// Older spellings of the values.
const spellings: ReadonlyMap<string, Enumerations.TimeInForce> = new Map([
  ["GoodTillCancel", "GTC"],
  ["ImmediateOrCancel", "IOC"],
  ["FillOrKill", "FOK"]
])

const common = (request: Request, listing: Exchange.Listing, id: string, now: number) => {
  const at = DateTime.unsafeMake(now)
  return {
    category: request.category,
    orderId: Ids.OrderId(id),
    orderLinkId: Option.map(Option.fromNullable(request.orderLinkId), Ids.OrderLinkId),
    symbol: Ids.Symbol(request.symbol),
    side: request.side,
    orderType: request.orderType,
    qty: Handler.decimal(request.qty),
    timeInForce: timeInForce(request),
    triggerPrice: positive(request.triggerPrice),
    takeProfit: positive(request.takeProfit),
    stopLoss: positive(request.stopLoss),
    tpLimitPrice: positive(request.tpLimitPrice),
    slLimitPrice: positive(request.slLimitPrice),
    lastPriceOnCreated: Option.some(listing.lastPrice),
    createdTime: at,
    updatedTime: at,
    ...(request.smpType === undefined ? {} : { smpType: request.smpType })
  }
}

// Classic accounts buy with the quote coin and sell the base coin; unified accounts can choose.
const marketUnit = (account: Exchange.Account, request: Request): Option.Option<Enumerations.MarketUnit> => {
  if (request.orderType !== "Market") return Option.none()
  const usual = request.side === "Buy" ? "quoteCoin" : "baseCoin"
  return Option.some(account.unified ? (request.marketUnit ?? usual) : usual)
}

const spotOrder = (
  request: Request,
  account: Exchange.Account,
  listing: Exchange.Listing,
  id: string,
  now: number
): Exchange.Order => {
  const filter = request.orderFilter ?? "Order"
  const trigger = positive(request.triggerPrice)
  const waits = filter !== "Order"
  return OrderRecord.make({
    ...common(request, listing, id, now),
    price: request.orderType === "Limit" ? positive(request.price) : Option.none(),
    filter,
    orderStatus: waits ? "Untriggered" : "New",
    marketUnit: marketUnit(account, request),
    stopOrderType: waits ? Option.some(filter) : Option.none(),
    triggerDirection: Option.some(
      Option.match(trigger, {
        onNone: () => 0,
        onSome: (price) => (BigDecimal.greaterThan(price, listing.lastPrice) ? 1 : 2)
      })
    )
  })
}

const contractOrder = (
  request: ContractRequest,
  position: Exchange.Position,
  listing: Exchange.Listing,
  worst: Option.Option<BigDecimal.BigDecimal>,
  id: string,
  now: number
): Exchange.Order => {
  const conditional = request.triggerPrice !== undefined
  const stops = request.takeProfit !== undefined || request.stopLoss !== undefined
  // In hedge mode an order in the opposite direction can only close.
  const closes = position.positionIdx !== 0 && (position.positionIdx === 1) === (request.side === "Sell")
  return OrderRecord.make({
    ...common(request, listing, id, now),
    positionIdx: position.positionIdx,
    filter: conditional ? "StopOrder" : "Order",
    // A waiting market order gets its price limit when it is triggered.
    price: request.orderType === "Limit" ? positive(request.price) : conditional ? Option.none() : worst,
    orderStatus: conditional ? "Untriggered" : "New",
    stopOrderType: Option.some(conditional ? "Stop" : "UNKNOWN"),
    triggerDirection: Option.some(request.triggerDirection ?? 0),
    triggerBy: conditional ? Option.some(request.triggerBy ?? "LastPrice") : Option.none(),
    tpslMode: stops ? Option.some(request.tpslMode ?? position.tpslMode) : Option.none(),
    tpTriggerBy: request.takeProfit === undefined ? Option.none() : Option.some(request.tpTriggerBy ?? "LastPrice"),
    slTriggerBy: request.stopLoss === undefined ? Option.none() : Option.some(request.slTriggerBy ?? "LastPrice"),
    reduceOnly: request.reduceOnly === true || request.closeOnTrigger === true || closes,
    closeOnTrigger: request.closeOnTrigger === true
  })
}

const checkSpot = (order: Exchange.Order, account: Exchange.Account, listing: Exchange.Listing): Checked =>
  Either.gen(function* () {
    const byQuote = Option.contains(order.marketUnit, "quoteCoin")
    yield* byQuote ? Checks.quoteAmount(listing, order.qty) : Checks.qty(listing, order.orderType, order.qty)
    if (Option.isSome(order.price)) {
      yield* Checks.price(listing, "price", order.price.value)
      if (!OrderRecord.isConditional(order)) yield* Checks.spotBand(listing, order.side, order.price.value)
    }
    if (Option.isSome(order.triggerPrice)) yield* Checks.price(listing, "triggerPrice", order.triggerPrice.value)
    const needsLimit = account.unified && order.orderType === "Limit"
    for (const [stop, limit] of [
      ["takeProfit", "tpLimitPrice"],
      ["stopLoss", "slLimitPrice"]
    ] as const) {
      // Only one page of the service documents this rule. (docs/reference/listed-operations.md#orderscreate)
      if (needsLimit && Option.isSome(order[stop]) && Option.isNone(order[limit])) {
        return yield* Refusal.parameter(`${limit} is required`)
      }
    }
    yield* Checks.worth(
      listing,
      order.qty,
      Option.getOrElse(order.price, () => listing.lastPrice),
      byQuote
    )
  })

const checkContract = (order: Exchange.Order, position: Exchange.Position, listing: Exchange.Listing): Checked =>
  Either.gen(function* () {
    yield* Checks.qty(listing, order.orderType, order.qty)
    if (Option.isSome(order.price)) yield* Checks.price(listing, "price", order.price.value)
    if (Option.isSome(order.triggerPrice)) {
      yield* Checks.price(listing, "triggerPrice", order.triggerPrice.value)
      if (Option.contains(order.triggerDirection, 0)) return yield* Refusal.parameter("triggerDirection is required")
      yield* Checks.trigger(listing, order)
    }
    if (!order.reduceOnly) {
      yield* Checks.worth(
        listing,
        order.qty,
        Option.getOrElse(order.price, () => listing.lastPrice),
        false
      )
    }
    const reduces =
      !BigDecimal.isZero(position.size) && BigDecimal.isPositive(position.size) === (order.side === "Sell")
    if (position.isReduceOnly && !(reduces && BigDecimal.lessThanOrEqualTo(order.qty, BigDecimal.abs(position.size)))) {
      return yield* Refusal.left(110023, "Currently you can only reduce your position on this contract")
    }
  })

// Limits a reducing order to the position. A waiting order is limited when it is triggered.
const limitToPosition = (account: Exchange.Account, order: Exchange.Order): Checked<Exchange.Order> => {
  if (!order.reduceOnly || OrderRecord.isConditional(order)) return Either.right(order)
  const most = Matching.reducible(account, order)
  return BigDecimal.isZero(most)
    ? Refusal.left(110017, "Reduce-only rule not satisfied")
    : Either.right(OrderRecord.withLeaves({ ...order, qty: BigDecimal.min(order.qty, most) }))
}

// The remaining quantity of an order by quote coin is in that coin.
const byQuote = (order: Exchange.Order): Exchange.Order =>
  Option.contains(order.marketUnit, "quoteCoin") ? { ...order, leavesValue: Option.some(order.qty) } : order

/** An accepted order: its record as placed, and the state after it reached the market. */
export interface Placed {
  readonly order: Exchange.Order
  readonly state: Exchange.State
}

/**
 * Places an order, or refuses one that violates a rule. Its fills are not returned; the order queries return them.
 * (docs/reference/listed-operations.md#orderscreate)
 */
export const place = (state: Exchange.State, uid: string, request: Request, now: number): Checked<Placed> =>
  Either.gen(function* () {
    const account = state.accounts.get(uid)
    const listing = Exchange.listing(state, request.category, request.symbol)
    if (account === undefined || listing === undefined) {
      return yield* request.category === "spot"
        ? Refusal.left(170121, "Invalid symbol.")
        : Refusal.parameter("symbol invalid")
    }
    if (account.banned) return yield* Refusal.left(10027, "Transactions are banned.")
    if (listing.instrument.status !== "Trading") return yield* Refusal.left(110074, "This contract is not live")
    const [id, issued] = Handler.issue(state, now)
    const requested = slippage(listing, request)
    const worst =
      request.orderType === "Market" ? Option.some(guard(listing, request.side, requested)) : positive(request.price)
    const drafted = yield* isContract(request)
      ? draftContract(state, request, account, listing, worst, id, now)
      : draftSpot(request, account, listing, id, now)
    const order = byQuote(drafted)
    yield* Checks.stops(listing, order)
    for (const field of ["tpLimitPrice", "slLimitPrice"] as const) {
      const price = order[field]
      if (Option.isSome(price)) yield* Checks.price(listing, field, price.value)
    }
    yield* Checks.link(account, order)
    yield* Checks.caps(account, order)
    yield* Cost.check(state, account, listing, order, worst)
    const opened = Accounts.update(issued, uid, (account) => Accounts.putOrder(account, order))
    return { order, state: OrderRecord.isConditional(order) ? opened : Matching.submit(opened, uid, id, worst, now) }
  })

const draftSpot = (
  request: Request,
  account: Exchange.Account,
  listing: Exchange.Listing,
  id: string,
  now: number
): Checked<Exchange.Order> => {
  const order = spotOrder(request, account, listing, id, now)
  return Either.map(checkSpot(order, account, listing), () => order)
}

const draftContract = (
  state: Exchange.State,
  request: ContractRequest,
  account: Exchange.Account,
  listing: Exchange.Listing,
  worst: Option.Option<BigDecimal.BigDecimal>,
  id: string,
  now: number
): Checked<Exchange.Order> =>
  Either.gen(function* () {
    const position = yield* PositionOf.select(
      account,
      request.category,
      request.symbol,
      request.positionIdx,
      state.openedAt
    )
    const order = contractOrder(request, position, listing, worst, id, now)
    yield* checkContract(order, position, listing)
    return yield* limitToPosition(account, order)
  })
