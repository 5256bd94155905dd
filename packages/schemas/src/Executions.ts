/**
 * Executions (trades): what filled an order, at which price and fee.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Absent from "./Absent.js"
import { Decimal } from "./Decimal.js"
import * as Endpoint from "./Endpoint.js"
import * as Enumeration from "./Enumeration.js"
import * as Enumerations from "./Enumerations.js"
import { Flag } from "./Flag.js"
import * as Id from "./Id.js"
import * as Instant from "./Instant.js"
import * as Page from "./Page.js"
import * as Rule from "./Rule.js"
import { Seq } from "./Seq.js"

const recordFields = {
  symbol: Id.Symbol,
  orderId: Id.OrderId,
  side: Enumeration.stated(Enumerations.Side),
  orderPrice: Absent.emptyable(Decimal),
  orderQty: Absent.emptyable(Decimal),
  leavesQty: Absent.emptyable(Decimal),
  orderType: Absent.withDefault(Enumerations.OrderType, ""),
  stopOrderType: Absent.emptyable(Enumerations.StopOrderType),
  execFee: Decimal,
  execId: Id.ExecId,
  execPrice: Decimal,
  execQty: Decimal,
  execValue: Absent.emptyable(Decimal),
  execType: Absent.emptyable(Enumerations.ExecType),
  execTime: Instant.MillisText,
  isMaker: Absent.omittable(Flag),
  feeRate: Absent.emptyable(Decimal),
  markPrice: Absent.emptyable(Decimal),
  closedSize: Absent.emptyable(Decimal)
}

/**
 * One execution. `seq` is the cross sequence that ties executions to position updates, exact at any size; executions concluded
 * at the same time share it, and so may different symbols: `seq` with `symbol` is unique. Compare two with `Seq.Order`. Absent for
 * spot, like `createType`. (docs/reference/rules.md#records-execution)
 *
 * @since 0.1.0
 * @category schemas
 */
export const Execution = Schema.Struct({
  ...recordFields,
  createType: Absent.omittable(Enumerations.CreateType),
  seq: Absent.omittable(Seq)
}).annotations({ identifier: "Execution" })

/**
 * @since 0.1.0
 * @category models
 */
export type Execution = typeof Execution.Type

/**
 * One execution from before the account became a unified one. (rule records/pre-upgrade-execution)
 *
 * @since 0.1.0
 * @category schemas
 */
export const PreUpgradeExecution = Schema.Struct(recordFields).annotations({ identifier: "PreUpgradeExecution" })

/**
 * @since 0.1.0
 * @category models
 */
export type PreUpgradeExecution = typeof PreUpgradeExecution.Type

const week = Duration.days(7)

const paging: Endpoint.Paging = Page.ofList(100, 50)

const execType = Rule.optional(Rule.given(Enumerations.ExecType))

const historyParameters = {
  symbol: Rule.optional(Rule.nonEmpty),
  startTime: Rule.optional(Instant.queryInstant("ms")),
  endTime: Rule.optional(Instant.queryInstant("ms")),
  limit: Rule.optional(Rule.queryInteger(1, 100)),
  cursor: Page.cursor
}

/**
 * Parameters of `executions.list`. Without times: the last 7 days. With one: 7 days from or up to it. With both: at most
 * 7 days. `orderId` has priority over `symbol`. (docs/reference/executions.md#list)
 *
 * @since 0.1.0
 * @category schemas
 */
export const ListRequest = Rule.all(
  Schema.Struct({
    category: Rule.oneOf("spot", "linear", "inverse"),
    orderId: Rule.optional(Rule.nonEmpty),
    execType,
    ...historyParameters
  }),
  ...Rule.timeRange("startTime", "endTime", week)
)

/**
 * @since 0.1.0
 * @category models
 */
export type ListRequest = typeof ListRequest.Type

/**
 * Trade history, newest `execId` first, back to 730 days for unified accounts. One order may have several executions.
 *
 * @since 0.1.0
 * @category endpoints
 */
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
  probes: Endpoint.probeEach(["spot", "linear", "inverse"], (category, { cursor, from, size, to }) => ({
    category,
    startTime: from,
    endTime: to,
    limit: size,
    cursor
  }))
})

/**
 * Parameters of `executions.preUpgrade`. `execType` is not for spot. (docs/reference/executions.md#preupgrade)
 *
 * @since 0.1.0
 * @category schemas
 */
export const PreUpgradeRequest = Rule.all(
  Schema.Union(
    Rule.forCategory("spot", historyParameters),
    Rule.forCategory("linear", { ...historyParameters, execType }),
    Rule.forCategory("inverse", { ...historyParameters, execType })
  ),
  ...Rule.timeRange("startTime", "endTime", week)
)

/**
 * @since 0.1.0
 * @category models
 */
export type PreUpgradeRequest = typeof PreUpgradeRequest.Type

/**
 * Trade history from before the account became a unified one, newest `execTime` first.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const preUpgrade = Endpoint.make({
  name: "executions.preUpgrade",
  domain: "Executions",
  summary: "Trade history from before the account became a unified one, newest first",
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
  probes: Endpoint.probeEach(["spot", "linear", "inverse"], (category, { cursor, from, size, to }) => ({
    category,
    startTime: from,
    endTime: to,
    limit: size,
    cursor
  }))
})

/**
 * The endpoints of the domain by name, in the order in which they are listed.
 *
 * @since 0.1.0
 * @category constants
 */
export const endpoints = { list, preUpgrade }
