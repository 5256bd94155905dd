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

/**
 * The balance of one coin, in that coin; `usdValue` in USD. (rule records/wallet)
 *
 * @since 0.1.0
 * @category schemas
 */
export const CoinBalance = Schema.Struct({
  coin: described(Id.Coin, "the coin"),
  equity: described(Decimal, "wallet balance and unrealised profit", "the coin"),
  usdValue: described(Absent.emptyable(Decimal), "value of the equity", "USD"),
  walletBalance: described(Decimal, "balance without unrealised profit", "the coin"),
  availableToWithdraw: described(
    Absent.emptyable(Decimal),
    "deprecated for unified accounts: what can be withdrawn",
    "the coin"
  ),
  totalOrderIM: described(Absent.emptyable(Decimal), "margin held for open orders", "the coin"),
  totalPositionIM: described(
    Absent.emptyable(Decimal),
    "initial margin of positions and the fee of their liquidation",
    "the coin"
  ),
  totalPositionMM: described(Absent.emptyable(Decimal), "maintenance margin of positions", "the coin"),
  unrealisedPnl: described(Absent.emptyable(Decimal), "unrealised profit, negative for a loss", "the coin"),
  cumRealisedPnl: described(Absent.emptyable(Decimal), "realised profit in total, negative for a loss", "the coin"),
  bonus: described(Absent.emptyable(Decimal), "bonus in the balance", "the coin"),
  borrowAmount: described(Absent.undescribed(Decimal, "left out"), "borrowed amount", "the coin"),
  availableToBorrow: described(Absent.undescribed(Decimal, "left out"), "what can be borrowed", "the coin"),
  accruedInterest: described(Absent.undescribed(Decimal, "left out"), "interest that is due", "the coin")
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
  accountType: described(Absent.withDefault(Enumerations.AccountType, ""), "the account type"),
  accountIMRate: described(Absent.emptyable(Decimal), "initial margin as a share of the margin balance", "fraction"),
  accountMMRate: described(
    Absent.emptyable(Decimal),
    "maintenance margin as a share of the margin balance",
    "fraction"
  ),
  totalEquity: described(Absent.undescribed(Decimal, "empty"), "equity of all coins", "USD"),
  totalWalletBalance: described(Absent.emptyable(Decimal), "sum of the wallet balances of all coins", "USD"),
  totalMarginBalance: described(Absent.emptyable(Decimal), "totalWalletBalance and totalPerpUPL", "USD"),
  totalAvailableBalance: described(
    Absent.emptyable(Decimal),
    "totalMarginBalance without totalInitialMargin; absent with isolated margin",
    "USD"
  ),
  totalPerpUPL: described(
    Absent.undescribed(Decimal, "empty"),
    "unrealised profit of contracts, negative for a loss",
    "USD"
  ),
  totalInitialMargin: described(Absent.emptyable(Decimal), "initial margin of positions and orders", "USD"),
  totalMaintenanceMargin: described(Absent.emptyable(Decimal), "maintenance margin of positions", "USD"),
  accountLTV: described(
    Absent.undescribed(Decimal, "left out"),
    "not described by the document: borrowed as a share of equity",
    "fraction"
  ),
  coin: described(Absent.rows(CoinBalance), "the balances by coin")
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
  accountType: described(Rule.given(Enumerations.AccountType), "UNIFIED: the trading account"),
  coin: described(Rule.optional(Rule.commaSeparated), "these coins alone; without it all whose balance is not zero")
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
  result: Schema.Struct({ list: described(Absent.rows(WalletBalance), "an entry for each account type") }),
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
  symbol: described(Absent.emptyable(Id.Symbol), "the instrument"),
  takerFeeRate: described(Decimal, "rate of the fee of takers", share),
  makerFeeRate: described(Decimal, "rate of the fee of makers; negative is a rebate", share)
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
  category: described(Rule.oneOf("spot", "linear", "inverse"), "spot, USDT-linear or inverse contracts"),
  symbol: described(Rule.optional(Rule.nonEmpty), "the instrument; without it all")
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
  result: Schema.Struct({
    category: described(Absent.omittable(Schema.String), "the category of all rows"),
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
 * The endpoints of the domain by name, in the order in which they are listed.
 *
 * @since 0.1.0
 * @category constants
 */
export const endpoints = { walletBalance, feeRate }
