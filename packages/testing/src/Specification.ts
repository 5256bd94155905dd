/**
 * The operations according to the service's document, written by hand and independent of the schemas and the sandbox. Client and sandbox
 * share the schemas, so a wrong path or bound would be wrong in both, and only this table can find it.
 *
 * @since 0.1.0
 */
import type * as Samples from "./Samples.js"

/** An operation according to the document. */
export interface Specified {
  /** Method and path | signing | envelope | limit | safety | page size and its parameter | cursor | history window. */
  readonly is: string
  /** The parameters of an operation that the document describes. */
  readonly parameters?: Readonly<Record<string, Parameter | typeof unchecked>>
  /** For an operation that the document only lists: the parameters with a closed set of values. */
  readonly closed?: ReadonlyArray<string>
  /** The required fields of its result, with reasons. */
  readonly required: Fields
  /** At least two requests that the client refuses before it sends anything, with the field and the rule of the failure. */
  readonly refusedHere: ReadonlyArray<RefusedHere>
  /** At least one request that the service refuses, sent with the key of a role. */
  readonly refusedThere: ReadonlyArray<RefusedThere>
}

export interface RefusedHere {
  readonly request: object
  readonly field: string
  readonly rule: string | RegExp
}

export interface RefusedThere {
  readonly request: object
  readonly by: "classic" | "customer" | "expired" | "main" | "readOnly" | "sub"
  /** The tag of the failure, and fields of it. */
  readonly failure: { readonly _tag: string } & Readonly<Record<string, unknown>>
}

/** A parameter in JSON Schema. */
export interface Parameter {
  readonly required?: true
  readonly enum?: ReadonlyArray<string | number>
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: string | number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  readonly minItems?: number
  readonly maxItems?: number
}

/** A parameter whose schema the table does not specify. */
export const unchecked = Symbol("unchecked")

const choices = [
  ...["side", "orderType", "marketUnit", "slippageToleranceType", "triggerDirection", "triggerBy", "orderFilter"],
  ...["positionIdx", "tpTriggerBy", "slTriggerBy", "tpslMode", "tpOrderType", "slOrderType"]
]

const amendment = ["tpslMode", "tpTriggerBy", "slTriggerBy", "triggerBy", "tpOrderType", "slOrderType"]

const inBatch = (names: ReadonlyArray<string>) => names.map((name) => `request[].${name}`)

/** The reasons why a result field is required. */
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

const free: Parameter = {}
const present: Parameter = { required: true }
const decimal: Parameter = { pattern: String.raw`^(0|[1-9]\d*)(\.\d+)?$`, format: "decimal" }
const milliseconds: Parameter = { format: "unix-milliseconds" }
const seconds: Parameter = { format: "unix-seconds" }
const required = (parameter: Parameter): Parameter => ({ ...parameter, required: true })
const oneOf = (...values: ReadonlyArray<string | number>): Parameter => ({ enum: values })
const pageSize = (maximum: number, usual: number): Parameter => ({ minimum: 1, maximum, default: usual })

const category = required(oneOf("spot", "linear", "inverse"))
const contracts = required(oneOf("linear", "inverse"))
const triggerBy = oneOf("LastPrice", "IndexPrice", "MarkPrice")
const mode = oneOf("Full", "Partial")
const orderType = { ...oneOf("Market", "Limit"), default: "Market" }
const commas: Parameter = { pattern: "^[^,]+(,[^,]+)*$", format: "comma-separated" }
const positionIdx = oneOf(0, 1, 2)
const range = { startTime: milliseconds, endTime: milliseconds }
const rangeOfSeconds = { startTime: seconds, endTime: seconds }

const week = 7 * 24 * 3_600_000
const nobodysCursor = "unknown%3Dcursor"
const badCursor = { _tag: "Rejected", reason: "InvalidRequest", retCode: 10001 }
const expired = { _tag: "Unauthorized", reason: "Key", retCode: 33004 }
const noPermission = { _tag: "Unauthorized", reason: "Permission" }
const limitOrder = { symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "1", price: "9" }
const transfer = {
  requestId: "3f0e9d1a-52f7-4c0e-9a53-0e8f43f5a001",
  coin: "USDT",
  amount: "1.5",
  fromAccountType: "UNIFIED",
  toAccountType: "FUND"
}

/** The operations that the document describes, in its order, then those that it only lists. */
export const specification: Readonly<Record<Samples.Operation, Specified>> = {
  "orders.open": {
    is: "GET /cloud/trade/v3/order/realtime | header | standard | 10/s per category | read | limit 1-50 (20) | cursor <- nextPageCursor of list",
    parameters: {
      category,
      symbol: free,
      baseCoin: free,
      settleCoin: free,
      orderId: free,
      orderLinkId: free,
      openOnly: { ...oneOf(0, 1), default: 0 },
      orderFilter: oneOf("Order", "StopOrder", "tpslOrder"),
      limit: pageSize(50, 20),
      cursor: free
    },
    required: ofList(capitalised(orderFields)),
    refusedHere: [
      { request: { category: "linear" }, field: "symbol", rule: "one of symbol, baseCoin, settleCoin is required" },
      {
        request: { category: "spot", settleCoin: "USDT" },
        field: "settleCoin",
        rule: "is not a parameter for category spot"
      },
      { request: { category: "spot", limit: 51 }, field: "limit", rule: "must be a whole number from 1 to 50" }
    ],
    refusedThere: [
      { request: { category: "spot", cursor: nobodysCursor }, by: "main", failure: badCursor },
      { request: { category: "spot" }, by: "expired", failure: expired }
    ]
  },
  "assets.deposits": {
    is: "GET /private/v1/asset/deposit/query-record | parameter | legacy | 300/min | read | pageSize 1-50 (20) | cursor <- cursor of rows | startTime-endTime s",
    parameters: {
      type: { ...oneOf(0, 1, 2), default: 0 },
      chain: free,
      coin: free,
      txId: free,
      ...rangeOfSeconds,
      pageSize: pageSize(50, 20),
      cursor: free
    },
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
    ),
    refusedHere: [
      { request: { pageSize: 51 }, field: "pageSize", rule: "must be a whole number from 1 to 50" },
      { request: { startTime: 1500 }, field: "startTime", rule: /on a whole second/ }
    ],
    refusedThere: [{ request: { cursor: nobodysCursor }, by: "main", failure: badCursor }]
  },
  "assets.coins": {
    is: "GET /private/v1/asset/coin/query-info | parameter | legacy | 5/s | read",
    parameters: { coin: free },
    required: ofList({ coin: "id", "deposit_chains[].chain": "id", "withdraw_chains[].chain": "id" }, "rows"),
    refusedHere: [
      { request: { coin: "" }, field: "coin", rule: "must not be empty" },
      { request: { coins: "USDT" }, field: "coins", rule: "is not a parameter" }
    ],
    refusedThere: [{ request: {}, by: "expired", failure: expired }]
  },
  "assets.bonusUsage": {
    is: "GET /private/v1/asset/bonus/usage | parameter | legacy | 60/min | read |  |  | startTime-endTime s",
    parameters: {
      coin: required(oneOf("USDT")),
      awardType: oneOf(1, 2),
      ...rangeOfSeconds,
      limit: pageSize(50, 10)
    },
    required: ofList({ time: "time", coin: "id", amount: "quantity" }, "rows"),
    refusedHere: [
      { request: { coin: "BTC" }, field: "coin", rule: "must be USDT" },
      { request: { coin: "USDT", limit: 51 }, field: "limit", rule: "must be a whole number from 1 to 50" }
    ],
    refusedThere: [{ request: { coin: "USDT" }, by: "expired", failure: expired }]
  },
  "positions.list": {
    is: "GET /cloud/trade/v3/position/list | header | standard | 10/s per category | read | limit 1-200 (20) | cursor <- nextPageCursor of list",
    parameters: { category, symbol: free, baseCoin: free, settleCoin: free, limit: pageSize(200, 20), cursor: free },
    required: ofList({ positionIdx: "id", symbol: "id", size: "quantity" }),
    refusedHere: [
      { request: { category: "linear" }, field: "symbol", rule: "one of symbol, settleCoin is required" },
      {
        request: { category: "linear", symbol: "BTCUSDT", limit: 201 },
        field: "limit",
        rule: "must be a whole number from 1 to 200"
      }
    ],
    refusedThere: [
      {
        request: { category: "linear", symbol: "NOSUCHUSDT" },
        by: "main",
        failure: { _tag: "Rejected", reason: "InvalidRequest" }
      }
    ]
  },
  "positions.addMargin": {
    is: "POST /cloud/trade/v3/position/add-margin | header | standard |  | write",
    parameters: {
      category,
      symbol: present,
      margin: { required: true, pattern: String.raw`^-?(0|[1-9]\d*)(\.\d{1,4}0*)?$`, format: "decimal" },
      positionIdx
    },
    required: { positionIdx: "id", symbol: "id", size: "quantity" },
    refusedHere: [
      {
        request: { category: "linear", symbol: "BTCUSDT", margin: "1.00001" },
        field: "margin",
        rule: /at most 4 decimals/
      },
      {
        request: { category: "linear", symbol: "BTCUSDT", margin: "1", positionIdx: 3 },
        field: "positionIdx",
        rule: "must be 0, 1 or 2"
      }
    ],
    refusedThere: [
      {
        request: { category: "linear", symbol: "NOSUCHUSDT", margin: "1" },
        by: "main",
        failure: { _tag: "Rejected", reason: "InvalidRequest" }
      }
    ]
  },
  "positions.setTradingStop": {
    is: "POST /cloud/trade/v3/position/trading-stop | header | standard | 10/s per category | write",
    parameters: {
      category,
      symbol: present,
      tpslMode: mode,
      takeProfit: decimal,
      stopLoss: decimal,
      trailingStop: decimal,
      tpTriggerBy: triggerBy,
      slTriggerBy: triggerBy,
      activePrice: decimal,
      tpSize: decimal,
      slSize: decimal,
      tpLimitPrice: decimal,
      slLimitPrice: decimal,
      tpOrderType: orderType,
      slOrderType: orderType,
      positionIdx: required(positionIdx)
    },
    required: {},
    refusedHere: [
      {
        request: {
          category: "linear",
          symbol: "BTCUSDT",
          tpslMode: "Full",
          takeProfit: "1",
          tpOrderType: "Limit",
          positionIdx: 0
        },
        field: "tpOrderType",
        rule: "must be Market with tpslMode=Full"
      },
      {
        request: {
          category: "linear",
          symbol: "BTCUSDT",
          tpslMode: "Partial",
          tpSize: "1",
          slSize: "2",
          positionIdx: 0
        },
        field: "slSize",
        rule: "must equal tpSize"
      }
    ],
    refusedThere: [
      {
        request: { category: "linear", symbol: "NOSUCHUSDT", takeProfit: "1", positionIdx: 0 },
        by: "main",
        failure: { _tag: "Rejected", reason: "InvalidRequest" }
      }
    ]
  },
  "assets.transfers": {
    is: "GET /private/v1/asset/transfer/list | parameter | standard |  | read | limit 1-50 (10) | cursor <- cursor of list | startTime-endTime s",
    parameters: {
      transferId: free,
      coin: free,
      status: free,
      ...rangeOfSeconds,
      limit: pageSize(50, 10),
      cursor: free
    },
    required: ofList({
      transferId: "id",
      coin: "id",
      amount: "quantity",
      status: "outcome",
      timestamp: "time"
    }),
    refusedHere: [
      { request: { limit: 51 }, field: "limit", rule: "must be a whole number from 1 to 50" },
      { request: { startTime: 2000, endTime: 1000 }, field: "endTime", rule: "must not be before startTime" }
    ],
    refusedThere: [{ request: { cursor: nobodysCursor }, by: "main", failure: badCursor }]
  },
  "executions.list": {
    is: "GET /cloud/trade/v3/execution/list | header | standard | 10/s per category | read | limit 1-100 (50) | cursor <- nextPageCursor of list | startTime-endTime ms 7d back 730d",
    parameters: {
      category,
      symbol: free,
      orderId: free,
      ...range,
      execType: free,
      limit: pageSize(100, 50),
      cursor: free
    },
    required: ofList(executionFields),
    refusedHere: [
      { request: { category: "linear", limit: 0 }, field: "limit", rule: "must be a whole number from 1 to 100" },
      { request: { category: "option" }, field: "category", rule: "must be spot, linear or inverse" },
      {
        request: { category: "linear", startTime: 0, endTime: week + 1 },
        field: "endTime",
        rule: "must be at most 7d after startTime"
      }
    ],
    refusedThere: [{ request: { category: "linear", cursor: nobodysCursor }, by: "main", failure: badCursor }]
  },
  "executions.preUpgrade": {
    is: "GET /cloud/trade/v3/pre-upgrade/execution/list | header | standard |  | read | limit 1-100 (50) | cursor <- nextPageCursor of list | startTime-endTime ms 7d",
    parameters: { category, symbol: free, ...range, execType: free, limit: pageSize(100, 50), cursor: free },
    required: ofList(executionFields),
    refusedHere: [
      {
        request: { category: "spot", execType: "Trade" },
        field: "execType",
        rule: "is not a parameter for category spot"
      },
      {
        request: { category: "linear", startTime: 2000, endTime: 1000 },
        field: "endTime",
        rule: "must not be before startTime"
      }
    ],
    refusedThere: [{ request: { category: "linear", cursor: nobodysCursor }, by: "main", failure: badCursor }]
  },
  "instruments.list": {
    is: "GET /cloud/trade/v3/market/instruments-info | public | standard |  | read | limit 1-1000 (500) | cursor <- nextPageCursor of list",
    parameters: {
      category,
      symbol: free,
      status: free,
      baseCoin: free,
      limit: pageSize(1000, 500),
      cursor: free
    },
    required: ofList({
      symbol: "id",
      baseCoin: "id",
      quoteCoin: "id",
      priceFilter: "price",
      "priceFilter.tickSize": "price",
      lotSizeFilter: "quantity",
      "lotSizeFilter.minOrderQty": "quantity",
      "lotSizeFilter.maxOrderQty": "quantity"
    }),
    refusedHere: [
      { request: { category: "linear", status: "" }, field: "status", rule: "must not be empty" },
      { request: { category: "spot", limit: 1001 }, field: "limit", rule: "must be a whole number from 1 to 1000" }
    ],
    refusedThere: [
      {
        request: { category: "linear", symbol: "NOSUCHUSDT" },
        by: "main",
        failure: {
          _tag: "Rejected",
          reason: "InvalidRequest",
          status: 400,
          retMsg: "we don't support this symbol, plz check."
        }
      }
    ]
  },
  "positions.preUpgradeClosedPnl": {
    is: "GET /cloud/trade/v3/pre-upgrade/position/closed-pnl | header | standard |  | read | limit 1-100 (50) | cursor <- nextPageCursor of list | startTime-endTime ms 7d",
    // The document's table requires a symbol that its example omits, so it is optional.
    parameters: { category: contracts, symbol: free, ...range, limit: pageSize(100, 50), cursor: free },
    required: ofList(closedFields),
    refusedHere: [
      { request: { category: "inverse", limit: 101 }, field: "limit", rule: "must be a whole number from 1 to 100" },
      { request: { category: "spot" }, field: "category", rule: "must be linear or inverse" },
      {
        request: { category: "linear", startTime: 0, endTime: week + 1 },
        field: "endTime",
        rule: "must be at most 7d after startTime"
      }
    ],
    refusedThere: [{ request: { category: "linear", cursor: nobodysCursor }, by: "main", failure: badCursor }]
  },
  "orders.amend": {
    is: "POST /cloud/trade/v3/order/amend | header | standard | 10/s per category | write",
    // Without them the order keeps its values.
    parameters: {
      category,
      symbol: present,
      orderId: free,
      orderLinkId: free,
      orderIv: decimal,
      triggerPrice: decimal,
      qty: decimal,
      price: decimal,
      tpslMode: mode,
      takeProfit: decimal,
      stopLoss: decimal,
      tpTriggerBy: triggerBy,
      slTriggerBy: triggerBy,
      triggerBy,
      tpLimitPrice: decimal,
      slLimitPrice: decimal,
      // Without them the order keeps its values.
      tpOrderType: oneOf("Market", "Limit"),
      slOrderType: oneOf("Market", "Limit")
    },
    required: { orderId: "id" },
    refusedHere: [
      {
        request: { category: "linear", symbol: "BTCUSDT", qty: "1" },
        field: "orderId",
        rule: "one of orderId, orderLinkId is required"
      },
      {
        request: { category: "linear", symbol: "BTCUSDT", orderId: "o", price: "0" },
        field: "price",
        rule: "must be a decimal greater than 0"
      }
    ],
    refusedThere: [
      {
        request: { category: "linear", symbol: "BTCUSDT", orderId: "no-such-order", price: "1" },
        by: "main",
        failure: { _tag: "Rejected", reason: "NotFound", retCode: 110001 }
      },
      {
        request: { category: "linear", symbol: "BTCUSDT", orderId: "no-such-order", price: "1" },
        by: "readOnly",
        failure: noPermission
      }
    ]
  },
  "assets.subAccountTransfers": {
    is: "GET /private/v1/asset/sub-member/transfer/list | parameter | bare |  | read | limit | cursor <- cursor of list | startTime-endTime s",
    parameters: {
      transfer_id: free,
      coin: free,
      status: free,
      start_time: seconds,
      end_time: seconds,
      direction: unchecked,
      limit: { minimum: 1 },
      cursor: { default: "" }
    },
    required: ofList({
      transfer_id: "id",
      coin: "id",
      amount: "quantity",
      user_id: "id",
      sub_user_id: "id",
      timestamp: "time",
      status: "outcome",
      type: "side"
    }),
    refusedHere: [
      { request: { limit: 0 }, field: "limit", rule: "must be a whole number of at least 1" },
      { request: { startTime: 1 }, field: "startTime", rule: /on a whole second/ }
    ],
    refusedThere: [{ request: { cursor: nobodysCursor }, by: "main", failure: badCursor }]
  },
  "assets.withdrawInternal": {
    is: "POST /private/v1/asset/withdraw/inner-create | parameter | standard | 1/s | idempotent",
    parameters: {
      requestId: { required: true, minLength: 1, maxLength: 64, pattern: "^[A-Za-z0-9]*$" },
      coin: present,
      addressType: required(oneOf(1, 2, 3)),
      areaCode: unchecked,
      address: present,
      amount: required(decimal),
      remark: { maxLength: 50 }
    },
    required: { withdraw_id: "id" },
    refusedHere: [
      {
        request: {
          requestId: "r1",
          coin: "USDT",
          addressType: 3,
          address: "1",
          amount: "1",
          remark: "x".repeat(51)
        },
        field: "remark",
        rule: "must be at most 50 characters"
      },
      {
        request: { requestId: "r1", coin: "USDT", addressType: 2, address: "1", amount: "1" },
        field: "areaCode",
        rule: "is required"
      },
      {
        request: { requestId: "r-1", coin: "USDT", addressType: 3, address: "1", amount: "1" },
        field: "requestId",
        rule: "must be 1 to 64 letters and digits"
      }
    ],
    refusedThere: [
      {
        request: { requestId: "r2", coin: "USDT", addressType: 3, address: "10000001", amount: "1" },
        by: "sub",
        failure: noPermission
      },
      {
        request: { requestId: "r3", coin: "USDT", addressType: 3, address: "77777777", amount: "1" },
        by: "main",
        failure: { ...noPermission, retCode: 131093 }
      }
    ]
  },
  "assets.transfer": {
    is: "POST /private/v1/asset/transfer/single-account-transfer | parameter | legacy | 1/s | idempotent",
    parameters: {
      requestId: { required: true, format: "uuid", minLength: 36, maxLength: 36 },
      coin: present,
      amount: required(decimal),
      fromAccountType: present,
      toAccountType: present
    },
    required: { transferId: "id" },
    refusedHere: [
      { request: { ...transfer, requestId: "not-a-uuid" }, field: "requestId", rule: "must be a UUID with dashes" },
      { request: { ...transfer, amount: "-1" }, field: "amount", rule: "must be a decimal greater than 0" }
    ],
    refusedThere: [
      {
        request: { ...transfer, requestId: "3f0e9d1a-52f7-4c0e-9a53-0e8f43f5a002", amount: "999999999999" },
        by: "main",
        failure: { _tag: "Rejected", reason: "InsufficientBalance" }
      }
    ]
  },
  "assets.fundingAssets": {
    is: "GET /cloud/trade/v3/asset/transfer/query-asset-info | parameter | standard |  | read",
    parameters: { accountType: required(oneOf("FUND", "SPOT")), coin: free },
    required: Object.fromEntries(
      ["spot", "fund"].flatMap((account) => [
        [`${account}.assets`, "rows"],
        [`${account}.assets[].coin`, "id"],
        [`${account}.assets[].free`, "quantity"],
        [`${account}.assets[].total_balance`, "quantity"]
      ])
    ),
    refusedHere: [
      { request: { accountType: "UNIFIED" }, field: "accountType", rule: "must be FUND or SPOT" },
      { request: { accountType: "FUND", coin: "" }, field: "coin", rule: "must not be empty" }
    ],
    refusedThere: [{ request: { accountType: "FUND" }, by: "expired", failure: expired }]
  },
  "orders.cancelAll": {
    is: "POST /cloud/trade/v3/order/cancel-all | header | standard | 10/s per category | write",
    // The default for spot.
    parameters: {
      category,
      symbol: free,
      baseCoin: { minLength: 1, pattern: "^[^a-z]*$" },
      settleCoin: free,
      // The default for spot.
      orderFilter: { ...oneOf("Order", "StopOrder", "tpslOrder"), default: "Order" },
      stopOrderType: oneOf("Stop")
    },
    required: ofList({ orderId: "id" }),
    refusedHere: [
      { request: { category: "inverse" }, field: "symbol", rule: "one of symbol, baseCoin, settleCoin is required" },
      {
        request: { category: "linear", symbol: "BTCUSDT", stopOrderType: "Stop" },
        field: "stopOrderType",
        rule: "only with orderFilter=StopOrder"
      }
    ],
    refusedThere: [
      {
        request: { category: "linear", symbol: "NOSUCHUSDT" },
        by: "main",
        failure: { _tag: "Rejected", reason: "InvalidRequest" }
      },
      { request: { category: "spot" }, by: "readOnly", failure: noPermission }
    ]
  },
  "assets.transferableCoins": {
    is: "GET /private/v1/asset/transfer/query-coins | parameter | legacy | 60/min | read",
    parameters: { fromAccountType: present, toAccountType: present },
    required: { coins: "rows", "coins[]": "id" },
    refusedHere: [
      { request: { fromAccountType: "UNIFIED" }, field: "toAccountType", rule: "is required" },
      { request: { fromAccountType: 1, toAccountType: "FUND" }, field: "fromAccountType", rule: "must not be empty" }
    ],
    refusedThere: [
      { request: { fromAccountType: "NOSUCH", toAccountType: "FUND" }, by: "main", failure: { _tag: "Rejected" } }
    ]
  },
  "broker.customers": {
    is: "GET /private/v1/broker/query-direct-user-list | parameter | legacy | 5/s | read",
    parameters: { begin: seconds, end: seconds },
    required: { user_list: "rows", "user_list[]": "id" },
    refusedHere: [
      { request: { begin: 1 }, field: "begin", rule: /on a whole second/ },
      { request: { begin: 2000, end: 1000 }, field: "end", rule: "must not be before begin" }
    ],
    refusedThere: [{ request: {}, by: "customer", failure: noPermission }]
  },
  "apiLimits.set": {
    is: "POST /cloud/trade/v3/apilimit/set | header | standard | 50/s | write",
    parameters: { list: present },
    required: ofList({ uids: "id", rate: "limit", success: "outcome" }, "result"),
    refusedHere: [
      { request: { list: [] }, field: "list", rule: "must have at least one entry" },
      {
        request: { list: [{ uids: ["1"], bizType: "SPOT", rate: 0 }] },
        field: "list.0.rate",
        rule: "must be a whole number of at least 1"
      }
    ],
    refusedThere: [
      { request: { list: [{ uids: ["30000001"], bizType: "SPOT", rate: 20 }] }, by: "classic", failure: noPermission }
    ]
  },
  "apiLimits.query": {
    is: "GET /cloud/trade/v3/apilimit/query | header | standard | 50/s | read",
    // The document's table uses the singular, its example the plural.
    parameters: { uid: commas, uids: commas },
    required: ofList({ uids: "id", rate: "limit" }),
    refusedHere: [
      { request: { uids: [] }, field: "uids", rule: "must name at least one" },
      { request: { uids: ["1,2"] }, field: "uids", rule: "[0] must not be empty or contain a comma" }
    ],
    refusedThere: [{ request: { uids: ["10000001"] }, by: "sub", failure: noPermission }]
  },
  "broker.tradeVolume": {
    is: "GET /private/v1/broker/trade-volume | parameter | legacy | 5/s | read | limit 1-50 (20) | cursor <- nextCursor of list | from-to ms",
    parameters: {
      from: milliseconds,
      to: milliseconds,
      uid: free,
      cursor: free,
      limit: pageSize(50, 20),
      productType: { ...oneOf("ALL", "SPOT", "DERIVATIVES"), default: "ALL" },
      contractType: oneOf("LinearPerpetual", "InversePerpetual", "LinearFutures", "InverseFutures"),
      coin: free
    },
    required: ofList({
      user_id: "id",
      coins: "rows",
      "coins[].coin": "id",
      "coins[].trade_volume": "quantity",
      "coins[].fee": "fee"
    }),
    refusedHere: [
      { request: { limit: 51 }, field: "limit", rule: "must be a whole number from 1 to 50" },
      {
        request: { productType: "SPOT", contractType: "LinearPerpetual" },
        field: "contractType",
        rule: /not with productType=SPOT/
      }
    ],
    refusedThere: [{ request: { cursor: nobodysCursor }, by: "main", failure: badCursor }]
  },
  "account.walletBalance": {
    is: "GET /cloud/trade/v3/account/wallet-balance | header | standard | 10/s | read",
    parameters: { accountType: present, coin: commas },
    required: ofList({
      coin: "rows",
      "coin[].coin": "id",
      "coin[].equity": "quantity",
      "coin[].walletBalance": "quantity"
    }),
    refusedHere: [
      { request: { accountType: "UNIFIED", coin: [] }, field: "coin", rule: "must name at least one" },
      {
        request: { accountType: "UNIFIED", coin: ["USDT,BTC"] },
        field: "coin",
        rule: "[0] must not be empty or contain a comma"
      },
      { request: {}, field: "accountType", rule: "is required" }
    ],
    refusedThere: [
      {
        request: { accountType: "NOSUCH" },
        by: "main",
        failure: { _tag: "Rejected", reason: "InvalidRequest", retCode: 10001 }
      }
    ]
  },
  "positions.setRiskLimit": {
    is: "POST /cloud/trade/v3/position/set-risk-limit | header | standard | 10/s per category | write",
    parameters: { category: contracts, symbol: present, riskId: { required: true, minimum: 0 }, positionIdx },
    required: { riskId: "id" },
    refusedHere: [
      {
        request: { category: "linear", symbol: "BTCUSDT", riskId: 1.5 },
        field: "riskId",
        rule: "must be a whole number of at least 0"
      },
      { request: { category: "linear", riskId: 1 }, field: "symbol", rule: "is required" }
    ],
    refusedThere: [
      { request: { category: "linear", symbol: "BTCUSDT", riskId: 123_456 }, by: "main", failure: { _tag: "Rejected" } }
    ]
  },
  "orders.create": {
    is: "POST /cloud/trade/v3/order/create | header | standard | 10/s per category | write",
    closed: ["category", ...choices],
    required: { orderId: "id" },
    refusedHere: [
      {
        request: { ...limitOrder, category: "linear", price: undefined },
        field: "price",
        rule: "required when orderType=Limit"
      },
      { request: { ...limitOrder, category: "spot", qty: "0" }, field: "qty", rule: /greater than 0$/ },
      {
        request: { ...limitOrder, category: "spot", reduceOnly: true },
        field: "reduceOnly",
        rule: "is not a parameter for category spot"
      }
    ],
    refusedThere: [{ request: { ...limitOrder, category: "linear" }, by: "readOnly", failure: noPermission }]
  },
  "orders.cancel": {
    is: "POST /cloud/trade/v3/order/cancel | header | standard | 10/s per category | write",
    closed: ["category", "orderFilter"],
    required: { orderId: "id" },
    refusedHere: [
      {
        request: { category: "linear", symbol: "BTCUSDT" },
        field: "orderId",
        rule: "one of orderId, orderLinkId is required"
      },
      { request: { category: "linear", symbol: "", orderId: "o" }, field: "symbol", rule: "must not be empty" }
    ],
    refusedThere: [
      {
        request: { category: "linear", symbol: "BTCUSDT", orderId: "no-such-order" },
        by: "main",
        failure: { _tag: "Rejected", reason: "NotFound", retCode: 110001 }
      },
      {
        request: { category: "linear", symbol: "BTCUSDT", orderId: "no-such-order" },
        by: "readOnly",
        failure: noPermission
      }
    ]
  },
  "orders.history": {
    is: "GET /cloud/trade/v3/order/history | header | standard | 10/s per category | read | limit 1-50 (20) | cursor <- nextPageCursor of list | startTime-endTime ms 7d back 730d",
    closed: ["category", "orderFilter"],
    required: ofList(orderFields),
    refusedHere: [
      { request: { category: "spot", limit: 51 }, field: "limit", rule: /from 1 to 50$/ },
      { request: { category: "linear", startTime: 1 }, field: "endTime", rule: "required when startTime is given" },
      {
        request: { category: "linear", startTime: 0, endTime: week + 1 },
        field: "endTime",
        rule: "must be at most 7d after startTime"
      }
    ],
    refusedThere: [
      { request: { category: "linear", cursor: nobodysCursor }, by: "main", failure: badCursor },
      { request: { category: "spot" }, by: "expired", failure: expired }
    ]
  },
  "positions.setLeverage": {
    is: "POST /cloud/trade/v3/position/set-leverage | header | standard | 10/s per category | write",
    closed: ["category"],
    required: {},
    refusedHere: [
      {
        request: { category: "linear", symbol: "BTCUSDT", buyLeverage: "0.9", sellLeverage: "1" },
        field: "buyLeverage",
        rule: "must be a decimal of at least 1"
      },
      {
        request: { category: "linear", symbol: "BTCUSDT", buyLeverage: "2" },
        field: "sellLeverage",
        rule: "is required"
      }
    ],
    refusedThere: [
      {
        request: { category: "linear", symbol: "SOLUSDT", buyLeverage: "7", sellLeverage: "7" },
        by: "main",
        failure: { _tag: "Rejected", retCode: 110043, noChange: true }
      },
      {
        request: { category: "linear", symbol: "SOLUSDT", buyLeverage: "500", sellLeverage: "500" },
        by: "main",
        failure: { _tag: "Rejected", reason: "RiskLimit", retCode: 110013 }
      }
    ]
  },
  "positions.setTpslMode": {
    is: "POST /cloud/trade/v3/position/set-tpsl-mode | header | standard | 10/s per category | write",
    closed: ["category", "tpSlMode"],
    required: {},
    refusedHere: [
      {
        request: { category: "linear", symbol: "BTCUSDT", tpSlMode: "Half" },
        field: "tpSlMode",
        rule: "must be Full or Partial"
      },
      { request: { category: "inverse", symbol: "", tpSlMode: "Full" }, field: "symbol", rule: "must not be empty" }
    ],
    refusedThere: [
      {
        request: { category: "linear", symbol: "BTCUSDT", tpSlMode: "Partial" },
        by: "main",
        failure: { _tag: "Rejected", retCode: 110054 }
      }
    ]
  },
  "positions.closedPnl": {
    is: "GET /cloud/trade/v3/position/closed-pnl | header | standard | 10/s per category | read | limit 1-100 (50) | cursor <- nextPageCursor of list | startTime-endTime ms 7d back 730d",
    closed: ["category"],
    required: ofList(closedFields),
    refusedHere: [
      { request: { category: "linear", limit: 101 }, field: "limit", rule: /from 1 to 100$/ },
      {
        request: { category: "linear", startTime: 2, endTime: 1 },
        field: "endTime",
        rule: "must not be before startTime"
      }
    ],
    refusedThere: [{ request: { category: "linear", cursor: nobodysCursor }, by: "main", failure: badCursor }]
  },
  "positions.confirmNewRiskLimit": {
    is: "POST /cloud/trade/v3/position/confirm-pending-mmr | header | standard |  | write",
    closed: ["category"],
    required: {},
    refusedHere: [
      { request: { category: "linear", symbol: "" }, field: "symbol", rule: "must not be empty" },
      { request: { category: "spot", symbol: "BTCUSDT" }, field: "category", rule: "must be linear or inverse" }
    ],
    refusedThere: [
      {
        request: { category: "linear", symbol: "DOGEUSDT" },
        by: "main",
        failure: { _tag: "Rejected", retCode: 110082 }
      }
    ]
  },
  "account.feeRate": {
    is: "GET /cloud/trade/v3/account/fee-rate | header | standard | 10/s | read",
    closed: ["category"],
    required: ofList({ takerFeeRate: "fee", makerFeeRate: "fee" }),
    refusedHere: [
      { request: { category: "option" }, field: "category", rule: "must be spot, linear or inverse" },
      { request: { category: "spot", symbol: "" }, field: "symbol", rule: "must not be empty" }
    ],
    refusedThere: [
      {
        request: { category: "linear", symbol: "NOSUCHUSDT" },
        by: "main",
        failure: { _tag: "Rejected", reason: "InvalidRequest", retCode: 10001 }
      },
      { request: { category: "spot" }, by: "expired", failure: expired }
    ]
  },
  "orders.createBatch": {
    is: "POST /cloud/trade/v3/order/create-batch | header | standard | 10/s per category | write",
    closed: ["category", ...inBatch(choices)],
    required: batch,
    refusedHere: [
      { request: { category: "linear", request: [] }, field: "request", rule: "must be 1 to 20 orders" },
      {
        request: { category: "linear", request: [limitOrder, { ...limitOrder, price: undefined }] },
        field: "request.1.price",
        rule: "required when orderType=Limit"
      }
    ],
    refusedThere: [
      { request: { category: "linear", request: [limitOrder] }, by: "readOnly", failure: noPermission },
      { request: { category: "linear", request: [limitOrder] }, by: "expired", failure: expired }
    ]
  },
  "orders.amendBatch": {
    is: "POST /cloud/trade/v3/order/amend-batch | header | standard | 10/s per category | write",
    closed: ["category", ...inBatch(amendment)],
    required: batch,
    refusedHere: [
      { request: { category: "spot", request: [] }, field: "request", rule: "must be 1 to 20 orders" },
      {
        request: { category: "spot", request: [{ symbol: "BTCUSDT", orderId: "o", qty: "0" }] },
        field: "request.0.qty",
        rule: "must be a decimal greater than 0"
      }
    ],
    refusedThere: [
      {
        request: { category: "linear", request: [{ symbol: "BTCUSDT", orderId: "o", price: "1" }] },
        by: "readOnly",
        failure: noPermission
      }
    ]
  },
  "orders.cancelBatch": {
    is: "POST /cloud/trade/v3/order/cancel-batch | header | standard | 10/s per category | write",
    closed: ["category"],
    required: batch,
    refusedHere: [
      { request: { category: "spot", request: [] }, field: "request", rule: "must be 1 to 20 orders" },
      {
        request: { category: "spot", request: [{ symbol: "BTCUSDT" }] },
        field: "request.0.orderId",
        rule: "one of orderId, orderLinkId is required"
      }
    ],
    refusedThere: [
      {
        request: { category: "linear", request: [{ symbol: "BTCUSDT", orderId: "o" }] },
        by: "readOnly",
        failure: noPermission
      }
    ]
  }
}

// `Object.keys` gives the keys as text.
export const names = Object.keys(specification) as ReadonlyArray<Samples.Operation>

/** Returns the parameters with a closed set of values. */
export const closedOf = ({ closed, parameters = {} }: Specified): ReadonlyArray<string> =>
  closed ??
  Object.entries(parameters).flatMap(([name, parameter]) =>
    parameter !== unchecked && parameter.enum !== undefined ? [name] : []
  )

/** Returns method, path, and the documented limit, if any: `10/s per category`. */
export const routeOf = (operation: Samples.Operation) => {
  const [route = "", , , limit = ""] = specification[operation].is.split(" | ")
  const [method = "", path = ""] = route.split(" ")
  return { method: method === "GET" ? "GET" : "POST", path, limit: limit.trim() || undefined } as const
}
