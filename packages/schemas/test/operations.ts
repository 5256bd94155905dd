/**
 * What an operation is, written by hand from the service's document: the schemas have no say here. `is`: method and path | signing | envelope |
 * limit | safety | page size and its parameter | cursor | history window. `closed`: its parameters with a closed set of values, by the parameter
 * tables; what is not there takes other values too. `required`: the fields of its answer that may never be missing, each with the reason.
 */

export interface Operation {
  readonly is: string
  readonly closed: ReadonlyArray<string>
  readonly required: Fields
}

const order = [
  ...["side", "orderType", "marketUnit", "slippageToleranceType", "triggerDirection", "triggerBy", "orderFilter"],
  ...["positionIdx", "tpTriggerBy", "slTriggerBy", "tpslMode", "tpOrderType", "slOrderType"]
]

const amendment = ["tpslMode", "tpTriggerBy", "slTriggerBy", "triggerBy", "tpOrderType", "slOrderType"]

const inBatch = (names: ReadonlyArray<string>) => names.map((name) => `request[].${name}`)

/** Why the fields of an answer that may never be missing are few, and what they are. */
export const reasons = {
  id: "an id: a record without it belongs to nothing",
  side: "the side of what money is counted by",
  price: "a price that money is counted by, or that orders are made of",
  quantity: "a quantity or an amount of money",
  fee: "a fee or the rate of one",
  time: "the instant of what money is counted by: lists of it are read by it",
  outcome: "whether something was executed: a write is looked up by it",
  rows: "the list that an answer is made of: without it an answer is none, and must not pass for one without rows",
  limit: "how often may be called"
}

const orderFields = {
  orderId: "id",
  symbol: "id",
  qty: "quantity",
  side: "side",
  orderStatus: "outcome",
  cumExecQty: "quantity",
  cumExecValue: "quantity",
  cumExecFee: "fee",
  createdTime: "time",
  updatedTime: "time"
} as const

const executionFields = {
  symbol: "id",
  orderId: "id",
  side: "side",
  execFee: "fee",
  execId: "id",
  execPrice: "price",
  execQty: "quantity",
  execTime: "time"
} as const

const closedFields = {
  symbol: "id",
  orderId: "id",
  side: "side",
  qty: "quantity",
  closedSize: "quantity",
  cumEntryValue: "quantity",
  avgEntryPrice: "price",
  cumExitValue: "quantity",
  avgExitPrice: "price",
  closedPnl: "quantity",
  createdTime: "time",
  updatedTime: "time"
} as const

export type Fields = Readonly<Record<string, keyof typeof reasons>>

export const ofList = (fields: Fields, list = "list"): Fields => ({
  [list]: "rows",
  ...Object.fromEntries(Object.entries(fields).map(([name, reason]) => [`${list}[].${name}`, reason]))
})

const capitalised = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, reason]) => [name.charAt(0).toUpperCase() + name.slice(1), reason])
  )

const batch: Fields = {
  result: "rows",
  extInfo: "rows",
  "result.list": "rows",
  "extInfo.list": "rows",
  "extInfo.list[].code": "outcome"
}

/** In the order of the document. */
export const documented: Readonly<Record<string, Operation>> = {
  "orders.open": {
    is: "GET /cloud/trade/v3/order/realtime | header | standard | 10/s per category | read | limit 1-50 (20) | cursor <- nextPageCursor of list",
    closed: ["category", "openOnly", "orderFilter"],
    required: ofList(capitalised(orderFields))
  },
  "assets.deposits": {
    is: "GET /private/v1/asset/deposit/query-record | parameter | legacy | 300/min | read | pageSize 1-50 (20) | cursor <- cursor of rows | startTime-endTime s",
    closed: ["type"],
    required: ofList(
      {
        coin: "id",
        amount: "quantity",
        status: "outcome",
        time: "time",
        transaction_id: "id",
        create_time: "time"
      },
      "rows"
    )
  },
  "assets.coins": {
    is: "GET /private/v1/asset/coin/query-info | parameter | legacy | 5/s | read",
    closed: [],
    required: ofList({ coin: "id", "deposit_chains[].chain": "id", "withdraw_chains[].chain": "id" }, "rows")
  },
  "assets.bonusUsage": {
    is: "GET /private/v1/asset/bonus/usage | parameter | legacy | 60/min | read |  |  | startTime-endTime s",
    closed: ["coin", "awardType"],
    required: ofList({ time: "time", coin: "id", amount: "quantity" }, "rows")
  },
  "positions.list": {
    is: "GET /cloud/trade/v3/position/list | header | standard | 10/s per category | read | limit 1-200 (20) | cursor <- nextPageCursor of list",
    closed: ["category"],
    required: ofList({ positionIdx: "id", symbol: "id", size: "quantity" })
  },
  "positions.addMargin": {
    is: "POST /cloud/trade/v3/position/add-margin | header | standard |  | write",
    closed: ["category", "positionIdx"],
    required: { positionIdx: "id", symbol: "id", size: "quantity" }
  },
  "positions.setTradingStop": {
    is: "POST /cloud/trade/v3/position/trading-stop | header | standard | 10/s per category | write",
    closed: [...["category", "tpslMode", "tpTriggerBy", "slTriggerBy", "tpOrderType", "slOrderType", "positionIdx"]],
    required: {}
  },
  "assets.transfers": {
    is: "GET /private/v1/asset/transfer/list | parameter | standard |  | read | limit 1-50 (10) | cursor <- cursor of list | startTime-endTime s",
    closed: [],
    required: ofList({
      transferId: "id",
      coin: "id",
      amount: "quantity",
      status: "outcome",
      timestamp: "time"
    })
  },
  "executions.list": {
    is: "GET /cloud/trade/v3/execution/list | header | standard | 10/s per category | read | limit 1-100 (50) | cursor <- nextPageCursor of list | startTime-endTime ms 7d back 730d",
    closed: ["category"],
    required: ofList(executionFields)
  },
  "executions.preUpgrade": {
    is: "GET /cloud/trade/v3/pre-upgrade/execution/list | header | standard |  | read | limit 1-100 (50) | cursor <- nextPageCursor of list | startTime-endTime ms 7d",
    closed: ["category"],
    required: ofList(executionFields)
  },
  "instruments.list": {
    is: "GET /cloud/trade/v3/market/instruments-info | public | standard |  | read | limit 1-1000 (500) | cursor <- nextPageCursor of list",
    closed: ["category"],
    required: ofList({
      symbol: "id",
      baseCoin: "id",
      quoteCoin: "id",
      priceFilter: "price",
      "priceFilter.tickSize": "price",
      lotSizeFilter: "quantity",
      "lotSizeFilter.minOrderQty": "quantity",
      "lotSizeFilter.maxOrderQty": "quantity"
    })
  },
  "positions.preUpgradeClosedPnl": {
    is: "GET /cloud/trade/v3/pre-upgrade/position/closed-pnl | header | standard |  | read | limit 1-100 (50) | cursor <- nextPageCursor of list | startTime-endTime ms 7d",
    closed: ["category"],
    required: ofList(closedFields)
  },
  "orders.amend": {
    is: "POST /cloud/trade/v3/order/amend | header | standard | 10/s per category | write",
    closed: ["category", ...amendment],
    required: { orderId: "id" }
  },
  "assets.subAccountTransfers": {
    is: "GET /private/v1/asset/sub-member/transfer/list | parameter | bare |  | read | limit | cursor <- cursor of list | startTime-endTime s",
    closed: [],
    required: ofList({
      transfer_id: "id",
      coin: "id",
      amount: "quantity",
      user_id: "id",
      sub_user_id: "id",
      timestamp: "time",
      status: "outcome",
      type: "side"
    })
  },
  "assets.withdrawInternal": {
    is: "POST /private/v1/asset/withdraw/inner-create | parameter | standard | 1/s | idempotent",
    closed: ["addressType"],
    required: { withdraw_id: "id" }
  },
  "assets.transfer": {
    is: "POST /private/v1/asset/transfer/single-account-transfer | parameter | legacy | 1/s | idempotent",
    closed: [],
    required: { transferId: "id" }
  },
  "assets.fundingAssets": {
    is: "GET /cloud/trade/v3/asset/transfer/query-asset-info | parameter | standard |  | read",
    closed: ["accountType"],
    required: Object.fromEntries(
      ["spot", "fund"].flatMap((account) => [
        [`${account}.assets`, "rows"],
        [`${account}.assets[].coin`, "id"],
        [`${account}.assets[].free`, "quantity"],
        [`${account}.assets[].total_balance`, "quantity"]
      ])
    )
  },
  "orders.cancelAll": {
    is: "POST /cloud/trade/v3/order/cancel-all | header | standard | 10/s per category | write",
    closed: ["category", "orderFilter", "stopOrderType"],
    required: ofList({ orderId: "id" })
  },
  "assets.transferableCoins": {
    is: "GET /private/v1/asset/transfer/query-coins | parameter | legacy | 60/min | read",
    closed: [],
    required: { coins: "rows", "coins[]": "id" }
  },
  "broker.customers": {
    is: "GET /private/v1/broker/query-direct-user-list | parameter | legacy | 5/s | read",
    closed: [],
    required: { user_list: "rows", "user_list[]": "id" }
  },
  "apiLimits.set": {
    is: "POST /cloud/trade/v3/apilimit/set | header | standard | 50/s | write",
    closed: [],
    required: ofList({ uids: "id", rate: "limit", success: "outcome" }, "result")
  },
  "apiLimits.query": {
    is: "GET /cloud/trade/v3/apilimit/query | header | standard | 50/s | read",
    closed: [],
    required: ofList({ uids: "id", rate: "limit" })
  },
  "broker.tradeVolume": {
    is: "GET /private/v1/broker/trade-volume | parameter | legacy | 5/s | read | limit 1-50 (20) | cursor <- nextCursor of list | from-to ms",
    closed: ["productType", "contractType"],
    required: ofList({
      user_id: "id",
      coins: "rows",
      "coins[].coin": "id",
      "coins[].trade_volume": "quantity",
      "coins[].fee": "fee"
    })
  },
  "account.walletBalance": {
    is: "GET /cloud/trade/v3/account/wallet-balance | header | standard | 10/s | read",
    closed: [],
    required: ofList({
      coin: "rows",
      "coin[].coin": "id",
      "coin[].equity": "quantity",
      "coin[].walletBalance": "quantity"
    })
  },
  "positions.setRiskLimit": {
    is: "POST /cloud/trade/v3/position/set-risk-limit | header | standard | 10/s per category | write",
    closed: ["category", "positionIdx"],
    required: { riskId: "id" }
  }
}

/** Those of which the document has the path alone. (docs/reference/listed-operations.md) */
export const listed: Readonly<Record<string, Operation>> = {
  "orders.create": {
    is: "POST /cloud/trade/v3/order/create | header | standard | 10/s per category | write",
    closed: ["category", ...order],
    required: { orderId: "id" }
  },
  "orders.cancel": {
    is: "POST /cloud/trade/v3/order/cancel | header | standard | 10/s per category | write",
    closed: ["category", "orderFilter"],
    required: { orderId: "id" }
  },
  "orders.history": {
    is: "GET /cloud/trade/v3/order/history | header | standard | 10/s per category | read | limit 1-50 (20) | cursor <- nextPageCursor of list | startTime-endTime ms 7d back 730d",
    closed: ["category", "orderFilter"],
    required: ofList(orderFields)
  },
  "positions.setLeverage": {
    is: "POST /cloud/trade/v3/position/set-leverage | header | standard | 10/s per category | write",
    closed: ["category"],
    required: {}
  },
  "positions.setTpslMode": {
    is: "POST /cloud/trade/v3/position/set-tpsl-mode | header | standard | 10/s per category | write",
    closed: ["category", "tpSlMode"],
    required: {}
  },
  "positions.closedPnl": {
    is: "GET /cloud/trade/v3/position/closed-pnl | header | standard | 10/s per category | read | limit 1-100 (50) | cursor <- nextPageCursor of list | startTime-endTime ms 7d back 730d",
    closed: ["category"],
    required: ofList(closedFields)
  },
  "positions.confirmNewRiskLimit": {
    is: "POST /cloud/trade/v3/position/confirm-pending-mmr | header | standard |  | write",
    closed: ["category"],
    required: {}
  },
  "account.feeRate": {
    is: "GET /cloud/trade/v3/account/fee-rate | header | standard | 10/s | read",
    closed: ["category"],
    required: ofList({ takerFeeRate: "fee", makerFeeRate: "fee" })
  },
  "orders.createBatch": {
    is: "POST /cloud/trade/v3/order/create-batch | header | standard | 10/s per category | write",
    closed: ["category", ...inBatch(order)],
    required: batch
  },
  "orders.amendBatch": {
    is: "POST /cloud/trade/v3/order/amend-batch | header | standard | 10/s per category | write",
    closed: ["category", ...inBatch(amendment)],
    required: batch
  },
  "orders.cancelBatch": {
    is: "POST /cloud/trade/v3/order/cancel-batch | header | standard | 10/s per category | write",
    closed: ["category"],
    required: batch
  }
}

export const all: Readonly<Record<string, Operation>> = { ...documented, ...listed }
