/**
 * The state of the exchange, as one immutable value. Handlers receive it and return the next one; nothing else changes it. Records have the
 * domain types of the schemas package, so stored records are returned unchanged.
 *
 * @sibling
 */
import * as Assets from "@effect-venue/schemas/Assets"
import * as Executions from "@effect-venue/schemas/Executions"
import * as Instruments from "@effect-venue/schemas/Instruments"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Positions from "@effect-venue/schemas/Positions"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import * as OnDemand from "./onDemand.js"
import { RecordList } from "./recordList.js"

export const Category = Schema.Literal("spot", "linear", "inverse")

export type Category = typeof Category.Type

/** The categories with positions. */
export const Contract = Schema.Literal("linear", "inverse")

export type Contract = typeof Contract.Type

export const categories: ReadonlyArray<Category> = Category.literals

// Explicit types, mapped for records, so that declaration files name records instead of repeating their structure.

/** The in-memory type of a record. */
const record = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<A> => Schema.typeSchema(schema)

const listOf = <A>(schema: Schema.Schema<A>): Schema.Schema<ReadonlyArray<A>> => Schema.Array(schema)

const mapOf = <A>(value: Schema.Schema<A>): Schema.Schema<ReadonlyMap<string, A>> =>
  Schema.typeSchema(Schema.ReadonlyMapFromSelf({ key: Schema.String, value }))

const recordsOf = <A>(schema: Schema.Schema<A>): Schema.Schema<RecordList<A>> => {
  const check = (item: Schema.Schema<A>) => (input: unknown, options: AST.ParseOptions, ast: AST.Declaration) =>
    input instanceof RecordList
      ? ParseResult.map(ParseResult.validate(listOf(item))(Array.from(input), options), () => input)
      : ParseResult.fail(new ParseResult.Type(ast, input, "must be records"))
  return Schema.declare([schema], { decode: check, encode: check })
}

const perCategory = <A>(schema: Schema.Schema<A>): Schema.Schema<PerCategory<A>> => {
  const list = recordsOf(schema)
  return Schema.Struct({ spot: list, linear: list, inverse: list })
}

/** The maximum value of a position, and its maximum leverage. */
export const RiskTier = Schema.Struct({
  riskId: Schema.Number,
  /** In the quote coin for linear, in the settle coin for inverse. */
  limit: Schema.BigDecimalFromSelf,
  maxLeverage: Schema.BigDecimalFromSelf,
  maintenanceRate: Schema.BigDecimalFromSelf
})

export type RiskTier = { readonly [K in keyof typeof RiskTier.Type]: (typeof RiskTier.Type)[K] }

/** An instrument with its market prices. */
export const Listing = Schema.Struct({
  category: Category,
  instrument: record(Instruments.Instrument),
  /** The settle coin of a contract; the quote coin for spot. */
  settleCoin: Schema.String,
  lastPrice: Schema.BigDecimalFromSelf,
  markPrice: Schema.BigDecimalFromSelf,
  indexPrice: Schema.BigDecimalFromSelf,
  /** Smallest first; empty for spot. */
  riskTiers: listOf<RiskTier>(RiskTier)
})

export type Listing = { readonly [K in keyof typeof Listing.Type]: (typeof Listing.Type)[K] }

/** An order, with data that its record does not contain. */
export const Order = Schema.extend(
  record(Orders.Order),
  Schema.Struct({
    category: Category,
    /** The kind of the order, as the parameter `orderFilter` names it. */
    filter: Schema.Literal("Order", "StopOrder", "tpslOrder"),
    /** The distance of a trailing stop: how far from the best price it triggers. */
    trailingStop: Schema.OptionFromSelf(Schema.BigDecimalFromSelf),
    /** The best price since a trailing stop became active; `none` before that, and for other orders. */
    extreme: Schema.OptionFromSelf(Schema.BigDecimalFromSelf),
    /** The other order of a pair of take profit and stop loss. If one triggers or is cancelled, the other is cancelled. */
    pairedWith: Schema.OptionFromSelf(Schema.String),
    /** The order's place in the queue of its price, if it differs from the order's id, because an amendment can lose the place. */
    queuedAs: Schema.optional(Schema.String),
    /** The exact average fill price, if the record shows it rounded. */
    meanPrice: Schema.optional(Schema.BigDecimalFromSelf),
    /** Self-match prevention: what to do if the order would match an order of the same account. Absent: they trade. */
    smpType: Schema.optional(Schema.String)
  })
)

export type Order = { readonly [K in keyof typeof Order.Type]: (typeof Order.Type)[K] }

/** The states of a closed order, all of which the open-orders query lists with `openOnly=1`. (docs/reference/orders/open.md) */
export const ClosedStatus = Schema.Literal("Cancelled", "Rejected", "Filled")

export type ClosedStatus = typeof ClosedStatus.Type

/** An order that can no longer be filled, changed or cancelled. */
export type ClosedOrder = Order & { readonly orderStatus: ClosedStatus }

/** Returns true if an order is in a closed state. */
export const isClosed = (order: Order): order is ClosedOrder => Schema.is(ClosedStatus)(order.orderStatus)

const ClosedOrder: Schema.Schema<ClosedOrder> = record(
  Order.pipe(Schema.filter(isClosed, { message: () => "orderStatus must be Cancelled, Rejected or Filled" }))
)

/**
 * The size and cost of a position. `size` is positive for long and negative for short. `entryValue` and `openFee` are the cost of the open
 * part, in the settle coin. `entryPrice` is its average price, with more decimals than records show; zero for an empty position.
 */
export const Holding = Schema.Struct({
  size: Schema.BigDecimalFromSelf,
  entryValue: Schema.BigDecimalFromSelf,
  entryPrice: Schema.BigDecimalFromSelf,
  openFee: Schema.BigDecimalFromSelf,
  /** Profit and loss of the closed parts since the position was opened, less the fees of its executions and its funding. */
  cumRealisedPnl: Schema.BigDecimalFromSelf,
  /** The `cumRealisedPnl` of all earlier positions of the symbol and side. */
  earlierRealisedPnl: Schema.BigDecimalFromSelf
})

export type Holding = { readonly [K in keyof typeof Holding.Type]: (typeof Holding.Type)[K] }

/** A position and its settings. Its record is computed from it and the market. */
export const Position = Schema.Struct({
  ...Holding.fields,
  category: Contract,
  symbol: Schema.String,
  positionIdx: Schema.Literal(0, 1, 2),
  tradeMode: Schema.Literal("cross", "isolated"),
  leverage: Schema.BigDecimalFromSelf,
  /** Margin added to an isolated position on top of its initial margin, less the funding charged. Negative if the funding is larger. */
  addedMargin: Schema.BigDecimalFromSelf,
  autoAddMargin: Schema.Boolean,
  riskId: Schema.Number,
  tpslMode: Schema.Literal("Full", "Partial"),
  takeProfit: Schema.OptionFromSelf(Schema.BigDecimalFromSelf),
  stopLoss: Schema.OptionFromSelf(Schema.BigDecimalFromSelf),
  trailingStop: Schema.OptionFromSelf(Schema.BigDecimalFromSelf),
  activePrice: Schema.OptionFromSelf(Schema.BigDecimalFromSelf),
  isReduceOnly: Schema.Boolean,
  /** The value that the position must not exceed before the flag `isReduceOnly` can be cleared. */
  newRiskLimit: Schema.OptionFromSelf(Schema.BigDecimalFromSelf),
  /** When the service adjusts or adjusted the maintenance rate. (docs/reference/rules.md#records-position) */
  mmrSysUpdatedTime: Schema.OptionFromSelf(Schema.Number),
  /** `Liq` and `Adl` last until the next step of the market. */
  status: Schema.Literal("Normal", "Liq", "Adl"),
  createdTime: Schema.Number,
  updatedTime: Schema.Number
})

export type Position = { readonly [K in keyof typeof Position.Type]: (typeof Position.Type)[K] }

/** A closed profit, with the exact average entry and exit prices if the record shows them rounded. */
export const ClosedPnl = Schema.extend(
  record(Positions.ClosedPnl),
  Schema.Struct({
    meanEntryPrice: Schema.optional(Schema.BigDecimalFromSelf),
    meanExitPrice: Schema.optional(Schema.BigDecimalFromSelf)
  })
)

export type ClosedPnl = { readonly [K in keyof typeof ClosedPnl.Type]: (typeof ClosedPnl.Type)[K] }

/** The records of each category. */
export type PerCategory<A> = { readonly [C in Category]: RecordList<A> }

/** The wallets of an account. */
export type WalletType = "UNIFIED" | "FUND" | "SPOT" | "CONTRACT"

/** Amounts by coin. */
export const Wallet = mapOf(Schema.BigDecimalFromSelf)

export type Wallet = typeof Wallet.Type

/** A bonus or coupon granted to the trading wallet of an account. */
export const Grant = Schema.Struct({
  coin: Schema.String,
  amount: Schema.BigDecimalFromSelf,
  at: Schema.Number
})

export type Grant = { readonly [K in keyof typeof Grant.Type]: (typeof Grant.Type)[K] }

/** A deposit that is in progress. */
export const PendingDeposit = Schema.Struct({
  uid: Schema.String,
  transactionId: Schema.String,
  outcome: Schema.Literal("1", "2"),
  /** Milliseconds. */
  at: Schema.Number
})

export type PendingDeposit = { readonly [K in keyof typeof PendingDeposit.Type]: (typeof PendingDeposit.Type)[K] }

/** The price model of a base coin. */
export const Drift = Schema.Struct({
  /** The price when the exchange opened. */
  opening: Schema.Number,
  /** Standard deviation of the daily change. */
  dailyChange: Schema.Number
})

export type Drift = { readonly [K in keyof typeof Drift.Type]: (typeof Drift.Type)[K] }

/** An internal withdrawal to another user. */
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

export type Withdrawal = { readonly [K in keyof typeof Withdrawal.Type]: (typeof Withdrawal.Type)[K] }

/** An entry of the address book for internal withdrawals. */
export const AddressBookEntry = Schema.Struct({
  addressType: Schema.Literal(1, 2, 3),
  areaCode: Schema.OptionFromSelf(Schema.Number),
  address: Schema.String
})

export type AddressBookEntry = { readonly [K in keyof typeof AddressBookEntry.Type]: (typeof AddressBookEntry.Type)[K] }

/** A direct customer of a broker. */
export const Customer = Schema.Struct({
  uid: Schema.String,
  since: Schema.Number
})

export type Customer = { readonly [K in keyof typeof Customer.Type]: (typeof Customer.Type)[K] }

/** The position modes: isolated or cross margin, one position per symbol or one per side. */
export const Modes = Schema.Struct({
  tradeMode: Schema.Literal("cross", "isolated"),
  positionMode: Schema.Literal("oneWay", "hedge")
})

export type Modes = { readonly [K in keyof typeof Modes.Type]: (typeof Modes.Type)[K] }

/** The data of a UID. */
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
  /** In closing order. */
  closedOrders: recordsOf<ClosedOrder>(ClosedOrder),
  preUpgradeOrders: recordsOf<ClosedOrder>(ClosedOrder),
  executions: perCategory(record(Executions.Execution)),
  preUpgradeExecutions: perCategory(record(Executions.PreUpgradeExecution)),
  closedPnl: perCategory<ClosedPnl>(ClosedPnl),
  preUpgradeClosedPnl: perCategory(record(Positions.ClosedPnl)),
  positions: listOf<Position>(Position),
  /** The modes of symbols without a position. Absent: cross margin and one-way mode. */
  modes: Schema.optional(Modes),
  wallets: Schema.Struct({ UNIFIED: Wallet, FUND: Wallet, SPOT: Wallet, CONTRACT: Wallet }),
  grants: listOf<Grant>(Grant),
  /** The remaining amounts of coupons, by coin. Coupons are not part of the wallet; they pay fees. */
  coupons: Wallet,
  bonusUsage: listOf(record(Assets.BonusUsage)),
  deposits: listOf(record(Assets.Deposit)),
  transfers: listOf(record(Assets.Transfer)),
  /** For a master account, the transfers with all of its sub-accounts; for a sub-account, its transfers. */
  subAccountTransfers: listOf(record(Assets.SubAccountTransfer)),
  withdrawals: listOf<Withdrawal>(Withdrawal),
  addressBook: listOf<AddressBookEntry>(AddressBookEntry),
  customers: listOf<Customer>(Customer),
  /** Granted requests per second, by business type. */
  apiLimits: mapOf(Schema.Number)
})

export type Account = { readonly [K in keyof typeof Account.Type]: (typeof Account.Type)[K] }

/** An API key. The secret is stored to verify signatures. */
export const Key = Schema.Struct({
  apiKey: Schema.String,
  apiSecret: Schema.RedactedFromSelf(Schema.String),
  uid: Schema.String,
  readOnly: Schema.Boolean,
  expiresAt: Schema.OptionFromSelf(Schema.Number)
})

export type Key = { readonly [K in keyof typeof Key.Type]: (typeof Key.Type)[K] }

/** The state of the exchange at one instant. */
export const State = Schema.Struct({
  seed: Schema.Number,
  /** The instant at which the generated history ends, in milliseconds. */
  openedAt: Schema.Number,
  /** The number of ids assigned so far. It determines the next id. */
  issued: Schema.Number,
  /** The instant up to which prices, triggers, fills and liquidations were processed. Full seconds, except for the first. */
  advancedAt: Schema.Number,
  /** The total time during which the exchange did not run, in milliseconds. Prices follow the clock minus this time. */
  pausedFor: Schema.Number,
  /** The open-orders query does not return orders that were closed before this instant. */
  restartedAt: Schema.Number,
  /** `still`: prices change only when they are set. */
  prices: Schema.Literal("moving", "still"),
  /** By base coin. */
  drifts: mapOf<Drift>(Drift),
  /** Prices that are pinned to a value, by category and symbol. */
  pinned: mapOf(Schema.BigDecimalFromSelf),
  pending: listOf<PendingDeposit>(PendingDeposit),
  /**
   * The balance of the venue, which is the counterparty of every profit, loss, fee, bonus and spot trade; negative if it owes. For every
   * coin, the sum of all wallets and the market maker equals deposits minus withdrawals.
   */
  marketMaker: Schema.Struct({ balances: Wallet }),
  listings: listOf<Listing>(Listing),
  coins: listOf(record(Assets.CoinInfo)),
  keys: mapOf<Key>(Key),
  accounts: mapOf<Account>(Account)
})

export type State = { readonly [K in keyof typeof State.Type]: (typeof State.Type)[K] }

/** Returns the state with an account replaced. */
export const withAccount = (state: State, account: Account): State => ({
  ...state,
  accounts: new Map(state.accounts).set(account.uid, account)
})

/** Returns the sub-accounts of an account. */
export const subAccounts = (state: State, uid: string): ReadonlyArray<Account> =>
  Array.from(state.accounts.values()).filter(
    (account) => account.masterUid._tag === "Some" && account.masterUid.value === uid
  )

/** Returns the listing of a symbol in a category. */
export const listing = (state: State, category: Category, symbol: string): Listing | undefined =>
  indexOf(state.listings).byKey.get(listingKey(category, symbol))

/** The key of a listing. */
export const listingKey = (category: Category, symbol: string): string => `${category}:${symbol}`

interface ListingIndex {
  readonly byKey: ReadonlyMap<string, Listing>
  readonly usd: Map<string, Listing | undefined>
}

const indexOf = OnDemand.perObject((listings: ReadonlyArray<Listing>): ListingIndex => ({
  byKey: new Map(listings.map((candidate) => [listingKey(candidate.category, candidate.instrument.symbol), candidate])),
  usd: new Map()
}))

/** Returns the listing whose index price values a coin in USD; `undefined` for a coin without one, such as USDT. */
export const usdListing = (state: State, coin: string): Listing | undefined => {
  const index = indexOf(state.listings).usd
  const known = index.get(coin)
  if (known !== undefined || index.has(coin)) return known
  const of = (category: Category) =>
    state.listings.find((candidate) => candidate.category === category && candidate.instrument.baseCoin === coin)
  const found = of("inverse") ?? of("linear") ?? of("spot")
  index.set(coin, found)
  return found
}
