/** The account: its wallet and its fee rates. */
import * as Schema from "effect/Schema"
import * as Absent from "../fields/Absent.js"
import { Decimal } from "../scalars/Decimal.js"
import * as Endpoint from "../endpoint/Endpoint.js"
import * as Enumerations from "../scalars/Enumerations.js"
import * as Id from "../scalars/Id.js"
import { probeEach } from "../endpoint/definition.js"
import * as Refusals from "../rules/Refusals.js"
import * as Rule from "../rules/rule.js"

const coinBalanceSchema = Schema.Struct({
  /** The coin. */
  coin: Id.Coin,
  /** Wallet balance plus unrealised profit. Unit: the coin. */
  equity: Decimal,
  /** Value of the equity. Unit: USD. */
  usdValue: Absent.emptyable(Decimal),
  /** Balance, excluding unrealised profit. Unit: the coin. */
  walletBalance: Decimal,
  /**
   * Balance that is available for contracts; deprecated for unified accounts. In cross margin `totalAvailableBalance` in this coin, which
   * can be more than the coin's balance. Unit: the coin.
   */
  availableToWithdraw: Absent.emptyable(Decimal),
  /** Margin held for open orders. Unit: the coin. */
  totalOrderIM: Absent.emptyable(Decimal),
  /** Initial margin of positions, including the estimated liquidation fee. Unit: the coin. */
  totalPositionIM: Absent.emptyable(Decimal),
  /** Maintenance margin of positions. Unit: the coin. */
  totalPositionMM: Absent.emptyable(Decimal),
  /** Unrealised profit, negative for a loss. Unit: the coin. */
  unrealisedPnl: Absent.emptyable(Decimal),
  /** Total realised profit, negative for a loss. Unit: the coin. */
  cumRealisedPnl: Absent.emptyable(Decimal),
  /** Bonus included in the balance. Unit: the coin. */
  bonus: Absent.emptyable(Decimal),
  /** Borrowed amount. Unit: the coin. */
  borrowAmount: Absent.undescribed(Decimal, "left out"),
  /** Amount that can be borrowed. Unit: the coin. */
  availableToBorrow: Absent.undescribed(Decimal, "empty"),
  /** Interest due. Unit: the coin. */
  accruedInterest: Absent.undescribed(Decimal, "left out")
}).pipe(Refusals.record("CoinBalance"))

/** The balance of one coin. Amounts are in that coin, `usdValue` is in USD. (rule records/wallet) */
export const CoinBalance: Schema.Schema<
  CoinBalance,
  Schema.Schema.Encoded<typeof coinBalanceSchema>
> = coinBalanceSchema

export interface CoinBalance extends Schema.Schema.Type<typeof coinBalanceSchema> {}

const walletBalanceSchema = Schema.Struct({
  /** The account type. */
  accountType: Absent.orEmptyText(Enumerations.AccountType),
  /** Initial margin as a share of the margin balance. Unit: fraction. */
  accountIMRate: Absent.emptyable(Decimal),
  /** Maintenance margin as a share of the margin balance. Unit: fraction. */
  accountMMRate: Absent.emptyable(Decimal),
  /** Total equity of all coins. Unit: USD. */
  totalEquity: Absent.undescribed(Decimal, "empty"),
  /** Sum of the wallet balances of all coins. Unit: USD. */
  totalWalletBalance: Absent.emptyable(Decimal),
  /** `totalWalletBalance` plus `totalPerpUPL`. Unit: USD. */
  totalMarginBalance: Absent.emptyable(Decimal),
  /** `totalMarginBalance` minus `totalInitialMargin`; absent for isolated margin. Unit: USD. */
  totalAvailableBalance: Absent.emptyable(Decimal),
  /** Unrealised profit of contracts, negative for a loss. Unit: USD. */
  totalPerpUPL: Absent.undescribed(Decimal, "empty"),
  /** Initial margin of positions and orders. Unit: USD. */
  totalInitialMargin: Absent.emptyable(Decimal),
  /** Maintenance margin of positions. Unit: USD. */
  totalMaintenanceMargin: Absent.emptyable(Decimal),
  /** Borrowed amount as a share of equity; not documented by the service. Unit: fraction. */
  accountLTV: Absent.undescribed(Decimal, "left out"),
  /** The balance of each coin. */
  coin: Absent.rows(CoinBalance)
}).pipe(Refusals.record("WalletBalance"))

/** The wallet of an account. Amounts are in USD. The account-wide amounts do not apply to isolated-margin accounts. (rule records/wallet) */
export const WalletBalance: Schema.Schema<
  WalletBalance,
  Schema.Schema.Encoded<typeof walletBalanceSchema>
> = walletBalanceSchema

export interface WalletBalance extends Schema.Schema.Type<typeof walletBalanceSchema> {}

/** Parameters of `account.walletBalance`. Without `coin`, all coins with a balance are returned. (docs/reference/account/walletBalance.md) */
export const WalletBalanceRequest = Rule.request({
  /** UNIFIED, the trading account. */
  accountType: Rule.nonEmptyOf(Enumerations.AccountType),
  /** Only these coins; default: all coins with a balance. */
  coin: Rule.optional(Rule.commaSeparated)
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
    list: Absent.rows(WalletBalance)
  }),
  rateLimit: Endpoint.perSecond(10),
  safety: "read",
  source: "docs/reference/rules.md#24-wallet-balance",
  example: { accountType: "UNIFIED", coin: ["USDT"] },
  probes: [{ request: () => ({ accountType: "UNIFIED" as const }) }]
})

/** The result of `account.walletBalance`. */
export const WalletBalanceResult: Schema.Schema<
  WalletBalanceResult,
  Schema.Schema.Encoded<typeof walletBalance.result>
> = walletBalance.result

export interface WalletBalanceResult extends Schema.Schema.Type<typeof walletBalance.result> {}

const feeRateSchema = Schema.Struct({
  /** The instrument. */
  symbol: Absent.emptyable(Id.Symbol),
  /** Fee rate of takers. Unit: fraction; 0.0006 is 0.06 %. */
  takerFeeRate: Decimal,
  /** Fee rate of makers, negative for a rebate. Unit: fraction; 0.0006 is 0.06 %. */
  makerFeeRate: Decimal
}).pipe(Refusals.record("FeeRate"))

/** The fee rates of an instrument, as fractions of the value of an execution, such as 0.0006. (docs/reference/account/feeRate.md) */
export const FeeRate: Schema.Schema<FeeRate, Schema.Schema.Encoded<typeof feeRateSchema>> = feeRateSchema

export interface FeeRate extends Schema.Schema.Type<typeof feeRateSchema> {}

/** Parameters of `account.feeRate`. Without `symbol`, all symbols of the category are returned. (docs/reference/account/feeRate.md) */
export const FeeRateRequest = Rule.request({
  /** Spot, USDT-linear or inverse contracts. */
  category: Rule.oneOf("public", "spot", "linear", "inverse"),
  /** Only this instrument; default: all. */
  symbol: Rule.optional(Rule.nonEmpty)
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
    category: Absent.omittable(Schema.String),
    /** An entry for each account type. */
    list: Absent.rows(FeeRate)
  }),
  rateLimit: Endpoint.perSecond(10),
  safety: "read",
  evidence: "path documented",
  source: "docs/reference/listed-operations.md#accountfeerate",
  example: { category: "linear", symbol: "BTCUSDT" },
  probes: probeEach(["spot", "linear", "inverse"], (category) => ({ category }))
})

/** The result of `account.feeRate`. */
export const FeeRateResult: Schema.Schema<FeeRateResult, Schema.Schema.Encoded<typeof feeRate.result>> = feeRate.result

export interface FeeRateResult extends Schema.Schema.Type<typeof feeRate.result> {}

/** The endpoints of this domain, by method name. */
export const endpoints = { walletBalance, feeRate }
