/** Orders: lists open and closed ones, places, changes and cancels one, and cancels all. (docs/reference/orders.md) */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Endpoints from "@effect-venue/schemas/Orders"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Amendment from "../../orders/amendment.js"
import * as Closing from "../../positions/closing.js"
import * as Collateral from "../../trading/collateral.js"
import * as Handler from "../../handling/handler.js"
import * as Margin from "../../trading/margin.js"
import * as Cost from "../../orders/cost.js"
import * as Markets from "../../handling/markets.js"
import * as Named from "../../handling/named.js"
import * as Placement from "../../orders/placement.js"
import * as OrderRecord from "../../records/orderRecord.js"
import * as Paging from "../../handling/paging.js"
import * as Random from "../../state/random.js"
import * as Refusal from "../../handling/refusal.js"
import * as Windows from "../../handling/windows.js"
import * as Exchange from "../../state/Exchange.js"

/** The number of closed orders that the open-orders query returns, per account and category. */
const remembered = 500

const firstOf = <A>(items: Iterable<A>, count: number): ReadonlyArray<A> => {
  const found: Array<A> = []
  for (const item of items) {
    if (found.length === count) break
    found.push(item)
  }
  return found
}

/** The maximum number of contract orders that a cancel-all cancels. */
const cancelCap = 500

const coinsOf = (state: Exchange.State, order: Exchange.Order) => {
  const listing = Exchange.listing(state, order.category, order.symbol)
  return { base: listing?.instrument.baseCoin, settle: listing?.settleCoin }
}

/** Selects by the first of symbol, base coin and settle coin in the request. */
const selects =
  (
    state: Exchange.State,
    by: { symbol?: string | undefined; baseCoin?: string | undefined; settleCoin?: string | undefined }
  ) =>
  (order: Exchange.Order): boolean => {
    if (by.symbol !== undefined) return order.symbol === by.symbol
    if (by.baseCoin !== undefined) return coinsOf(state, order).base === by.baseCoin
    return by.settleCoin === undefined || coinsOf(state, order).settle === by.settleCoin
  }

/** A page of orders, newest `createdTime` first: `orderId` descending. */
const listOrders = (
  name: string,
  orders: ReadonlyArray<Exchange.Order>,
  request: Pick<Endpoints.OpenRequest, "category" | "cursor" | "limit">,
  context: Handler.Context
) =>
  Paging.readPage(context, request, {
    name,
    items: [...orders].sort((a, b) => (a.orderId < b.orderId ? 1 : -1)),
    key: (order) => order.orderId,
    order: "descending",
    size: request.limit ?? 20
  })

export const open: Handler.Handler<typeof Endpoints.open> = (request, context) => {
  const { account, state } = context
  const { category, openOnly, orderFilter, orderId, orderLinkId, symbol } = request
  const baseCoin = request.category === "spot" ? undefined : request.baseCoin
  const settleCoin = request.category === "linear" ? request.settleCoin : undefined
  const named = orderId !== undefined || orderLinkId !== undefined
  if (symbol !== undefined && !named) {
    const known = Markets.findListing(state, category, symbol)
    if (Either.isLeft(known)) return Either.left(known.left)
  }
  const ours = (order: Exchange.Order) => order.category === category
  const isRemembered = (order: Exchange.Order) => ours(order) && order.updatedTime.epochMillis >= state.restartedAt
  const latest = (keep: (order: Exchange.Order) => boolean) =>
    firstOf(Paging.backwards(account.closedOrders, 0, undefined, keep), remembered)
  const open = account.openOrders.filter(ours)
  const pool = named ? [...open, ...latest(isRemembered)] : openOnly === 1 ? latest(isRemembered) : open
  const isSelected = named
    ? (order: Exchange.Order) => Named.isNamed({ orderId, orderLinkId }, order)
    : selects(state, { symbol, baseCoin, settleCoin })
  const orders = pool.filter(
    (order) => isSelected(order) && (orderFilter === undefined || order.filter === orderFilter)
  )
  return listOrders("orders", orders, request, context)
}

/** Only confirms that the order was received; the order queries return its outcome. */
export const create: Handler.Handler<typeof Endpoints.create> = (request, { account, now, state }) =>
  Either.flatMap(Placement.place(state, account.uid, request, now), ({ order, state }) =>
    Handler.write(state, { orderId: order.orderId, orderLinkId: order.orderLinkId })
  )

/** Also cancels the other order of an unbroken pair of take profit and stop loss. (rule states/4) */
export const cancel: Handler.Handler<typeof Endpoints.cancel> = (request, { account, now, state }) =>
  Either.gen(function* () {
    yield* Markets.findListing(state, request.category, request.symbol)
    const order = yield* Named.findOpen(account, request, request.category === "spot" ? request.orderFilter : undefined)
    const after = Closing.cancelOrders(account, Closing.withPartner(account, order), now, {
      cancelType: "CancelByUser"
    })
    return yield* Handler.write(Exchange.withAccount(state, after), {
      orderId: order.orderId,
      orderLinkId: order.orderLinkId
    })
  })

/** Changes an unfilled or partially filled order. A change that needs more margin than is free is refused. */
export const amend: Handler.Handler<typeof Endpoints.amend> = (request, context) =>
  Either.gen(function* () {
    const { account, now, state } = context
    const { category } = request
    const listing = yield* Markets.findListing(state, category, request.symbol)
    const order = yield* Named.findOpen(account, request)
    const ofContract = request.category === "spot" ? undefined : request
    const changed = yield* Amendment.apply(order, listing, {
      ...request,
      tpslMode: ofContract?.tpslMode,
      triggerBy: ofContract?.triggerBy,
      tpOrderType: ofContract?.tpOrderType,
      slOrderType: ofContract?.slOrderType
    })
    const coin =
      category !== "spot"
        ? listing.settleCoin
        : order.side === "Sell"
          ? listing.instrument.baseCoin
          : listing.instrument.quoteCoin
    const more = BigDecimal.subtract(
      Margin.orderMargin(account, listing, changed, coin),
      Margin.orderMargin(account, listing, order, coin)
    )
    const free =
      category === "spot"
        ? Collateral.available(state, account, Margin.spotWallet(account), coin)
        : Collateral.tradable(state, account, coin, Margin.tradeModeOf(account, order))
    if (BigDecimal.isPositive(more) && BigDecimal.greaterThan(more, free)) {
      return yield* category === "spot"
        ? Refusal.left(170131, "Insufficient balance.")
        : Refusal.left(110007, "ab not enough for new order")
    }
    yield* Cost.risk(account, listing, changed)
    yield* Amendment.checkStopSize(account, order, changed)
    const amended = { ...changed, updatedTime: DateTime.unsafeMake(now) }
    return yield* Handler.write(Amendment.put(state, account, order, amended, now), {
      orderId: order.orderId,
      orderLinkId: order.orderLinkId
    })
  })

const selectOrders = (request: Endpoint.Accepted<Endpoints.CancelAllRequest>, state: Exchange.State) => {
  const { baseCoin, category, orderFilter, symbol } = request
  const settleCoin = request.category === "spot" ? undefined : request.settleCoin
  const stopsOnly = request.category !== "spot" && request.stopOrderType === "Stop"
  const filter = orderFilter ?? (category === "spot" ? "Order" : undefined)
  const isSelected = selects(state, { symbol, baseCoin, settleCoin })
  return (order: Exchange.Order): boolean =>
    order.category === category &&
    isSelected(order) &&
    (filter === undefined || order.filter === filter) &&
    !(stopsOnly && OrderRecord.isPositionStop(order))
}

// Selects up to the cap in an order that callers cannot rely on, but the same for the same state.
const takeUpToCap = (orders: ReadonlyArray<Exchange.Order>, category: Exchange.Category, seed: number) =>
  category === "spot" || orders.length <= cancelCap
    ? orders
    : [...orders]
        .sort((a, b) => Random.hash32(`${seed} ${a.orderId}`) - Random.hash32(`${seed} ${b.orderId}`))
        .slice(0, cancelCap)

/** Without an `orderFilter`, contract orders of every kind are cancelled, and spot orders of kind Order. */
export const cancelAll: Handler.Handler<typeof Endpoints.cancelAll> = (request, context) =>
  Either.gen(function* () {
    const { account, now, state } = context
    const { category, symbol } = request
    if (symbol !== undefined) yield* Markets.findListing(state, category, symbol)
    const going = takeUpToCap(account.openOrders.filter(selectOrders(request, state)), category, state.seed)
    const success = Option.some(true)
    const next = Closing.cancelOrders(account, going, now, { cancelType: "CancelByUser" })
    return yield* Handler.write(Exchange.withAccount(state, next), {
      list: Option.some(going.map(({ orderId, orderLinkId }) => Either.right({ orderId, orderLinkId, success }))),
      success
    })
  })

const week = 7 * 86_400_000
const reachBack = 730 * 86_400_000

// After a week, only filled orders are kept. (docs/reference/listed-operations.md#ordershistory)
const isKept = (order: Exchange.Order, now: number): boolean =>
  order.createdTime.epochMillis >= now - week ||
  (BigDecimal.isPositive(order.cumExecQty) && order.createdTime.epochMillis >= now - reachBack)

/** Closed orders by their time of creation, newest first. */
export const history: Handler.Handler<typeof Endpoints.history> = (request, context) => {
  const { account, now, state } = context
  const { category, orderFilter, orderId, orderLinkId, orderStatus, symbol } = request
  const named = orderId !== undefined || orderLinkId !== undefined
  if (symbol !== undefined && !named) {
    const known = Markets.findListing(state, category, symbol)
    if (Either.isLeft(known)) return Either.left(known.left)
  }
  const range = Windows.history(request, now)
  // An order is closed after its creation, so older closed orders cannot match.
  const orders = Windows.since(account.closedOrders, (order) => order.updatedTime.epochMillis, range.from).filter(
    (order) =>
      order.category === category &&
      Windows.contains(range, order.createdTime.epochMillis) &&
      isKept(order, now) &&
      (named ? Named.isNamed({ orderId, orderLinkId }, order) : symbol === undefined || order.symbol === symbol) &&
      (orderFilter === undefined || order.filter === orderFilter) &&
      (orderStatus === undefined || order.orderStatus === orderStatus)
  )
  return listOrders("orderHistory", orders, request, context)
}
