/** Positions: margin, leverage, stops, risk limits, and the profit of closed positions. */
import * as BigDecimal from "effect/BigDecimal"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Absent from "../fields/Absent.js"
import * as DecimalModule from "../scalars/Decimal.js"
import { Decimal } from "../scalars/Decimal.js"
import * as Endpoint from "../endpoint/Endpoint.js"
import { narrowType, perCategory, probeRanges, timeRange } from "../endpoint/definition.js"
import * as Enumeration from "../scalars/enumeration.js"
import * as Enumerations from "../scalars/Enumerations.js"
import { Flag, FlagNumber } from "../scalars/flag.js"
import * as Id from "../scalars/Id.js"
import * as instants from "../scalars/instants.js"
import * as LimitStops from "./limitStops.js"
import * as LookUps from "./positionLookUps.js"
import * as repeated from "../endpoint/repeated.js"
import { Integer, IntegerText } from "../scalars/integer.js"
import * as Page from "../endpoint/page.js"
import * as Refusals from "../rules/Refusals.js"
import * as Rule from "../rules/rule.js"

const sharedFields = {
  /** 0 in one-way mode, 1 long and 2 short in hedge mode. */
  positionIdx: Enumerations.PositionIdx,
  /** Id of the risk limit. */
  riskId: Absent.omittable(Integer),
  /** Maximum value of the position. Unit: quote coin; for inverse contracts base coin. */
  riskLimitValue: Absent.emptyable(Decimal),
  /** The instrument. */
  symbol: Id.Symbol,
  /** Size, never negative; `side` is the direction. Unit: base coin; for inverse contracts USD. */
  size: Decimal,
  /** Average entry price. Unit: quote coin per base coin. */
  avgPrice: Absent.emptyable(Decimal),
  /** Value of the position at entry. Unit: settle coin. */
  positionValue: Absent.emptyable(Decimal),
  /** Normal, Liq (being liquidated) or Adl (being deleveraged). */
  positionStatus: Absent.orEmptyText(Enumerations.PositionStatus),
  /** Leverage of a contract's position. Unit: times. */
  leverage: Absent.emptyable(Decimal),
  /** Last mark price. Unit: quote coin per base coin. */
  markPrice: Absent.emptyable(Decimal),
  /**
   * Liquidation price, estimated for cross margin; absent if it is not between `minPrice` and `maxPrice`. Unit: quote coin per base coin.
   */
  liqPrice: Absent.emptyable(Decimal),
  /** Bankruptcy price. Unit: quote coin per base coin. */
  bustPrice: Absent.emptyable(Decimal),
  /** Initial margin at the mark price. Unit: settle coin. */
  positionIM: Absent.emptyable(Decimal),
  /** Maintenance margin at the mark price. Unit: settle coin. */
  positionMM: Absent.emptyable(Decimal),
  /** Take profit price. Unit: quote coin per base coin. */
  takeProfit: Absent.emptyable(Decimal),
  /** Stop loss price. Unit: quote coin per base coin. */
  stopLoss: Absent.emptyable(Decimal),
  /** Distance of the trailing stop from the market. Unit: quote coin per base coin. */
  trailingStop: Absent.emptyable(Decimal),
  /** Profit at the mark price, excluding fees; negative for a loss. Unit: settle coin. */
  unrealisedPnl: Absent.emptyable(Decimal),
  /** Realised profit since the position was opened, negative for a loss; in the sandbox after fees and funding. Unit: settle coin. */
  cumRealisedPnl: Absent.emptyable(Decimal),
  /** Whether the service adds margin automatically before a liquidation. */
  autoAddMargin: Absent.omittable(FlagNumber),
  /** Time of creation. */
  createdTime: Absent.emptyable(instants.MillisText),
  /** Time of the last change. */
  updatedTime: Absent.emptyable(instants.MillisText)
}

const positionSchema = Schema.Struct({
  ...sharedFields,
  /** Buy for long, Sell for short; absent for an empty position. */
  side: Absent.emptyable(Enumerations.Side, "None"),
  /** Whether the service allows only reductions until a new risk limit is confirmed. */
  isReduceOnly: Absent.withDefault(Flag, false),
  /** Planned or past change of the maintenance margin rate by the service. */
  mmrSysUpdatedTime: Absent.emptyable(instants.MillisText),
  /** Planned or past change of the leverage by the service. */
  leverageSysUpdatedTime: Absent.emptyable(instants.MillisText),
  /** Rank in the auto-deleveraging queue. */
  adlRankIndicator: Absent.omittable(Integer),
  /** Full: take profit and stop loss for the whole position; Partial: for a part. */
  tpslMode: Absent.omittable(Enumerations.TpslMode),
  /** 0 cross margin, 1 isolated margin. */
  tradeMode: Absent.undescribed(Integer, "left out"),
  /** Margin assigned to an isolated position. Unit: settle coin. */
  positionBalance: Absent.undescribed(Decimal, "left out")
}).pipe(Refusals.record("Position"))

/**
 * A position. `side` is `none` for an empty position. `liqPrice` is `none` if it is outside the price range of the instrument.
 * (docs/reference/rules.md#records-position; `tradeMode` and `positionBalance`:
 * docs/reference/contradictions.md#fields-that-the-document-omits)
 */
export const Position: Schema.Schema<Position, Schema.Schema.Encoded<typeof positionSchema>> = positionSchema

export interface Position extends Schema.Schema.Type<typeof positionSchema> {}

const listParameters = {
  /** The position of this instrument, even if it is empty; takes priority over `settleCoin`. */
  symbol: Rule.optional(Rule.mayBeEmpty),
  /** All instruments with this base coin, such as `BTC`. */
  baseCoin: Rule.optional(Rule.nonEmpty),
  /** All positions with a size that settle in this coin: `USDT`, or the base coin of an inverse contract, a call for each. */
  settleCoin: Rule.optional(Rule.nonEmpty),
  /** Maximum number of rows per page. */
  limit: Rule.optional(Rule.queryIntegerIn("document", 1, 200)),
  /** The cursor from the previous page, verbatim; default: the first page. */
  cursor: Page.cursor
}

/** Parameters of `positions.list` for spot. */
interface SpotListRequest extends Schema.Struct.Type<typeof listParameters>, Endpoint.ForCategory<"spot"> {}

/** Parameters of `positions.list` for any category. Contracts need a symbol or a coin. */
interface AnyListRequest extends Schema.Struct.Type<typeof listParameters>, Endpoint.ForCategory<Endpoint.Category> {}
interface ListOfSymbol extends AnyListRequest {
  readonly symbol: string
}
interface ListOfSettleCoin extends AnyListRequest {
  readonly settleCoin: string
}

const listContractOf = (category: "linear" | "inverse") =>
  Rule.all(Rule.forCategory(category, listParameters), Rule.atLeastOne("document", "symbol", "settleCoin"))

/**
 * Parameters of `positions.list`. With a symbol, its position is returned even if it is empty. With only a `settleCoin`, positions with a
 * size are returned. (docs/reference/positions/list.md)
 */
export const ListRequest = narrowType<ListRequest>()(
  Rule.variants(Rule.forCategory("spot", listParameters), ...Rule.forContracts(listContractOf))
)

export type ListRequest = SpotListRequest | ListOfSymbol | ListOfSettleCoin

/** The positions of a symbol or of a settle coin. */
export const list = Endpoint.make({
  name: "positions.list",
  domain: "Positions",
  summary: "Positions of a symbol or of a settle coin",
  method: "GET",
  path: "/cloud/trade/v3/position/list",
  request: ListRequest,
  result: Page.pageOf(Position),
  rateLimit: perCategory,
  safety: "read",
  paging: Page.ofList(200, 20),
  source: "docs/reference/rules.md#5-positions",
  example: { category: "linear", symbol: "BTCUSDT" },
  probes: [
    { variant: "linear", request: ({ cursor }) => ({ category: "linear" as const, settleCoin: "USDT", cursor }) },
    { variant: "inverse", request: ({ cursor }) => ({ category: "inverse" as const, settleCoin: "BTC", cursor }) }
  ]
})

/** The result of `positions.list`. */
export const ListResult: Schema.Schema<ListResult, Schema.Schema.Encoded<typeof list.result>> = list.result

export interface ListResult extends Schema.Schema.Type<typeof list.result> {}

const lookUps = LookUps.make((selection, read) => read(list, selection))

const category = Rule.oneOf("document", "spot", "linear", "inverse")
const contractCategory = Rule.oneOf("document", "linear", "inverse")
const positionIdx = Rule.oneOfKnown("document", Enumerations.PositionIdx)

/**
 * Parameters of `positions.addMargin`. A positive `margin` is added, a negative one removed, with up to 4 decimals. Positions in hedge mode
 * require `positionIdx`. (docs/reference/positions/addMargin.md)
 */
export const AddMarginRequest = Rule.request({
  /** Spot, USDT-linear or inverse contracts. */
  category: category,
  /** The instrument, such as `BTCUSDT`. */
  symbol: Rule.nonEmpty,
  /** Amount to add, negative to remove. Unit: settle coin. */
  margin: Rule.decimal(
    "document",
    "must be a decimal other than 0 with at most 4 decimals",
    // The text that is sent, with its trailing zeros.
    (margin) => !BigDecimal.isZero(margin) && margin.scale <= 4,
    { pattern: "^-?(0|[1-9]\\d*)(\\.\\d{1,4})?$" }
  ),
  /** The position: 0 in one-way mode, 1 long and 2 short in hedge mode; required in hedge mode. */
  positionIdx: Rule.optional(positionIdx)
})

export interface AddMarginRequest extends Schema.Schema.Type<typeof AddMarginRequest> {}

const marginChangeSchema = Schema.Struct({
  /** The category of the rows. */
  category: Absent.withDefault(Schema.String, ""),
  ...sharedFields,
  // The return code decides, so no field of the record is required.
  /** 0 in one-way mode, 1 long and 2 short in hedge mode. */
  positionIdx: Absent.omittable(Enumerations.PositionIdx),
  /** The instrument. */
  symbol: Absent.emptyable(Id.Symbol),
  /** Size, never negative. Unit: base coin; for inverse contracts USD. */
  size: Absent.emptyable(Decimal)
}).pipe(Refusals.record("MarginChange"))

/** The position after its margin changed. */
export const MarginChange: Schema.Schema<
  MarginChange,
  Schema.Schema.Encoded<typeof marginChangeSchema>
> = marginChangeSchema

export interface MarginChange extends Schema.Schema.Type<typeof marginChangeSchema> {}

/** Adds margin to an isolated position or removes it. */
export const addMargin = Endpoint.make({
  name: "positions.addMargin",
  domain: "Positions",
  summary: "Add margin to an isolated position or remove it",
  method: "POST",
  path: "/cloud/trade/v3/position/add-margin",
  request: AddMarginRequest,
  result: MarginChange,
  safety: "write",
  contradicts: repeated.each("symbol", "positionIdx"),
  lookUp: lookUps.marginAdded,
  source: "docs/reference/rules.md#6-adding-or-reducing-margin",
  example: { category: "linear", symbol: "ETHUSDT", margin: "10", positionIdx: 0 }
})

// Without `tpslMode` the contract's mode applies, which only the service knows.
const mayBePartial = (request: { readonly tpslMode?: Enumerations.TpslMode | undefined }): boolean =>
  request.tpslMode !== "Full"

/**
 * Parameters of `positions.setTradingStop`. 0 cancels a stop. Full stops change the existing orders, partial stops only add orders.
 * `tpslMode` defaults to the current mode of the contract. Sizes and limit prices are refused before sending if `tpslMode` is `"Full"`, and
 * by the service if the current mode is Full. (docs/reference/positions/setTradingStop.md;
 * docs/reference/contradictions.md#tpslmode-of-a-trading-stop)
 */
export const TradingStopRequest = Rule.request(
  {
    /** Spot, USDT-linear or inverse contracts. */
    category: category,
    /** The instrument, such as `BTCUSDT`. */
    symbol: Rule.nonEmpty,
    /** Full: take profit and stop loss for the whole position; Partial: for a part. Full requires market orders. */
    tpslMode: Rule.optional(Rule.oneOfKnown("document", Enumerations.TpslMode)),
    /** Price that triggers the take profit; 0 removes it. Unit: quote coin per base coin. */
    takeProfit: Rule.optional(Rule.notNegative("document")),
    /** Price that triggers the stop loss; 0 removes it. Unit: quote coin per base coin. */
    stopLoss: Rule.optional(Rule.notNegative("document")),
    /** Distance of the trailing stop from the market; 0 removes it. Unit: quote coin per base coin. */
    trailingStop: Rule.optional(Rule.notNegative("document")),
    ...LimitStops.triggerKinds,
    /** Price that activates the trailing stop. Unit: quote coin per base coin. */
    activePrice: Rule.optional(Rule.anyDecimal),
    /** Quantity that the take profit closes. Unit: base coin; for inverse contracts USD. */
    tpSize: Rule.optional(Rule.anyDecimal),
    /** Quantity that the stop loss closes. Unit: base coin; for inverse contracts USD. */
    slSize: Rule.optional(Rule.anyDecimal),
    ...LimitStops.triggeredOrders,
    /** The position: 0 in one-way mode, 1 long and 2 short in hedge mode; required in hedge mode. */
    positionIdx: positionIdx
  },
  Rule.onlyWhen("document", "tpSize", "tpslMode=Partial", (request) => mayBePartial(request)),
  Rule.onlyWhen("document", "slSize", "tpslMode=Partial", (request) => mayBePartial(request)),
  Rule.make("document", "slSize", "must equal tpSize", ({ slSize, tpSize }) => {
    if (slSize === undefined || tpSize === undefined) return true
    return Option.getOrElse(
      Option.zipWith(DecimalModule.fromInput(tpSize), DecimalModule.fromInput(slSize), BigDecimal.equals),
      () => false
    )
  }),
  Rule.onlyWhen(
    "document",
    "tpLimitPrice",
    "tpslMode=Partial and tpOrderType=Limit",
    (request) => mayBePartial(request) && request.tpOrderType === "Limit"
  ),
  Rule.onlyWhen(
    "document",
    "slLimitPrice",
    "tpslMode=Partial and slOrderType=Limit",
    (request) => mayBePartial(request) && request.slOrderType === "Limit"
  ),
  LimitStops.marketForFull("document", "tp"),
  LimitStops.marketForFull("document", "sl"),
  LimitStops.priceRequired("tp"),
  LimitStops.priceRequired("sl")
)

export interface TradingStopRequest extends Schema.Schema.Type<typeof TradingStopRequest> {}

/** Sets the take profit, stop loss or trailing stop of a position. */
export const setTradingStop = Endpoint.make({
  name: "positions.setTradingStop",
  domain: "Positions",
  summary: "Set the take profit, stop loss or trailing stop of a position",
  method: "POST",
  path: "/cloud/trade/v3/position/trading-stop",
  request: TradingStopRequest,
  result: Page.nothing,
  rateLimit: perCategory,
  safety: "write",
  lookUp: lookUps.tradingStopSet,
  source: "docs/reference/rules.md#7-trading-stop",
  example: { category: "linear", symbol: "BTCUSDT", positionIdx: 0, trailingStop: "150" }
})

/** Parameters of `positions.setRiskLimit`. Hedge mode requires `positionIdx`. (docs/reference/positions/setRiskLimit.md) */
export const SetRiskLimitRequest = Rule.request({
  /** USDT-linear or inverse contracts; not used by the service. */
  category: contractCategory,
  /** The instrument, such as `BTCUSDT`. */
  symbol: Rule.nonEmpty,
  /** Id of the risk limit, as in `riskId` of a position; no operation lists the ids. */
  riskId: Rule.bodyInteger,
  /** The position: 0 in one-way mode, 1 long and 2 short in hedge mode; required in hedge mode. */
  positionIdx: Rule.optional(positionIdx)
})

export interface SetRiskLimitRequest extends Schema.Schema.Type<typeof SetRiskLimitRequest> {}

const riskLimitSchema = Schema.Struct({
  /** The category of the rows. */
  category: Absent.withDefault(Schema.String, ""),
  /** Id of the risk limit. */
  riskId: Absent.omittable(Integer),
  /** Maximum value of the position. Unit: quote coin; for inverse contracts base coin. */
  riskLimitValue: Absent.emptyable(Decimal)
}).pipe(Refusals.record("RiskLimit"))

/** The risk limit in force. */
export const RiskLimit: Schema.Schema<RiskLimit, Schema.Schema.Encoded<typeof riskLimitSchema>> = riskLimitSchema

export interface RiskLimit extends Schema.Schema.Type<typeof riskLimitSchema> {}

/** Sets the risk limit of a position. The service has deprecated this operation. */
export const setRiskLimit = Endpoint.make({
  name: "positions.setRiskLimit",
  domain: "Positions",
  summary: "Set the risk limit of a position (deprecated by the service)",
  method: "POST",
  path: "/cloud/trade/v3/position/set-risk-limit",
  request: SetRiskLimitRequest,
  result: RiskLimit,
  rateLimit: Endpoint.perSecond(10, "uid x category"),
  safety: "write",
  contradicts: repeated.each("riskId"),
  lookUp: lookUps.riskLimitSet,
  deprecated: true,
  source: "docs/reference/rules.md#25-risk-limit",
  example: { category: "linear", symbol: "BTCUSDT", riskId: 2, positionIdx: 0 }
})

const closedPnlSchema = Schema.Struct({
  /** The instrument. */
  symbol: Id.Symbol,
  /** The service's id of the order. */
  orderId: Id.OrderId,
  /** Side of the closing order; Sell closes a long position. */
  side: Enumeration.requireStated(Enumerations.Side),
  /** Quantity of the closing order. Unit: base coin; for inverse contracts USD. */
  qty: Decimal,
  /** Price of the closing order. Unit: quote coin per base coin. */
  orderPrice: Absent.emptyable(Decimal),
  /** Limit or Market; for a take profit or stop loss the type after it triggers. */
  orderType: Absent.orEmptyText(Enumerations.OrderType),
  /** Trade, BustTrade (liquidation), SessionSettlePnL or Settle (settlement). */
  execType: Absent.orEmptyText(Enumerations.ClosedPnlExecType),
  /** Size that was closed. Unit: base coin; for inverse contracts USD. */
  closedSize: Decimal,
  /** Value of the closed size at entry. Unit: settle coin. */
  cumEntryValue: Decimal,
  /** Average entry price. Unit: quote coin per base coin. */
  avgEntryPrice: Decimal,
  /** Value of the closed size at exit. Unit: settle coin. */
  cumExitValue: Decimal,
  /** Average exit price. Unit: quote coin per base coin. */
  avgExitPrice: Decimal,
  /**
   * Profit of the closed size, negative for a loss. In the sandbox after the fees for opening and closing, before funding. Unit: settle
   * coin.
   */
  closedPnl: Decimal,
  /** Number of executions of the closing order. Unit: count. */
  fillCount: Absent.emptyable(IntegerText),
  /** Leverage of the position. Unit: times. */
  leverage: Absent.emptyable(Decimal),
  /** Time of creation. */
  createdTime: instants.MillisText,
  /** Time of the last change. */
  updatedTime: instants.MillisText
}).pipe(Refusals.record("ClosedPnl"))

/** The profit or loss of closing a position or a part of it. (rule records/closed-pnl) */
export const ClosedPnl: Schema.Schema<ClosedPnl, Schema.Schema.Encoded<typeof closedPnlSchema>> = closedPnlSchema

export interface ClosedPnl extends Schema.Schema.Type<typeof closedPnlSchema> {}

const week = Duration.days(7)

const closedPnlParameters = {
  /** USDT-linear or inverse contracts. */
  category: contractCategory,
  ...Page.weekOfRows
}

const closedPnlPaging: Endpoint.Paging = Page.ofList(100, 50)

/**
 * Parameters of `positions.preUpgradeClosedPnl`. The time rule is that of `executions.list`. `symbol` is optional, as in the service's
 * example (docs/reference/contradictions.md#symbol-of-pre-upgrade-closed-pnl). (docs/reference/positions/preUpgradeClosedPnl.md)
 */
export const PreUpgradeClosedPnlRequest = Rule.request(
  closedPnlParameters,
  ...Rule.timeRange("startTime", "endTime", { source: "document", length: week })
)

export interface PreUpgradeClosedPnlRequest extends Schema.Schema.Type<typeof PreUpgradeClosedPnlRequest> {}

/** Closed profit and loss from before the upgrade to a unified account, newest `updatedTime` first. */
export const preUpgradeClosedPnl = Endpoint.make({
  name: "positions.preUpgradeClosedPnl",
  domain: "Positions",
  summary: "Closed profit and loss from before the upgrade to a unified account, newest first",
  method: "GET",
  path: "/cloud/trade/v3/pre-upgrade/position/closed-pnl",
  request: PreUpgradeClosedPnlRequest,
  result: Page.pageOf(ClosedPnl),
  safety: "read",
  paging: closedPnlPaging,
  historyWindow: timeRange("ms", { span: week }),
  source: "docs/reference/rules.md#12-pre-upgrade-closed-profit-and-loss",
  example: { category: "linear", symbol: "BTCUSDT" },
  probes: probeRanges("linear", "inverse")
})

/** The result of `positions.preUpgradeClosedPnl`. */
export const PreUpgradeClosedPnlResult: Schema.Schema<
  PreUpgradeClosedPnlResult,
  Schema.Schema.Encoded<typeof preUpgradeClosedPnl.result>
> = preUpgradeClosedPnl.result

export interface PreUpgradeClosedPnlResult extends Schema.Schema.Type<typeof preUpgradeClosedPnl.result> {}

/** Parameters of `positions.closedPnl`. The time rule is that of `executions.list`. (docs/reference/positions/closedPnl.md) */
export const ClosedPnlRequest = Rule.request(
  closedPnlParameters,
  ...Rule.timeRange("startTime", "endTime", { source: "document", length: week })
)

export interface ClosedPnlRequest extends Schema.Schema.Type<typeof ClosedPnlRequest> {}

/** Closed profit and loss, newest `createdTime` first, up to two years back. */
export const closedPnl = Endpoint.make({
  name: "positions.closedPnl",
  domain: "Positions",
  summary: "Closed profit and loss, newest first",
  method: "GET",
  path: "/cloud/trade/v3/position/closed-pnl",
  request: ClosedPnlRequest,
  result: Page.pageOf(ClosedPnl),
  rateLimit: Endpoint.perSecond(10, "uid x category"),
  safety: "read",
  paging: closedPnlPaging,
  historyWindow: timeRange("ms", { span: week, reachBack: Duration.days(730) }),
  evidence: "path documented",
  source: "docs/reference/listed-operations.md#positionsclosedpnl",
  example: { category: "linear", symbol: "BTCUSDT" },
  probes: probeRanges("linear", "inverse")
})

/** The result of `positions.closedPnl`. */
export const ClosedPnlResult: Schema.Schema<
  ClosedPnlResult,
  Schema.Schema.Encoded<typeof closedPnl.result>
> = closedPnl.result

export interface ClosedPnlResult extends Schema.Schema.Type<typeof closedPnl.result> {}

const leverage = Rule.decimal("public", "must be a decimal of at least 1", (value) =>
  BigDecimal.greaterThanOrEqualTo(value, BigDecimal.fromBigInt(1n))
)

/**
 * Parameters of `positions.setLeverage`. The range is 1 to the maximum of the risk tier. `sellLeverage` must equal `buyLeverage`, except
 * for isolated positions in hedge mode. (docs/reference/positions/setLeverage.md)
 */
export const SetLeverageRequest = Rule.request({
  /** USDT-linear or inverse contracts. */
  category: contractCategory,
  /** The instrument, such as `BTCUSDT`. */
  symbol: Rule.nonEmpty,
  /** Leverage of long positions; must equal `sellLeverage` in one-way mode and for cross margin. Unit: times. */
  buyLeverage: leverage,
  /** Leverage of short positions. Unit: times. */
  sellLeverage: leverage
})

export interface SetLeverageRequest extends Schema.Schema.Type<typeof SetLeverageRequest> {}

/** Sets the leverage of a symbol. */
export const setLeverage = Endpoint.make({
  name: "positions.setLeverage",
  domain: "Positions",
  summary: "Set the leverage of a symbol",
  method: "POST",
  path: "/cloud/trade/v3/position/set-leverage",
  request: SetLeverageRequest,
  result: Page.nothing,
  rateLimit: Endpoint.perSecond(10, "uid x category"),
  safety: "write",
  lookUp: lookUps.leverageSet,
  evidence: "path documented",
  source: "docs/reference/listed-operations.md#positionssetleverage",
  example: { category: "linear", symbol: "SOLUSDT", buyLeverage: "7", sellLeverage: "7" }
})

/**
 * Parameters of `positions.setTpslMode`. The wire name is `tpSlMode` here and `tpslMode` in all other operations.
 * (docs/reference/positions/setTpslMode.md)
 */
export const SetTpslModeRequest = Rule.request({
  /** USDT-linear or inverse contracts. */
  category: contractCategory,
  /** The instrument, such as `BTCUSDT`. */
  symbol: Rule.nonEmpty,
  /** The default mode. Full: take profit and stop loss for the whole position; Partial: for a part. */
  tpSlMode: Rule.oneOfKnown("public", Enumerations.TpslMode)
})

export interface SetTpslModeRequest extends Schema.Schema.Type<typeof SetTpslModeRequest> {}

const tpslModeSetSchema = Schema.Struct({
  /** The mode in force. */
  tpSlMode: Absent.orEmptyText(Enumerations.TpslMode)
}).pipe(Refusals.record("TpslModeSet"))

/** The mode in force. */
export const TpslModeSet: Schema.Schema<
  TpslModeSet,
  Schema.Schema.Encoded<typeof tpslModeSetSchema>
> = tpslModeSetSchema

export interface TpslModeSet extends Schema.Schema.Type<typeof tpslModeSetSchema> {}

/** Sets the mode of take profits and stop losses for requests without a mode. */
export const setTpslMode = Endpoint.make({
  name: "positions.setTpslMode",
  domain: "Positions",
  summary: "Set the default mode of take profits and stop losses",
  method: "POST",
  path: "/cloud/trade/v3/position/set-tpsl-mode",
  request: SetTpslModeRequest,
  result: TpslModeSet,
  rateLimit: Endpoint.perSecond(10, "uid x category"),
  safety: "write",
  contradicts: repeated.each("tpSlMode"),
  lookUp: lookUps.tpslModeSet,
  evidence: "path documented",
  source: "docs/reference/listed-operations.md#positionssettpslmode",
  example: { category: "linear", symbol: "SOLUSDT", tpSlMode: "Full" }
})

/** Parameters of `positions.confirmNewRiskLimit`. (docs/reference/positions/confirmNewRiskLimit.md) */
export const ConfirmNewRiskLimitRequest = Rule.request({
  /** USDT-linear or inverse contracts. */
  category: contractCategory,
  /** The instrument, such as `BTCUSDT`. */
  symbol: Rule.nonEmpty
})

export interface ConfirmNewRiskLimitRequest extends Schema.Schema.Type<typeof ConfirmNewRiskLimitRequest> {}

/** Confirms a new risk limit, which clears the position's `isReduceOnly` flag. */
export const confirmNewRiskLimit = Endpoint.make({
  name: "positions.confirmNewRiskLimit",
  domain: "Positions",
  summary: "Confirm a new risk limit, which clears `isReduceOnly`",
  method: "POST",
  path: "/cloud/trade/v3/position/confirm-pending-mmr",
  request: ConfirmNewRiskLimitRequest,
  result: Page.nothing,
  safety: "write",
  lookUp: lookUps.riskLimitConfirmed,
  evidence: "undocumented",
  source: "docs/reference/listed-operations.md#positionsconfirmnewrisklimit",
  example: { category: "linear", symbol: "XRPUSDT" }
})

/** The endpoints of this domain, by method name. */
export const endpoints = {
  list,
  addMargin,
  setTradingStop,
  setRiskLimit,
  confirmNewRiskLimit,
  setLeverage,
  setTpslMode,
  closedPnl,
  preUpgradeClosedPnl
}
