import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Accounts from "../state/accounts.js"
import * as Exchange from "../state/Exchange.js"
import * as Holding from "./holding.js"
import * as Money from "./money.js"

/** The wallets of an account for contracts and for spot. */
export const contractWallet = (account: Exchange.Account): Exchange.WalletType =>
  account.unified ? "UNIFIED" : "CONTRACT"
export const spotWallet = (account: Exchange.Account): Exchange.WalletType => (account.unified ? "UNIFIED" : "SPOT")

export const balance = (account: Exchange.Account, wallet: Exchange.WalletType, coin: string): BigDecimal.BigDecimal =>
  account.wallets[wallet].get(coin) ?? Money.zero

/** Whether a request can name a coin: one that can be moved or traded, or is in a wallet of the account. */
export const isCoin = (state: Exchange.State, account: Exchange.Account, coin: string): boolean =>
  state.coins.some((info) => info.coin === coin) ||
  state.listings.some(({ instrument }) => instrument.baseCoin === coin || instrument.quoteCoin === coin) ||
  Object.values(account.wallets).some((wallet) => wallet.has(coin))

/** Books an amount; negative if it leaves. */
export const post = (
  account: Exchange.Account,
  wallet: Exchange.WalletType,
  coin: string,
  amount: BigDecimal.BigDecimal
): Exchange.Account => ({
  ...account,
  wallets: {
    ...account.wallets,
    [wallet]: new Map(account.wallets[wallet]).set(coin, BigDecimal.sum(balance(account, wallet, coin), amount))
  }
})

export const tier = (listing: Exchange.Listing, riskId: number): Exchange.RiskTier | undefined =>
  listing.riskTiers.find((riskTier) => riskTier.riskId === riskId)

/** The value of a position at the mark price, in the settle coin. */
export const positionValue = (listing: Exchange.Listing, position: Exchange.Position): BigDecimal.BigDecimal =>
  Money.round(Holding.value(position.category, listing.markPrice, BigDecimal.abs(position.size)))

export const computeUnrealisedPnl = (listing: Exchange.Listing, position: Exchange.Position): BigDecimal.BigDecimal =>
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

/** The initial margin of a position, at the mark price. */
export const initialMargin = (listing: Exchange.Listing, position: Exchange.Position): BigDecimal.BigDecimal =>
  Money.divide(positionValue(listing, position), position.leverage)

/** The margin of a position: its initial margin and the added margin. */
export const positionMargin = (listing: Exchange.Listing, position: Exchange.Position): BigDecimal.BigDecimal =>
  BigDecimal.sum(initialMargin(listing, position), position.addedMargin)

/** The margin that an isolated position can lose. It does not change with the market. */
export const computeIsolatedMargin = (position: Exchange.Position): BigDecimal.BigDecimal =>
  BigDecimal.sum(Money.divide(position.entryValue, position.leverage), position.addedMargin)

/** The maintenance margin of an isolated position, by its entry value, so that its liquidation price is constant. */
export const computeIsolatedMaintenance = (
  listing: Exchange.Listing,
  position: Exchange.Position
): BigDecimal.BigDecimal =>
  Money.round(BigDecimal.multiply(position.entryValue, tier(listing, position.riskId)?.maintenanceRate ?? Money.zero))

export const maintenanceMargin = (listing: Exchange.Listing, position: Exchange.Position): BigDecimal.BigDecimal =>
  Money.round(
    BigDecimal.multiply(positionValue(listing, position), tier(listing, position.riskId)?.maintenanceRate ?? Money.zero)
  )

export const leverageOf = (
  account: Exchange.Account,
  order: Pick<Exchange.Order, "category" | "symbol" | "positionIdx">
): BigDecimal.BigDecimal => Accounts.findPosition(account, order)?.leverage ?? BigDecimal.make(10n, 0)

/** The margin mode of an account, for symbols without a position. */
export const accountMode = (account: Exchange.Account): Exchange.Modes["tradeMode"] =>
  account.modes?.tradeMode ?? "cross"

/** The margin mode of a symbol. Both sides of hedge mode have the same. */
export const tradeModeOf = (
  account: Exchange.Account,
  { category, symbol }: { readonly category: Exchange.Category; readonly symbol: string }
): Exchange.Modes["tradeMode"] =>
  account.positions.find((position) => position.category === category && position.symbol === symbol)?.tradeMode ??
  accountMode(account)

/** The amount of a coin that an open order reserves. Conditional and reducing contract orders reserve nothing. */
export const orderMargin = (
  account: Exchange.Account,
  listing: Exchange.Listing,
  order: Exchange.Order,
  coin: string
): BigDecimal.BigDecimal => {
  const left = Option.getOrElse(order.leavesQty, () => Money.zero)
  const value = Option.getOrElse(order.leavesValue, () => Money.zero)
  if (order.category === "spot") {
    // Only one order of a pair can need it.
    if (Option.exists(order.pairedWith, (partner) => partner < order.orderId)) return Money.zero
    if (order.side === "Sell") return listing.instrument.baseCoin === coin ? left : Money.zero
    return listing.instrument.quoteCoin === coin ? value : Money.zero
  }
  if (order.orderStatus === "Untriggered" || order.reduceOnly || listing.settleCoin !== coin) return Money.zero
  return Money.divide(value, leverageOf(account, order))
}

/** The margins of one coin in a wallet. */
export interface Margins {
  readonly orderIM: BigDecimal.BigDecimal
  /** The part of `orderIM` that only this coin can pay: that of spot orders and of orders in isolated margin. */
  readonly ownOrderIM: BigDecimal.BigDecimal
  readonly positionIM: BigDecimal.BigDecimal
  readonly positionMM: BigDecimal.BigDecimal
  readonly unrealisedPnl: BigDecimal.BigDecimal
  readonly cumRealisedPnl: BigDecimal.BigDecimal
  /** The margin that isolated positions can lose. */
  readonly isolated: BigDecimal.BigDecimal
  readonly crossIM: BigDecimal.BigDecimal
  readonly crossMM: BigDecimal.BigDecimal
  readonly crossPnl: BigDecimal.BigDecimal
}

/** The margins of a coin without reserves. */
const none: Margins = {
  orderIM: Money.zero,
  ownOrderIM: Money.zero,
  positionIM: Money.zero,
  positionMM: Money.zero,
  unrealisedPnl: Money.zero,
  cumRealisedPnl: Money.zero,
  isolated: Money.zero,
  crossIM: Money.zero,
  crossMM: Money.zero,
  crossPnl: Money.zero
}

/** The positions and orders that reserve each coin, with their market prices. */
interface Ties {
  readonly orders: ReadonlyMap<string, ReadonlyArray<readonly [order: Exchange.Order, listing: Exchange.Listing]>>
  readonly positions: ReadonlyMap<
    string,
    ReadonlyArray<readonly [position: Exchange.Position, listing: Exchange.Listing]>
  >
}

const groupByCoin = <A>(
  items: ReadonlyArray<readonly [coin: string, item: A]>
): ReadonlyMap<string, ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const [coin, item] of items) {
    const group = groups.get(coin)
    if (group === undefined) groups.set(coin, [item])
    else group.push(item)
  }
  return groups
}

const ties = (state: Exchange.State, account: Exchange.Account): Ties => ({
  orders: groupByCoin(
    account.openOrders.flatMap((order) => {
      const listing = Exchange.listing(state, order.category, order.symbol)
      if (listing === undefined) return []
      const { baseCoin, quoteCoin } = listing.instrument
      const coin = order.category !== "spot" ? listing.settleCoin : order.side === "Sell" ? baseCoin : quoteCoin
      return [[coin, [order, listing] as const] as const]
    })
  ),
  positions: groupByCoin(
    account.positions.flatMap((position) => {
      const listing = Exchange.listing(state, position.category, position.symbol)
      return listing === undefined ? [] : [[listing.settleCoin, [position, listing] as const] as const]
    })
  )
})

const workOut = (ties: Ties, account: Exchange.Account, wallet: Exchange.WalletType, coin: string): Margins => {
  const contracts = wallet === contractWallet(account)
  const spot = wallet === spotWallet(account)
  if (!contracts && !spot) return none
  const orders = (ties.orders.get(coin) ?? []).flatMap(([order, listing]) =>
    (order.category === "spot" ? spot : contracts)
      ? [{ order, margin: orderMargin(account, listing, order, coin) }]
      : []
  )
  const positions = contracts ? (ties.positions.get(coin) ?? []) : []
  const isolated = positions.filter(([position]) => position.tradeMode === "isolated")
  const cross = positions.filter(([position]) => position.tradeMode === "cross")
  const total = (
    amount: (listing: Exchange.Listing, position: Exchange.Position) => BigDecimal.BigDecimal,
    some: typeof positions = positions
  ) => Money.sum(...some.map(([position, listing]) => amount(listing, position)))
  return {
    orderIM: Money.sum(...orders.map(({ margin }) => margin)),
    ownOrderIM: Money.sum(
      ...orders.flatMap(({ margin, order }) =>
        order.category === "spot" || tradeModeOf(account, order) === "isolated" ? [margin] : []
      )
    ),
    positionIM: total(positionMargin),
    positionMM: total(maintenanceMargin),
    unrealisedPnl: total(computeUnrealisedPnl),
    cumRealisedPnl: total((_, position) => BigDecimal.sum(position.earlierRealisedPnl, position.cumRealisedPnl)),
    isolated: total((_, position) => computeIsolatedMargin(position), isolated),
    crossIM: total(positionMargin, cross),
    crossMM: total(maintenanceMargin, cross),
    crossPnl: total(computeUnrealisedPnl, cross)
  }
}

interface Known {
  readonly listings: Exchange.State["listings"]
  readonly ties: Ties
  readonly margins: Map<string, Margins>
}

// Cached, because they only depend on the account and the listings, which are immutable.
const known = new WeakMap<Exchange.Account, Known>()

const memoryOf = (state: Exchange.State, account: Exchange.Account): Known => {
  const before = known.get(account)
  if (before?.listings === state.listings) return before
  const memory = { listings: state.listings, ties: ties(state, account), margins: new Map() }
  known.set(account, memory)
  return memory
}

/** The coins of a wallet, and those in which it has only positions or orders. */
export const coins = (
  state: Exchange.State,
  account: Exchange.Account,
  wallet: Exchange.WalletType
): ReadonlyArray<string> => {
  const { orders, positions } = memoryOf(state, account).ties
  const isTrading = wallet === contractWallet(account)
  return Array.from(
    new Set([...account.wallets[wallet].keys(), ...(isTrading ? [...orders.keys(), ...positions.keys()] : [])])
  )
}

/** Returns the margins of a coin in a wallet. */
export const margins = (
  state: Exchange.State,
  account: Exchange.Account,
  wallet: Exchange.WalletType,
  coin: string
): Margins => {
  const memory = memoryOf(state, account)
  const key = `${wallet} ${coin}`
  const before = memory.margins.get(key)
  if (before !== undefined) return before
  const now = workOut(memory.ties, account, wallet, coin)
  memory.margins.set(key, now)
  return now
}

/** The remaining bonus in a coin. It can be traded but not moved. */
export const bonus = (account: Exchange.Account, coin: string): BigDecimal.BigDecimal =>
  BigDecimal.subtract(
    Money.sum(...account.grants.filter((grant) => grant.coin === coin).map((grant) => grant.amount)),
    Money.sum(
      ...account.bonusUsage
        .filter((use) => use.coin === coin && Option.contains(use.awardType, 1))
        .map((use) => use.amount)
    )
  )
