/**
 * Positions: lists them, changes margin, stops and risk limit, and lists closed profits from before and after the upgrade. Leverage and
 * other settings are in `settings.ts`. (docs/reference/positions.md)
 */
import type * as Endpoints from "@effect-venue/schemas/Positions"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Collateral from "../../trading/collateral.js"
import * as Handler from "../../handling/handler.js"
import * as Ids from "../../trading/ids.js"
import * as Margin from "../../trading/margin.js"
import * as Markets from "../../handling/markets.js"
import * as Paging from "../../handling/paging.js"
import * as PositionOf from "../../records/positionOf.js"
import * as PositionRecord from "../../records/positionRecord.js"
import * as Refusal from "../../handling/refusal.js"
import * as TradingStop from "../../orders/tradingStop.js"
import * as Windows from "../../handling/windows.js"
import * as Exchange from "../../state/Exchange.js"

/** With a symbol, its positions, empty or not; with a settle coin, the positions with a size. Ordered by symbol. Spot has no positions. */
export const list: Handler.Handler<typeof Endpoints.list> = (request, context) =>
  Either.gen(function* () {
    const { account, state } = context
    const { baseCoin, category, limit, symbol } = request
    if (category === "spot") {
      return yield* Handler.read(context, { category: Option.some(category), list: [], nextPageCursor: Option.none() })
    }
    if (symbol !== undefined) yield* Markets.findListing(state, category, symbol)
    const positions =
      symbol !== undefined
        ? PositionOf.all(account, category, symbol, state.openedAt)
        : account.positions.filter((position) => {
            const listing = Exchange.listing(state, category, position.symbol)
            return (
              position.category === category &&
              !BigDecimal.isZero(position.size) &&
              listing?.settleCoin === request.settleCoin &&
              (baseCoin === undefined || listing?.instrument.baseCoin === baseCoin)
            )
          })
    const key = (position: Exchange.Position) => `${position.symbol} ${position.positionIdx}`
    const page = yield* Paging.page(context, request, {
      name: "positions",
      items: [...positions].sort((a, b) => (key(a) < key(b) ? -1 : 1)),
      key,
      order: "ascending",
      size: limit ?? 20
    })
    return yield* Handler.read(context, {
      category: Option.some(category),
      list: page.items.flatMap((position) => {
        const listing = Exchange.listing(state, category, position.symbol)
        return listing === undefined ? [] : [PositionRecord.make(state, account, listing, position)]
      }),
      nextPageCursor: page.next
    })
  })

/** Moves free money of the wallet to the position, or back, up to the amount added before. */
export const addMargin: Handler.Handler<typeof Endpoints.addMargin> = (request, context) =>
  Either.gen(function* () {
    const { account, now, state } = context
    const listing = yield* Markets.contract(state, request.category, request.symbol)
    const { category } = listing
    const position = yield* PositionOf.select(account, category, request.symbol, request.positionIdx, state.openedAt)
    if (BigDecimal.isZero(position.size)) {
      return yield* Refusal.left(110033, "Can't set margin without an open position")
    }
    if (position.tradeMode === "cross") {
      return yield* Refusal.left(110015, "Cannot set margin in cross margin mode")
    }
    const margin = Handler.decimal(request.margin)
    const free = Collateral.available(state, account, Margin.contractWallet(account), listing.settleCoin)
    if (BigDecimal.greaterThan(margin, free)) {
      return yield* Refusal.left(110014, "Available balance not enough to add margin")
    }
    const addedMargin = BigDecimal.sum(position.addedMargin, margin)
    if (BigDecimal.isNegative(margin) && BigDecimal.isNegative(addedMargin)) {
      return yield* Refusal.left(110078, "The reduced margin is larger than what may be removed")
    }
    const changed: Exchange.Position = { ...position, addedMargin, updatedTime: now }
    const after = PositionOf.put(account, changed)
    const next = Exchange.withAccount(state, after)
    const record = PositionRecord.make(next, after, listing, changed)
    return yield* Handler.write(next, {
      ...record,
      category,
      positionIdx: Option.some(record.positionIdx),
      symbol: Option.some(record.symbol),
      size: Option.some(record.size)
    })
  })

/** The stops of a position are orders on the book; this creates, changes and cancels them. */
export const setTradingStop: Handler.Handler<typeof Endpoints.setTradingStop> = (request, context) =>
  Either.gen(function* () {
    const { account, now, state } = context
    const listing = yield* Markets.contract(state, request.category, request.symbol)
    const position = yield* PositionOf.select(
      account,
      listing.category,
      request.symbol,
      request.positionIdx,
      state.openedAt
    )
    const stops = yield* TradingStop.apply(
      { state, position, openOrders: account.openOrders, closedOrders: account.closedOrders },
      listing,
      request,
      now
    )
    const { closedOrders, openOrders } = stops
    const after = PositionOf.put({ ...account, openOrders, closedOrders }, { ...stops.position, updatedTime: now })
    return yield* Handler.write(Exchange.withAccount(stops.state, after), undefined)
  })

/** Refuses a tier that is too small for the position or its leverage. The symbol identifies the contract; the category is not used. */
export const setRiskLimit: Handler.Handler<typeof Endpoints.setRiskLimit> = (request, context) =>
  Either.gen(function* () {
    const { account, now, state } = context
    const listing = yield* Markets.contractOf(state, request.category, request.symbol)
    const { category } = listing
    const position = yield* PositionOf.select(account, category, request.symbol, request.positionIdx, state.openedAt)
    const tier = Margin.tier(listing, request.riskId)
    if (tier === undefined) return yield* Refusal.left(110031, "Risk limit info does not exists")
    if (tier.riskId === position.riskId) return yield* Refusal.left(110075, "RiskId not modified")
    if (BigDecimal.greaterThan(Margin.positionValue(listing, position), tier.limit)) {
      return yield* Refusal.left(110048, "The position value exceeds the risk limit")
    }
    if (BigDecimal.greaterThan(position.leverage, tier.maxLeverage)) {
      return yield* Refusal.left(110013, "cannot set risk limit: leverage is higher than it allows")
    }
    const changed: Exchange.Position = { ...position, riskId: tier.riskId, updatedTime: now }
    return yield* Handler.write(Exchange.withAccount(state, PositionOf.put(account, changed)), {
      category: request.category,
      riskId: Option.some(tier.riskId),
      riskLimitValue: Option.some(tier.limit)
    })
  })

/** Newest `updatedTime` first. */
export const preUpgradeClosedPnl: Handler.Handler<typeof Endpoints.preUpgradeClosedPnl> = (request, context) =>
  Either.gen(function* () {
    const { account, now, state } = context
    const { category, limit, symbol } = request
    if (symbol !== undefined) yield* Markets.findListing(state, category, symbol)
    const records = account.preUpgradeClosedPnl[category]
    const instant = (record: Endpoints.ClosedPnl) => record.updatedTime.epochMillis
    const [start, end] = Windows.slice(records, instant, Windows.history(request, now))
    return yield* Paging.readPage(context, request, {
      name: "preUpgradeClosedPnl",
      items: Paging.backwards(records, start, end, (record) => symbol === undefined || record.symbol === symbol),
      key: (record) => Ids.sortable(instant(record)) + record.orderId,
      order: "descending",
      size: limit ?? 50
    })
  })

const reachBack = 730 * 86_400_000

/** By the creation time of the closing order, newest first, up to two years back. */
export const closedPnl: Handler.Handler<typeof Endpoints.closedPnl> = (request, context) =>
  Either.gen(function* () {
    const { account, now, state } = context
    const { category, limit, symbol } = request
    if (symbol !== undefined) yield* Markets.findListing(state, category, symbol)
    const requested = Windows.history(request, now)
    const range = { ...requested, from: Math.max(requested.from, now - reachBack) }
    const key = (record: Endpoints.ClosedPnl) => Ids.sortable(record.createdTime.epochMillis) + record.orderId
    return yield* Paging.readPage(context, request, {
      name: "closedPnl",
      // A profit is recorded after its order was created, so older records cannot match.
      items: Windows.since(account.closedPnl[category], (record) => record.updatedTime.epochMillis, range.from)
        .filter(
          (record) =>
            Windows.contains(range, record.createdTime.epochMillis) &&
            (symbol === undefined || record.symbol === symbol)
        )
        .sort((a, b) => (key(a) < key(b) ? 1 : -1)),
      key,
      order: "descending",
      size: limit ?? 50
    })
  })
