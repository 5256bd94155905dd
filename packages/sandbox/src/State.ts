/**
 * All that the exchange knows, as one immutable value. Handlers take it and give the next one; nothing else changes it.
 * Records are kept in the domain types of the schemas package, so that what is stored is what is answered.
 *
 * @since 0.1.0
 */
import type * as Assets from "@effect-venue/schemas/Assets"
import type * as Executions from "@effect-venue/schemas/Executions"
import type * as Instruments from "@effect-venue/schemas/Instruments"
import type * as Orders from "@effect-venue/schemas/Orders"
import type * as Positions from "@effect-venue/schemas/Positions"
import type * as BigDecimal from "effect/BigDecimal"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"

/**
 * @since 0.1.0
 * @category models
 */
export type Category = "spot" | "linear" | "inverse"

/**
 * The categories that have positions.
 *
 * @since 0.1.0
 * @category models
 */
export type Contract = Exclude<Category, "spot">

/**
 * @since 0.1.0
 * @category constants
 */
export const categories: ReadonlyArray<Category> = ["spot", "linear", "inverse"]

/**
 * How much a position may be worth at which leverage.
 *
 * @since 0.1.0
 * @category models
 */
export interface RiskTier {
  readonly riskId: number
  /** In the quote coin for linear, in the settle coin for inverse. */
  readonly limit: BigDecimal.BigDecimal
  readonly maxLeverage: BigDecimal.BigDecimal
  readonly maintenanceRate: BigDecimal.BigDecimal
}

/**
 * An instrument, with what the market says about it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Listing {
  readonly category: Category
  readonly instrument: Instruments.Instrument
  /** What a contract is settled in; the quote coin for spot. */
  readonly settleCoin: string
  readonly lastPrice: BigDecimal.BigDecimal
  readonly markPrice: BigDecimal.BigDecimal
  readonly indexPrice: BigDecimal.BigDecimal
  /** Smallest first; empty for spot. */
  readonly riskTiers: ReadonlyArray<RiskTier>
}

/**
 * An order, with what its record does not say.
 *
 * @since 0.1.0
 * @category models
 */
export interface Order extends Orders.Order {
  readonly category: Category
  readonly filter: "Order" | "StopOrder" | "tpslOrder"
  /** What set a trailing stop apart: the distance from the market at which it triggers. */
  readonly trailingStop: Option.Option<BigDecimal.BigDecimal>
  /** The best price since a trailing stop became active; `none` while it is not, and for every other order. */
  readonly extreme: Option.Option<BigDecimal.BigDecimal>
  /** The other side of a pair of take profit and stop loss: when one fires or is cancelled, so is the other. */
  readonly pairedWith: Option.Option<string>
  /** The place in the queue of its price where the order's id does not say it: an amendment may cost the place. */
  readonly queuedAs?: string | undefined
  /** The mean price of what was filled, where the record shows it rounded. */
  readonly meanPrice?: BigDecimal.BigDecimal | undefined
  /** What is to happen where the order would meet another of its own account. Absent: they trade. */
  readonly smpType?: string | undefined
}

/**
 * What is held of a contract. `size` is over zero for long and under it for short; `entryValue` and `openFee` are what the
 * open part cost, in the settle coin. `entryPrice` is its mean price, with more decimals than records show; zero where nothing is held.
 *
 * @since 0.1.0
 * @category models
 */
export interface Holding {
  readonly size: BigDecimal.BigDecimal
  readonly entryValue: BigDecimal.BigDecimal
  readonly entryPrice: BigDecimal.BigDecimal
  readonly openFee: BigDecimal.BigDecimal
  /** Profit and loss of what was closed, less the fees of everything that was executed. */
  readonly cumRealisedPnl: BigDecimal.BigDecimal
}

/**
 * A position and its settings. The record that is answered is worked out from it and the market.
 *
 * @since 0.1.0
 * @category models
 */
export interface Position extends Holding {
  readonly category: Contract
  readonly symbol: string
  readonly positionIdx: 0 | 1 | 2
  readonly tradeMode: "cross" | "isolated"
  readonly leverage: BigDecimal.BigDecimal
  /** What was added to an isolated position on top of its initial margin, less the funding it was charged. Under zero where that is more. */
  readonly addedMargin: BigDecimal.BigDecimal
  readonly autoAddMargin: boolean
  readonly riskId: number
  readonly tpslMode: "Full" | "Partial"
  readonly takeProfit: Option.Option<BigDecimal.BigDecimal>
  readonly stopLoss: Option.Option<BigDecimal.BigDecimal>
  readonly trailingStop: Option.Option<BigDecimal.BigDecimal>
  readonly activePrice: Option.Option<BigDecimal.BigDecimal>
  readonly isReduceOnly: boolean
  /** What the position may be worth at most before the mark `isReduceOnly` can be lifted. */
  readonly newRiskLimit: Option.Option<BigDecimal.BigDecimal>
  /** When the service adjusts the maintenance rate, or has done so. (interface.md, Position record) */
  readonly mmrSysUpdatedTime: Option.Option<number>
  /** `Liq` and `Adl` last from the event to the next step of the market. */
  readonly status: "Normal" | "Liq" | "Adl"
  readonly createdTime: number
  readonly updatedTime: number
}

/**
 * A closed profit, with the mean prices of entry and exit where the record shows them rounded.
 *
 * @since 0.1.0
 * @category models
 */
export interface ClosedPnl extends Positions.ClosedPnl {
  readonly meanEntryPrice?: BigDecimal.BigDecimal | undefined
  readonly meanExitPrice?: BigDecimal.BigDecimal | undefined
}

/**
 * Lists that every category has one of, oldest first.
 *
 * @since 0.1.0
 * @category models
 */
export type PerCategory<A> = { readonly [C in Category]: ReadonlyArray<A> }

/**
 * Where money lies within an account.
 *
 * @since 0.1.0
 * @category models
 */
export type WalletType = "UNIFIED" | "FUND" | "SPOT" | "CONTRACT"

/**
 * Money of one coin, by coin.
 *
 * @since 0.1.0
 * @category models
 */
export type Wallet = ReadonlyMap<string, BigDecimal.BigDecimal>

/**
 * A bonus or coupon that was given to an account, in its trading wallet.
 *
 * @since 0.1.0
 * @category models
 */
export interface Grant {
  readonly coin: string
  readonly amount: BigDecimal.BigDecimal
  readonly at: number
}

/**
 * A deposit that is in progress.
 *
 * @since 0.1.0
 * @category models
 */
export interface PendingDeposit {
  readonly uid: string
  readonly transactionId: string
  readonly outcome: "1" | "2"
  /** Milliseconds. */
  readonly at: number
}

/**
 * The price model of a base coin.
 *
 * @since 0.1.0
 * @category models
 */
export interface Drift {
  /** Its price when the exchange opened. */
  readonly opening: number
  /** Standard deviation of a day's change. */
  readonly dailyChange: number
}

/**
 * An internal withdrawal to another user.
 *
 * @since 0.1.0
 * @category models
 */
export interface Withdrawal {
  readonly withdrawId: string
  readonly requestId: string
  readonly coin: string
  readonly amount: BigDecimal.BigDecimal
  readonly addressType: 1 | 2 | 3
  readonly areaCode: Option.Option<number>
  readonly address: string
  readonly remark: Option.Option<string>
  readonly at: number
}

/**
 * An entry of the address book for internal withdrawals.
 *
 * @since 0.1.0
 * @category models
 */
export interface AddressBookEntry {
  readonly addressType: 1 | 2 | 3
  readonly areaCode: Option.Option<number>
  readonly address: string
}

/**
 * A direct customer of a broker.
 *
 * @since 0.1.0
 * @category models
 */
export interface Customer {
  readonly uid: string
  readonly since: number
}

/**
 * The modes of positions: isolated or cross margin, one position of a symbol or one for each side.
 *
 * @since 0.1.0
 * @category models
 */
export interface Modes {
  readonly tradeMode: "cross" | "isolated"
  readonly positionMode: "oneWay" | "hedge"
}

/**
 * Everything of one UID.
 *
 * @since 0.1.0
 * @category models
 */
export interface Account {
  readonly uid: string
  /** `none` for a master account. */
  readonly masterUid: Option.Option<string>
  readonly unified: boolean
  readonly institutional: boolean
  readonly banned: boolean
  readonly email: string
  readonly phone: { readonly areaCode: number; readonly number: string }
  readonly openOrders: ReadonlyArray<Order>
  /** In the order in which they were closed. */
  readonly closedOrders: ReadonlyArray<Order>
  readonly preUpgradeOrders: ReadonlyArray<Order>
  readonly executions: PerCategory<Executions.Execution>
  readonly preUpgradeExecutions: PerCategory<Executions.PreUpgradeExecution>
  readonly closedPnl: PerCategory<ClosedPnl>
  readonly preUpgradeClosedPnl: PerCategory<Positions.ClosedPnl>
  readonly positions: ReadonlyArray<Position>
  /** Of symbols that have no position yet. Absent: cross margin and one-way mode. */
  readonly modes?: Modes | undefined
  readonly wallets: { readonly [T in WalletType]: Wallet }
  readonly grants: ReadonlyArray<Grant>
  /** The remaining amounts of coupons, by coin. A coupon is no money of the wallet: it pays fees. */
  readonly coupons: Wallet
  readonly bonusUsage: ReadonlyArray<Assets.BonusUsage>
  readonly deposits: ReadonlyArray<Assets.Deposit>
  readonly transfers: ReadonlyArray<Assets.Transfer>
  /** Of a master account: all with its sub-accounts. Of a sub-account: its own. */
  readonly subAccountTransfers: ReadonlyArray<Assets.SubAccountTransfer>
  readonly withdrawals: ReadonlyArray<Withdrawal>
  readonly addressBook: ReadonlyArray<AddressBookEntry>
  readonly customers: ReadonlyArray<Customer>
  /** Requests per second that were set, by business type. */
  readonly apiLimits: ReadonlyMap<string, number>
}

/**
 * What an account had when the exchange opened, and how much of its history is older.
 *
 * @since 0.1.0
 * @category models
 */
export interface Seeded {
  readonly openOrders: ReadonlyArray<Order>
  readonly positions: ReadonlyArray<Position>
  readonly closedOrders: number
  readonly executions: { readonly [C in Category]: number }
  readonly closedPnl: { readonly [C in Category]: number }
}

/**
 * An API key. The secret is kept to check signatures with.
 *
 * @since 0.1.0
 * @category models
 */
export interface Key {
  readonly apiKey: string
  readonly apiSecret: Redacted.Redacted
  readonly uid: string
  readonly readOnly: boolean
  readonly expiresAt: Option.Option<number>
}

/**
 * The exchange at one instant.
 *
 * @since 0.1.0
 * @category models
 */
export interface State {
  readonly seed: number
  /** The instant for which the seed's history was made, in milliseconds. */
  readonly openedAt: number
  /** The number of ids assigned so far; the next id follows from it. */
  readonly issued: number
  /** Up to which instant prices, triggers, fills and liquidations are brought; full seconds, but for the first. */
  readonly advancedAt: number
  /**
   * For how long in all the exchange was put away, in milliseconds: prices go by the clock less this. It is under zero where the
   * exchange goes on at an earlier clock.
   */
  readonly pausedFor: number
  /** The open-orders query no longer returns orders that were closed before this instant. */
  readonly restartedAt: number
  /** `still`: prices change only where they are set. */
  readonly prices: "moving" | "still"
  /** By base coin. */
  readonly drifts: ReadonlyMap<string, Drift>
  /** Prices that are held where they were set, by category and symbol. */
  readonly pinned: ReadonlyMap<string, BigDecimal.BigDecimal>
  readonly pending: ReadonlyArray<PendingDeposit>
  /**
   * The balance of the venue itself, under zero for what it owes: the other side of every profit, loss, fee, bonus and spot trade.
   * For every coin, all wallets and the market maker are what was deposited less what was withdrawn.
   */
  readonly marketMaker: Wallet
  /** What the seed gave to its accounts, by UID. What happened since is the difference from it. */
  readonly seeded: ReadonlyMap<string, Seeded>
  readonly listings: ReadonlyArray<Listing>
  readonly coins: ReadonlyArray<Assets.CoinInfo>
  readonly keys: ReadonlyMap<string, Key>
  readonly accounts: ReadonlyMap<string, Account>
}

/**
 * The state with an account replaced.
 *
 * @since 0.1.0
 * @category combinators
 */
export const withAccount = (state: State, account: Account): State => ({
  ...state,
  accounts: new Map(state.accounts).set(account.uid, account)
})

/**
 * The account's sub-accounts.
 *
 * @since 0.1.0
 * @category getters
 */
export const subAccounts = (state: State, uid: string): ReadonlyArray<Account> =>
  Array.from(state.accounts.values()).filter(
    (account) => account.masterUid._tag === "Some" && account.masterUid.value === uid
  )

/**
 * The listing of a symbol in a category.
 *
 * @since 0.1.0
 * @category getters
 */
export const listing = (state: State, category: Category, symbol: string): Listing | undefined =>
  indexOf(state.listings).get(listingKey(category, symbol))

/**
 * The key of a listing.
 *
 * @since 0.1.0
 * @category getters
 */
export const listingKey = (category: Category, symbol: string): string => `${category}:${symbol}`

// Made once for each list of listings, and gone with it.
const indices = new WeakMap<ReadonlyArray<Listing>, ReadonlyMap<string, Listing>>()

const indexOf = (listings: ReadonlyArray<Listing>): ReadonlyMap<string, Listing> => {
  const known = indices.get(listings)
  if (known !== undefined) return known
  const index = new Map(listings.map((one) => [listingKey(one.category, one.instrument.symbol), one]))
  indices.set(listings, index)
  return index
}

/**
 * The value of a coin in USD; `undefined` for a coin that is not traded.
 *
 * @since 0.1.0
 * @category getters
 */
export const usdPrice = (state: State, coin: string): BigDecimal.BigDecimal | undefined =>
  state.listings.find((one) => one.category === "inverse" && one.instrument.baseCoin === coin)?.indexPrice ??
  state.listings.find((one) => one.category === "linear" && one.instrument.baseCoin === coin)?.indexPrice
