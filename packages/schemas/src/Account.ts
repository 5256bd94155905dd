/** The account: its wallet and its fee rates. */
import * as Schema from "effect/Schema"
import * as Absent from "./shared/Absent.js"
import { Decimal } from "./Decimal.js"
import * as Endpoint from "./Endpoint.js"
import * as Enumerations from "./Enumerations.js"
import * as Id from "./Id.js"
import { probeEach } from "./internal/definition.js"
import { described, share } from "./internal/meaning.js"
import * as Rule from "./internal/rule.js"

const coinBalanceSchema = Schema.Struct({
  /** The coin. */
  coin: described(Id.Coin, "the coin"),
  /** Wallet balance plus unrealised profit. Unit: the coin. */
  equity: described(Decimal, "wallet balance plus unrealised profit", "the coin"),
  /** Value of the equity. Unit: USD. */
  usdValue: described(Absent.emptyable(Decimal), "value of the equity", "USD"),
  /** Balance, excluding unrealised profit. Unit: the coin. */
  walletBalance: described(Decimal, "balance, excluding unrealised profit", "the coin"),
  /** Amount that can be withdrawn; deprecated for unified accounts. Unit: the coin. */
  availableToWithdraw: described(
    Absent.emptyable(Decimal),
    "amount that can be withdrawn; deprecated for unified accounts",
    "the coin"
  ),
  /** Margin held for open orders. Unit: the coin. */
  totalOrderIM: described(Absent.emptyable(Decimal), "margin held for open orders", "the coin"),
  /** Initial margin of positions, including the estimated liquidation fee. Unit: the coin. */
  totalPositionIM: described(
    Absent.emptyable(Decimal),
    "initial margin of positions, including the estimated liquidation fee",
    "the coin"
  ),
  /** Maintenance margin of positions. Unit: the coin. */
  totalPositionMM: described(Absent.emptyable(Decimal), "maintenance margin of positions", "the coin"),
  /** Unrealised profit, negative for a loss. Unit: the coin. */
  unrealisedPnl: described(Absent.emptyable(Decimal), "unrealised profit, negative for a loss", "the coin"),
  /** Total realised profit, negative for a loss. Unit: the coin. */
  cumRealisedPnl: described(Absent.emptyable(Decimal), "total realised profit, negative for a loss", "the coin"),
  /** Bonus included in the balance. Unit: the coin. */
  bonus: described(Absent.emptyable(Decimal), "bonus included in the balance", "the coin"),
  /** Borrowed amount. Unit: the coin. */
  borrowAmount: described(Absent.undescribed(Decimal, "left out"), "borrowed amount", "the coin"),
  /** Amount that can be borrowed. Unit: the coin. */
  availableToBorrow: described(Absent.undescribed(Decimal, "left out"), "amount that can be borrowed", "the coin"),
  /** Interest due. Unit: the coin. */
  accruedInterest: described(Absent.undescribed(Decimal, "left out"), "interest due", "the coin")
}).annotations({ identifier: "CoinBalance" })

/** The balance of one coin. Amounts are in that coin, `usdValue` is in USD. (rule records/wallet) */
export const CoinBalance: Schema.Schema<
  CoinBalance,
  Schema.Schema.Encoded<typeof coinBalanceSchema>
> = coinBalanceSchema

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
  /** Total equity of all coins. Unit: USD. */
  totalEquity: described(Absent.undescribed(Decimal, "empty"), "total equity of all coins", "USD"),
  /** Sum of the wallet balances of all coins. Unit: USD. */
  totalWalletBalance: described(Absent.emptyable(Decimal), "sum of the wallet balances of all coins", "USD"),
  /** `totalWalletBalance` plus `totalPerpUPL`. Unit: USD. */
  totalMarginBalance: described(Absent.emptyable(Decimal), "`totalWalletBalance` plus `totalPerpUPL`", "USD"),
  /** `totalMarginBalance` minus `totalInitialMargin`; absent for isolated margin. Unit: USD. */
  totalAvailableBalance: described(
    Absent.emptyable(Decimal),
    "`totalMarginBalance` minus `totalInitialMargin`; absent for isolated margin",
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
  /** Borrowed amount as a share of equity; not documented by the service. Unit: fraction. */
  accountLTV: described(
    Absent.undescribed(Decimal, "left out"),
    "borrowed amount as a share of equity; not documented by the service",
    "fraction"
  ),
  /** The balance of each coin. */
  coin: described(Absent.rows(CoinBalance), "the balance of each coin")
}).annotations({ identifier: "WalletBalance" })

/** The wallet of an account. Amounts are in USD. The account-wide amounts do not apply to isolated-margin accounts. (rule records/wallet) */
export const WalletBalance: Schema.Schema<
  WalletBalance,
  Schema.Schema.Encoded<typeof walletBalanceSchema>
> = walletBalanceSchema

export interface WalletBalance extends Schema.Schema.Type<typeof walletBalanceSchema> {}

/** Parameters of `account.walletBalance`. Without `coin`, all coins with a balance are returned. (docs/reference/account.md#walletbalance) */
export const WalletBalanceRequest = Schema.Struct({
  /** UNIFIED, the trading account. */
  accountType: described(Rule.nonEmptyOf(Enumerations.AccountType), "UNIFIED, the trading account"),
  /** Only these coins; default: all coins with a balance. */
  coin: described(Rule.optional(Rule.commaSeparated), "only these coins; default: all coins with a balance")
})

export interface WalletBalanceRequest extends Schema.Schema.Type<typeof WalletBalanceRequest> {}

/** The wallet of an account type. */
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

/** The result of `account.walletBalance`. */
export interface WalletBalanceResult extends Schema.Schema.Type<typeof walletBalance.result> {}

const feeRateSchema = Schema.Struct({
  /** The instrument. */
  symbol: described(Absent.emptyable(Id.Symbol), "the instrument"),
  /** Fee rate of takers. Unit: fraction; 0.0006 is 0.06 %. */
  takerFeeRate: described(Decimal, "fee rate of takers", share),
  /** Fee rate of makers, negative for a rebate. Unit: fraction; 0.0006 is 0.06 %. */
  makerFeeRate: described(Decimal, "fee rate of makers, negative for a rebate", share)
}).annotations({ identifier: "FeeRate" })

/** The fee rates of an instrument, as fractions of the value of an execution, such as 0.0006. (docs/reference/account.md#feerate) */
export const FeeRate: Schema.Schema<FeeRate, Schema.Schema.Encoded<typeof feeRateSchema>> = feeRateSchema

export interface FeeRate extends Schema.Schema.Type<typeof feeRateSchema> {}

/** Parameters of `account.feeRate`. Without `symbol`, all symbols of the category are returned. (docs/reference/account.md#feerate) */
export const FeeRateRequest = Schema.Struct({
  /** Spot, USDT-linear or inverse contracts. */
  category: described(Rule.oneOf("spot", "linear", "inverse"), "spot, USDT-linear or inverse contracts"),
  /** Only this instrument; default: all. */
  symbol: described(Rule.optional(Rule.nonEmpty), "only this instrument; default: all")
})

export interface FeeRateRequest extends Schema.Schema.Type<typeof FeeRateRequest> {}

/** The fee rates of one instrument, or of every instrument of a category. */
export const feeRate = Endpoint.make({
  name: "account.feeRate",
  domain: "Account",
  summary: "The fee rates of one instrument, or of every instrument of a category",
  method: "GET",
  path: "/cloud/trade/v3/account/fee-rate",
  request: FeeRateRequest,
  result: Schema.Struct({
    /** The category of the rows. */
    category: described(Absent.omittable(Schema.String), "the category of the rows"),
    /** An entry for each account type. */
    list: described(Absent.rows(FeeRate), "an entry for each account type")
  }),
  rateLimit: Endpoint.perSecond(10),
  safety: "read",
  evidence: "listed",
  source: "docs/reference/listed-operations.md#accountfeerate",
  example: { category: "linear", symbol: "BTCUSDT" },
  probes: probeEach(["spot", "linear", "inverse"], (category) => ({ category }))
})

/** The result of `account.feeRate`. */
export interface FeeRateResult extends Schema.Schema.Type<typeof feeRate.result> {}

/** The endpoints of this domain, by method name. */
export const endpoints = { walletBalance, feeRate }
