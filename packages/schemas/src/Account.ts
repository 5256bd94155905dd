/**
 * The account: its wallet, the fees that it pays.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Absent from "./Absent.js"
import { Decimal } from "./Decimal.js"
import * as Endpoint from "./Endpoint.js"
import * as Enumerations from "./Enumerations.js"
import * as Id from "./Id.js"
import { described, share } from "./internal/meaning.js"
import * as Rule from "./Rule.js"

const coinBalanceSchema = Schema.Struct({
  /** The coin. */
  coin: described(Id.Coin, "the coin"),
  /** Wallet balance and unrealised profit. Unit: the coin. */
  equity: described(Decimal, "wallet balance and unrealised profit", "the coin"),
  /** Value of the equity. Unit: USD. */
  usdValue: described(Absent.emptyable(Decimal), "value of the equity", "USD"),
  /** Balance without unrealised profit. Unit: the coin. */
  walletBalance: described(Decimal, "balance without unrealised profit", "the coin"),
  /** Deprecated for unified accounts: what can be withdrawn. Unit: the coin. */
  availableToWithdraw: described(
    Absent.emptyable(Decimal),
    "deprecated for unified accounts: what can be withdrawn",
    "the coin"
  ),
  /** Margin held for open orders. Unit: the coin. */
  totalOrderIM: described(Absent.emptyable(Decimal), "margin held for open orders", "the coin"),
  /** Initial margin of positions and the fee of their liquidation. Unit: the coin. */
  totalPositionIM: described(
    Absent.emptyable(Decimal),
    "initial margin of positions and the fee of their liquidation",
    "the coin"
  ),
  /** Maintenance margin of positions. Unit: the coin. */
  totalPositionMM: described(Absent.emptyable(Decimal), "maintenance margin of positions", "the coin"),
  /** Unrealised profit, negative for a loss. Unit: the coin. */
  unrealisedPnl: described(Absent.emptyable(Decimal), "unrealised profit, negative for a loss", "the coin"),
  /** Realised profit in total, negative for a loss. Unit: the coin. */
  cumRealisedPnl: described(Absent.emptyable(Decimal), "realised profit in total, negative for a loss", "the coin"),
  /** Bonus in the balance. Unit: the coin. */
  bonus: described(Absent.emptyable(Decimal), "bonus in the balance", "the coin"),
  /** Borrowed amount. Unit: the coin. */
  borrowAmount: described(Absent.undescribed(Decimal, "left out"), "borrowed amount", "the coin"),
  /** What can be borrowed. Unit: the coin. */
  availableToBorrow: described(Absent.undescribed(Decimal, "left out"), "what can be borrowed", "the coin"),
  /** Interest that is due. Unit: the coin. */
  accruedInterest: described(Absent.undescribed(Decimal, "left out"), "interest that is due", "the coin")
}).annotations({ identifier: "CoinBalance" })

/**
 * The balance of one coin, in that coin; `usdValue` in USD. (rule records/wallet)
 *
 * @since 0.1.0
 * @category schemas
 */
export const CoinBalance: Schema.Schema<
  CoinBalance,
  Schema.Schema.Encoded<typeof coinBalanceSchema>
> = coinBalanceSchema

/**
 * @since 0.1.0
 * @category models
 */
export interface CoinBalance extends Schema.Schema.Type<typeof coinBalanceSchema> {}

const walletBalanceSchema = Schema.Struct({
  /** The account type. */
  accountType: described(Absent.withDefault(Enumerations.AccountType, ""), "the account type"),
  /** Initial margin as a share of the margin balance. Unit: fraction. */
  accountIMRate: described(Absent.emptyable(Decimal), "initial margin as a share of the margin balance", "fraction"),
  /** Maintenance margin as a share of the margin balance. Unit: fraction. */
  accountMMRate: described(
    Absent.emptyable(Decimal),
    "maintenance margin as a share of the margin balance",
    "fraction"
  ),
  /** Equity of all coins. Unit: USD. */
  totalEquity: described(Absent.undescribed(Decimal, "empty"), "equity of all coins", "USD"),
  /** Sum of the wallet balances of all coins. Unit: USD. */
  totalWalletBalance: described(Absent.emptyable(Decimal), "sum of the wallet balances of all coins", "USD"),
  /** TotalWalletBalance and totalPerpUPL. Unit: USD. */
  totalMarginBalance: described(Absent.emptyable(Decimal), "totalWalletBalance and totalPerpUPL", "USD"),
  /** TotalMarginBalance without totalInitialMargin; absent with isolated margin. Unit: USD. */
  totalAvailableBalance: described(
    Absent.emptyable(Decimal),
    "totalMarginBalance without totalInitialMargin; absent with isolated margin",
    "USD"
  ),
  /** Unrealised profit of contracts, negative for a loss. Unit: USD. */
  totalPerpUPL: described(
    Absent.undescribed(Decimal, "empty"),
    "unrealised profit of contracts, negative for a loss",
    "USD"
  ),
  /** Initial margin of positions and orders. Unit: USD. */
  totalInitialMargin: described(Absent.emptyable(Decimal), "initial margin of positions and orders", "USD"),
  /** Maintenance margin of positions. Unit: USD. */
  totalMaintenanceMargin: described(Absent.emptyable(Decimal), "maintenance margin of positions", "USD"),
  /** Not described by the document: borrowed as a share of equity. Unit: fraction. */
  accountLTV: described(
    Absent.undescribed(Decimal, "left out"),
    "not described by the document: borrowed as a share of equity",
    "fraction"
  ),
  /** The balances by coin. */
  coin: described(Absent.rows(CoinBalance), "the balances by coin")
}).annotations({ identifier: "WalletBalance" })

/**
 * The wallet of an account, in USD. The account-wide figures do not apply to isolated-margin accounts.
 * (rule records/wallet)
 *
 * @since 0.1.0
 * @category schemas
 */
export const WalletBalance: Schema.Schema<
  WalletBalance,
  Schema.Schema.Encoded<typeof walletBalanceSchema>
> = walletBalanceSchema

/**
 * @since 0.1.0
 * @category models
 */
export interface WalletBalance extends Schema.Schema.Type<typeof walletBalanceSchema> {}

/**
 * Parameters of `account.walletBalance`. Without `coin` only coins with a balance are returned. (docs/reference/account.md#walletbalance)
 *
 * @since 0.1.0
 * @category schemas
 */
export const WalletBalanceRequest = Schema.Struct({
  /** UNIFIED: the trading account. */
  accountType: described(Rule.given(Enumerations.AccountType), "UNIFIED: the trading account"),
  /** These coins alone; without it all whose balance is not zero. */
  coin: described(Rule.optional(Rule.commaSeparated), "these coins alone; without it all whose balance is not zero")
})

/**
 * @since 0.1.0
 * @category models
 */
export interface WalletBalanceRequest extends Schema.Schema.Type<typeof WalletBalanceRequest> {}

/**
 * The wallet of an account type.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const walletBalance = Endpoint.make({
  name: "account.walletBalance",
  domain: "Account",
  summary: "The wallet of an account type",
  method: "GET",
  path: "/cloud/trade/v3/account/wallet-balance",
  request: WalletBalanceRequest,
  result: Schema.Struct({
    /** An entry for each account type. */
    list: described(Absent.rows(WalletBalance), "an entry for each account type")
  }),
  rateLimit: Endpoint.perSecond(10),
  safety: "read",
  source: "docs/reference/rules.md#24-wallet-balance",
  example: { accountType: "UNIFIED", coin: ["USDT"] },
  probes: [{ request: () => ({ accountType: "UNIFIED" }) }]
})

/**
 * The result of `account.walletBalance`.
 *
 * @since 0.1.0
 * @category models
 */
export interface WalletBalanceResult extends Schema.Schema.Type<typeof walletBalance.result> {}

const feeRateSchema = Schema.Struct({
  /** The instrument. */
  symbol: described(Absent.emptyable(Id.Symbol), "the instrument"),
  /** Rate of the fee of takers. Unit: fraction; 0.0006 is 0.06 %. */
  takerFeeRate: described(Decimal, "rate of the fee of takers", share),
  /** Rate of the fee of makers; negative is a rebate. Unit: fraction; 0.0006 is 0.06 %. */
  makerFeeRate: described(Decimal, "rate of the fee of makers; negative is a rebate", share)
}).annotations({ identifier: "FeeRate" })

/**
 * The fee rates of an instrument's executions: fractions of their value, such as 0.0006. (docs/reference/account.md#feerate)
 *
 * @since 0.1.0
 * @category schemas
 */
export const FeeRate: Schema.Schema<FeeRate, Schema.Schema.Encoded<typeof feeRateSchema>> = feeRateSchema

/**
 * @since 0.1.0
 * @category models
 */
export interface FeeRate extends Schema.Schema.Type<typeof feeRateSchema> {}

/**
 * Parameters of `account.feeRate`. Without `symbol` all symbols of the category. (docs/reference/account.md#feerate)
 *
 * @since 0.1.0
 * @category schemas
 */
export const FeeRateRequest = Schema.Struct({
  /** Spot, USDT-linear or inverse contracts. */
  category: described(Rule.oneOf("spot", "linear", "inverse"), "spot, USDT-linear or inverse contracts"),
  /** The instrument; without it all. */
  symbol: described(Rule.optional(Rule.nonEmpty), "the instrument; without it all")
})

/**
 * @since 0.1.0
 * @category models
 */
export interface FeeRateRequest extends Schema.Schema.Type<typeof FeeRateRequest> {}

/**
 * The fee rates of an instrument, or of all of a category.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const feeRate = Endpoint.make({
  name: "account.feeRate",
  domain: "Account",
  summary: "The fee rates of an instrument, or of all of a category",
  method: "GET",
  path: "/cloud/trade/v3/account/fee-rate",
  request: FeeRateRequest,
  result: Schema.Struct({
    /** The category of all rows. */
    category: described(Absent.omittable(Schema.String), "the category of all rows"),
    /** An entry for each account type. */
    list: described(Absent.rows(FeeRate), "an entry for each account type")
  }),
  rateLimit: Endpoint.perSecond(10),
  safety: "read",
  evidence: "listed",
  source: "docs/reference/listed-operations.md#accountfeerate",
  example: { category: "linear", symbol: "BTCUSDT" },
  probes: Endpoint.probeEach(["spot", "linear", "inverse"], (category) => ({ category }))
})

/**
 * The result of `account.feeRate`.
 *
 * @since 0.1.0
 * @category models
 */
export interface FeeRateResult extends Schema.Schema.Type<typeof feeRate.result> {}

/**
 * The endpoints of the domain by name, in the order in which they are listed.
 *
 * @since 0.1.0
 * @category constants
 */
export const endpoints = { walletBalance, feeRate }
