/**
 * The datasets: one row of a table each.
 *
 * @since 0.1.0
 */
import * as Assets from "@effect-venue/schemas/Assets"
import * as Broker from "@effect-venue/schemas/Broker"
import * as Enumerations from "@effect-venue/schemas/Enumerations"
import * as Executions from "@effect-venue/schemas/Executions"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Positions from "@effect-venue/schemas/Positions"
import * as Duration from "effect/Duration"
import * as Dataset from "../Dataset.js"
import * as OpenOrders from "../internal/requests/openOrders.js"

const all = ["spot", "linear", "inverse"] as const
const contracts = ["linear", "inverse"] as const

/**
 * What to export of trading: a category, and one symbol of it or all.
 *
 * @since 0.1.0
 * @category models
 */
export interface TradingQuery {
  readonly category: (typeof all)[number]
  readonly symbol?: string | undefined
}

/**
 * The same, for datasets that spot does not have.
 *
 * @since 0.1.0
 * @category models
 */
export interface ContractQuery {
  readonly category: (typeof contracts)[number]
  readonly symbol?: string | undefined
}

/**
 * Executions of a category, or only those of a symbol, an order or a type. `orderId` has priority over `symbol`.
 *
 * @since 0.1.0
 * @category models
 */
export interface ExecutionQuery extends TradingQuery, Pick<Executions.ListRequest, "execType" | "orderId"> {}

/**
 * What to export of assets: one coin or all.
 *
 * @since 0.1.0
 * @category models
 */
export interface CoinQuery {
  readonly coin?: string | undefined
}

/**
 * What to export of bonuses: `awardType` 1 bonuses, 2 coupons; default both.
 *
 * @since 0.1.0
 * @category models
 */
export interface BonusQuery {
  readonly awardType?: 1 | 2 | undefined
}

/**
 * What to export of a broker's volume: one customer or all, one coin or all.
 *
 * @since 0.1.0
 * @category models
 */
export interface VolumeQuery {
  readonly uid?: string | undefined
  readonly coin?: string | undefined
  readonly productType?: "ALL" | "SPOT" | "DERIVATIVES" | undefined
}

const tradingRequest = <const C extends string>(
  { category, symbol }: { readonly category: C; readonly symbol?: string | undefined },
  { cursor, from, to }: Dataset.Ask
) => ({ category, symbol, startTime: from, endTime: to, limit: 100, cursor })

const execution = {
  symbol: "text",
  orderId: "text",
  side: Enumerations.Side,
  orderPrice: "decimal",
  orderQty: "decimal",
  leavesQty: "decimal",
  orderType: Enumerations.OrderType,
  stopOrderType: Enumerations.StopOrderType,
  execFee: "decimal",
  execId: "text",
  execPrice: "decimal",
  execQty: "decimal",
  execValue: "decimal",
  execType: Enumerations.ExecType,
  execTime: "millis",
  isMaker: "boolean",
  feeRate: "decimal",
  markPrice: "decimal",
  closedSize: "decimal"
} as const

/**
 * Executions of the account, back to 730 days.
 *
 * @since 0.1.0
 * @category datasets
 */
export const executions = Dataset.make({
  name: "executions",
  summary: "Executions (trades) of the account",
  endpoint: Executions.list,
  record: Executions.Execution,
  columns: { ...execution, createType: Enumerations.CreateType, seq: "integer" },
  key: ["execId"],
  instant: "execTime",
  categories: all,
  parameters: ["symbol", "orderId", "execType"],
  request: ({ execType, orderId, ...query }: ExecutionQuery, ask) => ({
    ...tradingRequest(query, ask),
    execType,
    orderId
  })
})

/**
 * Executions from before the upgrade to a unified account.
 *
 * @since 0.1.0
 * @category datasets
 */
export const preUpgradeExecutions = Dataset.make({
  name: "pre-upgrade-executions",
  summary: "Executions from before the upgrade to a unified account",
  endpoint: Executions.preUpgrade,
  record: Executions.PreUpgradeExecution,
  columns: execution,
  key: ["execId"],
  instant: "execTime",
  categories: all,
  parameters: ["symbol"],
  request: (query: TradingQuery, ask) => tradingRequest(query, ask)
})

const closed = {
  symbol: "text",
  orderId: "text",
  side: Enumerations.Side,
  qty: "decimal",
  orderPrice: "decimal",
  orderType: Enumerations.OrderType,
  execType: Enumerations.ClosedPnlExecType,
  closedSize: "decimal",
  cumEntryValue: "decimal",
  avgEntryPrice: "decimal",
  cumExitValue: "decimal",
  avgExitPrice: "decimal",
  closedPnl: "decimal",
  fillCount: "integer",
  leverage: "decimal",
  createdTime: "millis",
  updatedTime: "millis"
} as const

/**
 * Closed profit and loss, back to 730 days. The records have no id: two are taken for the same when all their fields are equal and two
 * windows return them at their common border.
 *
 * @since 0.1.0
 * @category datasets
 */
export const closedPnl = Dataset.make({
  name: "closed-pnl",
  summary: "Closed profit and loss of positions",
  endpoint: Positions.closedPnl,
  record: Positions.ClosedPnl,
  columns: closed,
  key: "content",
  instant: "createdTime",
  filedBy: "updatedTime",
  categories: contracts,
  parameters: ["symbol"],
  // One record for each order that closed something, under the instant of the order: it grows until the order is closed.
  settles: { identity: ["orderId", "createdTime"], pending: OpenOrders.created },
  request: (query: ContractQuery, ask) => tradingRequest(query, ask)
})

/**
 * Closed profit and loss from before the upgrade to a unified account.
 *
 * @since 0.1.0
 * @category datasets
 */
export const preUpgradeClosedPnl = Dataset.make({
  name: "pre-upgrade-closed-pnl",
  summary: "Closed profit and loss from before the upgrade to a unified account",
  endpoint: Positions.preUpgradeClosedPnl,
  record: Positions.ClosedPnl,
  columns: closed,
  key: "content",
  instant: "updatedTime",
  filedBy: "createdTime",
  categories: contracts,
  parameters: ["symbol"],
  request: (query: ContractQuery, ask) => tradingRequest(query, ask)
})

/**
 * Orders: of the last 7 days in any status, older ones that were filled.
 *
 * @since 0.1.0
 * @category datasets
 */
export const orderHistory = Dataset.make({
  name: "order-history",
  summary: "Orders of the account",
  endpoint: Orders.history,
  record: Orders.Order,
  columns: {
    orderId: "text",
    orderLinkId: "text",
    symbol: "text",
    price: "decimal",
    qty: "decimal",
    side: Enumerations.Side,
    isLeverage: "flag",
    positionIdx: "integer",
    orderStatus: Enumerations.OrderStatus,
    cancelType: Enumerations.CancelType,
    rejectReason: Enumerations.RejectReason,
    avgPrice: "decimal",
    leavesQty: "decimal",
    leavesValue: "decimal",
    cumExecQty: "decimal",
    cumExecValue: "decimal",
    cumExecFee: "decimal",
    timeInForce: Enumerations.TimeInForce,
    orderType: Enumerations.OrderType,
    stopOrderType: Enumerations.StopOrderType,
    orderIv: "decimal",
    marketUnit: Enumerations.MarketUnit,
    triggerPrice: "decimal",
    takeProfit: "decimal",
    stopLoss: "decimal",
    tpslMode: Enumerations.TpslMode,
    tpLimitPrice: "decimal",
    slLimitPrice: "decimal",
    tpTriggerBy: Enumerations.TriggerBy,
    slTriggerBy: Enumerations.TriggerBy,
    triggerDirection: "integer",
    triggerBy: Enumerations.TriggerBy,
    lastPriceOnCreated: "decimal",
    reduceOnly: "boolean",
    closeOnTrigger: "boolean",
    placeType: Enumerations.PlaceType,
    createdTime: "millis",
    updatedTime: "millis"
  },
  key: ["orderId"],
  instant: "createdTime",
  categories: all,
  parameters: ["symbol"],
  // Only once it is closed an order is in the list, under the instant at which it was created.
  settles: { pending: OpenOrders.created },
  caveat:
    "Orders that were older than 7 days when they were read are there only if they were filled: the service forgets the others.",
  request: (query: TradingQuery, ask) => ({ ...tradingRequest(query, ask), limit: 50 })
})

/**
 * Deposits, on chain and internal.
 *
 * @since 0.1.0
 * @category datasets
 */
export const deposits = Dataset.make({
  name: "deposits",
  summary: "Deposits, on chain and internal",
  endpoint: Assets.deposits,
  record: Assets.Deposit,
  columns: {
    type: Enumerations.DepositType,
    chain: "text",
    coin: "text",
    amount: "decimal",
    address: "text",
    status: Enumerations.DepositStatus,
    time: "seconds",
    transaction_id: "text",
    tx_id: "text",
    create_time: "seconds"
  },
  key: ["transaction_id"],
  instant: "create_time",
  parameters: ["coin"],
  settles: { version: ["status"], isPending: ({ status }) => String(status) === "0" },
  request: ({ coin }: CoinQuery, { cursor, from, to }) => ({
    type: 2 as const,
    coin,
    startTime: from,
    endTime: to,
    pageSize: 50,
    cursor
  })
})

const pendingTransfers: Pick<Dataset.Settling<unknown>, "version" | "isPending"> = {
  version: ["status"],
  isPending: ({ status }) => status === "PENDING" || status === "STATUS_UNKNOWN"
}

/**
 * Transfers between account types of one UID.
 *
 * @since 0.1.0
 * @category datasets
 */
export const transfers = Dataset.make({
  name: "transfers",
  summary: "Transfers between account types of this UID",
  endpoint: Assets.transfers,
  record: Assets.Transfer,
  columns: {
    transferId: "text",
    coin: "text",
    amount: "decimal",
    fromAccountType: Enumerations.AccountType,
    toAccountType: Enumerations.AccountType,
    status: Enumerations.TransferStatus,
    timestamp: "instant"
  },
  key: ["transferId"],
  instant: "timestamp",
  parameters: ["coin"],
  settles: pendingTransfers,
  request: ({ coin }: CoinQuery, { cursor, from, to }) => ({ coin, startTime: from, endTime: to, limit: 50, cursor })
})

/**
 * Transfers between the account and its sub-accounts.
 *
 * @since 0.1.0
 * @category datasets
 */
export const subAccountTransfers = Dataset.make({
  name: "sub-account-transfers",
  summary: "Transfers between this account and its sub-accounts",
  endpoint: Assets.subAccountTransfers,
  record: Assets.SubAccountTransfer,
  columns: {
    transfer_id: "text",
    coin: "text",
    amount: "decimal",
    user_id: "text",
    sub_user_id: "text",
    timestamp: "instant",
    status: Enumerations.TransferStatus,
    type: Enumerations.SubAccountTransferType
  },
  key: ["transfer_id"],
  isShared: true,
  instant: "timestamp",
  parameters: ["coin"],
  settles: pendingTransfers,
  request: ({ coin }: CoinQuery, { cursor, from, to }) => ({ coin, startTime: from, endTime: to, limit: 50, cursor })
})

/**
 * What bonuses and coupons were used for. The service returns at most 50 records of a range and no cursor, so that ranges are halved
 * until they return fewer; 50 records of one second cannot be distinguished from more.
 *
 * @since 0.1.0
 * @category datasets
 */
export const bonusUsage = Dataset.make({
  name: "bonus-usage",
  summary: "What bonuses and coupons were used for",
  endpoint: Assets.bonusUsage,
  record: Assets.BonusUsage,
  columns: {
    award_type: "integer",
    symbol: "text",
    time: "seconds",
    type: "integer",
    coin: "text",
    amount: "decimal",
    order_id: "text"
  },
  key: "content",
  instant: "time",
  parameters: ["awardType"],
  exclusive: true,
  unpaged: { items: "rows", limit: 50 },
  request: ({ awardType }: BonusQuery, { from, to }) => ({
    coin: "USDT" as const,
    awardType,
    startTime: from,
    endTime: to,
    limit: 50
  })
})

/**
 * The volume that a broker's customers traded, summed over the whole range: a row for each customer.
 *
 * @since 0.1.0
 * @category datasets
 */
export const brokerVolume = Dataset.make({
  name: "broker-volume",
  summary: "What a broker's customers traded, summed over the whole range",
  endpoint: Broker.tradeVolume,
  record: Broker.Volume,
  columns: { user_id: "text", coins: "json" },
  key: ["user_id"],
  isShared: true,
  parameters: ["uid", "coin", "productType"],
  newestFirst: false,
  cursor: "next_cursor",
  span: Duration.infinity,
  request: ({ coin, productType, uid }: VolumeQuery, { cursor, from, to }) => ({
    uid,
    coin,
    productType,
    from,
    to,
    limit: 50,
    cursor
  })
})

/**
 * All datasets of the library.
 *
 * @since 0.1.0
 * @category constants
 */
export const datasets = [
  executions,
  preUpgradeExecutions,
  closedPnl,
  preUpgradeClosedPnl,
  orderHistory,
  deposits,
  transfers,
  subAccountTransfers,
  bonusUsage,
  brokerVolume
] as const
