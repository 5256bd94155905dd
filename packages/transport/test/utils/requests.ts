import * as Endpoints from "@effect-venue/schemas/Endpoints"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"

const requests: Readonly<Record<string, object>> = {
  "orders.open": { category: "linear", symbol: "BTCUSDT" },
  "orders.amend": { category: "linear", symbol: "BTCUSDT", orderId: "o-1", price: "1" },
  "orders.cancelAll": { category: "linear", symbol: "BTCUSDT" },
  "orders.history": { category: "linear" },
  "orders.create": {
    category: "linear",
    symbol: "BTCUSDT",
    side: "Buy",
    orderType: "Market",
    qty: "1",
    orderLinkId: "l-1"
  },
  "orders.cancel": { category: "linear", symbol: "BTCUSDT", orderId: "o-1" },
  "orders.createBatch": {
    category: "linear",
    request: [{ symbol: "BTCUSDT", side: "Buy", orderType: "Market", qty: "1", orderLinkId: "l-1" }]
  },
  "orders.amendBatch": { category: "linear", request: [{ symbol: "BTCUSDT", orderId: "o-1", price: "1" }] },
  "orders.cancelBatch": { category: "linear", request: [{ symbol: "BTCUSDT", orderId: "o-1" }] },
  "positions.closedPnl": { category: "linear" },
  "positions.setLeverage": { category: "linear", symbol: "BTCUSDT", buyLeverage: "5", sellLeverage: "5" },
  "positions.setTpslMode": { category: "linear", symbol: "BTCUSDT", tpSlMode: "Full" },
  "positions.confirmNewRiskLimit": { category: "linear", symbol: "BTCUSDT" },
  "account.feeRate": { category: "linear" },
  "positions.list": { category: "linear", symbol: "BTCUSDT" },
  "positions.addMargin": { category: "linear", symbol: "BTCUSDT", margin: "1" },
  "positions.setTradingStop": { category: "linear", symbol: "BTCUSDT", takeProfit: "1", positionIdx: 0 },
  "positions.setRiskLimit": { category: "linear", symbol: "BTCUSDT", riskId: 1 },
  "positions.preUpgradeClosedPnl": { category: "linear" },
  "executions.list": { category: "linear" },
  "executions.preUpgrade": { category: "linear" },
  "instruments.list": { category: "linear" },
  "account.walletBalance": { accountType: "UNIFIED" },
  "assets.deposits": {},
  "assets.coins": {},
  "assets.bonusUsage": { coin: "USDT" },
  "assets.transfers": {},
  "assets.subAccountTransfers": {},
  "assets.transfer": {
    requestId: "87c18caa-539a-449e-99cc-c39e4329bcc5",
    coin: "USDT",
    amount: "1",
    fromAccountType: "UNIFIED",
    toAccountType: "FUND"
  },
  "assets.transferableCoins": { fromAccountType: "UNIFIED", toAccountType: "FUND" },
  "assets.withdrawInternal": { requestId: "r1", coin: "USDT", addressType: 3, address: "1", amount: "1" },
  "assets.fundingAssets": { accountType: "FUND" },
  "broker.customers": {},
  "broker.tradeVolume": {},
  "apiLimits.set": { list: [{ uids: ["1"], bizType: "SPOT", rate: 1 }] },
  "apiLimits.query": { uids: ["1"] }
}

/** Every endpoint with a request that it takes. */
export const all: ReadonlyArray<readonly [Endpoint.Any, object]> = Endpoints.all.map((endpoint) => {
  const request = requests[endpoint.name]
  if (request === undefined) throw new Error(`no request for ${endpoint.name}`)
  return [endpoint, request]
})
