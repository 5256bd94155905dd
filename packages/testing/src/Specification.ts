/**
 * The operations according to the service's document, written by hand and independent of the schemas and the sandbox. Client and sandbox
 * share the schemas, so a wrong path or bound would be wrong in both, and only this table can find it.
 */
import type * as Samples from "./Samples.js"

/** An operation according to the document. */
export interface Specified {
  /**
   * Method and path | signing | envelope | limit | safety | page size and its parameter | cursor | history window, with a parenthesis at a
   * bound that does not belong to it.
   */
  readonly is: string
  /** The parameters of an operation that the document describes. */
  readonly parameters?: Readonly<Record<string, Parameter | typeof unchecked>>
  /** For an operation that the document only lists: the parameters with a closed set of values. */
  readonly closed?: ReadonlyArray<string>
  /** The document does not contain the path of an operation that it lists either. */
  readonly undocumented?: true
  /** The required fields of its result, with reasons. */
  readonly required: Required
  /** At least two requests that the client refuses before it sends anything, with the field and the rule of the failure. */
  readonly refusedHere: ReadonlyArray<RefusedHere>
  /** At least one request that the service refuses, sent with the key of a role. */
  readonly refusedThere: ReadonlyArray<RefusedThere>
}

/** A request that the client refuses, with the field and the rule of the failure. */
export type RefusedHere = readonly [request: object, field: string, rule: string | RegExp]

/** A request that the service refuses, the role of its key, and the tag and fields of the failure. */
export type RefusedThere = readonly [request: object, by: Role, failure: Failure]

type Role = "classic" | "customer" | "expired" | "main" | "readOnly" | "sub"

type Failure = { readonly _tag: string } & Readonly<Record<string, unknown>>

/** A parameter in JSON Schema. */
export interface Parameter {
  /** Where its bounds and its list come from, if not from the document. */
  readonly source?: "ours"
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
  ...["side", "orderType", "marketUnit", "slippageToleranceType", "triggerDirection", "orderFilter"],
  ...["positionIdx", "tpslMode", "tpOrderType", "slOrderType"]
]

const amendment = ["tpslMode", "tpOrderType", "slOrderType"]

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
  id: "orderId symbol",
  quantity: "qty cumExecQty cumExecValue",
  side: "side",
  outcome: "orderStatus",
  fee: "cumExecFee",
  time: "createdTime updatedTime"
} as const

const executionFields = {
  id: "symbol orderId execId",
  side: "side",
  fee: "execFee",
  price: "execPrice",
  quantity: "execQty",
  time: "execTime"
} as const

const closedFields = {
  id: "symbol orderId",
  side: "side",
  quantity: "qty closedSize cumEntryValue cumExitValue closedPnl",
  price: "avgEntryPrice avgExitPrice",
  time: "createdTime updatedTime"
} as const

/** Fields by the reason why they are required. Their names are separated by spaces. */
export type Required = Partial<Readonly<Record<keyof typeof reasons, string>>>

/** Required fields with the reason of each. */
export const fieldsOf = (required: Required): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(required).flatMap(([reason, names]) => names.split(" ").map((name) => [name, reason]))
  )

const renameFields = (required: Required, rename: (name: string) => string): Required =>
  Object.fromEntries(
    Object.entries(required).map(([reason, names]) => [reason, names.split(" ").map(rename).join(" ")])
  )

export const ofList = (required: Required, list = "list"): Required => {
  const rows = required.rows === undefined ? list : `${list} ${required.rows.replaceAll(/\S+/g, `${list}[].$&`)}`
  return { ...renameFields(required, (name) => `${list}[].${name}`), rows }
}

const capitaliseFields = (required: Required): Required =>
  renameFields(required, (name) => name.charAt(0).toUpperCase() + name.slice(1))

const batch = { rows: "result extInfo result.list extInfo.list", outcome: "extInfo.list[].code" } as const

const free: Parameter = {}
const present: Parameter = { required: true }
const unsigned = String.raw`^(0|[1-9]\d*)(\.\d+)?$`
/** The notation of a decimal, which is no bound. */
export const decimal: Parameter = { pattern: String.raw`^-?(0|[1-9]\d*)(\.\d+)?$`, format: "decimal" }
const notNegative: Parameter = { pattern: unsigned, format: "decimal" }
/** A negative amount would be subtracted from what a guard measures, and without a limit price a limit stop is a market order. */
const positive: Parameter = { ...notNegative, source: "ours" }
const milliseconds: Parameter = { format: "unix-milliseconds" }
const seconds: Parameter = { format: "unix-seconds" }
const requireParameter = (parameter: Parameter): Parameter => ({ ...parameter, required: true })
const oneOf = (...values: ReadonlyArray<string | number>): Parameter => ({ enum: values })
const each = (parameter: Parameter, names: string) =>
  Object.fromEntries(names.split(" ").map((name) => [name, parameter]))
const pageSize = (maximum: number, usual: number): Parameter => ({ minimum: 1, maximum, default: usual })

const category = requireParameter(oneOf("spot", "linear", "inverse"))
const contracts = requireParameter(oneOf("linear", "inverse"))
const mode = oneOf("Full", "Partial")
const orderType = { ...oneOf("Market", "Limit"), default: "Market" }
const commas: Parameter = { pattern: "^[^,]+(,[^,]+)*$", format: "comma-separated" }
const positionIdx = oneOf(0, 1, 2)
const range = { startTime: milliseconds, endTime: milliseconds }
const rangeOfSeconds = { startTime: seconds, endTime: seconds }

const week = 7 * 24 * 3_600_000
const nobodysCursor = "unknown%3Dcursor"
const btc = { category: "linear", symbol: "BTCUSDT" }
const notFound = { _tag: "Rejected", reason: "NotFound", retCode: 110001 }
const badParameter = { _tag: "Rejected", reason: "InvalidRequest", retCode: 10001 }
const invalid = { _tag: "Rejected", reason: "InvalidRequest" }
const expired = { _tag: "Unauthorized", reason: "Key", retCode: 33004 }
const noPermission = { _tag: "Unauthorized", reason: "Permission" }
const limitOrder = {
  symbol: "BTCUSDT",
  side: "Buy",
  orderType: "Limit",
  qty: "1",
  price: "9",
  orderLinkId: "limit-order"
}
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
    is: "GET /cloud/trade/v3/order/realtime | header | standard | 10/s per category, spot assumed | read | limit 1-50 (20) | cursor <- nextPageCursor of list",
    parameters: {
      category,
      ...each(free, "symbol baseCoin settleCoin orderId orderLinkId cursor"),
      openOnly: { ...oneOf(0, 1), default: 0 },
      orderFilter: oneOf("Order", "StopOrder", "tpslOrder"),
      limit: pageSize(50, 20)
    },
    required: ofList(capitaliseFields(orderFields)),
    refusedHere: [
      [{ category: "linear" }, "symbol", "one of symbol, baseCoin, settleCoin is required"],
      [{ category: "spot", settleCoin: "USDT" }, "settleCoin", "is not a parameter for category spot"],
      [{ category: "spot", limit: 51 }, "limit", "must be a whole number from 1 to 50, not 51"]
    ],
    refusedThere: [
      [{ category: "spot", cursor: nobodysCursor }, "main", badParameter],
      [{ category: "spot" }, "expired", expired]
    ]
  },
  "assets.deposits": {
    is: "GET /private/v1/asset/deposit/query-record | parameter | legacy | 300/min | read | pageSize 1-50 (20) | cursor <- cursor of rows | [startTime, endTime] s",
    parameters: {
      type: { ...oneOf(0, 1, 2), default: 0 },
      ...each(free, "chain coin txId cursor"),
      ...rangeOfSeconds,
      pageSize: pageSize(50, 20)
    },
    required: ofList(
      { id: "coin transaction_id", quantity: "amount", outcome: "status", time: "time create_time" },
      "rows"
    ),
    refusedHere: [
      [{ pageSize: 51 }, "pageSize", "must be a whole number from 1 to 50, not 51"],
      [{ startTime: 1500 }, "startTime", /on a whole second/]
    ],
    refusedThere: [[{ cursor: nobodysCursor }, "main", badParameter]]
  },
  "assets.coins": {
    is: "GET /private/v1/asset/coin/query-info | parameter | legacy | 5/s | read",
    parameters: { coin: free },
    required: ofList({ id: "coin deposit_chains[].chain withdraw_chains[].chain" }, "rows"),
    refusedHere: [
      [{ coin: "" }, "coin", "must not be empty"],
      [{ coins: "USDT" }, "coins", "is not a parameter"]
    ],
    refusedThere: [[{}, "expired", expired]]
  },
  "assets.bonusUsage": {
    is: "GET /private/v1/asset/bonus/usage | parameter | legacy | 60/min | read |  |  | (startTime, endTime) s",
    parameters: {
      coin: requireParameter(oneOf("USDT")),
      awardType: oneOf(1, 2),
      ...rangeOfSeconds,
      limit: pageSize(50, 10)
    },
    required: ofList({ time: "time", id: "coin", quantity: "amount" }, "rows"),
    refusedHere: [
      [{ coin: "BTC" }, "coin", 'must be USDT, not "BTC"'],
      [{ coin: "USDT", limit: 51 }, "limit", "must be a whole number from 1 to 50, not 51"]
    ],
    refusedThere: [[{ coin: "USDT" }, "expired", expired]]
  },
  "positions.list": {
    is: "GET /cloud/trade/v3/position/list | header | standard | 10/s per category, spot assumed | read | limit 1-200 (20) | cursor <- nextPageCursor of list",
    parameters: { category, symbol: free, baseCoin: free, settleCoin: free, limit: pageSize(200, 20), cursor: free },
    required: ofList({ id: "positionIdx symbol", quantity: "size" }),
    refusedHere: [
      [{ category: "linear" }, "symbol", "one of symbol, settleCoin is required"],
      [{ ...btc, limit: 201 }, "limit", "must be a whole number from 1 to 200, not 201"]
    ],
    refusedThere: [[{ category: "linear", symbol: "NOSUCHUSDT" }, "main", invalid]]
  },
  "positions.addMargin": {
    is: "POST /cloud/trade/v3/position/add-margin | header | standard |  | write",
    parameters: {
      category,
      symbol: present,
      margin: { required: true, pattern: String.raw`^-?(0|[1-9]\d*)(\.\d{1,4})?$`, format: "decimal" },
      positionIdx
    },
    required: {},
    refusedHere: [
      [{ ...btc, margin: "1.00001" }, "margin", /at most 4 decimals/],
      [{ ...btc, margin: "1", positionIdx: 3 }, "positionIdx", "must be 0, 1 or 2, not 3"]
    ],
    refusedThere: [[{ category: "linear", symbol: "NOSUCHUSDT", margin: "1" }, "main", invalid]]
  },
  "positions.setTradingStop": {
    is: "POST /cloud/trade/v3/position/trading-stop | header | standard | 10/s per category, spot assumed | write",
    parameters: {
      category,
      symbol: present,
      tpslMode: mode,
      ...each(notNegative, "takeProfit stopLoss trailingStop"),
      ...each(decimal, "activePrice tpSize slSize"),
      ...each(positive, "tpLimitPrice slLimitPrice"),
      ...each(free, "tpTriggerBy slTriggerBy"),
      ...each(orderType, "tpOrderType slOrderType"),
      positionIdx: requireParameter(positionIdx)
    },
    required: {},
    refusedHere: [
      [
        { ...btc, tpslMode: "Full", takeProfit: "1", tpOrderType: "Limit", positionIdx: 0 },
        "tpOrderType",
        "must be Market with tpslMode=Full"
      ],
      [{ ...btc, tpslMode: "Partial", tpSize: "1", slSize: "2", positionIdx: 0 }, "slSize", "must equal tpSize"]
    ],
    refusedThere: [[{ category: "linear", symbol: "NOSUCHUSDT", takeProfit: "1", positionIdx: 0 }, "main", invalid]]
  },
  "assets.transfers": {
    is: "GET /private/v1/asset/transfer/list | parameter | standard |  | read | limit 1-50 (10) | cursor <- cursor of list | [startTime, endTime] s",
    parameters: { ...each(free, "transferId coin status cursor"), ...rangeOfSeconds, limit: pageSize(50, 10) },
    required: ofList({ id: "transferId coin", quantity: "amount", outcome: "status", time: "timestamp" }),
    refusedHere: [
      [{ limit: 51 }, "limit", "must be a whole number from 1 to 50, not 51"],
      [{ startTime: 2000, endTime: 1000 }, "endTime", "must not be before startTime"]
    ],
    refusedThere: [[{ cursor: nobodysCursor }, "main", badParameter]]
  },
  "executions.list": {
    is: "GET /cloud/trade/v3/execution/list | header | standard | 10/s per category, spot assumed | read | limit 1-100 (50) | cursor <- nextPageCursor of list | [startTime, endTime] ms 7d back 730d",
    parameters: { category, ...each(free, "symbol orderId execType cursor"), ...range, limit: pageSize(100, 50) },
    required: ofList(executionFields),
    refusedHere: [
      [{ category: "linear", limit: 0 }, "limit", "must be a whole number from 1 to 100, not 0"],
      [{ category: "option" }, "category", 'must be spot, linear or inverse, not "option"'],
      [{ category: "linear", startTime: 0, endTime: week + 1 }, "endTime", "must be at most 7d after startTime"]
    ],
    refusedThere: [[{ category: "linear", cursor: nobodysCursor }, "main", badParameter]]
  },
  "executions.preUpgrade": {
    is: "GET /cloud/trade/v3/pre-upgrade/execution/list | header | standard |  | read | limit 1-100 (50) | cursor <- nextPageCursor of list | [startTime, endTime] ms 7d",
    parameters: { category, symbol: free, ...range, execType: free, limit: pageSize(100, 50), cursor: free },
    required: ofList(executionFields),
    refusedHere: [
      [{ category: "spot", execType: "Trade" }, "execType", "is not a parameter for category spot"],
      [{ category: "linear", startTime: 2000, endTime: 1000 }, "endTime", "must not be before startTime"]
    ],
    refusedThere: [[{ category: "linear", cursor: nobodysCursor }, "main", badParameter]]
  },
  "instruments.list": {
    is: "GET /cloud/trade/v3/market/instruments-info | public | standard |  | read | limit 1-1000 (500) | cursor <- nextPageCursor of list",
    parameters: { category, ...each(free, "symbol status baseCoin cursor"), limit: pageSize(1000, 500) },
    required: ofList({
      id: "symbol baseCoin quoteCoin",
      price: "priceFilter priceFilter.tickSize",
      quantity: "lotSizeFilter lotSizeFilter.minOrderQty lotSizeFilter.maxOrderQty"
    }),
    refusedHere: [
      [{ category: "linear", status: "" }, "status", "must not be empty"],
      [{ category: "spot", limit: 1001 }, "limit", "must be a whole number from 1 to 1000, not 1001"]
    ],
    refusedThere: [
      [
        { category: "linear", symbol: "NOSUCHUSDT" },
        "main",
        { _tag: "Rejected", reason: "InvalidRequest", status: 400, retMsg: "we don't support this symbol, plz check." }
      ]
    ]
  },
  "positions.preUpgradeClosedPnl": {
    is: "GET /cloud/trade/v3/pre-upgrade/position/closed-pnl | header | standard |  | read | limit 1-100 (50) | cursor <- nextPageCursor of list | [startTime, endTime] ms 7d",
    // The document's table requires a symbol that its example omits, so it is optional.
    parameters: { category: contracts, symbol: free, ...range, limit: pageSize(100, 50), cursor: free },
    required: ofList(closedFields),
    refusedHere: [
      [{ category: "inverse", limit: 101 }, "limit", "must be a whole number from 1 to 100, not 101"],
      [{ category: "spot" }, "category", 'must be linear or inverse, not "spot"'],
      [{ category: "linear", startTime: 0, endTime: week + 1 }, "endTime", "must be at most 7d after startTime"]
    ],
    refusedThere: [[{ category: "linear", cursor: nobodysCursor }, "main", badParameter]]
  },
  "orders.amend": {
    is: "POST /cloud/trade/v3/order/amend | header | standard | 10/s per category, spot assumed | write",
    parameters: {
      category,
      symbol: present,
      ...each(free, "orderId orderLinkId"),
      ...each(positive, "triggerPrice qty price tpLimitPrice slLimitPrice"),
      ...each(notNegative, "takeProfit stopLoss"),
      ...each(decimal, "orderIv"),
      tpslMode: mode,
      ...each(free, "triggerBy tpTriggerBy slTriggerBy"),
      // Without them the order keeps its values.
      ...each(oneOf("Market", "Limit"), "tpOrderType slOrderType")
    },
    required: { id: "orderId" },
    refusedHere: [
      [{ ...btc, qty: "1" }, "orderId", "one of orderId, orderLinkId is required"],
      [{ ...btc, orderId: "o", price: "0" }, "price", 'must be a decimal greater than 0, not "0"']
    ],
    refusedThere: [
      [{ ...btc, orderId: "no-such-order", price: "1" }, "main", notFound],
      [{ ...btc, orderId: "no-such-order", price: "1" }, "readOnly", noPermission]
    ]
  },
  "assets.subAccountTransfers": {
    is: "GET /private/v1/asset/sub-member/transfer/list | parameter | bare |  | read | limit | cursor <- cursor of list | [startTime, endTime] s",
    parameters: {
      ...each(free, "transfer_id coin status"),
      ...each(seconds, "start_time end_time"),
      direction: unchecked,
      limit: free,
      cursor: { default: "" }
    },
    required: ofList({
      id: "transfer_id coin user_id sub_user_id",
      quantity: "amount",
      time: "timestamp",
      outcome: "status",
      side: "type"
    }),
    refusedHere: [
      [{ limit: 0.5 }, "limit", "must be a whole number, not 0.5"],
      [{ startTime: 1 }, "startTime", /on a whole second/]
    ],
    refusedThere: [[{ cursor: nobodysCursor }, "main", badParameter]]
  },
  "assets.withdrawInternal": {
    is: "POST /private/v1/asset/withdraw/inner-create | parameter | standard | 1/s | idempotent",
    parameters: {
      requestId: { required: true, minLength: 1, maxLength: 64, pattern: "^[A-Za-z0-9]*$" },
      coin: present,
      addressType: requireParameter(oneOf(1, 2, 3)),
      areaCode: unchecked,
      address: present,
      amount: requireParameter(positive),
      remark: { maxLength: 50 }
    },
    required: { id: "withdraw_id" },
    refusedHere: [
      [
        { requestId: "r1", coin: "USDT", addressType: 3, address: "1", amount: "1", remark: "x".repeat(51) },
        "remark",
        /^must be at most 50 characters, not "x+…"$/
      ],
      [{ requestId: "r1", coin: "USDT", addressType: 2, address: "1", amount: "1" }, "areaCode", "is required"],
      [
        { requestId: "r-1", coin: "USDT", addressType: 3, address: "1", amount: "1" },
        "requestId",
        'must be 1 to 64 letters and digits, not "r-1"'
      ]
    ],
    refusedThere: [
      [{ requestId: "r2", coin: "USDT", addressType: 3, address: "10000001", amount: "1" }, "sub", noPermission],
      [
        { requestId: "r3", coin: "USDT", addressType: 3, address: "77777777", amount: "1" },
        "main",
        { ...noPermission, retCode: 131093 }
      ]
    ]
  },
  "assets.transfer": {
    is: "POST /private/v1/asset/transfer/single-account-transfer | parameter | legacy | 1/s | idempotent",
    parameters: {
      requestId: { required: true, format: "uuid", minLength: 36, maxLength: 36 },
      ...each(present, "coin fromAccountType toAccountType"),
      amount: requireParameter(positive)
    },
    required: { id: "transferId" },
    refusedHere: [
      [{ ...transfer, requestId: "not-a-uuid" }, "requestId", 'must be a UUID with dashes, not "not-a-uuid"'],
      [{ ...transfer, amount: "-1" }, "amount", 'must be a decimal greater than 0, not "-1"']
    ],
    refusedThere: [
      [
        { ...transfer, requestId: "3f0e9d1a-52f7-4c0e-9a53-0e8f43f5a002", amount: "999999999999" },
        "main",
        { _tag: "Rejected", reason: "InsufficientBalance" }
      ]
    ]
  },
  "assets.fundingAssets": {
    is: "GET /cloud/trade/v3/asset/transfer/query-asset-info | parameter | standard |  | read",
    parameters: { accountType: present, coin: free },
    required: {
      rows: "spot.assets fund.assets",
      id: "spot.assets[].coin fund.assets[].coin",
      quantity: "spot.assets[].free spot.assets[].total_balance fund.assets[].free fund.assets[].total_balance"
    },
    refusedHere: [
      [{ accountType: "" }, "accountType", "must not be empty"],
      [{ accountType: "FUND", coin: "" }, "coin", "must not be empty"]
    ],
    refusedThere: [[{ accountType: "FUND" }, "expired", expired]]
  },
  "orders.cancelAll": {
    is: "POST /cloud/trade/v3/order/cancel-all | header | standard | 10/s per category, spot assumed | write",
    parameters: {
      category,
      symbol: free,
      baseCoin: { minLength: 1, pattern: "^[^a-z]*$" },
      settleCoin: free,
      // The default for spot.
      orderFilter: { ...oneOf("Order", "StopOrder", "tpslOrder"), default: "Order" },
      stopOrderType: oneOf("Stop")
    },
    required: {},
    refusedHere: [
      [{ category: "inverse" }, "symbol", "one of symbol, baseCoin, settleCoin is required"],
      [{ ...btc, stopOrderType: "Stop" }, "stopOrderType", "is allowed only with orderFilter=StopOrder"]
    ],
    refusedThere: [
      [{ category: "linear", symbol: "NOSUCHUSDT" }, "main", invalid],
      [{ category: "spot" }, "readOnly", noPermission]
    ]
  },
  "assets.transferableCoins": {
    is: "GET /private/v1/asset/transfer/query-coins | parameter | legacy | 60/min | read",
    parameters: { fromAccountType: present, toAccountType: present },
    required: { rows: "coins", id: "coins[]" },
    refusedHere: [
      [{ fromAccountType: "UNIFIED" }, "toAccountType", "is required"],
      [{ fromAccountType: 1, toAccountType: "FUND" }, "fromAccountType", "must be text, not 1"]
    ],
    refusedThere: [[{ fromAccountType: "NOSUCH", toAccountType: "FUND" }, "main", { _tag: "Rejected" }]]
  },
  "broker.customers": {
    is: "GET /private/v1/broker/query-direct-user-list | parameter | legacy | 5/s | read |  |  | [begin, end] s",
    parameters: { begin: seconds, end: seconds },
    required: { rows: "user_list", id: "user_list[]" },
    refusedHere: [
      [{ begin: 1 }, "begin", /on a whole second/],
      [{ begin: 2000, end: 1000 }, "end", "must not be before begin"]
    ],
    refusedThere: [[{}, "customer", noPermission]]
  },
  "apiLimits.set": {
    is: "POST /cloud/trade/v3/apilimit/set | header | standard | 50/s | write",
    parameters: { list: present },
    required: ofList({ id: "uids", limit: "rate", outcome: "success" }, "result"),
    refusedHere: [
      [{ list: [{ uids: [], bizType: "SPOT", rate: 1 }] }, "list.0.uids", "must name at least one"],
      [{ list: [{ uids: ["1"], bizType: "SPOT", rate: 0.5 }] }, "list.0.rate", "must be a whole number, not 0.5"]
    ],
    refusedThere: [[{ list: [{ uids: ["30000001"], bizType: "SPOT", rate: 20 }] }, "classic", noPermission]]
  },
  "apiLimits.query": {
    is: "GET /cloud/trade/v3/apilimit/query | header | standard | 50/s | read",
    // The document's table uses the singular, its example the plural.
    parameters: { uid: commas, uids: commas },
    required: ofList({ id: "uids", limit: "rate" }),
    refusedHere: [
      [{ uids: [] }, "uids", "must name at least one"],
      [{ uids: ["1,2"] }, "uids", "[0] must not be empty or contain a comma"]
    ],
    refusedThere: [[{ uids: ["10000001"] }, "sub", noPermission]]
  },
  "broker.tradeVolume": {
    is: "GET /private/v1/broker/trade-volume | parameter | legacy | 5/s | read | limit 1-50 (20) | cursor <- nextCursor of list | [from, to) ms",
    parameters: {
      ...each(milliseconds, "from to"),
      ...each(free, "uid coin cursor"),
      limit: pageSize(50, 20),
      productType: { ...oneOf("ALL", "SPOT", "DERIVATIVES"), default: "ALL" },
      contractType: oneOf("LinearPerpetual", "InversePerpetual", "LinearFutures", "InverseFutures")
    },
    required: ofList({
      id: "user_id coins[].coin",
      rows: "coins",
      quantity: "coins[].trade_volume",
      fee: "coins[].fee"
    }),
    refusedHere: [
      [{ limit: 51 }, "limit", "must be a whole number from 1 to 50, not 51"],
      [{ productType: "SPOT", contractType: "LinearPerpetual" }, "contractType", /not with productType=SPOT/]
    ],
    refusedThere: [[{ cursor: nobodysCursor }, "main", badParameter]]
  },
  "account.walletBalance": {
    is: "GET /cloud/trade/v3/account/wallet-balance | header | standard | 10/s | read",
    parameters: { accountType: present, coin: commas },
    required: ofList({ rows: "coin", id: "coin[].coin", quantity: "coin[].equity coin[].walletBalance" }),
    refusedHere: [
      [{ accountType: "UNIFIED", coin: [] }, "coin", "must name at least one"],
      [{ accountType: "UNIFIED", coin: ["USDT,BTC"] }, "coin", "[0] must not be empty or contain a comma"],
      [{}, "accountType", "is required"]
    ],
    refusedThere: [[{ accountType: "NOSUCH" }, "main", badParameter]]
  },
  "positions.setRiskLimit": {
    is: "POST /cloud/trade/v3/position/set-risk-limit | header | standard | 10/s per category | write",
    parameters: { category: contracts, symbol: present, riskId: present, positionIdx },
    required: {},
    refusedHere: [
      [{ ...btc, riskId: 1.5 }, "riskId", "must be a whole number, not 1.5"],
      [{ category: "linear", riskId: 1 }, "symbol", "is required"]
    ],
    refusedThere: [[{ ...btc, riskId: 123_456 }, "main", { _tag: "Rejected" }]]
  },
  "orders.create": {
    is: "POST /cloud/trade/v3/order/create | header | standard | 10/s per category, spot assumed | write",
    closed: ["category", ...choices],
    required: { id: "orderId" },
    refusedHere: [
      [{ ...limitOrder, category: "linear", price: undefined }, "price", "is required when orderType is Limit"],
      [{ ...limitOrder, category: "spot", qty: "0" }, "qty", /greater than 0, not "0"$/],
      [{ ...limitOrder, category: "spot", reduceOnly: true }, "reduceOnly", "is not a parameter for category spot"]
    ],
    refusedThere: [[{ ...limitOrder, category: "linear" }, "readOnly", noPermission]]
  },
  "orders.cancel": {
    is: "POST /cloud/trade/v3/order/cancel | header | standard | 10/s per category, spot assumed | write",
    closed: ["category", "orderFilter"],
    required: { id: "orderId" },
    refusedHere: [
      [{ ...btc }, "orderId", "one of orderId, orderLinkId is required"],
      [{ category: "linear", symbol: "", orderId: "o" }, "symbol", "must not be empty"]
    ],
    refusedThere: [
      [{ ...btc, orderId: "no-such-order" }, "main", notFound],
      [{ ...btc, orderId: "no-such-order" }, "readOnly", noPermission]
    ]
  },
  "orders.history": {
    is: "GET /cloud/trade/v3/order/history | header | standard | 10/s per category, spot assumed | read | limit 1-50 (20) | cursor <- nextPageCursor of list | [startTime, endTime] ms 7d back 730d",
    closed: ["category", "orderFilter"],
    required: ofList(orderFields),
    refusedHere: [
      [{ category: "spot", limit: 51 }, "limit", /from 1 to 50, not 51$/],
      [{ category: "linear", startTime: 1 }, "endTime", "is required when startTime is given"],
      [{ category: "linear", startTime: 0, endTime: week + 1 }, "endTime", "must be at most 7d after startTime"]
    ],
    refusedThere: [
      [{ category: "linear", cursor: nobodysCursor }, "main", badParameter],
      [{ category: "spot" }, "expired", expired]
    ]
  },
  "positions.setLeverage": {
    is: "POST /cloud/trade/v3/position/set-leverage | header | standard | 10/s per category | write",
    closed: ["category"],
    required: {},
    refusedHere: [
      [{ ...btc, buyLeverage: "0.9", sellLeverage: "1" }, "buyLeverage", 'must be a decimal of at least 1, not "0.9"'],
      [{ ...btc, buyLeverage: "2" }, "sellLeverage", "is required"]
    ],
    refusedThere: [
      [
        { category: "linear", symbol: "SOLUSDT", buyLeverage: "7", sellLeverage: "7" },
        "main",
        { _tag: "Rejected", retCode: 110043, noChange: true }
      ],
      [
        { category: "linear", symbol: "SOLUSDT", buyLeverage: "500", sellLeverage: "500" },
        "main",
        { _tag: "Rejected", reason: "RiskLimit", retCode: 110013 }
      ]
    ]
  },
  "positions.setTpslMode": {
    is: "POST /cloud/trade/v3/position/set-tpsl-mode | header | standard | 10/s per category | write",
    closed: ["category", "tpSlMode"],
    required: {},
    refusedHere: [
      [{ ...btc, tpSlMode: "Half" }, "tpSlMode", 'must be Full or Partial, not "Half"'],
      [{ category: "inverse", symbol: "", tpSlMode: "Full" }, "symbol", "must not be empty"]
    ],
    refusedThere: [[{ ...btc, tpSlMode: "Partial" }, "main", { _tag: "Rejected", retCode: 110054 }]]
  },
  "positions.closedPnl": {
    is: "GET /cloud/trade/v3/position/closed-pnl | header | standard | 10/s per category | read | limit 1-100 (50) | cursor <- nextPageCursor of list | [startTime, endTime] ms 7d back 730d",
    closed: ["category"],
    required: ofList(closedFields),
    refusedHere: [
      [{ category: "linear", limit: 101 }, "limit", /from 1 to 100, not 101$/],
      [{ category: "linear", startTime: 2, endTime: 1 }, "endTime", "must not be before startTime"]
    ],
    refusedThere: [[{ category: "linear", cursor: nobodysCursor }, "main", badParameter]]
  },
  "positions.confirmNewRiskLimit": {
    is: "POST /cloud/trade/v3/position/confirm-pending-mmr | header | standard |  | write",
    undocumented: true,
    closed: ["category"],
    required: {},
    refusedHere: [
      [{ category: "linear", symbol: "" }, "symbol", "must not be empty"],
      [{ category: "spot", symbol: "BTCUSDT" }, "category", 'must be linear or inverse, not "spot"']
    ],
    refusedThere: [[{ category: "linear", symbol: "DOGEUSDT" }, "main", { _tag: "Rejected", retCode: 110082 }]]
  },
  "account.feeRate": {
    is: "GET /cloud/trade/v3/account/fee-rate | header | standard | 10/s | read",
    closed: ["category"],
    required: ofList({ fee: "takerFeeRate makerFeeRate" }),
    refusedHere: [
      [{ category: "option" }, "category", 'must be spot, linear or inverse, not "option"'],
      [{ category: "spot", symbol: "" }, "symbol", "must not be empty"]
    ],
    refusedThere: [
      [{ category: "linear", symbol: "NOSUCHUSDT" }, "main", badParameter],
      [{ category: "spot" }, "expired", expired]
    ]
  },
  "orders.createBatch": {
    is: "POST /cloud/trade/v3/order/create-batch | header | standard | 10/s per category, assumed | write",
    undocumented: true,
    closed: ["category", ...inBatch(choices)],
    required: batch,
    refusedHere: [
      [{ category: "linear", request: [] }, "request", "must be 1 to 20 orders"],
      [
        { category: "linear", request: [limitOrder, { ...limitOrder, price: undefined, orderLinkId: "second" }] },
        "request.1.price",
        "is required when orderType is Limit"
      ]
    ],
    refusedThere: [
      [{ category: "linear", request: [limitOrder] }, "readOnly", noPermission],
      [{ category: "linear", request: [limitOrder] }, "expired", expired]
    ]
  },
  "orders.amendBatch": {
    is: "POST /cloud/trade/v3/order/amend-batch | header | standard | 10/s per category, assumed | write",
    undocumented: true,
    closed: ["category", ...inBatch(amendment)],
    required: batch,
    refusedHere: [
      [{ category: "spot", request: [] }, "request", "must be 1 to 20 orders"],
      [
        { category: "spot", request: [{ symbol: "BTCUSDT", orderId: "o", qty: "0" }] },
        "request.0.qty",
        'must be a decimal greater than 0, not "0"'
      ]
    ],
    refusedThere: [
      [{ category: "linear", request: [{ symbol: "BTCUSDT", orderId: "o", price: "1" }] }, "readOnly", noPermission]
    ]
  },
  "orders.cancelBatch": {
    is: "POST /cloud/trade/v3/order/cancel-batch | header | standard | 10/s per category, assumed | write",
    undocumented: true,
    closed: ["category"],
    required: batch,
    refusedHere: [
      [{ category: "spot", request: [] }, "request", "must be 1 to 20 orders"],
      [
        { category: "spot", request: [{ symbol: "BTCUSDT" }] },
        "request.0.orderId",
        "one of orderId, orderLinkId is required"
      ]
    ],
    refusedThere: [[{ category: "linear", request: [{ symbol: "BTCUSDT", orderId: "o" }] }, "readOnly", noPermission]]
  }
}

// `Object.keys` gives the keys as text.
export const names = Object.keys(specification) as ReadonlyArray<Samples.Operation>

/** Returns what the document contains of an operation. */
export const evidenceOf = ({ parameters, undocumented }: Specified) =>
  parameters !== undefined ? "documented" : undocumented === true ? "undocumented" : "path documented"

/** Returns the parameters with a closed set of values. */
export const listClosed = ({ closed, parameters = {} }: Specified): ReadonlyArray<string> =>
  closed ??
  Object.entries(parameters).flatMap(([name, parameter]) =>
    parameter !== unchecked && parameter.enum !== undefined ? [name] : []
  )

/** Returns the operations that answer in an envelope. */
export const namesIn = (envelope: "standard" | "legacy" | "bare"): ReadonlyArray<Samples.Operation> =>
  names.filter((name) => specification[name].is.split(" | ")[2] === envelope)

/** Returns the parameter of the page size. */
export const sizeParameterOf = (operation: Samples.Operation): string =>
  specification[operation].is.includes(" | pageSize ") ? "pageSize" : "limit"

/** Returns the field of the rows and that of the cursor, as they are on the wire. The cursor is empty without pages. */
export const listOf = (operation: Samples.Operation) => {
  const { is, required } = specification[operation]
  const [, cursor = "", items = required.rows?.split(" ")[0] ?? "list"] = / <- (\S+) of (\S+)/.exec(is) ?? []
  return {
    items,
    cursor: namesIn("legacy").includes(operation)
      ? cursor.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      : cursor
  }
}

/** Returns the operations of which the document contains so much. */
export const namesOf = (evidence: ReturnType<typeof evidenceOf>): ReadonlyArray<Samples.Operation> =>
  names.filter((name) => evidenceOf(specification[name]) === evidence)

/** Returns method, path, and the documented limit, if any: `10/s per category`. */
export const routeOf = (operation: Samples.Operation) => {
  const [route = "", , , limit = ""] = specification[operation].is.split(" | ")
  const [method = "", path = ""] = route.split(" ")
  return { method: method === "GET" ? "GET" : "POST", path, limit: limit.trim() || undefined } as const
}
