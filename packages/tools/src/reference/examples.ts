/** What each operation is asked for in its example, as code; the documentation's check compiles it. */
const id = '"c6f055d9-7f21-4079-913d-e6523a9cfffa"'

export const requests: { readonly [operation: string]: string } = {
  "orders.open": '{ category: "linear", symbol: "BTCUSDT" }',
  "orders.history": '{ category: "linear", symbol: "BTCUSDT", limit: 50 }',
  "orders.create":
    '{ category: "linear", symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "0.01", price: "64000.5" }',
  "orders.amend": `{ category: "linear", symbol: "BTCUSDT", orderId: ${id}, price: "64000.5" }`,
  "orders.cancel": `{ category: "linear", symbol: "BTCUSDT", orderId: ${id} }`,
  "orders.cancelAll": '{ category: "linear", symbol: "BTCUSDT" }',
  "orders.createBatch":
    '{ category: "linear", request: [{ symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "0.01", price: "64000.5" }] }',
  "orders.amendBatch": `{ category: "linear", request: [{ symbol: "BTCUSDT", orderId: ${id}, price: "64000.5" }] }`,
  "orders.cancelBatch": `{ category: "linear", request: [{ symbol: "BTCUSDT", orderId: ${id} }] }`,
  "positions.list": '{ category: "linear", symbol: "BTCUSDT" }',
  "positions.addMargin": '{ category: "linear", symbol: "BTCUSDT", margin: "10", positionIdx: 0 }',
  "positions.setTradingStop":
    '{ category: "linear", symbol: "BTCUSDT", positionIdx: 0, takeProfit: "70000", stopLoss: "60000" }',
  "positions.setRiskLimit": '{ category: "linear", symbol: "BTCUSDT", riskId: 2, positionIdx: 0 }',
  "positions.confirmNewRiskLimit": '{ category: "linear", symbol: "BTCUSDT" }',
  "positions.setLeverage": '{ category: "linear", symbol: "BTCUSDT", buyLeverage: "5", sellLeverage: "5" }',
  "positions.setTpslMode": '{ category: "linear", symbol: "BTCUSDT", tpSlMode: "Full" }',
  "positions.closedPnl": '{ category: "linear", symbol: "BTCUSDT" }',
  "positions.preUpgradeClosedPnl": '{ category: "linear", symbol: "BTCUSDT" }',
  "executions.list": '{ category: "linear", symbol: "BTCUSDT" }',
  "executions.preUpgrade": '{ category: "linear", symbol: "BTCUSDT" }',
  "instruments.list": '{ category: "linear", symbol: "BTCUSDT" }',
  "account.walletBalance": '{ accountType: "UNIFIED", coin: ["USDT"] }',
  "account.feeRate": '{ category: "linear", symbol: "BTCUSDT" }',
  "assets.deposits": '{ coin: "USDT" }',
  "assets.coins": '{ coin: "USDT" }',
  "assets.bonusUsage": '{ coin: "USDT" }',
  "assets.transfers": '{ coin: "USDT", limit: 50 }',
  "assets.subAccountTransfers": '{ coin: "USDT", limit: 50 }',
  "assets.transfer": '{ coin: "USDT", amount: "25", fromAccountType: "FUND", toAccountType: "UNIFIED" }',
  "assets.transferableCoins": '{ fromAccountType: "FUND", toAccountType: "UNIFIED" }',
  "assets.withdrawInternal": '{ coin: "USDT", amount: "25", address: "1000002", addressType: 1 }',
  "assets.fundingAssets": '{ accountType: "FUND" }',
  "broker.customers": '{ begin: "2026-01-01T00:00:00Z", end: "2026-01-08T00:00:00Z" }',
  "broker.tradeVolume": '{ coin: "USDT", limit: 50 }',
  "apiLimits.set": '{ list: [{ uids: ["1000001"], bizType: "DERIVATIVES", rate: 20 }] }',
  "apiLimits.query": '{ uids: ["1000001"] }'
}
