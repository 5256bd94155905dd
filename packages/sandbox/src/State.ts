/**
 * All that the exchange knows, as one immutable value. Handlers take it and give the next one; nothing else changes it.
 * Records are kept in the domain types of the schemas package, so that what is stored is what is answered.
 *
 * @since 0.1.0
 */
import * as Assets from "@effect-venue/schemas/Assets"
import * as Executions from "@effect-venue/schemas/Executions"
import * as Instruments from "@effect-venue/schemas/Instruments"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Positions from "@effect-venue/schemas/Positions"
import type * as BigDecimal from "effect/BigDecimal"
import * as Schema from "effect/Schema"

/**
 * @since 0.1.0
 * @category schemas
 */
export const Category = Schema.Literal("spot", "linear", "inverse")

/**
 * @since 0.1.0
 * @category models
 */
export type Category = typeof Category.Type

/**
 * The categories that have positions.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Contract = Schema.Literal("linear", "inverse")

/**
 * @since 0.1.0
 * @category models
 */
export type Contract = typeof Contract.Type

/**
 * @since 0.1.0
 * @category constants
 */
export const categories: ReadonlyArray<Category> = Category.literals

// The types are written out, and those of records are mapped, so that declarations name records instead of repeating them.

/** A record as it is in memory. */
const record = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<A> => Schema.typeSchema(schema)

const listOf = <A>(schema: Schema.Schema<A>): Schema.Schema<ReadonlyArray<A>> => Schema.Array(schema)

const mapOf = <A>(value: Schema.Schema<A>): Schema.Schema<ReadonlyMap<string, A>> =>
  Schema.typeSchema(Schema.ReadonlyMapFromSelf({ key: Schema.String, value }))

const perCategory = <A>(schema: Schema.Schema<A>): Schema.Schema<PerCategory<A>> => {
  const list = Schema.Array(schema)
  return Schema.Struct({ spot: list, linear: list, inverse: list })
}

const counts = Schema.Struct({ spot: Schema.Number, linear: Schema.Number, inverse: Schema.Number })

/**
 * How much a position may be worth at which leverage.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RiskTier = Schema.Struct({
  riskId: Schema.Number,
  /** In the quote coin for linear, in the settle coin for inverse. */
  limit: Schema.BigDecimalFromSelf,
  maxLeverage: Schema.BigDecimalFromSelf,
  maintenanceRate: Schema.BigDecimalFromSelf
})

/**
 * @since 0.1.0
 * @category models
 */
export type RiskTier = { readonly [K in keyof typeof RiskTier.Type]: (typeof RiskTier.Type)[K] }

/**
 * An instrument, with what the market says about it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Listing = Schema.Struct({
  category: Category,
  instrument: record(Instruments.Instrument),
  /** What a contract is settled in; the quote coin for spot. */
  settleCoin: Schema.String,
  lastPrice: Schema.BigDecimalFromSelf,
  markPrice: Schema.BigDecimalFromSelf,
  indexPrice: Schema.BigDecimalFromSelf,
  /** Smallest first; empty for spot. */
  riskTiers: listOf<RiskTier>(RiskTier)
})

/**
 * @since 0.1.0
 * @category models
 */
export type Listing = { readonly [K in keyof typeof Listing.Type]: (typeof Listing.Type)[K] }

/**
 * An order, with what its record does not say.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Order = Schema.extend(
  record(Orders.Order),
  Schema.Struct({
    category: Category,
    filter: Schema.Literal("Order", "StopOrder", "tpslOrder"),
    /** What set a trailing stop apart: the distance from the market at which it triggers. */
    trailingStop: Schema.OptionFromSelf(Schema.BigDecimalFromSelf),
    /** The best price since a trailing stop became active; `none` while it is not, and for every other order. */
    extreme: Schema.OptionFromSelf(Schema.BigDecimalFromSelf),
    /** The other side of a pair of take profit and stop loss: when one fires or is cancelled, so is the other. */
    pairedWith: Schema.OptionFromSelf(Schema.String),
    /** The place in the queue of its price where the order's id does not say it: an amendment may cost the place. */
    queuedAs: Schema.optional(Schema.String),
    /** The mean price of what was filled, where the record shows it rounded. */
    meanPrice: Schema.optional(Schema.BigDecimalFromSelf),
    /** What is to happen where the order would meet another of its own account. Absent: they trade. */
    smpType: Schema.optional(Schema.String)
  })
)

/**
 * @since 0.1.0
 * @category models
 */
export type Order = { readonly [K in keyof typeof Order.Type]: (typeof Order.Type)[K] }

/**
 * What is held of a contract. `size` is over zero for long and under it for short; `entryValue` and `openFee` are what the
 * open part cost, in the settle coin. `entryPrice` is its mean price, with more decimals than records show; zero where nothing is held.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Holding = Schema.Struct({
  size: Schema.BigDecimalFromSelf,
  entryValue: Schema.BigDecimalFromSelf,
  entryPrice: Schema.BigDecimalFromSelf,
  openFee: Schema.BigDecimalFromSelf,
  /** Profit and loss of what was closed, less the fees of everything that was executed. */
  cumRealisedPnl: Schema.BigDecimalFromSelf
})

/**
 * @since 0.1.0
 * @category models
 */
export type Holding = { readonly [K in keyof typeof Holding.Type]: (typeof Holding.Type)[K] }

/**
 * A position and its settings. The record that is answered is worked out from it and the market.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Position = Schema.Struct({
  ...Holding.fields,
  category: Contract,
  symbol: Schema.String,
  positionIdx: Schema.Literal(0, 1, 2),
  tradeMode: Schema.Literal("cross", "isolated"),
  leverage: Schema.BigDecimalFromSelf,
  /** What was added to an isolated position on top of its initial margin, less the funding it was charged. Under zero where that is more. */
  addedMargin: Schema.BigDecimalFromSelf,
  autoAddMargin: Schema.Boolean,
  riskId: Schema.Number,
  tpslMode: Schema.Literal("Full", "Partial"),
  takeProfit: Schema.OptionFromSelf(Schema.BigDecimalFromSelf),
  stopLoss: Schema.OptionFromSelf(Schema.BigDecimalFromSelf),
  trailingStop: Schema.OptionFromSelf(Schema.BigDecimalFromSelf),
  activePrice: Schema.OptionFromSelf(Schema.BigDecimalFromSelf),
  isReduceOnly: Schema.Boolean,
  /** What the position may be worth at most before the mark `isReduceOnly` can be lifted. */
  newRiskLimit: Schema.OptionFromSelf(Schema.BigDecimalFromSelf),
  /** When the service adjusts the maintenance rate, or has done so. (docs/reference/rules.md#records-position) */
  mmrSysUpdatedTime: Schema.OptionFromSelf(Schema.Number),
  /** `Liq` and `Adl` last from the event to the next step of the market. */
  status: Schema.Literal("Normal", "Liq", "Adl"),
  createdTime: Schema.Number,
  updatedTime: Schema.Number
})

/**
 * @since 0.1.0
 * @category models
 */
export type Position = { readonly [K in keyof typeof Position.Type]: (typeof Position.Type)[K] }

/**
 * A closed profit, with the mean prices of entry and exit where the record shows them rounded.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ClosedPnl = Schema.extend(
  record(Positions.ClosedPnl),
  Schema.Struct({
    meanEntryPrice: Schema.optional(Schema.BigDecimalFromSelf),
    meanExitPrice: Schema.optional(Schema.BigDecimalFromSelf)
  })
)

/**
 * @since 0.1.0
 * @category models
 */
export type ClosedPnl = { readonly [K in keyof typeof ClosedPnl.Type]: (typeof ClosedPnl.Type)[K] }

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
 * @category schemas
 */
export const Wallet = mapOf(Schema.BigDecimalFromSelf)

/**
 * @since 0.1.0
 * @category models
 */
export type Wallet = typeof Wallet.Type

/**
 * A bonus or coupon that was given to an account, in its trading wallet.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Grant = Schema.Struct({
  coin: Schema.String,
  amount: Schema.BigDecimalFromSelf,
  at: Schema.Number
})

/**
 * @since 0.1.0
 * @category models
 */
export type Grant = { readonly [K in keyof typeof Grant.Type]: (typeof Grant.Type)[K] }

/**
 * A deposit that is in progress.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PendingDeposit = Schema.Struct({
  uid: Schema.String,
  transactionId: Schema.String,
  outcome: Schema.Literal("1", "2"),
  /** Milliseconds. */
  at: Schema.Number
})

/**
 * @since 0.1.0
 * @category models
 */
export type PendingDeposit = { readonly [K in keyof typeof PendingDeposit.Type]: (typeof PendingDeposit.Type)[K] }

/**
 * The price model of a base coin.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Drift = Schema.Struct({
  /** Its price when the exchange opened. */
  opening: Schema.Number,
  /** Standard deviation of a day's change. */
  dailyChange: Schema.Number
})

/**
 * @since 0.1.0
 * @category models
 */
export type Drift = { readonly [K in keyof typeof Drift.Type]: (typeof Drift.Type)[K] }

/**
 * An internal withdrawal to another user.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Withdrawal = Schema.Struct({
  withdrawId: Schema.String,
  requestId: Schema.String,
  coin: Schema.String,
  amount: Schema.BigDecimalFromSelf,
  addressType: Schema.Literal(1, 2, 3),
  areaCode: Schema.OptionFromSelf(Schema.Number),
  address: Schema.String,
  remark: Schema.OptionFromSelf(Schema.String),
  at: Schema.Number
})

/**
 * @since 0.1.0
 * @category models
 */
export type Withdrawal = { readonly [K in keyof typeof Withdrawal.Type]: (typeof Withdrawal.Type)[K] }

/**
 * An entry of the address book for internal withdrawals.
 *
 * @since 0.1.0
 * @category schemas
 */
export const AddressBookEntry = Schema.Struct({
  addressType: Schema.Literal(1, 2, 3),
  areaCode: Schema.OptionFromSelf(Schema.Number),
  address: Schema.String
})

/**
 * @since 0.1.0
 * @category models
 */
export type AddressBookEntry = { readonly [K in keyof typeof AddressBookEntry.Type]: (typeof AddressBookEntry.Type)[K] }

/**
 * A direct customer of a broker.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Customer = Schema.Struct({
  uid: Schema.String,
  since: Schema.Number
})

/**
 * @since 0.1.0
 * @category models
 */
export type Customer = { readonly [K in keyof typeof Customer.Type]: (typeof Customer.Type)[K] }

/**
 * The modes of positions: isolated or cross margin, one position of a symbol or one for each side.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Modes = Schema.Struct({
  tradeMode: Schema.Literal("cross", "isolated"),
  positionMode: Schema.Literal("oneWay", "hedge")
})

/**
 * @since 0.1.0
 * @category models
 */
export type Modes = { readonly [K in keyof typeof Modes.Type]: (typeof Modes.Type)[K] }

/**
 * Everything of one UID.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Account = Schema.Struct({
  uid: Schema.String,
  /** `none` for a master account. */
  masterUid: Schema.OptionFromSelf(Schema.String),
  unified: Schema.Boolean,
  institutional: Schema.Boolean,
  banned: Schema.Boolean,
  email: Schema.String,
  phone: Schema.Struct({ areaCode: Schema.Number, number: Schema.String }),
  openOrders: listOf<Order>(Order),
  /** In the order in which they were closed. */
  closedOrders: listOf<Order>(Order),
  preUpgradeOrders: listOf<Order>(Order),
  executions: perCategory(record(Executions.Execution)),
  preUpgradeExecutions: perCategory(record(Executions.PreUpgradeExecution)),
  closedPnl: perCategory<ClosedPnl>(ClosedPnl),
  preUpgradeClosedPnl: perCategory(record(Positions.ClosedPnl)),
  positions: listOf<Position>(Position),
  /** Of symbols that have no position yet. Absent: cross margin and one-way mode. */
  modes: Schema.optional(Modes),
  wallets: Schema.Struct({ UNIFIED: Wallet, FUND: Wallet, SPOT: Wallet, CONTRACT: Wallet }),
  grants: listOf<Grant>(Grant),
  /** The remaining amounts of coupons, by coin. A coupon is no money of the wallet: it pays fees. */
  coupons: Wallet,
  bonusUsage: listOf(record(Assets.BonusUsage)),
  deposits: listOf(record(Assets.Deposit)),
  transfers: listOf(record(Assets.Transfer)),
  /** Of a master account: all with its sub-accounts. Of a sub-account: its own. */
  subAccountTransfers: listOf(record(Assets.SubAccountTransfer)),
  withdrawals: listOf<Withdrawal>(Withdrawal),
  addressBook: listOf<AddressBookEntry>(AddressBookEntry),
  customers: listOf<Customer>(Customer),
  /** Requests per second that were set, by business type. */
  apiLimits: mapOf(Schema.Number)
})

/**
 * @since 0.1.0
 * @category models
 */
export type Account = { readonly [K in keyof typeof Account.Type]: (typeof Account.Type)[K] }

/**
 * What an account had when the exchange opened, and how much of its history is older.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Seeded = Schema.Struct({
  openOrders: listOf<Order>(Order),
  positions: listOf<Position>(Position),
  closedOrders: Schema.Number,
  executions: counts,
  closedPnl: counts
})

/**
 * @since 0.1.0
 * @category models
 */
export type Seeded = { readonly [K in keyof typeof Seeded.Type]: (typeof Seeded.Type)[K] }

/**
 * An API key. The secret is kept to check signatures with.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Key = Schema.Struct({
  apiKey: Schema.String,
  apiSecret: Schema.RedactedFromSelf(Schema.String),
  uid: Schema.String,
  readOnly: Schema.Boolean,
  expiresAt: Schema.OptionFromSelf(Schema.Number)
})

/**
 * @since 0.1.0
 * @category models
 */
export type Key = { readonly [K in keyof typeof Key.Type]: (typeof Key.Type)[K] }

/**
 * The exchange at one instant.
 *
 * @since 0.1.0
 * @category schemas
 */
export const State = Schema.Struct({
  seed: Schema.Number,
  /** The instant for which the seed's history was made, in milliseconds. */
  openedAt: Schema.Number,
  /** The number of ids assigned so far; the next id follows from it. */
  issued: Schema.Number,
  /** Up to which instant prices, triggers, fills and liquidations are brought; full seconds, but for the first. */
  advancedAt: Schema.Number,
  /**
   * For how long in all the exchange was put away, in milliseconds: prices go by the clock less this. It is under zero where the
   * exchange goes on at an earlier clock.
   */
  pausedFor: Schema.Number,
  /** The open-orders query no longer returns orders that were closed before this instant. */
  restartedAt: Schema.Number,
  /** `still`: prices change only where they are set. */
  prices: Schema.Literal("moving", "still"),
  /** By base coin. */
  drifts: mapOf<Drift>(Drift),
  /** Prices that are held where they were set, by category and symbol. */
  pinned: mapOf(Schema.BigDecimalFromSelf),
  pending: listOf<PendingDeposit>(PendingDeposit),
  /**
   * The balance of the venue itself, under zero for what it owes: the other side of every profit, loss, fee, bonus and spot trade.
   * For every coin, all wallets and the market maker are what was deposited less what was withdrawn.
   */
  marketMaker: Wallet,
  /** What the seed gave to its accounts, by UID. What happened since is the difference from it. */
  seeded: mapOf<Seeded>(Seeded),
  listings: listOf<Listing>(Listing),
  coins: listOf(record(Assets.CoinInfo)),
  keys: mapOf<Key>(Key),
  accounts: mapOf<Account>(Account)
})

/**
 * @since 0.1.0
 * @category models
 */
export type State = { readonly [K in keyof typeof State.Type]: (typeof State.Type)[K] }

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
