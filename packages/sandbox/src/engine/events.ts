import * as Enumerations from "@effect-venue/schemas/Enumerations"
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Exchange from "../state/Exchange.js"
import * as Refusal from "./refusal.js"
import * as Handler from "../handling/handler.js"
import * as Ids from "../trading/ids.js"
import * as Margin from "../trading/margin.js"
import * as Money from "../trading/money.js"
import * as OrderRecord from "../records/orderRecord.js"
import * as PositionOf from "../records/positionOf.js"
import * as Random from "../state/random.js"
import * as Accounts from "../state/accounts.js"
import * as Advance from "./advance.js"
import * as Checks from "../orders/checks.js"
import * as MarketMaker from "../trading/marketMaker.js"
import * as Liquidation from "../positions/liquidation.js"
import * as Liquidity from "../book/liquidity.js"
import * as Matching from "../orders/matching.js"
import * as Prices from "../book/prices.js"
import * as Triggers from "../orders/triggers.js"

// Events that a test triggers. Each is a pure function of the state, the event and the instant, to which the state was advanced. It returns
// the next state, or the reason why the event is impossible.

/** The outcome of an event. */
export type Happened = Either.Either<Exchange.State, Refusal.Refusal>

const invalid = (field: string, detail: string) => Refusal.refuse("InvalidArgument", field, detail)

const unknownAccount = (uid: string) => Refusal.refuse("NotFound", "uid", `has no account: ${uid}`)

const listingOf = (
  state: Exchange.State,
  { category, symbol }: { readonly category: Exchange.Category; readonly symbol: string }
): Either.Either<Exchange.Listing, Refusal.Refusal> => {
  const listing = Exchange.listing(state, category, symbol)
  return listing === undefined
    ? Refusal.refuse("NotFound", "symbol", `is not listed in ${category}: ${symbol}`)
    : Either.right(listing)
}

const priceOn = (listing: Exchange.Listing, price: BigDecimal.BigDecimal): Either.Either<void, Refusal.Refusal> => {
  if (BigDecimal.isPositive(price) && Either.isRight(Checks.price(listing, "price", price))) return Either.void
  const { maxPrice, minPrice, tickSize } = listing.instrument.priceFilter
  const bound = (word: string, price: Option.Option<BigDecimal.BigDecimal>) =>
    Option.match(price, { onNone: () => "", onSome: (bound) => `, ${word} ${Decimal.format(bound)}` })
  return invalid(
    "price",
    `must be over 0 and a multiple of ${Decimal.format(tickSize)}${bound("at least", minPrice)}${bound("at most", maxPrice)}`
  )
}

// A quantity in whole steps, up to the available one.
const qtyOf = (
  listing: Exchange.Listing,
  qty: BigDecimal.BigDecimal,
  most: BigDecimal.BigDecimal
): Either.Either<void, Refusal.Refusal> => {
  const step = Liquidity.qtyStep(listing)
  return BigDecimal.isPositive(qty) && BigDecimal.lessThanOrEqualTo(qty, most) && Money.isMultiple(qty, step)
    ? Either.void
    : invalid("qty", `must be over 0, a multiple of ${Decimal.format(step)} and at most ${Decimal.format(most)}`)
}

const settleAll = (state: Exchange.State, now: number): Exchange.State => {
  const busy = Array.from(state.accounts.values()).filter(
    ({ openOrders, positions }) => openOrders.length > 0 || positions.length > 0
  )
  return Advance.settleAccounts(
    Prices.at(state, now),
    busy.map(({ uid }) => uid),
    now
  )
}

/** Identifies a listing. */
export interface Symbol {
  readonly category: Exchange.Category
  readonly symbol: string
}

/**
 * Pins last, mark and index price of a symbol until it is released. Triggers, fills and liquidations follow at once, as in one step of the
 * market.
 */
export const setPrice = (
  state: Exchange.State,
  event: Symbol & { readonly price: BigDecimal.BigDecimal },
  now: number
): Happened =>
  Either.gen(function* () {
    const listing = yield* listingOf(state, event)
    yield* priceOn(listing, event.price)
    const key = Exchange.listingKey(event.category, event.symbol)
    return settleAll({ ...state, pinned: new Map(state.pinned).set(key, event.price) }, now)
  })

/** Releases a pinned price, which continues as if it had never been pinned. */
export const releasePrice = (state: Exchange.State, event: Symbol, now: number): Happened =>
  Either.map(listingOf(state, event), () => {
    const pinned = new Map(state.pinned)
    pinned.delete(Exchange.listingKey(event.category, event.symbol))
    return settleAll({ ...state, pinned }, now)
  })

const holderOf = (state: Exchange.State, orderId: string): Exchange.Account | undefined =>
  Array.from(state.accounts.values()).find((account) => account.openOrders.some((order) => order.orderId === orderId))

/**
 * Fills an open order as a maker, wholly or partly, at `price` or its limit price, or the last price if it has none. An order that waits
 * for its trigger is triggered first and left to the market.
 */
export const fill = (
  state: Exchange.State,
  event: {
    readonly orderId: string
    readonly qty?: BigDecimal.BigDecimal | undefined
    readonly price?: BigDecimal.BigDecimal | undefined
  },
  now: number
): Happened =>
  Either.gen(function* () {
    const account = holderOf(state, event.orderId)
    const order = account?.openOrders.find((candidate) => candidate.orderId === event.orderId)
    if (account === undefined || order === undefined) {
      return yield* Refusal.refuse("NotFound", "orderId", `is no open order: ${event.orderId}`)
    }
    const listing = yield* listingOf(state, order)
    if (OrderRecord.isConditional(order)) return Triggers.fire(state, account.uid, order.orderId, now)
    const left = Option.getOrElse(order.leavesQty, () => Money.zero)
    const qty = event.qty ?? left
    yield* qtyOf(listing, qty, left)
    const price = event.price ?? Option.getOrElse(order.price, () => listing.lastPrice)
    yield* priceOn(listing, price)
    return Matching.fillResting(state, account.uid, order.orderId, { price, qty }, now)
  })

/** Identifies a position. */
export interface Held {
  readonly uid: string
  readonly category: Exchange.Contract
  readonly symbol: string
  /** Default: 0. */
  readonly positionIdx?: 0 | 1 | 2 | undefined
}

const positionOf = (
  state: Exchange.State,
  { category, positionIdx = 0, symbol, uid }: Held
): Either.Either<Exchange.Position, Refusal.Refusal> => {
  const account = state.accounts.get(uid)
  if (account === undefined) return unknownAccount(uid)
  const position = Accounts.findPosition(account, { category, symbol, positionIdx })
  return position === undefined || BigDecimal.isZero(position.size)
    ? Refusal.refuse("NotFound", "symbol", `has no open position: ${category} ${symbol} ${positionIdx}`)
    : Either.right(position)
}

/** Takes over a position at its bankruptcy price, at any market price; in cross margin with the other side of its symbol. */
export const liquidate = (state: Exchange.State, event: Held, now: number): Happened =>
  Either.map(positionOf(state, event), (position) => Liquidation.liquidate(state, event.uid, position, now))

/** Closes `qty` of a position (default: all) at the mark price against a bankrupt trader, and cancels the orders of its symbol. */
export const deleverage = (
  state: Exchange.State,
  event: Held & { readonly qty?: BigDecimal.BigDecimal | undefined },
  now: number
): Happened =>
  Either.gen(function* () {
    const position = yield* positionOf(state, event)
    const listing = yield* listingOf(state, event)
    const size = BigDecimal.abs(position.size)
    const qty = event.qty ?? size
    yield* qtyOf(listing, qty, size)
    const isOfSymbol = (order: Exchange.Order) => order.category === event.category && order.symbol === event.symbol
    const cleared = Liquidation.cancelOpen(state, event.uid, isOfSymbol, now, "CancelAllBeforeAdl")
    const kept = Liquidation.current(cleared, event.uid, position) ?? position
    return Liquidation.force(cleared, event.uid, kept, { kind: "Adl", qty, price: listing.markPrice }, now)
  })

/**
 * Marks the positions of a symbol as reduce-only until the holder is within `riskLimit`, the new limit, and has confirmed it. `adjustsAt`
 * is when the service would adjust the maintenance rate; default: in one day.
 */
export const markReduceOnly = (
  state: Exchange.State,
  event: {
    readonly uid: string
    readonly category: Exchange.Contract
    readonly symbol: string
    readonly riskLimit?: BigDecimal.BigDecimal | undefined
    readonly adjustsAt?: number | undefined
  },
  now: number
): Happened =>
  Either.gen(function* () {
    yield* listingOf(state, event)
    const account = state.accounts.get(event.uid)
    if (account === undefined) return yield* unknownAccount(event.uid)
    const marked = PositionOf.all(account, event.category, event.symbol, state.openedAt).map(
      (position): Exchange.Position => ({
        ...position,
        isReduceOnly: true,
        newRiskLimit: Option.fromNullable(event.riskLimit),
        mmrSysUpdatedTime: Option.some(event.adjustsAt ?? now + 86_400_000),
        updatedTime: now
      })
    )
    return Exchange.withAccount(state, marked.reduce(PositionOf.put, account))
  })

/** Coins that can be moved, and coins of instruments. */
export const isCoin = (state: Exchange.State, coin: string): boolean =>
  state.coins.some((candidate) => candidate.coin === coin) ||
  state.listings.some(
    ({ instrument, settleCoin }) => settleCoin === coin || instrument.baseCoin === coin || instrument.quoteCoin === coin
  )

// The accuracy of coins that can only be traded.
const usualAccuracy = 8

const amountOf = (
  state: Exchange.State,
  coin: string,
  amount: BigDecimal.BigDecimal
): Either.Either<void, Refusal.Refusal> => {
  const known = Option.fromNullable(state.coins.find((candidate) => candidate.coin === coin))
  const accuracy = Option.getOrElse(
    Option.flatMap(known, (candidate) => candidate.accuracy),
    () => usualAccuracy
  )
  return BigDecimal.isPositive(amount) && Decimal.decimals(amount) <= accuracy
    ? Either.void
    : invalid("amount", `must be over 0 with at most ${accuracy} decimals`)
}

const unknownCoin = (coin: string) => Refusal.refuse("NotFound", "coin", `is none that is moved or traded: ${coin}`)

/**
 * Deposits into the funding wallet and returns the transaction id. On chain, unless `from` names the sender. The deposit is in progress for
 * `takes` milliseconds (default: 0), and then succeeds, or fails if `fails` is true.
 */
export const deposit = (
  state: Exchange.State,
  event: {
    readonly uid: string
    readonly coin: string
    readonly amount: BigDecimal.BigDecimal
    readonly chain?: string | undefined
    readonly from?: string | undefined
    readonly takes?: number | undefined
    readonly fails?: boolean | undefined
  },
  now: number
): Refusal.Transition<string> =>
  Either.gen(function* () {
    const account = state.accounts.get(event.uid)
    if (account === undefined) return yield* unknownAccount(event.uid)
    if (!isCoin(state, event.coin)) return yield* unknownCoin(event.coin)
    yield* amountOf(state, event.coin, event.amount)
    const chains = state.coins.find((coin) => coin.coin === event.coin)?.depositChains ?? []
    const chain = chains.find((candidate) => event.chain === undefined || candidate.chain === event.chain)
    if (event.from === undefined && chain === undefined) {
      return yield* Refusal.refuse("NotFound", "chain", `is none of ${event.coin}: ${event.chain ?? "it has none"}`)
    }
    const [transactionId, issued] = Handler.issue(state, now)
    const random = Random.make(state.seed, `deposit ${transactionId}`)
    const second = DateTime.unsafeMake(Math.floor(now / 1000) * 1000)
    const onChain = event.from === undefined
    const outcome = event.fails === true ? ("2" as const) : ("1" as const)
    const takes = event.takes ?? 0
    const isDone = takes <= 0
    const record: Exchange.Account["deposits"][number] = {
      type: onChain ? "0" : "1",
      chain: onChain ? Option.fromNullable(chain?.chain) : Option.none(),
      coin: Ids.Coin(event.coin),
      amount: event.amount,
      address: Option.some(event.from ?? `T${random.hex(33)}`),
      status: isDone ? outcome : "0",
      time: second,
      transactionId: Ids.TransactionId(transactionId),
      txId: onChain ? Option.some(random.hex(64)) : Option.none(),
      createTime: second
    }
    const updated = { ...account, deposits: [...account.deposits, record] }
    if (!isDone) {
      const pending = { uid: event.uid, transactionId, outcome, at: now + takes }
      return [transactionId, Exchange.withAccount({ ...issued, pending: [...issued.pending, pending] }, updated)]
    }
    const after = outcome === "1" ? Margin.post(updated, "FUND", event.coin, event.amount) : updated
    return [transactionId, Exchange.withAccount(issued, after)]
  })

/** Grants a bonus, which is in the trading wallet and pays losses and fees, or a coupon, which pays fees. The market maker pays for both. */
export const grant = (
  state: Exchange.State,
  event: {
    readonly uid: string
    readonly award: "bonus" | "coupon"
    readonly coin: string
    readonly amount: BigDecimal.BigDecimal
  },
  now: number
): Happened =>
  Either.gen(function* () {
    const account = state.accounts.get(event.uid)
    if (account === undefined) return yield* unknownAccount(event.uid)
    if (!isCoin(state, event.coin)) return yield* unknownCoin(event.coin)
    yield* amountOf(state, event.coin, event.amount)
    if (event.award === "coupon") {
      const left = BigDecimal.sum(account.coupons.get(event.coin) ?? Money.zero, event.amount)
      return Exchange.withAccount(state, { ...account, coupons: new Map(account.coupons).set(event.coin, left) })
    }
    const granted = { ...account, grants: [...account.grants, { coin: event.coin, amount: event.amount, at: now }] }
    return MarketMaker.post(
      Exchange.withAccount(state, Margin.post(granted, Margin.contractWallet(account), event.coin, event.amount)),
      event.coin,
      BigDecimal.negate(event.amount)
    )
  })

/** Bans an account, which then cannot trade, transfer or withdraw, or lifts the ban. */
export const ban = (state: Exchange.State, event: { readonly uid: string; readonly banned: boolean }): Happened => {
  const account = state.accounts.get(event.uid)
  return account === undefined
    ? unknownAccount(event.uid)
    : Either.right(Exchange.withAccount(state, { ...account, banned: event.banned }))
}

/** Restarts the service: the open-orders query drops earlier closed orders. (docs/reference/orders/open.md) */
export const restart = (state: Exchange.State, now: number): Exchange.State => ({ ...state, restartedAt: now })

/** Changes the listing of a symbol. A contract with a delivery is a dated future and has no funding. */
export const setInstrument = (
  state: Exchange.State,
  event: Symbol & {
    readonly status?: string | undefined
    readonly offlineTime?: number | undefined
    readonly deliveryTime?: number | undefined
    readonly deliveryFeeRate?: BigDecimal.BigDecimal | undefined
    readonly fundingInterval?: number | undefined
  }
): Happened =>
  Either.gen(function* () {
    const listing = yield* listingOf(state, event)
    const { deliveryFeeRate, deliveryTime, fundingInterval, offlineTime, status } = event
    for (const field of ["deliveryTime", "deliveryFeeRate", "fundingInterval"] as const) {
      if (listing.category === "spot" && event[field] !== undefined) {
        return yield* Refusal.refuse("NotPossible", field, "is nothing that a spot pair has")
      }
    }
    const instrument: Exchange.Listing["instrument"] = {
      ...listing.instrument,
      ...(status === undefined ? {} : { status: Enumerations.InstrumentStatus.make(status) }),
      ...(offlineTime === undefined ? {} : { offlineTime: Option.some(DateTime.unsafeMake(offlineTime)) }),
      ...(fundingInterval === undefined ? {} : { fundingInterval: Option.some(fundingInterval) }),
      ...(deliveryFeeRate === undefined ? {} : { deliveryFeeRate: Option.some(deliveryFeeRate) }),
      ...(deliveryTime === undefined
        ? {}
        : {
            deliveryTime: Option.some(DateTime.unsafeMake(deliveryTime)),
            contractType: Option.some(listing.category === "inverse" ? "InverseFutures" : "LinearFutures"),
            fundingInterval: Option.none()
          })
    }
    return {
      ...state,
      listings: state.listings.map((candidate) => (candidate === listing ? { ...candidate, instrument } : candidate))
    }
  })
