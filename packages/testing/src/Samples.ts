/**
 * One request per operation, typed by its endpoint: an operation without one does not compile. The tests of several packages send them, and the
 * reference shows them.
 *
 * Sent in this order to a sandbox they are all accepted, except where the sandbox needs a risk limit to confirm: an order is placed, amended and
 * cancelled.
 *
 * @since 0.1.0
 */
import type * as Account from "@effect-venue/schemas/Account"
import type * as ApiLimits from "@effect-venue/schemas/ApiLimits"
import type * as Assets from "@effect-venue/schemas/Assets"
import type * as Broker from "@effect-venue/schemas/Broker"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import type * as Executions from "@effect-venue/schemas/Executions"
import type * as Instruments from "@effect-venue/schemas/Instruments"
import type * as Orders from "@effect-venue/schemas/Orders"
import type * as Positions from "@effect-venue/schemas/Positions"
import * as Schema from "effect/Schema"

/** The endpoints of a domain's module, by the names of their operations. */
type OfDomain<Name extends string, Module> = {
  readonly [
    Key in Extract<keyof Module, string> as Module[Key] extends Endpoint.Any ? `${Name}.${Key}` : never
  ]: Module[Key] extends Endpoint.Any ? Endpoint.Request<Module[Key]> : never
}

/** The request of each operation. */
type Requests = OfDomain<"orders", typeof Orders> &
  OfDomain<"positions", typeof Positions> &
  OfDomain<"executions", typeof Executions> &
  OfDomain<"instruments", typeof Instruments> &
  OfDomain<"account", typeof Account> &
  OfDomain<"assets", typeof Assets> &
  OfDomain<"broker", typeof Broker> &
  OfDomain<"apiLimits", typeof ApiLimits>

/**
 * The names of the operations.
 *
 * @since 0.1.0
 * @category models
 */
export type Operation = keyof Requests

const market = { category: "linear", symbol: "BTCUSDT" } as const
const entry = { symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "0.01", price: "20000.5" } as const

/**
 * The requests, in the order of `Endpoints.all`.
 *
 * @since 0.1.0
 * @category constants
 */
export const requests: { readonly [Name in Operation]: Requests[Name] } = {
  "orders.open": market,
  "orders.history": { ...market, limit: 50 },
  "orders.create": { category: "linear", ...entry, orderLinkId: "entry-1" },
  "orders.amend": { ...market, orderLinkId: "entry-1", price: "19000.5" },
  "orders.cancel": { ...market, orderLinkId: "entry-1" },
  "orders.cancelAll": market,
  "orders.createBatch": { category: "linear", request: [{ ...entry, orderLinkId: "entry-2" }] },
  "orders.amendBatch": {
    category: "linear",
    request: [{ symbol: "BTCUSDT", orderLinkId: "entry-2", price: "19000.5" }]
  },
  "orders.cancelBatch": { category: "linear", request: [{ symbol: "BTCUSDT", orderLinkId: "entry-2" }] },
  "positions.list": market,
  "positions.addMargin": { category: "linear", symbol: "ETHUSDT", margin: "10", positionIdx: 0 },
  "positions.setTradingStop": { ...market, positionIdx: 0, trailingStop: "150" },
  "positions.setRiskLimit": { ...market, riskId: 2, positionIdx: 0 },
  "positions.confirmNewRiskLimit": { category: "linear", symbol: "XRPUSDT" },
  "positions.setLeverage": { category: "linear", symbol: "SOLUSDT", buyLeverage: "7", sellLeverage: "7" },
  "positions.setTpslMode": { category: "linear", symbol: "SOLUSDT", tpSlMode: "Full" },
  "positions.closedPnl": market,
  "positions.preUpgradeClosedPnl": market,
  "executions.list": market,
  "executions.preUpgrade": market,
  "instruments.list": market,
  "account.walletBalance": { accountType: "UNIFIED", coin: ["USDT"] },
  "account.feeRate": market,
  "assets.deposits": { coin: "USDT" },
  "assets.coins": { coin: "USDT" },
  "assets.bonusUsage": { coin: "USDT" },
  "assets.transfers": { coin: "USDT", limit: 50 },
  "assets.subAccountTransfers": { coin: "USDT", limit: 50 },
  "assets.transfer": {
    requestId: "42c0cfb0-6bca-4242-bc76-4e6df6cbcb16",
    coin: "USDT",
    amount: "25",
    fromAccountType: "FUND",
    toAccountType: "UNIFIED"
  },
  "assets.transferableCoins": { fromAccountType: "FUND", toAccountType: "UNIFIED" },
  "assets.withdrawInternal": {
    requestId: "withdrawal1",
    coin: "USDT",
    amount: "25",
    address: "20000001",
    addressType: 3
  },
  "assets.fundingAssets": { accountType: "FUND" },
  "broker.customers": { begin: "2026-01-01T00:00:00Z", end: "2026-01-08T00:00:00Z" },
  "broker.tradeVolume": { coin: "USDT", limit: 50 },
  "apiLimits.set": { list: [{ uids: ["10000101"], bizType: "SPOT", rate: 20 }] },
  "apiLimits.query": { uids: ["10000001"] }
}

const names: ReadonlySet<string> = new Set(Object.keys(requests))

/**
 * Whether there is an operation of this name.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isOperation = (name: string): name is Operation => names.has(name)

/** An endpoint with its request. */
export interface Sample {
  readonly name: Operation
  readonly endpoint: Endpoint.Any
  readonly request: object
  /** The request as it is sent. */
  readonly wire: Readonly<Record<string, unknown>>
}

/**
 * Every endpoint with its request, in the order of `Endpoints.all`.
 *
 * @since 0.1.0
 * @category constants
 */
export const all: ReadonlyArray<Sample> = Endpoints.all.map((endpoint) => {
  const { name } = endpoint
  if (!isOperation(name)) throw new Error(`${name} has no request in packages/testing/src/Samples.ts`)
  const request = requests[name]
  // The encoded side of a request is a record: texts of a query, or a JSON object.
  const wire = Schema.encodeUnknownSync(endpoint.request)(request) as Readonly<Record<string, unknown>>
  return { name, endpoint, request, wire }
})
