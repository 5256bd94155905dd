/** Executions (trades) with their price and fee. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Absent from "./shared/Absent.js"
import { Decimal } from "./Decimal.js"
import * as Endpoint from "./Endpoint.js"
import { probeEach } from "./internal/definition.js"
import * as Enumeration from "./internal/enumeration.js"
import * as Enumerations from "./Enumerations.js"
import { Flag } from "./internal/flag.js"
import * as Id from "./Id.js"
import * as instants from "./internal/instants.js"
import { base, described, price, share } from "./internal/meaning.js"
import * as Page from "./internal/page.js"
import * as Rule from "./internal/rule.js"
import { Seq } from "./shared/Seq.js"

const recordFields = {
  /** The instrument. */
  symbol: described(Id.Symbol, "the instrument"),
  /** The service's id of the order. */
  orderId: described(Id.OrderId, "the service's id of the order"),
  /** Buy or Sell. */
  side: described(Enumeration.stated(Enumerations.Side), "Buy or Sell"),
  /** Price of the order. Unit: quote coin per base coin. */
  orderPrice: described(Absent.emptyable(Decimal), "price of the order", price),
  /** Quantity of the order. Unit: base coin; for inverse contracts USD. */
  orderQty: described(Absent.emptyable(Decimal), "quantity of the order", base),
  /** Quantity of the order not executed after this execution. Unit: base coin; for inverse contracts USD. */
  leavesQty: described(Absent.emptyable(Decimal), "quantity of the order not executed after this execution", base),
  /** Limit or Market; for a take profit or stop loss the type after it triggers. */
  orderType: described(
    Absent.withDefault(Enumerations.OrderType, ""),
    "Limit or Market; for a take profit or stop loss the type after it triggers"
  ),
  /** Kind of conditional order; absent for other orders. */
  stopOrderType: described(
    Absent.emptyable(Enumerations.StopOrderType),
    "kind of conditional order; absent for other orders"
  ),
  /**
   * Fee of the execution, positive if paid, negative if received. For execType Funding it is the funding payment. Unit: contracts: settle
   * coin; spot in the sandbox: the coin that is received.
   */
  execFee: described(
    Decimal,
    "fee of the execution, positive if paid, negative if received. For execType Funding it is the funding payment",
    "contracts: settle coin; spot in the sandbox: the coin that is received"
  ),
  /** Id of the execution. */
  execId: described(Id.ExecId, "id of the execution"),
  /** Price of the execution. Unit: quote coin per base coin. */
  execPrice: described(Decimal, "price of the execution", price),
  /** Quantity of the execution. Unit: base coin; for inverse contracts USD. */
  execQty: described(Decimal, "quantity of the execution", base),
  /** Value of the execution. Unit: quote coin; for inverse contracts base coin. */
  execValue: described(
    Absent.emptyable(Decimal),
    "value of the execution",
    "quote coin; for inverse contracts base coin"
  ),
  /** Trade, Funding, BustTrade (liquidation), AdlTrade, Settle and others; absent if the service leaves it out. */
  execType: described(
    Absent.emptyable(Enumerations.ExecType),
    "Trade, Funding, BustTrade (liquidation), AdlTrade, Settle and others; absent if the service leaves it out"
  ),
  /** Time of the execution. */
  execTime: described(instants.MillisText, "time of the execution"),
  /** True for a maker, false for a taker. */
  isMaker: described(Absent.omittable(Flag), "true for a maker, false for a taker"),
  /** Fee rate, negative for a rebate. Unit: fraction; 0.0006 is 0.06 %. */
  feeRate: described(Absent.emptyable(Decimal), "fee rate, negative for a rebate", share),
  /** Mark price at the time of the execution. Unit: quote coin per base coin. */
  markPrice: described(Absent.emptyable(Decimal), "mark price at the time of the execution", price),
  /** Size of the position closed by the execution. Unit: base coin; for inverse contracts USD. */
  closedSize: described(Absent.emptyable(Decimal), "size of the position closed by the execution", base)
}

const executionSchema = Schema.Struct({
  ...recordFields,
  /** Who created the order; absent for spot. */
  createType: described(Absent.omittable(Enumerations.CreateType), "who created the order; absent for spot"),
  /** Cross sequence, which together with `symbol` links executions to position updates; absent for spot. */
  seq: described(
    Absent.omittable(Seq),
    "cross sequence, which together with `symbol` links executions to position updates; absent for spot"
  )
}).annotations({ identifier: "Execution" })

/**
 * An execution. `seq` is the cross sequence that links executions to position updates, exact at any size. Simultaneous executions and
 * different symbols can share a `seq`; together with `symbol` it is unique. Compare two as `BigInt`. `seq` and `createType` are absent
 * for spot. (docs/reference/rules.md#records-execution)
 */
export const Execution: Schema.Schema<Execution, Schema.Schema.Encoded<typeof executionSchema>> = executionSchema

export interface Execution extends Schema.Schema.Type<typeof executionSchema> {}

const preUpgradeExecutionSchema = Schema.Struct(recordFields).annotations({ identifier: "PreUpgradeExecution" })

/** An execution from before the upgrade to a unified account. (rule records/pre-upgrade-execution) */
export const PreUpgradeExecution: Schema.Schema<
  PreUpgradeExecution,
  Schema.Schema.Encoded<typeof preUpgradeExecutionSchema>
> = preUpgradeExecutionSchema

export interface PreUpgradeExecution extends Schema.Schema.Type<typeof preUpgradeExecutionSchema> {}

const week = Duration.days(7)

const paging: Endpoint.Paging = Page.ofList(100, 50)

const execType = Rule.optional(Rule.nonEmptyOf(Enumerations.ExecType))

const historyParameters = {
  /** Only rows of this instrument. */
  symbol: described(Rule.optional(Rule.nonEmpty), "only rows of this instrument"),
  /** Only rows at or after this instant; default: 7 days before `endTime`, or the last 7 days. */
  startTime: described(
    Rule.optional(instants.queryInstant("ms")),
    "only rows at or after this instant; default: 7 days before `endTime`, or the last 7 days"
  ),
  /** Only rows at or before this instant; default: 7 days after `startTime`. */
  endTime: described(
    Rule.optional(instants.queryInstant("ms")),
    "only rows at or before this instant; default: 7 days after `startTime`"
  ),
  /** Maximum number of rows per page. */
  limit: described(Rule.optional(Rule.queryInteger(1, 100)), "maximum number of rows per page"),
  /** The cursor from the previous page, verbatim; default: the first page. */
  cursor: described(Page.cursor, "the cursor from the previous page, verbatim; default: the first page")
}

/**
 * Parameters of `executions.list`. Without times: the last 7 days. With one time: the 7 days after or before it. With both: at most 7 days.
 * `orderId` takes priority over `symbol`. (docs/reference/executions.md#list)
 */
export const ListRequest = Rule.all(
  Schema.Struct({
    /** Spot, USDT-linear or inverse contracts. */
    category: described(Rule.oneOf("spot", "linear", "inverse"), "spot, USDT-linear or inverse contracts"),
    /** Only rows of this order; takes priority over `symbol`. */
    orderId: described(Rule.optional(Rule.nonEmpty), "only rows of this order; takes priority over `symbol`"),
    /** Only rows of this type. */
    execType: described(execType, "only rows of this type"),
    ...historyParameters
  }),
  ...Rule.timeRange("startTime", "endTime", week)
)

export interface ListRequest extends Schema.Schema.Type<typeof ListRequest> {}

/** Trade history, newest `execId` first, back to 730 days for unified accounts. An order can have several executions. */
export const list = Endpoint.make({
  name: "executions.list",
  domain: "Executions",
  summary: "Trade history, newest first",
  method: "GET",
  path: "/cloud/trade/v3/execution/list",
  request: ListRequest,
  result: Page.categorised(Execution),
  rateLimit: Endpoint.perSecond(10, "uid x category"),
  safety: "read",
  paging: paging,
  historyWindow: {
    from: "startTime",
    to: "endTime",
    unit: "ms",
    span: Option.some(week),
    reachBack: Option.some(Duration.days(730))
  },
  source: "docs/reference/rules.md#9-trade-history",
  example: { category: "linear", symbol: "BTCUSDT" },
  probes: probeEach(["spot", "linear", "inverse"], (category, { cursor, from, size, to }) => ({
    category,
    startTime: from,
    endTime: to,
    limit: size,
    cursor
  }))
})

/** The result of `executions.list`. */
export interface ListResult extends Schema.Schema.Type<typeof list.result> {}

/** Parameters of `executions.preUpgrade` for spot. */
export interface SpotPreUpgradeRequest
  extends Schema.Struct.Type<typeof historyParameters>, Endpoint.NotFor<"spot", "execType"> {
  /** Spot. */
  readonly category: "spot"
}

const contractParameters = {
  ...historyParameters,
  /** Only rows of this type. */
  execType: described(execType, "only rows of this type")
}

/** Parameters of `executions.preUpgrade` for contracts. */
export interface ContractPreUpgradeRequest extends Schema.Struct.Type<typeof contractParameters> {
  /** USDT-linear or inverse contracts. */
  readonly category: "linear" | "inverse"
}

/** Parameters of `executions.preUpgrade`. Spot does not support `execType`. (docs/reference/executions.md#preupgrade) */
export const PreUpgradeRequest = Rule.typed<PreUpgradeRequest>()(
  Rule.all(
    Schema.Union(
      Rule.forCategory("spot", historyParameters),
      ...Rule.forContracts((category) => Rule.forCategory(category, contractParameters))
    ),
    ...Rule.timeRange("startTime", "endTime", week)
  )
)

export type PreUpgradeRequest = SpotPreUpgradeRequest | ContractPreUpgradeRequest

/** Trade history from before the upgrade to a unified account, newest `execTime` first. */
export const preUpgrade = Endpoint.make({
  name: "executions.preUpgrade",
  domain: "Executions",
  summary: "Trade history from before the upgrade to a unified account, newest first",
  method: "GET",
  path: "/cloud/trade/v3/pre-upgrade/execution/list",
  request: PreUpgradeRequest,
  result: Page.categorised(PreUpgradeExecution),
  safety: "read",
  paging: paging,
  historyWindow: {
    from: "startTime",
    to: "endTime",
    unit: "ms",
    span: Option.some(week),
    reachBack: Option.none()
  },
  source: "docs/reference/rules.md#10-pre-upgrade-trade-history",
  example: { category: "linear", symbol: "BTCUSDT" },
  probes: probeEach(["spot", "linear", "inverse"], (category, { cursor, from, size, to }) => ({
    category,
    startTime: from,
    endTime: to,
    limit: size,
    cursor
  }))
})

/** The result of `executions.preUpgrade`. */
export interface PreUpgradeResult extends Schema.Schema.Type<typeof preUpgrade.result> {}

/** The endpoints of this domain, by method name. */
export const endpoints = { list, preUpgrade }
