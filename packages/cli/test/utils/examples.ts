import { ago } from "./venue.js"

/** An order that rests in the book. */
export const order = ["category=linear", "symbol=BTCUSDT", "side=Buy", "orderType=Limit", "qty=0.01", "price=9000"]

/** Words for a call of every operation, such that the service has something to say. */
export const examples: Readonly<Record<string, ReadonlyArray<string>>> = {
  "orders.open": ["category=linear", "settleCoin=USDT", "limit=2"],
  "orders.history": ["category=linear", "limit=2"],
  "orders.create": order,
  "orders.amend": ["category=linear", "symbol=BTCUSDT", "orderId=none", "qty=0.02"],
  "orders.cancel": ["category=linear", "symbol=BTCUSDT", "orderId=none"],
  "orders.cancelAll": ["category=linear", "symbol=ADAUSDT"],
  "orders.createBatch": [
    "category=linear",
    'request=[{"symbol":"BTCUSDT","side":"Buy","orderType":"Limit","qty":"0.01","price":"9000"}]'
  ],
  "orders.amendBatch": ["category=linear", 'request=[{"symbol":"BTCUSDT","orderId":"none","qty":"0.01"}]'],
  "orders.cancelBatch": ["category=linear", 'request=[{"symbol":"BTCUSDT","orderId":"none"}]'],
  "positions.list": ["category=linear", "settleCoin=USDT"],
  "positions.addMargin": ["category=linear", "symbol=BTCUSDT", "margin=1", "positionIdx=0"],
  "positions.setTradingStop": ["category=linear", "symbol=BTCUSDT", "positionIdx=0", "takeProfit=0"],
  "positions.setRiskLimit": ["category=linear", "symbol=BTCUSDT", "riskId=2", "positionIdx=0"],
  "positions.confirmNewRiskLimit": ["category=linear", "symbol=BTCUSDT"],
  "positions.setLeverage": ["category=linear", "symbol=BTCUSDT", "buyLeverage=5", "sellLeverage=5"],
  "positions.setTpslMode": ["category=linear", "symbol=BTCUSDT", "tpSlMode=Full"],
  "positions.closedPnl": ["category=linear", "limit=2"],
  "positions.preUpgradeClosedPnl": ["category=linear", "limit=2"],
  "executions.list": ["category=spot", "limit=2", `startTime=${ago(3)}`],
  "executions.preUpgrade": ["category=linear", "limit=2"],
  "instruments.list": ["category=spot", "symbol=BTCUSDT"],
  "account.walletBalance": ["accountType=UNIFIED", "coin=BTC,USDT"],
  "account.feeRate": ["category=linear", "symbol=BTCUSDT"],
  "assets.deposits": ["pageSize=2", "type=2"],
  "assets.coins": ["coin=BTC"],
  "assets.bonusUsage": ["coin=USDT", "limit=2"],
  "assets.transfers": ["limit=2"],
  "assets.subAccountTransfers": ["limit=2", `startTime=${ago(30)}`, `endTime=${ago(1)}`],
  "assets.transfer": [
    "requestId=42c0cfb0-6bca-4da0-8b6f-0123456789ab",
    "coin=USDT",
    "amount=1",
    "fromAccountType=UNIFIED",
    "toAccountType=FUND"
  ],
  "assets.transferableCoins": ["fromAccountType=UNIFIED", "toAccountType=FUND"],
  "assets.withdrawInternal": ["requestId=1", "coin=USDT", "amount=1", "address=50000001", "addressType=3"],
  "assets.fundingAssets": ["accountType=SPOT"],
  "broker.customers": [],
  "broker.tradeVolume": ["limit=2"],
  "apiLimits.set": ['list=[{"uids":["10000001"],"bizType":"SPOT","rate":12}]'],
  "apiLimits.query": ["uids=10000001,10000101"]
}
