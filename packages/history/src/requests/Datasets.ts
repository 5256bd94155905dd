/**
 * The datasets: one row of a table each.
 *
 * @sibling
 */
import * as Assets from "@effect-venue/schemas/Assets"
import * as Broker from "@effect-venue/schemas/Broker"
import * as Executions from "@effect-venue/schemas/Executions"
import type * as Instruments from "@effect-venue/schemas/Instruments"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Positions from "@effect-venue/schemas/Positions"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Dataset from "../model/Dataset.js"
import * as OpenOrders from "./openOrders.js"

const all = ["spot", "linear", "inverse"] as const
const contracts = ["linear", "inverse"] as const

/** What to export of trading: a category, and one symbol of it or all. */
export interface TradingQuery {
  readonly category: (typeof all)[number]
  readonly symbol?: string | undefined
}

/** The same, for datasets that spot does not have. */
export interface ContractQuery {
  readonly category: (typeof contracts)[number]
  readonly symbol?: string | undefined
}

/** Executions of a category, or only those of a symbol, an order or a type. `orderId` has priority over `symbol`. */
export interface ExecutionQuery extends TradingQuery, Pick<Executions.ListRequest, "execType" | "orderId"> {}

/** What to export of assets: one coin or all. */
export interface CoinQuery {
  readonly coin?: string | undefined
}

/** What to export of bonuses: `awardType` 1 bonuses, 2 coupons; default both. */
export interface BonusQuery {
  readonly awardType?: 1 | 2 | undefined
}

/** What to export of a broker's volume: one customer or all, one coin or all. */
export interface VolumeQuery {
  readonly uid?: string | undefined
  readonly coin?: string | undefined
  readonly productType?: "ALL" | "SPOT" | "DERIVATIVES" | undefined
}

const tradingRequest = <const C extends string>(
  { category, symbol }: { readonly category: C; readonly symbol?: string | undefined },
  { cursor, from, to }: Dataset.Ask
) => ({ category, symbol, startTime: from, endTime: to, limit: 100, cursor })

/** Executions of the account, back to 730 days. */
export const executions = Dataset.make({
  name: "executions",
  summary: "Executions (trades) of the account",
  endpoint: Executions.list,
  record: Executions.Execution,
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

/** Executions from before the upgrade to a unified account. */
export const preUpgradeExecutions = Dataset.make({
  name: "pre-upgrade-executions",
  summary: "Executions from before the upgrade to a unified account",
  endpoint: Executions.preUpgrade,
  record: Executions.PreUpgradeExecution,
  key: ["execId"],
  instant: "execTime",
  categories: all,
  parameters: ["symbol"],
  request: (query: TradingQuery, ask) => tradingRequest(query, ask)
})

/**
 * Closed profit and loss, back to 730 days. The records have no id: two are taken for the same when all their fields are equal and two
 * windows return them at their common border.
 */
export const closedPnl = Dataset.make({
  name: "closed-pnl",
  summary: "Closed profit and loss of positions",
  endpoint: Positions.closedPnl,
  record: Positions.ClosedPnl,
  key: "content",
  instant: "createdTime",
  filedBy: "updatedTime",
  categories: contracts,
  parameters: ["symbol"],
  // One record for each order that closed something, under the instant of the order: it grows until the order is closed.
  settles: {
    identity: ["orderId", "createdTime"],
    kinds: OpenOrders.kindsOf({
      open: ["its closed profit changes until it closes", "their closed profit changes until they close"],
      closed: ["its closed profit can still be late", "their closed profit can still be late"]
    }),
    pending: OpenOrders.read
  },
  request: (query: ContractQuery, ask) => tradingRequest(query, ask)
})

/** Closed profit and loss from before the upgrade to a unified account. */
export const preUpgradeClosedPnl = Dataset.make({
  name: "pre-upgrade-closed-pnl",
  summary: "Closed profit and loss from before the upgrade to a unified account",
  endpoint: Positions.preUpgradeClosedPnl,
  record: Positions.ClosedPnl,
  key: "content",
  instant: "updatedTime",
  filedBy: "createdTime",
  categories: contracts,
  parameters: ["symbol"],
  request: (query: ContractQuery, ask) => tradingRequest(query, ask)
})

/** Orders: of the last 7 days in any status, older ones that were filled. */
export const orderHistory = Dataset.make({
  name: "order-history",
  summary: "Orders of the account",
  endpoint: Orders.history,
  record: Orders.Order,
  key: ["orderId"],
  instant: "createdTime",
  categories: all,
  parameters: ["symbol"],
  // Only once it is closed an order is in the list, under the instant at which it was created.
  settles: {
    kinds: OpenOrders.kindsOf({
      open: ["its record changes until it closes", "their records change until they close"],
      closed: ["its record can still be late", "their records can still be late"]
    }),
    pending: OpenOrders.read
  },
  caveat:
    "Orders that were older than 7 days when they were read are there only if they were filled: the service forgets the others.",
  request: (query: TradingQuery, ask) => ({ ...tradingRequest(query, ask), limit: 50 })
})

const inProgress = (record: string): Dataset.Settling<unknown>["kinds"] => ({
  inProgress: [
    `${record} in progress: its status changes until it succeeds or fails`,
    `${record}s in progress: their status changes until they succeed or fail`
  ]
})

/** Deposits, on chain and internal. */
export const deposits = Dataset.make({
  name: "deposits",
  summary: "Deposits, on chain and internal",
  endpoint: Assets.deposits,
  record: Assets.Deposit,
  key: ["transaction_id"],
  instant: "create_time",
  parameters: ["coin"],
  settles: {
    version: ["status"],
    kinds: inProgress("deposit"),
    isPending: ({ status }) => String(status) === "0"
  },
  request: ({ coin }: CoinQuery, { cursor, from, to }) => ({
    type: 2 as const,
    coin,
    startTime: from,
    endTime: to,
    pageSize: 50,
    cursor
  })
})

const pendingTransfers: Pick<Dataset.Settling<unknown>, "kinds" | "version" | "isPending"> = {
  version: ["status"],
  kinds: inProgress("transfer"),
  isPending: ({ status }) => status === "PENDING" || status === "STATUS_UNKNOWN"
}

const coinRequest = ({ coin }: CoinQuery, { cursor, from, to }: Dataset.Ask) => ({
  coin,
  startTime: from,
  endTime: to,
  limit: 50,
  cursor
})

/** Transfers between account types of one UID. */
export const transfers = Dataset.make({
  name: "transfers",
  summary: "Transfers between account types of this UID",
  endpoint: Assets.transfers,
  record: Assets.Transfer,
  key: ["transferId"],
  instant: "timestamp",
  parameters: ["coin"],
  settles: pendingTransfers,
  request: coinRequest
})

/** Transfers between the account and its sub-accounts. */
export const subAccountTransfers = Dataset.make({
  name: "sub-account-transfers",
  summary: "Transfers between this account and its sub-accounts",
  endpoint: Assets.subAccountTransfers,
  record: Assets.SubAccountTransfer,
  key: ["transfer_id"],
  isShared: true,
  instant: "timestamp",
  parameters: ["coin"],
  settles: pendingTransfers,
  request: coinRequest
})

/**
 * What bonuses and coupons were used for. The service returns at most 50 records of a range and no cursor, so that ranges are halved
 * until they return fewer; 50 records of one second cannot be distinguished from more.
 */
export const bonusUsage = Dataset.make({
  name: "bonus-usage",
  summary: "What bonuses and coupons were used for",
  endpoint: Assets.bonusUsage,
  record: Assets.BonusUsage,
  key: "content",
  instant: "time",
  parameters: ["awardType"],
  unpaged: { items: "rows", limit: 50 },
  request: ({ awardType }: BonusQuery, { from, to }) => ({
    coin: "USDT" as const,
    awardType,
    startTime: from,
    endTime: to,
    limit: 50
  })
})

/** The volume that a broker's customers traded, summed over the whole range: a row for each customer. */
export const brokerVolume = Dataset.make({
  name: "broker-volume",
  summary: "What a broker's customers traded, summed over the whole range",
  endpoint: Broker.tradeVolume,
  record: Broker.Volume,
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
 * Adds `feeCoin`, the coin of `execFee`, to the domain side of the executions of a category, by its instruments (`instruments.listStream`). `none` for a
 * symbol that is not among them, and for rebates of spot trades, whose coin nothing decides.
 */
export const withFeeCoin = <Query, A extends Executions.PreUpgradeExecution, const C extends TradingQuery["category"]>(
  dataset: Dataset.Dataset<Query, A>,
  category: C,
  instruments: Iterable<Instruments.Instrument>
): Dataset.Dataset<Query & { readonly category: C }, A & { readonly feeCoin: Option.Option<string> }> => {
  const listed = new Map(Array.from(instruments, (instrument) => [instrument.symbol, instrument]))
  const feeCoinOf = (fill: A) =>
    Option.flatMap(Option.fromNullable(listed.get(fill.symbol)), (each) => Executions.feeCoin(category, fill, each))
  return {
    ...dataset,
    decode: (row) => Either.map(dataset.decode(row), (fill) => ({ ...fill, feeCoin: feeCoinOf(fill) }))
  }
}

/** All datasets of the library. */
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

/** Those of the named categories that a dataset has; all that it has if none is named. */
export const categoriesOf = (
  { categories }: Pick<Dataset.Dataset<never, unknown>, "categories">,
  named: ReadonlyArray<string>
): ReadonlyArray<string> =>
  named.length === 0 ? categories : categories.filter((category) => named.includes(category))
