/** Executions (trades) with their price and fee. */
import * as BigDecimal from "effect/BigDecimal"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Absent from "../fields/Absent.js"
import { Decimal } from "../scalars/Decimal.js"
import * as Endpoint from "../endpoint/Endpoint.js"
import { narrowType, perCategory, probeRanges, timeRange } from "../endpoint/definition.js"
import * as Enumeration from "../scalars/enumeration.js"
import * as Enumerations from "../scalars/Enumerations.js"
import { Flag } from "../scalars/flag.js"
import * as Id from "../scalars/Id.js"
import * as instants from "../scalars/instants.js"
import * as Page from "../endpoint/page.js"
import * as Refusals from "../rules/Refusals.js"
import * as Rule from "../rules/rule.js"
import { Seq } from "../scalars/Seq.js"
import type { Instrument } from "./Instruments.js"

const recordFields = {
  /** The instrument. */
  symbol: Id.Symbol,
  /** The service's id of the order. */
  orderId: Id.OrderId,
  /** Buy or Sell. */
  side: Enumeration.requireStated(Enumerations.Side),
  /** Price of the order. Unit: quote coin per base coin. */
  orderPrice: Absent.emptyable(Decimal),
  /** Quantity of the order. Unit: base coin; for inverse contracts USD. */
  orderQty: Absent.emptyable(Decimal),
  /** Quantity of the order not executed after this execution. Unit: base coin; for inverse contracts USD. */
  leavesQty: Absent.emptyable(Decimal),
  /** Limit or Market; for a take profit or stop loss the type after it triggers. */
  orderType: Absent.orEmptyText(Enumerations.OrderType),
  /** Kind of conditional order; absent for other orders. */
  stopOrderType: Absent.emptyable(Enumerations.StopOrderType),
  /**
   * Fee of the execution, positive if paid, negative if received. For execType Funding it is the funding payment. Unit: contracts: settle
   * coin; spot in the sandbox: the coin that is received.
   */
  execFee: Decimal,
  /** Id of the execution. */
  execId: Id.ExecId,
  /** Price of the execution. Unit: quote coin per base coin. */
  execPrice: Decimal,
  /** Quantity of the execution. Unit: base coin; for inverse contracts USD. */
  execQty: Decimal,
  /** Value of the execution. Unit: quote coin; for inverse contracts base coin. */
  execValue: Absent.emptyable(Decimal),
  /** Trade, Funding, BustTrade (liquidation), AdlTrade, Settle and others; absent if the service leaves it out. */
  execType: Absent.emptyable(Enumerations.ExecType),
  /** Time of the execution. */
  execTime: instants.MillisText,
  /** True for a maker, false for a taker. */
  isMaker: Absent.omittable(Flag),
  /** Fee rate, negative for a rebate. Unit: fraction; 0.0006 is 0.06 %. */
  feeRate: Absent.emptyable(Decimal),
  /** Mark price at the time of the execution. Unit: quote coin per base coin. */
  markPrice: Absent.emptyable(Decimal),
  /** Size of the position closed by the execution. Unit: base coin; for inverse contracts USD. */
  closedSize: Absent.emptyable(Decimal)
}

const executionSchema = Schema.Struct({
  ...recordFields,
  /** Who created the order; absent for spot. */
  createType: Absent.omittable(Enumerations.CreateType),
  /** Cross sequence, which together with `symbol` links executions to position updates; absent for spot. */
  seq: Absent.omittable(Seq)
}).pipe(Refusals.record("Execution"))

/**
 * An execution. `seq` is the cross sequence that links executions to position updates, exact at any size. Simultaneous executions and
 * different symbols can share a `seq`; together with `symbol` it is unique. Compare two as `BigInt`. `seq` and `createType` are absent
 * for spot. (docs/reference/rules.md#records-execution)
 */
export const Execution: Schema.Schema<Execution, Schema.Schema.Encoded<typeof executionSchema>> = executionSchema

export interface Execution extends Schema.Schema.Type<typeof executionSchema> {}

const preUpgradeExecutionSchema = Schema.Struct(recordFields).pipe(Refusals.record("PreUpgradeExecution"))

/** An execution from before the upgrade to a unified account. (rule records/pre-upgrade-execution) */
export const PreUpgradeExecution: Schema.Schema<
  PreUpgradeExecution,
  Schema.Schema.Encoded<typeof preUpgradeExecutionSchema>
> = preUpgradeExecutionSchema

export interface PreUpgradeExecution extends Schema.Schema.Type<typeof preUpgradeExecutionSchema> {}

/**
 * Returns the coin of `execFee`: the settle coin of a contract; on spot the coin that is received. `none` for a rebate of a spot trade, whose coin nothing
 * decides, and for an instrument of another kind or symbol.
 */
export const feeCoin = (
  category: Endpoint.Category,
  { execFee, side, symbol }: Pick<Execution, "execFee" | "side" | "symbol">,
  instrument: Pick<Instrument, "baseCoin" | "contractType" | "quoteCoin" | "settleCoin" | "symbol">
): Option.Option<Id.Coin> => {
  const isContract = Option.isSome(instrument.contractType)
  if (instrument.symbol !== symbol || isContract !== (category !== "spot")) return Option.none()
  if (isContract) return instrument.settleCoin
  if (BigDecimal.isNegative(execFee) || (side !== "Buy" && side !== "Sell")) return Option.none()
  return Option.some(side === "Buy" ? instrument.baseCoin : instrument.quoteCoin)
}

const week = Duration.days(7)

const paging: Endpoint.Paging = Page.ofList(100, 50)

const execType = Rule.optional(Rule.nonEmptyOf(Enumerations.ExecType))

/**
 * Parameters of `executions.list`. Without times: the last 7 days. With one time: the 7 days after or before it. With both: at most 7 days.
 * `orderId` takes priority over `symbol`. (docs/reference/executions/list.md)
 */
export const ListRequest = Rule.request(
  {
    /** Spot, USDT-linear or inverse contracts. */
    category: Rule.oneOf("document", "spot", "linear", "inverse"),
    /** Only rows of this order; takes priority over `symbol`. */
    orderId: Rule.optional(Rule.nonEmpty),
    /** Only rows of this type. */
    execType: execType,
    ...Page.weekOfRows
  },
  ...Rule.timeRange("startTime", "endTime", { source: "document", length: week })
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
  result: Page.pageOf(Execution),
  rateLimit: perCategory,
  safety: "read",
  paging: paging,
  historyWindow: timeRange("ms", { span: week, reachBack: Duration.days(730) }),
  source: "docs/reference/rules.md#9-trade-history",
  example: { category: "linear", symbol: "BTCUSDT" },
  probes: probeRanges("spot", "linear", "inverse")
})

/** The result of `executions.list`. */
export const ListResult: Schema.Schema<ListResult, Schema.Schema.Encoded<typeof list.result>> = list.result

export interface ListResult extends Schema.Schema.Type<typeof list.result> {}

// A copy, so that declarations name no internal module.
const preUpgradeParameters = { ...Page.weekOfRows }

/** Parameters of `executions.preUpgrade` for any category. */
interface AnyPreUpgradeRequest
  extends
    Schema.Struct.Type<typeof preUpgradeParameters>,
    Endpoint.OnlyFor<"contracts", "execType">,
    Endpoint.ForCategory<Endpoint.Category> {}

const contractParameters = {
  ...preUpgradeParameters,
  /** Only rows of this type. */
  execType: execType
}

/** Parameters of `executions.preUpgrade` for contracts. */
interface ContractPreUpgradeRequest
  extends Schema.Struct.Type<typeof contractParameters>, Endpoint.ForCategory<"linear" | "inverse"> {}

/** Parameters of `executions.preUpgrade`. Spot does not support `execType`. (docs/reference/executions/preUpgrade.md) */
export const PreUpgradeRequest = narrowType<PreUpgradeRequest>()(
  Rule.all(
    Schema.Union(
      Rule.forCategory("spot", preUpgradeParameters),
      ...Rule.forContracts((category) => Rule.forCategory(category, contractParameters))
    ),
    ...Rule.timeRange("startTime", "endTime", { source: "document", length: week })
  )
)

export type PreUpgradeRequest = AnyPreUpgradeRequest | ContractPreUpgradeRequest

/** Trade history from before the upgrade to a unified account, newest `execTime` first. */
export const preUpgrade = Endpoint.make({
  name: "executions.preUpgrade",
  domain: "Executions",
  summary: "Trade history from before the upgrade to a unified account, newest first",
  method: "GET",
  path: "/cloud/trade/v3/pre-upgrade/execution/list",
  request: PreUpgradeRequest,
  result: Page.pageOf(PreUpgradeExecution),
  safety: "read",
  paging: paging,
  historyWindow: timeRange("ms", { span: week }),
  source: "docs/reference/rules.md#10-pre-upgrade-trade-history",
  example: { category: "linear", symbol: "BTCUSDT" },
  probes: probeRanges("spot", "linear", "inverse")
})

/** The result of `executions.preUpgrade`. */
export const PreUpgradeResult: Schema.Schema<
  PreUpgradeResult,
  Schema.Schema.Encoded<typeof preUpgrade.result>
> = preUpgrade.result

export interface PreUpgradeResult extends Schema.Schema.Type<typeof preUpgrade.result> {}

/** The endpoints of this domain, by method name. */
export const endpoints = { list, preUpgrade }
