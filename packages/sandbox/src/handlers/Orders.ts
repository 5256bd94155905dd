/**
 * Orders: what is open, changing one, cancelling all. (interface.md, 1, 13 and 18)
 *
 * @since 0.1.0
 */
import type * as Endpoints from "@effect-venue/schemas/Orders"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Amendment from "../internal/amendment.js"
import * as Closing from "../internal/engine/closing.js"
import * as Handler from "../internal/handler.js"
import * as Margin from "../internal/margin.js"
import * as Markets from "../internal/markets.js"
import * as OrderRecord from "../internal/orderRecord.js"
import * as Paging from "../internal/paging.js"
import * as Random from "../internal/random.js"
import * as Refusal from "../internal/refusal.js"
import * as State from "../State.js"

/** How many closed orders the open-orders query remembers, per account and category. */
const remembered = 500
/** How many orders of contracts one cancel-all takes. */
const cancelCap = 500

interface Named {
  readonly orderId?: string | undefined
  readonly orderLinkId?: string | undefined
}

// orderId has priority over orderLinkId, and both over everything else.
const isNamed = ({ orderId, orderLinkId }: Named, order: State.Order): boolean =>
  orderId !== undefined ? order.orderId === orderId : Option.contains<string>(order.orderLinkId, orderLinkId ?? "")

const coinsOf = (state: State.State, order: State.Order) => {
  const listing = State.listing(state, order.category, order.symbol)
  return { base: listing?.instrument.baseCoin, settle: listing?.settleCoin }
}

/** By the first of symbol, base coin and settle coin that is given. */
const selects =
  (
    state: State.State,
    by: { symbol?: string | undefined; baseCoin?: string | undefined; settleCoin?: string | undefined }
  ) =>
  (order: State.Order): boolean => {
    if (by.symbol !== undefined) return order.symbol === by.symbol
    if (by.baseCoin !== undefined) return coinsOf(state, order).base === by.baseCoin
    return by.settleCoin === undefined || coinsOf(state, order).settle === by.settleCoin
  }

/**
 * Newest `createdTime` first, which is `orderId` descending.
 *
 * @since 0.1.0
 * @category handlers
 */
export const open: Handler.Handler<typeof Endpoints.open> = (request, context) => {
  const { account, state } = context
  const { category, cursor, limit, openOnly, orderFilter, orderId, orderLinkId, symbol } = request
  const baseCoin = "baseCoin" in request ? request.baseCoin : undefined
  const settleCoin = "settleCoin" in request ? request.settleCoin : undefined
  const named = orderId !== undefined || orderLinkId !== undefined
  if (symbol !== undefined && !named) {
    const known = Markets.known(state, category, symbol)
    if (Either.isLeft(known)) return Either.left(known.left)
  }
  const ours = (order: State.Order) => order.category === category
  const closed = () => Array.from(Paging.backwards(account.closedOrders, 0, undefined, ours)).slice(0, remembered)
  const open = account.openOrders.filter(ours)
  const pool = named ? [...open, ...closed()] : openOnly === 1 ? closed() : open
  const isSelected = named
    ? (order: State.Order) => isNamed({ orderId, orderLinkId }, order)
    : selects(state, { symbol, baseCoin, settleCoin })
  const orders = pool
    .filter((order) => isSelected(order) && (orderFilter === undefined || order.filter === orderFilter))
    .sort((one, other) => (one.orderId < other.orderId ? 1 : -1))
  return Either.flatMap(
    Paging.page({
      items: orders,
      key: (order) => order.orderId,
      order: "descending",
      of: [account.uid, "orders", category, symbol, baseCoin, settleCoin, orderId, orderLinkId, openOnly, orderFilter],
      size: limit ?? 20,
      cursor
    }),
    (page) => Handler.read(context, { category: Option.some(category), list: page.items, nextPageCursor: page.next })
  )
}

// What is said of an order that cannot be changed any more.
const gone = (account: State.Account, category: State.Category, named: Named) => {
  const order = account.closedOrders.findLast((one) => one.category === category && isNamed(named, one))
  if (category === "spot") {
    return order?.orderStatus === "Filled"
      ? Refusal.left(170139, "Order has been filled.")
      : order === undefined
        ? Refusal.left(170213, "Order does not exist.")
        : Refusal.left(170142, "Order has been canceled.")
  }
  switch (order?.orderStatus) {
    case "Filled":
      return Refusal.left(110008, "Order has been finished or canceled")
    case "Cancelled":
    case "Deactivated":
      return Refusal.left(110010, "Order has been canceled")
    default:
      return Refusal.left(110001, "order not exists or too late to replace")
  }
}

/**
 * Changes an order that is unfilled or partially filled. What needs more margin than is free is refused.
 *
 * @since 0.1.0
 * @category handlers
 */
export const amend: Handler.Handler<typeof Endpoints.amend> = (request, context) =>
  Either.gen(function* () {
    const { account, now, state } = context
    const { category } = request
    const listing = yield* Markets.known(state, category, request.symbol)
    const order = account.openOrders.find((one) => one.category === category && isNamed(request, one))
    if (order === undefined) return yield* gone(account, category, request)
    if (order.symbol !== request.symbol) return yield* Refusal.parameter("symbol does not match the order")
    const changed = yield* Amendment.apply(order, listing, {
      ...request,
      tpslMode: "tpslMode" in request ? request.tpslMode : undefined,
      triggerBy: "triggerBy" in request ? request.triggerBy : undefined
    })
    const coin =
      category !== "spot"
        ? listing.settleCoin
        : order.side === "Sell"
          ? listing.instrument.baseCoin
          : listing.instrument.quoteCoin
    const wallet = category === "spot" ? Margin.spotWallet(account) : Margin.contractWallet(account)
    const more = BigDecimal.subtract(
      Margin.orderMargin(account, listing, changed, coin),
      Margin.orderMargin(account, listing, order, coin)
    )
    if (BigDecimal.isPositive(more) && BigDecimal.greaterThan(more, Margin.available(state, account, wallet, coin))) {
      return yield* category === "spot"
        ? Refusal.left(170131, "Insufficient balance.")
        : Refusal.left(110007, "ab not enough for new order")
    }
    const amended = { ...changed, updatedTime: DateTime.unsafeMake(now) }
    const openOrders = account.openOrders.map((one) => (one === order ? amended : one))
    return yield* Handler.write(State.withAccount(state, { ...account, openOrders }), {
      orderId: order.orderId,
      orderLinkId: order.orderLinkId
    })
  })

const wanted = (request: Endpoints.CancelAllRequest, state: State.State) => {
  const { baseCoin, category, orderFilter, symbol } = request
  const settleCoin = "settleCoin" in request ? request.settleCoin : undefined
  const stopsOnly = "stopOrderType" in request && request.stopOrderType === "Stop"
  const filter = orderFilter ?? (category === "spot" ? "Order" : undefined)
  const isSelected = selects(state, { symbol, baseCoin, settleCoin })
  return (order: State.Order): boolean =>
    order.category === category &&
    isSelected(order) &&
    (filter === undefined || order.filter === filter) &&
    !(stopsOnly && OrderRecord.isPositionStop(order))
}

// More than the cap: some, in no order that could be relied on, but the same for the same state.
const capped = (orders: ReadonlyArray<State.Order>, category: State.Category, seed: number) =>
  category === "spot" || orders.length <= cancelCap
    ? orders
    : [...orders]
        .sort((one, other) => Random.hash32(`${seed} ${one.orderId}`) - Random.hash32(`${seed} ${other.orderId}`))
        .slice(0, cancelCap)

/**
 * Contracts without an `orderFilter` lose orders of every kind, spot those of kind Order.
 *
 * @since 0.1.0
 * @category handlers
 */
export const cancelAll: Handler.Handler<typeof Endpoints.cancelAll> = (request, context) =>
  Either.gen(function* () {
    const { account, now, state } = context
    const { category, symbol } = request
    if (symbol !== undefined) yield* Markets.known(state, category, symbol)
    const going = capped(account.openOrders.filter(wanted(request, state)), category, state.seed)
    // Neither for inverse contracts nor for classic accounts is the flag given. (facts/contradictions.md B12)
    const success = account.unified && category !== "inverse" ? Option.some(true) : Option.none()
    const next = Closing.cancelOrders(account, going, now, { cancelType: "CancelByUser" })
    return yield* Handler.write(State.withAccount(state, next), {
      list: going.map(({ orderId, orderLinkId }) => ({ orderId, orderLinkId, success })),
      success
    })
  })
