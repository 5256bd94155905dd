import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as State from "../../State.js"
import * as Handler from "../handler.js"
import * as Ids from "../ids.js"
import * as Margin from "../margin.js"
import * as Money from "../money.js"
import * as OrderRecord from "../orderRecord.js"
import * as PositionOf from "../positionOf.js"
import * as Random from "../random.js"
import * as Refusal from "../refusal.js"
import * as Accounts from "./accounts.js"
import * as Advance from "./advance.js"
import * as Checks from "./checks.js"
import * as Closing from "./closing.js"
import * as House from "./house.js"
import * as Liquidation from "./liquidation.js"
import * as Liquidity from "./liquidity.js"
import * as Matching from "./matching.js"
import * as Prices from "./prices.js"
import * as Triggers from "./triggers.js"

// What a test makes happen. Every event is a pure function of the state, what is to happen, and the instant, which the state
// has been advanced to; the next state, or why it cannot happen.

/** What came of an event. */
export type Happened = Either.Either<State.State, Refusal.Refusal>

const unknownAccount = () => Refusal.parameter("uid is unknown")

const listingOf = (
  state: State.State,
  { category, symbol }: { readonly category: State.Category; readonly symbol: string }
): Either.Either<State.Listing, Refusal.Refusal> => {
  const listing = State.listing(state, category, symbol)
  return listing === undefined ? Refusal.parameter("symbol is unknown") : Either.right(listing)
}

const settleAll = (state: State.State, now: number): State.State =>
  Array.from(state.accounts.values()).reduce(
    (next, account) =>
      account.openOrders.length === 0 && account.positions.length === 0
        ? next
        : Advance.settleAccount(next, account.uid, now),
    Prices.at(state, now)
  )

/** A listing of the market. */
export interface Symbol {
  readonly category: State.Category
  readonly symbol: string
}

/**
 * Holds last, mark and index price of a symbol at a price until it is released. Triggers, fills and liquidations follow at once,
 * as in one step of the market.
 */
export const setPrice = (
  state: State.State,
  event: Symbol & { readonly price: BigDecimal.BigDecimal },
  now: number
): Happened =>
  Either.gen(function* () {
    const listing = yield* listingOf(state, event)
    if (!BigDecimal.isPositive(event.price)) return yield* Refusal.parameter("price must be over 0")
    yield* Checks.price(listing, "price", event.price)
    const key = State.listingKey(event.category, event.symbol)
    return settleAll({ ...state, pinned: new Map(state.pinned).set(key, event.price) }, now)
  })

/** Lets the price of a symbol move again, from where it would be had it never been held. */
export const releasePrice = (state: State.State, event: Symbol, now: number): Happened =>
  Either.map(listingOf(state, event), () => {
    const pinned = new Map(state.pinned)
    pinned.delete(State.listingKey(event.category, event.symbol))
    return settleAll({ ...state, pinned }, now)
  })

const holderOf = (state: State.State, orderId: string): State.Account | undefined =>
  Array.from(state.accounts.values()).find((account) => account.openOrders.some((order) => order.orderId === orderId))

/**
 * Fills an open order, or so much of it, as a maker: at its own price, at the last price where it has none, or at `price`. One
 * that waits for its trigger is triggered first, and is left to the market.
 */
export const fill = (
  state: State.State,
  event: {
    readonly orderId: string
    readonly qty?: BigDecimal.BigDecimal | undefined
    readonly price?: BigDecimal.BigDecimal | undefined
  },
  now: number
): Happened =>
  Either.gen(function* () {
    const account = holderOf(state, event.orderId)
    const order = account?.openOrders.find((one) => one.orderId === event.orderId)
    if (account === undefined || order === undefined) return yield* Refusal.left(110001, "order is not open")
    const listing = yield* listingOf(state, order)
    if (OrderRecord.isConditional(order)) return Triggers.fire(state, account.uid, order.orderId, now)
    const left = Option.getOrElse(order.leavesQty, () => Money.zero)
    const qty = event.qty ?? left
    if (!BigDecimal.isPositive(qty) || BigDecimal.greaterThan(qty, left)) {
      return yield* Refusal.parameter("qty must be over 0 and at most what is left of the order")
    }
    if (!Money.isMultiple(qty, Liquidity.qtyStep(listing))) return yield* Refusal.parameter("qty is not in whole steps")
    const price = event.price ?? Option.getOrElse(order.price, () => listing.lastPrice)
    yield* Checks.price(listing, "price", price)
    return Matching.fillResting(state, account.uid, order.orderId, { price, qty }, now)
  })

/** A position of an account. */
export interface Held {
  readonly uid: string
  readonly category: State.Contract
  readonly symbol: string
  /** 0 unless told. */
  readonly positionIdx?: 0 | 1 | 2 | undefined
}

const positionOf = (
  state: State.State,
  { category, positionIdx = 0, symbol, uid }: Held
): Either.Either<State.Position, Refusal.Refusal> => {
  const position = state.accounts
    .get(uid)
    ?.positions.find((one) => one.category === category && one.symbol === symbol && one.positionIdx === positionIdx)
  return position === undefined || BigDecimal.isZero(position.size)
    ? Refusal.left(110034, "There is no net position")
    : Either.right(position)
}

/** Takes a position over at its bankruptcy price, wherever the market stands. */
export const liquidate = (state: State.State, event: Held, now: number): Happened =>
  Either.map(positionOf(state, event), (position) => Liquidation.liquidate(state, event.uid, position, now))

/** Closes so much of a position, all unless told, at the mark price, against a trader who went bankrupt. Orders of its symbol go. */
export const deleverage = (
  state: State.State,
  event: Held & { readonly qty?: BigDecimal.BigDecimal | undefined },
  now: number
): Happened =>
  Either.gen(function* () {
    const position = yield* positionOf(state, event)
    const listing = yield* listingOf(state, event)
    const size = BigDecimal.abs(position.size)
    const qty = event.qty ?? size
    if (!BigDecimal.isPositive(qty) || BigDecimal.greaterThan(qty, size)) {
      return yield* Refusal.parameter("qty must be over 0 and at most the position's size")
    }
    if (!Money.isMultiple(qty, Liquidity.qtyStep(listing))) return yield* Refusal.parameter("qty is not in whole steps")
    const cleared = Accounts.update(state, event.uid, (account) =>
      Closing.cancelOrders(
        account,
        account.openOrders.filter((order) => order.category === event.category && order.symbol === event.symbol),
        now,
        { cancelType: "CancelAllBeforeAdl" }
      )
    )
    const kept = Liquidation.current(cleared, event.uid, position) ?? position
    return Liquidation.force(cleared, event.uid, kept, { kind: "Adl", qty, price: listing.markPrice }, now)
  })

/**
 * Marks the positions of a symbol: they may only be reduced until the holder is within `riskLimit`, the new limit, and has
 * confirmed it. `adjustsAt` is when the service would adjust the maintenance rate; a day from now unless told.
 */
export const markReduceOnly = (
  state: State.State,
  event: {
    readonly uid: string
    readonly category: State.Contract
    readonly symbol: string
    readonly riskLimit?: BigDecimal.BigDecimal | undefined
    readonly adjustsAt?: number | undefined
  },
  now: number
): Happened =>
  Either.gen(function* () {
    yield* listingOf(state, event)
    const account = state.accounts.get(event.uid)
    if (account === undefined) return yield* unknownAccount()
    const marked = PositionOf.all(account, event.category, event.symbol, state.openedAt).map(
      (position): State.Position => ({
        ...position,
        isReduceOnly: true,
        newRiskLimit: Option.fromNullable(event.riskLimit),
        mmrSysUpdatedTime: Option.some(event.adjustsAt ?? now + 86_400_000),
        updatedTime: now
      })
    )
    return State.withAccount(state, marked.reduce(PositionOf.put, account))
  })

/**
 * A deposit into the funding wallet. On chain unless `from` names the user that it comes from. It is in progress for `takes`
 * milliseconds, 0 unless told, and then succeeds, or fails with `fails`.
 */
export const deposit = (
  state: State.State,
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
): Happened =>
  Either.gen(function* () {
    const account = state.accounts.get(event.uid)
    const info = state.coins.find((one) => one.coin === event.coin)
    if (account === undefined) return yield* unknownAccount()
    if (info === undefined) return yield* Refusal.parameter("coin is unknown")
    if (!BigDecimal.isPositive(event.amount) || BigDecimal.normalize(event.amount).scale > info.accuracy) {
      return yield* Refusal.parameter(`amount must be over 0 with at most ${info.accuracy} decimals`)
    }
    const chain = info.depositChains.find((one) => event.chain === undefined || one.chain === event.chain)
    if (event.from === undefined && chain === undefined) return yield* Refusal.parameter("chain is unknown")
    const [transactionId, issued] = Handler.issue(state, now)
    const random = Random.make(state.seed, `deposit ${transactionId}`)
    const second = DateTime.unsafeMake(Math.floor(now / 1000) * 1000)
    const onChain = event.from === undefined
    const outcome = event.fails === true ? ("2" as const) : ("1" as const)
    const takes = event.takes ?? 0
    const isDone = takes <= 0
    const record: State.Account["deposits"][number] = {
      type: onChain ? "0" : "1",
      chain: onChain ? Option.fromNullable(chain?.chain) : Option.none(),
      coin: info.coin,
      amount: event.amount,
      address: Option.some(event.from ?? `T${random.hex(33)}`),
      status: isDone ? outcome : "0",
      time: second,
      transactionId: Ids.TransactionId(transactionId),
      txId: onChain ? Option.some(random.hex(64)) : Option.none(),
      createTime: second
    }
    const told = { ...account, deposits: [...account.deposits, record] }
    if (!isDone) {
      const pending = { uid: event.uid, transactionId, outcome, at: now + takes }
      return State.withAccount({ ...issued, pending: [...issued.pending, pending] }, told)
    }
    return State.withAccount(issued, outcome === "1" ? Margin.post(told, "FUND", info.coin, event.amount) : told)
  })

/** Gives a bonus, which lies in the trading wallet and trades, or a coupon, which pays fees. The house pays for both. */
export const grant = (
  state: State.State,
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
    if (account === undefined) return yield* unknownAccount()
    if (!state.coins.some((one) => one.coin === event.coin)) return yield* Refusal.parameter("coin is unknown")
    if (!BigDecimal.isPositive(event.amount)) return yield* Refusal.parameter("amount must be over 0")
    if (event.award === "coupon") {
      const left = BigDecimal.sum(account.coupons.get(event.coin) ?? Money.zero, event.amount)
      return State.withAccount(state, { ...account, coupons: new Map(account.coupons).set(event.coin, left) })
    }
    const granted = { ...account, grants: [...account.grants, { coin: event.coin, amount: event.amount, at: now }] }
    return House.post(
      State.withAccount(state, Margin.post(granted, Margin.contractWallet(account), event.coin, event.amount)),
      event.coin,
      BigDecimal.negate(event.amount)
    )
  })

/** Bans an account, which then neither trades nor transfers, or lifts the ban. */
export const ban = (state: State.State, event: { readonly uid: string; readonly banned: boolean }): Happened => {
  const account = state.accounts.get(event.uid)
  return account === undefined
    ? unknownAccount()
    : Either.right(State.withAccount(state, { ...account, banned: event.banned }))
}

/** Restarts the service: the open-orders query forgets what was closed before. (interface.md, 1) */
export const restart = (state: State.State, now: number): State.State => ({ ...state, restartedAt: now })
