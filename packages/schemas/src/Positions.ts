/** Positions: margin, leverage, stops, risk limits, and the profit of closed positions. */
import * as BigDecimal from "effect/BigDecimal"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Absent from "./shared/Absent.js"
import * as DecimalModule from "./Decimal.js"
import { Decimal } from "./Decimal.js"
import * as Endpoint from "./Endpoint.js"
import { probeEach } from "./internal/definition.js"
import * as Enumeration from "./internal/enumeration.js"
import * as Enumerations from "./Enumerations.js"
import { Flag, FlagNumber } from "./internal/flag.js"
import * as Id from "./Id.js"
import * as instants from "./internal/instants.js"
import * as LimitStops from "./internal/limitStops.js"
import { agrees, contract, isOfCategory, type Parameters, text } from "./internal/lookUp.js"
import { base, described, price, settle } from "./internal/meaning.js"
import * as repeated from "./internal/repeated.js"
import { Integer, IntegerText } from "./internal/integers.js"
import * as Page from "./internal/page.js"
import * as Rule from "./internal/rule.js"

const sharedFields = {
  /** 0 in one-way mode, 1 long and 2 short in hedge mode. */
  positionIdx: described(Enumerations.PositionIdx, "0 in one-way mode, 1 long and 2 short in hedge mode"),
  /** Id of the risk limit. */
  riskId: described(Absent.omittable(Integer), "id of the risk limit"),
  /** Maximum value of the position. Unit: quote coin; for inverse contracts base coin. */
  riskLimitValue: described(
    Absent.emptyable(Decimal),
    "maximum value of the position",
    "quote coin; for inverse contracts base coin"
  ),
  /** The instrument. */
  symbol: described(Id.Symbol, "the instrument"),
  /** Size, never negative; `side` is the direction. Unit: base coin; for inverse contracts USD. */
  size: described(Decimal, "size, never negative; `side` is the direction", base),
  /** Average entry price. Unit: quote coin per base coin. */
  avgPrice: described(Absent.emptyable(Decimal), "average entry price", price),
  /** Value of the position at entry. Unit: settle coin. */
  positionValue: described(Absent.emptyable(Decimal), "value of the position at entry", settle),
  /** Normal, Liq (being liquidated) or Adl (being deleveraged). */
  positionStatus: described(
    Absent.withDefault(Enumerations.PositionStatus, ""),
    "Normal, Liq (being liquidated) or Adl (being deleveraged)"
  ),
  /** Leverage of a contract's position. Unit: times. */
  leverage: described(Absent.emptyable(Decimal), "leverage of a contract's position", "times"),
  /** Last mark price. Unit: quote coin per base coin. */
  markPrice: described(Absent.emptyable(Decimal), "last mark price", price),
  /**
   * Liquidation price, estimated for cross margin; absent if it is not between `minPrice` and `maxPrice`. Unit: quote coin per base coin.
   */
  liqPrice: described(
    Absent.emptyable(Decimal),
    "liquidation price, estimated for cross margin; absent if it is not between `minPrice` and `maxPrice`",
    price
  ),
  /** Bankruptcy price. Unit: quote coin per base coin. */
  bustPrice: described(Absent.emptyable(Decimal), "bankruptcy price", price),
  /** Initial margin at the mark price. Unit: settle coin. */
  positionIM: described(Absent.emptyable(Decimal), "initial margin at the mark price", settle),
  /** Maintenance margin at the mark price. Unit: settle coin. */
  positionMM: described(Absent.emptyable(Decimal), "maintenance margin at the mark price", settle),
  /** Take profit price. Unit: quote coin per base coin. */
  takeProfit: described(Absent.emptyable(Decimal), "take profit price", price),
  /** Stop loss price. Unit: quote coin per base coin. */
  stopLoss: described(Absent.emptyable(Decimal), "stop loss price", price),
  /** Distance of the trailing stop from the market. Unit: quote coin per base coin. */
  trailingStop: described(Absent.emptyable(Decimal), "distance of the trailing stop from the market", price),
  /** Profit at the mark price, excluding fees; negative for a loss. Unit: settle coin. */
  unrealisedPnl: described(
    Absent.emptyable(Decimal),
    "profit at the mark price, excluding fees; negative for a loss",
    settle
  ),
  /** Realised profit since the position was opened, negative for a loss; in the sandbox after fees and funding. Unit: settle coin. */
  cumRealisedPnl: described(
    Absent.emptyable(Decimal),
    "realised profit since the position was opened, negative for a loss; in the sandbox after fees and funding",
    settle
  ),
  /** Whether the service adds margin automatically before a liquidation. */
  autoAddMargin: described(
    Absent.omittable(FlagNumber),
    "whether the service adds margin automatically before a liquidation"
  ),
  /** Time of creation. */
  createdTime: described(Absent.emptyable(instants.MillisText), "time of creation"),
  /** Time of the last change. */
  updatedTime: described(Absent.emptyable(instants.MillisText), "time of the last change")
}

const positionSchema = Schema.Struct({
  ...sharedFields,
  /** Buy for long, Sell for short; absent for an empty position. */
  side: described(
    Absent.emptyable(Enumerations.Side, "None"),
    "Buy for long, Sell for short; absent for an empty position"
  ),
  /** Whether the service allows only reductions until a new risk limit is confirmed. */
  isReduceOnly: described(
    Absent.withDefault(Flag, false),
    "whether the service allows only reductions until a new risk limit is confirmed"
  ),
  /** Planned or past change of the maintenance margin rate by the service. */
  mmrSysUpdatedTime: described(
    Absent.emptyable(instants.MillisText),
    "planned or past change of the maintenance margin rate by the service"
  ),
  /** Planned or past change of the leverage by the service. */
  leverageSysUpdatedTime: described(
    Absent.emptyable(instants.MillisText),
    "planned or past change of the leverage by the service"
  ),
  /** Rank in the auto-deleveraging queue. */
  adlRankIndicator: described(Absent.omittable(Integer), "rank in the auto-deleveraging queue"),
  /** Full: take profit and stop loss for the whole position; Partial: for a part. */
  tpslMode: described(
    Absent.omittable(Enumerations.TpslMode),
    "Full: take profit and stop loss for the whole position; Partial: for a part"
  ),
  /** 0 cross margin, 1 isolated margin. */
  tradeMode: described(Absent.undescribed(Integer, "left out"), "0 cross margin, 1 isolated margin"),
  /** Margin assigned to an isolated position. Unit: settle coin. */
  positionBalance: described(Absent.undescribed(Decimal, "left out"), "margin assigned to an isolated position", settle)
}).annotations({ identifier: "Position" })

/**
 * A position. `side` is `none` for an empty position. `liqPrice` is `none` if it is outside the price range of the instrument.
 * (docs/reference/rules.md#records-position; `tradeMode` and `positionBalance`:
 * docs/reference/contradictions.md#fields-that-the-document-omits)
 */
export const Position: Schema.Schema<Position, Schema.Schema.Encoded<typeof positionSchema>> = positionSchema

export interface Position extends Schema.Schema.Type<typeof positionSchema> {}

const listParameters = {
  /** The position of this instrument, even if it is empty; takes priority over `settleCoin`. */
  symbol: described(
    Rule.optional(Rule.mayBeEmpty),
    "the position of this instrument, even if it is empty; takes priority over `settleCoin`"
  ),
  /** All instruments with this base coin, such as `BTC`. */
  baseCoin: described(Rule.optional(Rule.nonEmpty), "all instruments with this base coin, such as `BTC`"),
  /** All positions with a size that settle in this coin: `USDT`, or the base coin of an inverse contract, a call for each. */
  settleCoin: described(
    Rule.optional(Rule.nonEmpty),
    "all positions with a size that settle in this coin: `USDT`, or the base coin of an inverse contract, a call for each"
  ),
  /** Maximum number of rows per page. */
  limit: described(Rule.optional(Rule.queryInteger(1, 200)), "maximum number of rows per page"),
  /** The cursor from the previous page, verbatim; default: the first page. */
  cursor: described(Page.cursor, "the cursor from the previous page, verbatim; default: the first page")
}

/** Parameters of `positions.list` for spot. */
export interface SpotListRequest extends Schema.Struct.Type<typeof listParameters> {
  /** Spot. */
  readonly category: "spot"
}

/** Parameters of `positions.list` for contracts. */
export interface ContractListRequest extends Schema.Struct.Type<typeof listParameters> {
  /** USDT-linear or inverse contracts. */
  readonly category: "linear" | "inverse"
}

const listContractOf = (category: "linear" | "inverse") =>
  Rule.all(Rule.forCategory(category, listParameters), Rule.atLeastOne("symbol", "settleCoin"))

/**
 * Parameters of `positions.list`. With a symbol, its position is returned even if it is empty. With only a `settleCoin`, positions with a
 * size are returned. (docs/reference/positions.md#list)
 */
export const ListRequest = Rule.typed<ListRequest>()(
  Schema.Union(Rule.forCategory("spot", listParameters), ...Rule.forContracts(listContractOf))
)

export type ListRequest = SpotListRequest | (ContractListRequest & Endpoint.AtLeastOne<"symbol" | "settleCoin">)

/** The positions of a symbol or of a settle coin. */
export const list = Endpoint.make({
  name: "positions.list",
  domain: "Positions",
  summary: "Positions of a symbol or of a settle coin",
  method: "GET",
  path: "/cloud/trade/v3/position/list",
  request: ListRequest,
  result: Page.categorised(Position),
  rateLimit: Endpoint.perSecond(10, "uid x category"),
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
export interface ListResult extends Schema.Schema.Type<typeof list.result> {}

/** The positions that a write changes: those of its symbol, and of its index if it has one. */
const positionsOf = <E>(
  parameters: Parameters,
  read: Endpoint.ReadCall<E>
): Effect.Effect<ReadonlyArray<Position>, E> =>
  Effect.map(read(list, { category: contract(parameters), symbol: text(parameters, "symbol") }), (page) =>
    isOfCategory(page, contract(parameters))
      ? page.list.filter(
          ({ positionIdx, symbol }) =>
            symbol === parameters.symbol &&
            (parameters.positionIdx === undefined || positionIdx === parameters.positionIdx)
        )
      : []
  )

/** Finds out whether the requested state is in force for all positions that a write changes. */
const positionsNow = <E>(
  parameters: Parameters,
  read: Endpoint.ReadCall<E>,
  isSo: (position: Position) => boolean
): Effect.Effect<Endpoint.Finding, E> =>
  Effect.map(positionsOf(parameters, read), (evidence) => ({
    executed: evidence.length > 0 && evidence.every(isSo) ? "yes" : "undetermined",
    evidence
  }))

const category = Rule.oneOf("spot", "linear", "inverse")
const contractCategory = Rule.oneOf("linear", "inverse")
const positionIdx = Rule.bodyOneOf(0, 1, 2)

/**
 * Parameters of `positions.addMargin`. A positive `margin` is added, a negative one removed, with up to 4 decimals. Positions in hedge mode
 * require `positionIdx`. (docs/reference/positions.md#addmargin)
 */
export const AddMarginRequest = Schema.Struct({
  /** Spot, USDT-linear or inverse contracts. */
  category: described(category, "spot, USDT-linear or inverse contracts"),
  /** The instrument, such as `BTCUSDT`. */
  symbol: described(Rule.nonEmpty, "the instrument, such as `BTCUSDT`"),
  /** Amount to add, negative to remove. Unit: settle coin. */
  margin: described(
    Rule.decimal(
      "must be a decimal other than 0 with at most 4 decimals",
      (margin) => !BigDecimal.isZero(margin) && DecimalModule.decimals(margin) <= 4,
      { pattern: "^-?(0|[1-9]\\d*)(\\.\\d{1,4}0*)?$" }
    ),
    "amount to add, negative to remove",
    settle
  ),
  /** The position: 0 in one-way mode, 1 long and 2 short in hedge mode; required in hedge mode. */
  positionIdx: described(
    Rule.optional(positionIdx),
    "the position: 0 in one-way mode, 1 long and 2 short in hedge mode; required in hedge mode"
  )
})

export interface AddMarginRequest extends Schema.Schema.Type<typeof AddMarginRequest> {}

const marginChangeSchema = Schema.Struct({
  /** The category of the rows. */
  category: described(Absent.withDefault(Schema.String, ""), "the category of the rows"),
  ...sharedFields
}).annotations({ identifier: "MarginChange" })

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
  // The previous margin is unknown, so the look-up returns the position and the caller decides.
  lookUp: (parameters, read) =>
    Effect.map(positionsOf(parameters, read), (evidence) => ({ executed: "undetermined", evidence })),
  source: "docs/reference/rules.md#6-adding-or-reducing-margin",
  example: { category: "linear", symbol: "ETHUSDT", margin: "10", positionIdx: 0 }
})

const stopOrderType = Rule.optional(Rule.oneOf("Market", "Limit"))

// Without `tpslMode` the contract's mode applies, which only the service knows.
const mayBePartial = (request: { readonly tpslMode?: "Full" | "Partial" | undefined }): boolean =>
  request.tpslMode !== "Full"

/**
 * Parameters of `positions.setTradingStop`. 0 cancels a stop. Full stops change the existing orders, partial stops only add orders.
 * `tpslMode` defaults to the current mode of the contract. Sizes and limit prices are refused before sending if `tpslMode` is `"Full"`, and
 * by the service if the current mode is Full. (docs/reference/positions.md#settradingstop;
 * docs/reference/contradictions.md#tpslmode-of-a-trading-stop)
 */
export const TradingStopRequest = Rule.all(
  Schema.Struct({
    /** Spot, USDT-linear or inverse contracts. */
    category: described(category, "spot, USDT-linear or inverse contracts"),
    /** The instrument, such as `BTCUSDT`. */
    symbol: described(Rule.nonEmpty, "the instrument, such as `BTCUSDT`"),
    /** Full: take profit and stop loss for the whole position; Partial: for a part. Full requires market orders. */
    tpslMode: described(
      Rule.optional(Rule.oneOf("Full", "Partial")),
      "Full: take profit and stop loss for the whole position; Partial: for a part. Full requires market orders"
    ),
    /** Price that triggers the take profit; 0 removes it. Unit: quote coin per base coin. */
    takeProfit: described(Rule.optional(Rule.notNegative), "price that triggers the take profit; 0 removes it", price),
    /** Price that triggers the stop loss; 0 removes it. Unit: quote coin per base coin. */
    stopLoss: described(Rule.optional(Rule.notNegative), "price that triggers the stop loss; 0 removes it", price),
    /** Distance of the trailing stop from the market; 0 removes it. Unit: quote coin per base coin. */
    trailingStop: described(
      Rule.optional(Rule.notNegative),
      "distance of the trailing stop from the market; 0 removes it",
      price
    ),
    /** The kind of price that triggers the take profit. */
    tpTriggerBy: described(
      Rule.optional(Rule.known(Enumerations.TriggerBy)),
      "the kind of price that triggers the take profit"
    ),
    /** The kind of price that triggers the stop loss. */
    slTriggerBy: described(
      Rule.optional(Rule.known(Enumerations.TriggerBy)),
      "the kind of price that triggers the stop loss"
    ),
    /** Price that activates the trailing stop. Unit: quote coin per base coin. */
    activePrice: described(Rule.optional(Rule.positive), "price that activates the trailing stop", price),
    /** Quantity that the take profit closes. Unit: base coin; for inverse contracts USD. */
    tpSize: described(Rule.optional(Rule.positive), "quantity that the take profit closes", base),
    /** Quantity that the stop loss closes. Unit: base coin; for inverse contracts USD. */
    slSize: described(Rule.optional(Rule.positive), "quantity that the stop loss closes", base),
    /** Limit price of the take profit after it triggers. Unit: quote coin per base coin. */
    tpLimitPrice: described(Rule.optional(Rule.positive), "limit price of the take profit after it triggers", price),
    /** Limit price of the stop loss after it triggers. Unit: quote coin per base coin. */
    slLimitPrice: described(Rule.optional(Rule.positive), "limit price of the stop loss after it triggers", price),
    /** Order type of the triggered take profit. */
    tpOrderType: described(stopOrderType, "order type of the triggered take profit"),
    /** Order type of the triggered stop loss. */
    slOrderType: described(stopOrderType, "order type of the triggered stop loss"),
    /** The position: 0 in one-way mode, 1 long and 2 short in hedge mode; required in hedge mode. */
    positionIdx: described(
      positionIdx,
      "the position: 0 in one-way mode, 1 long and 2 short in hedge mode; required in hedge mode"
    )
  }),
  Rule.onlyWhen("tpSize", "tpslMode=Partial", (request) => mayBePartial(request)),
  Rule.onlyWhen("slSize", "tpslMode=Partial", (request) => mayBePartial(request)),
  Rule.make("slSize", "must equal tpSize", ({ slSize, tpSize }) => {
    if (slSize === undefined || tpSize === undefined) return true
    return Option.getOrElse(
      Option.zipWith(DecimalModule.fromInput(tpSize), DecimalModule.fromInput(slSize), BigDecimal.equals),
      () => false
    )
  }),
  Rule.onlyWhen(
    "tpLimitPrice",
    "tpslMode=Partial and tpOrderType=Limit",
    (request) => mayBePartial(request) && request.tpOrderType === "Limit"
  ),
  Rule.onlyWhen(
    "slLimitPrice",
    "tpslMode=Partial and slOrderType=Limit",
    (request) => mayBePartial(request) && request.slOrderType === "Limit"
  ),
  LimitStops.marketForFull("tp"),
  LimitStops.marketForFull("sl"),
  LimitStops.priceRequired("tp"),
  LimitStops.priceRequired("sl")
)

export interface TradingStopRequest extends Schema.Schema.Type<typeof TradingStopRequest> {}

// Partial stops add orders and do not change the stops of the position, so those prove nothing about the write.
const isSetFull = (parameters: Parameters, { tpslMode }: Position): boolean =>
  (parameters.tpslMode ?? Option.getOrUndefined(tpslMode)) === "Full"

const stops: ReadonlySet<string> = new Set(["takeProfit", "stopLoss", "trailingStop"])

/** Sets the take profit, stop loss or trailing stop of a position. */
export const setTradingStop = Endpoint.make({
  name: "positions.setTradingStop",
  domain: "Positions",
  summary: "Set the take profit, stop loss or trailing stop of a position",
  method: "POST",
  path: "/cloud/trade/v3/position/trading-stop",
  request: TradingStopRequest,
  result: Page.nothing,
  rateLimit: Endpoint.perSecond(10, "uid x category"),
  safety: "write",
  lookUp: (parameters, read) =>
    Effect.map(positionsOf(parameters, read), (evidence) => {
      const [position] = evidence
      const isSet =
        position !== undefined &&
        evidence.length === 1 &&
        isSetFull(parameters, position) &&
        agrees(parameters, position, (field) => stops.has(field)) === true
      // Different stops prove nothing: they can have been set again since, and the write can still arrive.
      return { executed: isSet ? "yes" : "undetermined", evidence }
    }),
  source: "docs/reference/rules.md#7-trading-stop",
  example: { category: "linear", symbol: "BTCUSDT", positionIdx: 0, trailingStop: "150" }
})

/** Parameters of `positions.setRiskLimit`. Hedge mode requires `positionIdx`. (docs/reference/positions.md#setrisklimit) */
export const SetRiskLimitRequest = Schema.Struct({
  /** USDT-linear or inverse contracts; not used by the service. */
  category: described(contractCategory, "USDT-linear or inverse contracts; not used by the service"),
  /** The instrument, such as `BTCUSDT`. */
  symbol: described(Rule.nonEmpty, "the instrument, such as `BTCUSDT`"),
  /** Id of the risk limit, as in `riskId` of a position; no operation lists the ids. */
  riskId: described(
    Rule.bodyInteger(0),
    "id of the risk limit, as in `riskId` of a position; no operation lists the ids"
  ),
  /** The position: 0 in one-way mode, 1 long and 2 short in hedge mode; required in hedge mode. */
  positionIdx: described(
    Rule.optional(positionIdx),
    "the position: 0 in one-way mode, 1 long and 2 short in hedge mode; required in hedge mode"
  )
})

export interface SetRiskLimitRequest extends Schema.Schema.Type<typeof SetRiskLimitRequest> {}

const riskLimitSchema = Schema.Struct({
  /** The category of the rows. */
  category: described(Absent.withDefault(Schema.String, ""), "the category of the rows"),
  /** Id of the risk limit. */
  riskId: described(Integer, "id of the risk limit"),
  /** Maximum value of the position. Unit: quote coin; for inverse contracts base coin. */
  riskLimitValue: described(
    Absent.emptyable(Decimal),
    "maximum value of the position",
    "quote coin; for inverse contracts base coin"
  )
}).annotations({ identifier: "RiskLimit" })

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
  lookUp: (parameters, read) =>
    positionsNow(parameters, read, ({ riskId }) => Option.contains(riskId, parameters.riskId)),
  deprecated: true,
  source: "docs/reference/rules.md#25-risk-limit",
  example: { category: "linear", symbol: "BTCUSDT", riskId: 2, positionIdx: 0 }
})

const closedPnlSchema = Schema.Struct({
  /** The instrument. */
  symbol: described(Id.Symbol, "the instrument"),
  /** The service's id of the order. */
  orderId: described(Id.OrderId, "the service's id of the order"),
  /** Side of the closing order; Sell closes a long position. */
  side: described(Enumeration.stated(Enumerations.Side), "side of the closing order; Sell closes a long position"),
  /** Quantity of the closing order. Unit: base coin; for inverse contracts USD. */
  qty: described(Decimal, "quantity of the closing order", base),
  /** Price of the closing order. Unit: quote coin per base coin. */
  orderPrice: described(Absent.emptyable(Decimal), "price of the closing order", price),
  /** Limit or Market; for a take profit or stop loss the type after it triggers. */
  orderType: described(
    Absent.withDefault(Enumerations.OrderType, ""),
    "Limit or Market; for a take profit or stop loss the type after it triggers"
  ),
  /** Trade, BustTrade (liquidation), SessionSettlePnL or Settle (settlement). */
  execType: described(
    Absent.withDefault(Enumerations.ClosedPnlExecType, ""),
    "Trade, BustTrade (liquidation), SessionSettlePnL or Settle (settlement)"
  ),
  /** Size that was closed. Unit: base coin; for inverse contracts USD. */
  closedSize: described(Decimal, "size that was closed", base),
  /** Value of the closed size at entry. Unit: settle coin. */
  cumEntryValue: described(Decimal, "value of the closed size at entry", settle),
  /** Average entry price. Unit: quote coin per base coin. */
  avgEntryPrice: described(Decimal, "average entry price", price),
  /** Value of the closed size at exit. Unit: settle coin. */
  cumExitValue: described(Decimal, "value of the closed size at exit", settle),
  /** Average exit price. Unit: quote coin per base coin. */
  avgExitPrice: described(Decimal, "average exit price", price),
  /**
   * Profit of the closed size, negative for a loss. In the sandbox after the fees for opening and closing, before funding. Unit: settle
   * coin.
   */
  closedPnl: described(
    Decimal,
    "profit of the closed size, negative for a loss. In the sandbox after the fees for opening and closing, before funding",
    settle
  ),
  /** Number of executions of the closing order. Unit: count. */
  fillCount: described(Absent.emptyable(IntegerText), "number of executions of the closing order", "count"),
  /** Leverage of the position. Unit: times. */
  leverage: described(Absent.emptyable(Decimal), "leverage of the position", "times"),
  /** Time of creation. */
  createdTime: described(instants.MillisText, "time of creation"),
  /** Time of the last change. */
  updatedTime: described(instants.MillisText, "time of the last change")
}).annotations({ identifier: "ClosedPnl" })

/** The profit or loss of closing a position or a part of it. (rule records/closed-pnl) */
export const ClosedPnl: Schema.Schema<ClosedPnl, Schema.Schema.Encoded<typeof closedPnlSchema>> = closedPnlSchema

export interface ClosedPnl extends Schema.Schema.Type<typeof closedPnlSchema> {}

const week = Duration.days(7)

const closedPnlParameters = {
  /** USDT-linear or inverse contracts. */
  category: described(contractCategory, "USDT-linear or inverse contracts"),
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

const closedPnlPaging: Endpoint.Paging = Page.ofList(100, 50)

/**
 * Parameters of `positions.preUpgradeClosedPnl`. The time rule is that of `executions.list`. `symbol` is optional, as in the service's
 * example (docs/reference/contradictions.md#symbol-of-pre-upgrade-closed-pnl). (docs/reference/positions.md#preupgradeclosedpnl)
 */
export const PreUpgradeClosedPnlRequest = Rule.all(
  Schema.Struct(closedPnlParameters),
  ...Rule.timeRange("startTime", "endTime", week)
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
  result: Page.categorised(ClosedPnl),
  safety: "read",
  paging: closedPnlPaging,
  historyWindow: {
    from: "startTime",
    to: "endTime",
    unit: "ms",
    span: Option.some(week),
    reachBack: Option.none()
  },
  source: "docs/reference/rules.md#12-pre-upgrade-closed-profit-and-loss",
  example: { category: "linear", symbol: "BTCUSDT" },
  probes: probeEach(["linear", "inverse"], (category, { cursor, from, size, to }) => ({
    category,
    startTime: from,
    endTime: to,
    limit: size,
    cursor
  }))
})

/** The result of `positions.preUpgradeClosedPnl`. */
export interface PreUpgradeClosedPnlResult extends Schema.Schema.Type<typeof preUpgradeClosedPnl.result> {}

/** Parameters of `positions.closedPnl`. The time rule is that of `executions.list`. (docs/reference/positions.md#closedpnl) */
export const ClosedPnlRequest = Rule.all(
  Schema.Struct(closedPnlParameters),
  ...Rule.timeRange("startTime", "endTime", week)
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
  result: Page.categorised(ClosedPnl),
  rateLimit: Endpoint.perSecond(10, "uid x category"),
  safety: "read",
  paging: closedPnlPaging,
  historyWindow: {
    from: "startTime",
    to: "endTime",
    unit: "ms",
    span: Option.some(week),
    reachBack: Option.some(Duration.days(730))
  },
  evidence: "listed",
  source: "docs/reference/listed-operations.md#positionsclosedpnl",
  example: { category: "linear", symbol: "BTCUSDT" },
  probes: probeEach(["linear", "inverse"], (category, { cursor, from, size, to }) => ({
    category,
    startTime: from,
    endTime: to,
    limit: size,
    cursor
  }))
})

/** The result of `positions.closedPnl`. */
export interface ClosedPnlResult extends Schema.Schema.Type<typeof closedPnl.result> {}

const leverage = Rule.decimal("must be a decimal of at least 1", (value) =>
  BigDecimal.greaterThanOrEqualTo(value, BigDecimal.fromBigInt(1n))
)

/**
 * Parameters of `positions.setLeverage`. The range is 1 to the maximum of the risk tier. `sellLeverage` must equal `buyLeverage`, except
 * for isolated positions in hedge mode. (docs/reference/positions.md#setleverage)
 */
export const SetLeverageRequest = Schema.Struct({
  /** USDT-linear or inverse contracts. */
  category: described(contractCategory, "USDT-linear or inverse contracts"),
  /** The instrument, such as `BTCUSDT`. */
  symbol: described(Rule.nonEmpty, "the instrument, such as `BTCUSDT`"),
  /** Leverage of long positions; must equal `sellLeverage` in one-way mode and for cross margin. Unit: times. */
  buyLeverage: described(
    leverage,
    "leverage of long positions; must equal `sellLeverage` in one-way mode and for cross margin",
    "times"
  ),
  /** Leverage of short positions. Unit: times. */
  sellLeverage: described(leverage, "leverage of short positions", "times")
})

export interface SetLeverageRequest extends Schema.Schema.Type<typeof SetLeverageRequest> {}

/** In hedge mode the short position has `sellLeverage`; in one-way mode both values are equal. */
const hasLeverage = ({ buyLeverage, sellLeverage }: Parameters, { leverage, positionIdx }: Position): boolean =>
  agrees({ leverage: positionIdx === 2 ? sellLeverage : buyLeverage }, { leverage }) === true

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
  lookUp: (parameters, read) => positionsNow(parameters, read, (position) => hasLeverage(parameters, position)),
  evidence: "listed",
  source: "docs/reference/listed-operations.md#positionssetleverage",
  example: { category: "linear", symbol: "SOLUSDT", buyLeverage: "7", sellLeverage: "7" }
})

/**
 * Parameters of `positions.setTpslMode`. The wire name is `tpSlMode` here and `tpslMode` in all other operations.
 * (docs/reference/positions.md#settpslmode)
 */
export const SetTpslModeRequest = Schema.Struct({
  /** USDT-linear or inverse contracts. */
  category: described(contractCategory, "USDT-linear or inverse contracts"),
  /** The instrument, such as `BTCUSDT`. */
  symbol: described(Rule.nonEmpty, "the instrument, such as `BTCUSDT`"),
  /** The default mode. Full: take profit and stop loss for the whole position; Partial: for a part. */
  tpSlMode: described(
    Rule.oneOf("Full", "Partial"),
    "the default mode. Full: take profit and stop loss for the whole position; Partial: for a part"
  )
})

export interface SetTpslModeRequest extends Schema.Schema.Type<typeof SetTpslModeRequest> {}

const tpslModeSetSchema = Schema.Struct({
  /** The mode in force. */
  tpSlMode: described(Absent.withDefault(Enumerations.TpslMode, ""), "the mode in force")
}).annotations({ identifier: "TpslModeSet" })

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
  lookUp: (parameters, read) =>
    positionsNow(parameters, read, ({ tpslMode }) => Option.exists(tpslMode, (mode) => mode === parameters.tpSlMode)),
  evidence: "listed",
  source: "docs/reference/listed-operations.md#positionssettpslmode",
  example: { category: "linear", symbol: "SOLUSDT", tpSlMode: "Full" }
})

/** Parameters of `positions.confirmNewRiskLimit`. (docs/reference/positions.md#confirmnewrisklimit) */
export const ConfirmNewRiskLimitRequest = Schema.Struct({
  /** USDT-linear or inverse contracts. */
  category: described(contractCategory, "USDT-linear or inverse contracts"),
  /** The instrument, such as `BTCUSDT`. */
  symbol: described(Rule.nonEmpty, "the instrument, such as `BTCUSDT`")
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
  lookUp: (parameters, read) => positionsNow(parameters, read, ({ isReduceOnly }) => !isReduceOnly),
  evidence: "listed",
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
