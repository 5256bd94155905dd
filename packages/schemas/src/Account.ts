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
import * as Rule from "./Rule.js"

/**
 * The balance of one coin, in that coin; `usdValue` in USD. (rule records/wallet)
 *
 * @since 0.1.0
 * @category schemas
 */
export const CoinBalance = Schema.Struct({
  coin: Id.Coin,
  equity: Decimal,
  usdValue: Absent.emptyable(Decimal),
  walletBalance: Decimal,
  availableToWithdraw: Absent.emptyable(Decimal),
  totalOrderIM: Absent.emptyable(Decimal),
  totalPositionIM: Absent.emptyable(Decimal),
  totalPositionMM: Absent.emptyable(Decimal),
  unrealisedPnl: Absent.emptyable(Decimal),
  cumRealisedPnl: Absent.emptyable(Decimal),
  bonus: Absent.emptyable(Decimal),
  borrowAmount: Absent.undescribed(Decimal, "left out"),
  availableToBorrow: Absent.undescribed(Decimal, "left out"),
  accruedInterest: Absent.undescribed(Decimal, "left out")
}).annotations({ identifier: "CoinBalance" })

/**
 * @since 0.1.0
 * @category models
 */
export type CoinBalance = typeof CoinBalance.Type

/**
 * The wallet of an account, in USD. The account-wide figures do not apply to isolated-margin accounts.
 * (rule records/wallet)
 *
 * @since 0.1.0
 * @category schemas
 */
export const WalletBalance = Schema.Struct({
  accountType: Absent.withDefault(Enumerations.AccountType, ""),
  accountIMRate: Absent.emptyable(Decimal),
  accountMMRate: Absent.emptyable(Decimal),
  totalEquity: Absent.undescribed(Decimal, "empty"),
  totalWalletBalance: Absent.emptyable(Decimal),
  totalMarginBalance: Absent.emptyable(Decimal),
  totalAvailableBalance: Absent.emptyable(Decimal),
  totalPerpUPL: Absent.undescribed(Decimal, "empty"),
  totalInitialMargin: Absent.emptyable(Decimal),
  totalMaintenanceMargin: Absent.emptyable(Decimal),
  accountLTV: Absent.undescribed(Decimal, "left out"),
  coin: Absent.rows(CoinBalance)
}).annotations({ identifier: "WalletBalance" })

/**
 * @since 0.1.0
 * @category models
 */
export type WalletBalance = typeof WalletBalance.Type

/**
 * Parameters of `account.walletBalance`. Without `coin` only coins with a balance are returned. (docs/reference/account.md#walletbalance)
 *
 * @since 0.1.0
 * @category schemas
 */
export const WalletBalanceRequest = Schema.Struct({
  accountType: Rule.given(Enumerations.AccountType),
  coin: Rule.optional(Rule.commaSeparated)
})

/**
 * @since 0.1.0
 * @category models
 */
export type WalletBalanceRequest = typeof WalletBalanceRequest.Type

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
  result: Schema.Struct({ list: Absent.rows(WalletBalance) }),
  rateLimit: Endpoint.perSecond(10),
  safety: "read",
  source: "docs/reference/rules.md#24-wallet-balance",
  example: { accountType: "UNIFIED", coin: ["USDT"] },
  probes: [{ request: () => ({ accountType: "UNIFIED" }) }]
})

/**
 * The fee rates of an instrument's executions: fractions of their value, such as 0.0006. (docs/reference/account.md#feerate)
 *
 * @since 0.1.0
 * @category schemas
 */
export const FeeRate = Schema.Struct({
  symbol: Absent.emptyable(Id.Symbol),
  takerFeeRate: Decimal,
  makerFeeRate: Decimal
}).annotations({ identifier: "FeeRate" })

/**
 * @since 0.1.0
 * @category models
 */
export type FeeRate = typeof FeeRate.Type

/**
 * Parameters of `account.feeRate`. Without `symbol` all symbols of the category. (docs/reference/account.md#feerate)
 *
 * @since 0.1.0
 * @category schemas
 */
export const FeeRateRequest = Schema.Struct({
  category: Rule.oneOf("spot", "linear", "inverse"),
  symbol: Rule.optional(Rule.nonEmpty)
})

/**
 * @since 0.1.0
 * @category models
 */
export type FeeRateRequest = typeof FeeRateRequest.Type

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
  result: Schema.Struct({ category: Absent.omittable(Schema.String), list: Absent.rows(FeeRate) }),
  rateLimit: Endpoint.perSecond(10),
  safety: "read",
  evidence: "listed",
  source: "docs/reference/listed-operations.md#accountfeerate",
  example: { category: "linear", symbol: "BTCUSDT" },
  probes: Endpoint.probeEach(["spot", "linear", "inverse"], (category) => ({ category }))
})

/**
 * The endpoints of the domain by name, in the order in which they are listed.
 *
 * @since 0.1.0
 * @category constants
 */
export const endpoints = { walletBalance, feeRate }
