import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as State from "../../State.js"
import * as Holding from "../records/holding.js"
import * as Money from "./money.js"

/** Where the money of an account's contracts lies, and that of its spot trades. */
export const contractWallet = (account: State.Account): State.WalletType => (account.unified ? "UNIFIED" : "CONTRACT")
export const spotWallet = (account: State.Account): State.WalletType => (account.unified ? "UNIFIED" : "SPOT")

export const balance = (account: State.Account, wallet: State.WalletType, coin: string): BigDecimal.BigDecimal =>
  account.wallets[wallet].get(coin) ?? Money.zero

/** Whether a coin can be asked for: one that can be moved, traded, or is in a wallet of the account. */
export const isCoin = (state: State.State, account: State.Account, coin: string): boolean =>
  state.coins.some((info) => info.coin === coin) ||
  state.listings.some(({ instrument }) => instrument.baseCoin === coin || instrument.quoteCoin === coin) ||
  Object.values(account.wallets).some((wallet) => wallet.has(coin))

/** The account with an amount booked; minus for what leaves. */
export const post = (
  account: State.Account,
  wallet: State.WalletType,
  coin: string,
  amount: BigDecimal.BigDecimal
): State.Account => ({
  ...account,
  wallets: {
    ...account.wallets,
    [wallet]: new Map(account.wallets[wallet]).set(coin, BigDecimal.sum(balance(account, wallet, coin), amount))
  }
})

export const tier = (listing: State.Listing, riskId: number): State.RiskTier | undefined =>
  listing.riskTiers.find((one) => one.riskId === riskId)

/** What a position is worth at the mark price, in the settle coin. */
export const positionValue = (listing: State.Listing, position: State.Position): BigDecimal.BigDecimal =>
  Money.round(Holding.value(position.category, listing.markPrice, BigDecimal.abs(position.size)))

export const unrealisedPnl = (listing: State.Listing, position: State.Position): BigDecimal.BigDecimal =>
  BigDecimal.isZero(position.size)
    ? Money.zero
    : Money.round(
        Holding.profit(
          position.category,
          BigDecimal.isPositive(position.size),
          position.entryValue,
          Holding.value(position.category, listing.markPrice, BigDecimal.abs(position.size))
        )
      )

/** Margin that a position needs of itself, at the mark price. */
export const initialMargin = (listing: State.Listing, position: State.Position): BigDecimal.BigDecimal =>
  Money.divide(positionValue(listing, position), position.leverage)

/** All that a position holds back: its initial margin and what was added to it. */
export const positionMargin = (listing: State.Listing, position: State.Position): BigDecimal.BigDecimal =>
  BigDecimal.sum(initialMargin(listing, position), position.addedMargin)

/** The money of its own that an isolated position may lose: it does not change with the market. */
export const isolatedMargin = (position: State.Position): BigDecimal.BigDecimal =>
  BigDecimal.sum(Money.divide(position.entryValue, position.leverage), position.addedMargin)

/** What a position keeps from being spent. */
export const heldMargin = (listing: State.Listing, position: State.Position): BigDecimal.BigDecimal =>
  position.tradeMode === "isolated" ? isolatedMargin(position) : positionMargin(listing, position)

/** Maintenance margin of an isolated position: by its entry, so that its liquidation price stands still. */
export const isolatedMaintenance = (listing: State.Listing, position: State.Position): BigDecimal.BigDecimal =>
  Money.round(BigDecimal.multiply(position.entryValue, tier(listing, position.riskId)?.maintenanceRate ?? Money.zero))

export const maintenanceMargin = (listing: State.Listing, position: State.Position): BigDecimal.BigDecimal =>
  Money.round(
    BigDecimal.multiply(positionValue(listing, position), tier(listing, position.riskId)?.maintenanceRate ?? Money.zero)
  )

export const leverageOf = (
  account: State.Account,
  order: Pick<State.Order, "category" | "symbol" | "positionIdx">
): BigDecimal.BigDecimal =>
  account.positions.find(
    (one) => one.category === order.category && one.symbol === order.symbol && one.positionIdx === order.positionIdx
  )?.leverage ?? BigDecimal.make(10n, 0)

/** What an open order holds back of a coin. Conditional and reducing orders of contracts hold nothing. */
export const orderMargin = (
  account: State.Account,
  listing: State.Listing,
  order: State.Order,
  coin: string
): BigDecimal.BigDecimal => {
  const left = Option.getOrElse(order.leavesQty, () => Money.zero)
  const value = Option.getOrElse(order.leavesValue, () => Money.zero)
  if (order.category === "spot") {
    if (order.filter === "StopOrder") return Money.zero
    // Of a pair only one will ever need it.
    if (Option.exists(order.pairedWith, (other) => other < order.orderId)) return Money.zero
    if (order.side === "Sell") return listing.instrument.baseCoin === coin ? left : Money.zero
    return listing.instrument.quoteCoin === coin ? value : Money.zero
  }
  if (order.orderStatus === "Untriggered" || order.reduceOnly || listing.settleCoin !== coin) return Money.zero
  return Money.divide(value, leverageOf(account, order))
}

/** The margins of one coin in a wallet. */
export interface Margins {
  readonly orderIM: BigDecimal.BigDecimal
  readonly positionIM: BigDecimal.BigDecimal
  /** What positions keep from being spent, with what those in cross margin have lost so far. */
  readonly held: BigDecimal.BigDecimal
  readonly crossLoss: BigDecimal.BigDecimal
  readonly positionMM: BigDecimal.BigDecimal
  readonly unrealisedPnl: BigDecimal.BigDecimal
  readonly cumRealisedPnl: BigDecimal.BigDecimal
}

/** Of a coin that nothing is held back of. */
export const none: Margins = {
  orderIM: Money.zero,
  positionIM: Money.zero,
  held: Money.zero,
  crossLoss: Money.zero,
  positionMM: Money.zero,
  unrealisedPnl: Money.zero,
  cumRealisedPnl: Money.zero
}

/** What of an account ties up each coin, with what the market says about it. */
interface Ties {
  readonly orders: ReadonlyMap<string, ReadonlyArray<readonly [order: State.Order, listing: State.Listing]>>
  readonly positions: ReadonlyMap<string, ReadonlyArray<readonly [position: State.Position, listing: State.Listing]>>
}

const grouped = <A>(items: ReadonlyArray<readonly [coin: string, item: A]>): ReadonlyMap<string, ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const [coin, item] of items) {
    const group = groups.get(coin)
    if (group === undefined) groups.set(coin, [item])
    else group.push(item)
  }
  return groups
}

const ties = (state: State.State, account: State.Account): Ties => ({
  orders: grouped(
    account.openOrders.flatMap((order) => {
      const listing = State.listing(state, order.category, order.symbol)
      if (listing === undefined) return []
      const { baseCoin, quoteCoin } = listing.instrument
      const coin = order.category !== "spot" ? listing.settleCoin : order.side === "Sell" ? baseCoin : quoteCoin
      return [[coin, [order, listing] as const] as const]
    })
  ),
  positions: grouped(
    account.positions.flatMap((position) => {
      const listing = State.listing(state, position.category, position.symbol)
      return listing === undefined ? [] : [[listing.settleCoin, [position, listing] as const] as const]
    })
  )
})

const workOut = (ties: Ties, account: State.Account, wallet: State.WalletType, coin: string): Margins => {
  const contracts = wallet === contractWallet(account)
  const spot = wallet === spotWallet(account)
  if (!contracts && !spot) return none
  const orders = (ties.orders.get(coin) ?? []).flatMap(([order, listing]) =>
    (order.category === "spot" ? spot : contracts) ? [orderMargin(account, listing, order, coin)] : []
  )
  const positions = contracts ? (ties.positions.get(coin) ?? []) : []
  const total = (amount: (listing: State.Listing, position: State.Position) => BigDecimal.BigDecimal) =>
    Money.sum(...positions.map(([position, listing]) => amount(listing, position)))
  const cross = total((listing, position) =>
    position.tradeMode === "cross" ? unrealisedPnl(listing, position) : Money.zero
  )
  const crossLoss = BigDecimal.negate(BigDecimal.min(cross, Money.zero))
  return {
    orderIM: Money.sum(...orders),
    positionIM: total(positionMargin),
    held: BigDecimal.sum(total(heldMargin), crossLoss),
    crossLoss,
    positionMM: total(maintenanceMargin),
    unrealisedPnl: total(unrealisedPnl),
    cumRealisedPnl: total((_, position) => position.cumRealisedPnl)
  }
}

interface Known {
  readonly listings: State.State["listings"]
  readonly ties: Ties
  readonly margins: Map<string, Margins>
}

// They follow from the account and the listings alone, and neither ever changes: a reader who asks again, or an answer that needs
// them in several places, need not wait for the same sums.
const known = new WeakMap<State.Account, Known>()

/** The margins of a coin in a wallet. */
export const margins = (
  state: State.State,
  account: State.Account,
  wallet: State.WalletType,
  coin: string
): Margins => {
  let memory = known.get(account)
  if (memory?.listings !== state.listings) {
    memory = { listings: state.listings, ties: ties(state, account), margins: new Map() }
    known.set(account, memory)
  }
  const key = `${wallet} ${coin}`
  const before = memory.margins.get(key)
  if (before !== undefined) return before
  const now = workOut(memory.ties, account, wallet, coin)
  memory.margins.set(key, now)
  return now
}

/** What a bonus has left of a coin. It trades, and cannot be moved. */
export const bonus = (account: State.Account, coin: string): BigDecimal.BigDecimal =>
  BigDecimal.subtract(
    Money.sum(...account.grants.filter((grant) => grant.coin === coin).map((grant) => grant.amount)),
    Money.sum(
      ...account.bonusUsage
        .filter((use) => use.coin === coin && Option.contains(use.awardType, 1))
        .map((use) => use.amount)
    )
  )

/**
 * What stands behind the cross positions of a coin but for their own profit and loss: the wallet, less what isolated positions
 * have for themselves.
 */
export const crossBacking = (state: State.State, account: State.Account, coin: string): BigDecimal.BigDecimal => {
  const isolated = account.positions.filter(
    (position) =>
      position.tradeMode === "isolated" && State.listing(state, position.category, position.symbol)?.settleCoin === coin
  )
  return BigDecimal.subtract(
    balance(account, contractWallet(account), coin),
    Money.sum(...isolated.map(isolatedMargin))
  )
}

/**
 * The document's equation, by the positions' margin at the mark price; never under zero. Cross positions also lock what they have lost.
 */
export const withdrawable = (
  account: State.Account,
  wallet: State.WalletType,
  coin: string,
  { crossLoss, orderIM, positionIM }: Margins
): BigDecimal.BigDecimal => {
  const locked = wallet === contractWallet(account) ? bonus(account, coin) : Money.zero
  return BigDecimal.max(
    Money.zero,
    BigDecimal.subtract(balance(account, wallet, coin), Money.sum(orderIM, positionIM, crossLoss, locked))
  )
}

/** What is free of a coin: the wallet less what positions and orders hold back, and less the bonus; never under zero. */
export const free = (
  account: State.Account,
  wallet: State.WalletType,
  coin: string,
  { held, orderIM }: Margins
): BigDecimal.BigDecimal => {
  const locked = wallet === contractWallet(account) ? bonus(account, coin) : Money.zero
  const left = BigDecimal.subtract(balance(account, wallet, coin), Money.sum(orderIM, held, locked))
  return BigDecimal.max(Money.zero, left)
}

/** What contracts may be traded with: all that is free, and the bonus. */
export const tradable = (state: State.State, account: State.Account, coin: string): BigDecimal.BigDecimal => {
  const wallet = contractWallet(account)
  const { held, orderIM } = margins(state, account, wallet, coin)
  return BigDecimal.max(Money.zero, BigDecimal.subtract(balance(account, wallet, coin), Money.sum(orderIM, held)))
}

/** What can leave a wallet: no more than `withdrawable`, and none of the margin at entry that isolated positions can lose. */
export const available = (
  state: State.State,
  account: State.Account,
  wallet: State.WalletType,
  coin: string
): BigDecimal.BigDecimal => {
  const worked = margins(state, account, wallet, coin)
  return BigDecimal.min(free(account, wallet, coin, worked), withdrawable(account, wallet, coin, worked))
}
