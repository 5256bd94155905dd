/**
 * Positions: what is held, its margin, its leverage, its stops, its risk limit, and what closing it brought.
 *
 * @since 0.1.0
 */
import * as BigDecimal from "effect/BigDecimal"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Absent from "./Absent.js"
import * as DecimalModule from "./Decimal.js"
import { Decimal } from "./Decimal.js"
import * as Endpoint from "./Endpoint.js"
import * as Enumeration from "./Enumeration.js"
import * as Enumerations from "./Enumerations.js"
import { Flag, FlagNumber } from "./Flag.js"
import * as Id from "./Id.js"
import * as Instant from "./Instant.js"
import * as LimitStops from "./internal/limitStops.js"
import { agrees, contract, isOfCategory, type Parameters, text } from "./internal/lookUp.js"
import { base, described, price, settle } from "./internal/meaning.js"
import * as repeated from "./internal/repeated.js"
import { Integer, IntegerText } from "./Integer.js"
import * as Page from "./Page.js"
import * as Rule from "./Rule.js"

const sharedFields = {
  /** 0 one-way mode, 1 long and 2 short in hedge mode. */
  positionIdx: described(Enumerations.PositionIdx, "0 one-way mode, 1 long and 2 short in hedge mode"),
  /** Id of the risk limit. */
  riskId: described(Absent.omittable(Integer), "id of the risk limit"),
  /** Largest value of the position at its risk limit. Unit: quote coin; of inverse contracts base coin. */
  riskLimitValue: described(
    Absent.emptyable(Decimal),
    "largest value of the position at its risk limit",
    "quote coin; of inverse contracts base coin"
  ),
  /** The instrument. */
  symbol: described(Id.Symbol, "the instrument"),
  /** Size, never negative: `side` is its sign. Unit: base coin; of inverse contracts USD. */
  size: described(Decimal, "size, never negative: `side` is its sign", base),
  /** Mean price of entry. Unit: quote coin per base coin. */
  avgPrice: described(Absent.emptyable(Decimal), "mean price of entry", price),
  /** Value of the position at its entry. Unit: settle coin. */
  positionValue: described(Absent.emptyable(Decimal), "value of the position at its entry", settle),
  /** Normal, Liq (being liquidated) or Adl (being deleveraged). */
  positionStatus: described(
    Absent.withDefault(Enumerations.PositionStatus, ""),
    "Normal, Liq (being liquidated) or Adl (being deleveraged)"
  ),
  /** Leverage of a contract's position. Unit: times. */
  leverage: described(Absent.emptyable(Decimal), "leverage of a contract's position", "times"),
  /** Last mark price. Unit: quote coin per base coin. */
  markPrice: described(Absent.emptyable(Decimal), "last mark price", price),
  /** Price of liquidation, of cross margin an estimate; absent outside of minPrice and maxPrice. Unit: quote coin per base coin. */
  liqPrice: described(
    Absent.emptyable(Decimal),
    "price of liquidation, of cross margin an estimate; absent outside of minPrice and maxPrice",
    price
  ),
  /** Price of bankruptcy. Unit: quote coin per base coin. */
  bustPrice: described(Absent.emptyable(Decimal), "price of bankruptcy", price),
  /** Initial margin at the mark price. Unit: settle coin. */
  positionIM: described(Absent.emptyable(Decimal), "initial margin at the mark price", settle),
  /** Maintenance margin at the mark price. Unit: settle coin. */
  positionMM: described(Absent.emptyable(Decimal), "maintenance margin at the mark price", settle),
  /** Price of the take profit. Unit: quote coin per base coin. */
  takeProfit: described(Absent.emptyable(Decimal), "price of the take profit", price),
  /** Price of the stop loss. Unit: quote coin per base coin. */
  stopLoss: described(Absent.emptyable(Decimal), "price of the stop loss", price),
  /** Distance of the trailing stop from the market. Unit: quote coin per base coin. */
  trailingStop: described(Absent.emptyable(Decimal), "distance of the trailing stop from the market", price),
  /** Profit at the mark price, negative for a loss; fees are not in it. Unit: settle coin. */
  unrealisedPnl: described(
    Absent.emptyable(Decimal),
    "profit at the mark price, negative for a loss; fees are not in it",
    settle
  ),
  /** Realised profit since the position exists, negative for a loss; in the sandbox after fees and funding. Unit: settle coin. */
  cumRealisedPnl: described(
    Absent.emptyable(Decimal),
    "realised profit since the position exists, negative for a loss; in the sandbox after fees and funding",
    settle
  ),
  /** Whether margin is added by the service before a liquidation. */
  autoAddMargin: described(Absent.omittable(FlagNumber), "whether margin is added by the service before a liquidation"),
  /** When it was created. */
  createdTime: described(Absent.emptyable(Instant.MillisText), "when it was created"),
  /** When it was last changed. */
  updatedTime: described(Absent.emptyable(Instant.MillisText), "when it was last changed")
}

const positionSchema = Schema.Struct({
  ...sharedFields,
  /** Buy is long, Sell short; absent for an empty position. */
  side: described(Absent.emptyable(Enumerations.Side, "None"), "Buy is long, Sell short; absent for an empty position"),
  /** The service allows only reductions, until a new risk limit is confirmed. */
  isReduceOnly: described(
    Absent.withDefault(Flag, false),
    "the service allows only reductions, until a new risk limit is confirmed"
  ),
  /** When the service changes, or has changed, the maintenance rate. */
  mmrSysUpdatedTime: described(
    Absent.emptyable(Instant.MillisText),
    "when the service changes, or has changed, the maintenance rate"
  ),
  /** When the service changes, or has changed, the leverage. */
  leverageSysUpdatedTime: described(
    Absent.emptyable(Instant.MillisText),
    "when the service changes, or has changed, the leverage"
  ),
  /** Rank in the queue of deleveraging. */
  adlRankIndicator: described(Absent.omittable(Integer), "rank in the queue of deleveraging"),
  /** Full: take profit and stop loss of the whole position; Partial: of a part. */
  tpslMode: described(
    Absent.omittable(Enumerations.TpslMode),
    "Full: take profit and stop loss of the whole position; Partial: of a part"
  ),
  /** 0 cross margin, 1 isolated margin. */
  tradeMode: described(Absent.undescribed(Integer, "left out"), "0 cross margin, 1 isolated margin"),
  /** Margin assigned to an isolated position. Unit: settle coin. */
  positionBalance: described(Absent.undescribed(Decimal, "left out"), "margin assigned to an isolated position", settle)
}).annotations({ identifier: "Position" })

/**
 * One position. `side` is `none` for an empty one. `liqPrice` is `none` when it lies outside the instrument's price range.
 * (docs/reference/rules.md#records-position; `tradeMode` and `positionBalance`: docs/reference/contradictions.md#fields-that-the-document-omits)
 *
 * @since 0.1.0
 * @category schemas
 */
export const Position: Schema.Schema<Position, Schema.Schema.Encoded<typeof positionSchema>> = positionSchema

/**
 * @since 0.1.0
 * @category models
 */
export interface Position extends Schema.Schema.Type<typeof positionSchema> {}

const listParameters = {
  /** The position of this instrument, also where it is empty; it has priority over `settleCoin`. */
  symbol: described(
    Rule.optional(Rule.mayBeEmpty),
    "the position of this instrument, also where it is empty; it has priority over `settleCoin`"
  ),
  /** All instruments of this base coin, as `BTC`. */
  baseCoin: described(Rule.optional(Rule.nonEmpty), "all instruments of this base coin, as `BTC`"),
  /** All positions that settle in this coin and are not empty. */
  settleCoin: described(Rule.optional(Rule.nonEmpty), "all positions that settle in this coin and are not empty"),
  /** The most rows of a page. */
  limit: described(Rule.optional(Rule.queryInteger(1, 200)), "the most rows of a page"),
  /** The cursor of the page before, verbatim; the first page without it. */
  cursor: described(Page.cursor, "the cursor of the page before, verbatim; the first page without it")
}

/**
 * Parameters of `positions.list` for spot.
 *
 * @since 0.1.0
 * @category models
 */
export interface SpotListRequest extends Schema.Struct.Type<typeof listParameters> {
  /** Spot. */
  readonly category: "spot"
}

/**
 * Parameters of `positions.list` for contracts.
 *
 * @since 0.1.0
 * @category models
 */
export interface ContractListRequest extends Schema.Struct.Type<typeof listParameters> {
  /** USDT-linear or inverse contracts. */
  readonly category: "linear" | "inverse"
}

const listContractOf = (category: "linear" | "inverse") =>
  Rule.all(Rule.forCategory(category, listParameters), Rule.atLeastOne("symbol", "settleCoin"))

/**
 * Parameters of `positions.list`. With a symbol the position is given whether it is empty or not; with a `settleCoin` alone
 * only positions with a size are; the symbol may then be empty. (docs/reference/positions.md#list)
 *
 * @since 0.1.0
 * @category schemas
 */
export const ListRequest = Rule.typed<ListRequest>()(
  Schema.Union(Rule.forCategory("spot", listParameters), ...Rule.forContracts(listContractOf))
)

/**
 * @since 0.1.0
 * @category models
 */
export type ListRequest = SpotListRequest | (ContractListRequest & Rule.AtLeastOne<"symbol" | "settleCoin">)

/**
 * Positions of a symbol or of a settle coin.
 *
 * @since 0.1.0
 * @category endpoints
 */
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

/**
 * The result of `positions.list`.
 *
 * @since 0.1.0
 * @category models
 */
export interface ListResult extends Schema.Schema.Type<typeof list.result> {}

/** The positions that a write was about: of its symbol, and of its index if it has one. */
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

/** Whether the requested state is in force for all the positions that a write was about. */
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
 * Parameters of `positions.addMargin`. `margin`: a positive amount is added, a negative one taken away, up to 4 decimals.
 * `positionIdx` is required for positions in hedge mode. (docs/reference/positions.md#addmargin)
 *
 * @since 0.1.0
 * @category schemas
 */
export const AddMarginRequest = Schema.Struct({
  /** Spot, USDT-linear or inverse contracts. */
  category: described(category, "spot, USDT-linear or inverse contracts"),
  /** The instrument, as `BTCUSDT`. */
  symbol: described(Rule.nonEmpty, "the instrument, as `BTCUSDT`"),
  /** Positive adds, negative removes. Unit: settle coin. */
  margin: described(
    Rule.decimal(
      "must be a decimal other than 0 with at most 4 decimals",
      (margin) => !BigDecimal.isZero(margin) && DecimalModule.decimals(margin) <= 4,
      { pattern: "^-?(0|[1-9]\\d*)(\\.\\d{1,4}0*)?$" }
    ),
    "positive adds, negative removes",
    settle
  ),
  /** The position: 0 in one-way mode, 1 long and 2 short in hedge mode, where it is required. */
  positionIdx: described(
    Rule.optional(positionIdx),
    "the position: 0 in one-way mode, 1 long and 2 short in hedge mode, where it is required"
  )
})

/**
 * @since 0.1.0
 * @category models
 */
export interface AddMarginRequest extends Schema.Schema.Type<typeof AddMarginRequest> {}

const marginChangeSchema = Schema.Struct({
  /** The category of all rows. */
  category: described(Absent.withDefault(Schema.String, ""), "the category of all rows"),
  ...sharedFields
}).annotations({ identifier: "MarginChange" })

/**
 * The position after its margin changed.
 *
 * @since 0.1.0
 * @category schemas
 */
export const MarginChange: Schema.Schema<
  MarginChange,
  Schema.Schema.Encoded<typeof marginChangeSchema>
> = marginChangeSchema

/**
 * @since 0.1.0
 * @category models
 */
export interface MarginChange extends Schema.Schema.Type<typeof marginChangeSchema> {}

/**
 * Adds margin to an isolated position, or takes it away.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const addMargin = Endpoint.make({
  name: "positions.addMargin",
  domain: "Positions",
  summary: "Add margin to an isolated position, or take it away",
  method: "POST",
  path: "/cloud/trade/v3/position/add-margin",
  request: AddMarginRequest,
  result: MarginChange,
  safety: "write",
  contradicts: repeated.each("symbol", "positionIdx"),
  // What the margin was before is not known here: the position is shown, the caller judges.
  lookUp: (parameters, read) =>
    Effect.map(positionsOf(parameters, read), (evidence) => ({ executed: "undetermined", evidence })),
  source: "docs/reference/rules.md#6-adding-or-reducing-margin",
  example: { category: "linear", symbol: "ETHUSDT", margin: "10", positionIdx: 0 }
})

const stopOrderType = Rule.optional(Rule.oneOf("Market", "Limit"))

// Without `tpslMode` the contract's mode decides, which only the service knows.
const mayBePartial = (request: { readonly tpslMode?: "Full" | "Partial" | undefined }): boolean =>
  request.tpslMode !== "Full"

/**
 * Parameters of `positions.setTradingStop`. 0 cancels a stop. Full stops change the existing orders, partial ones only add.
 * `tpslMode` defaults to the contract's current mode: sizes and limit prices are refused here only with `tpslMode: "Full"`, and
 * by the service where the current mode is Full.
 * (docs/reference/positions.md#settradingstop; docs/reference/contradictions.md#tpslmode-of-a-trading-stop)
 *
 * @since 0.1.0
 * @category schemas
 */
export const TradingStopRequest = Rule.all(
  Schema.Struct({
    /** Spot, USDT-linear or inverse contracts. */
    category: described(category, "spot, USDT-linear or inverse contracts"),
    /** The instrument, as `BTCUSDT`. */
    symbol: described(Rule.nonEmpty, "the instrument, as `BTCUSDT`"),
    /** Full: take profit and stop loss of the whole position, at the market; Partial: of a part, at the market or a limit. */
    tpslMode: described(
      Rule.optional(Rule.oneOf("Full", "Partial")),
      "Full: take profit and stop loss of the whole position, at the market; Partial: of a part, at the market or a limit"
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
    /** The price that triggers the take profit. */
    tpTriggerBy: described(
      Rule.optional(Rule.known(Enumerations.TriggerBy)),
      "the price that triggers the take profit"
    ),
    /** The price that triggers the stop loss. */
    slTriggerBy: described(Rule.optional(Rule.known(Enumerations.TriggerBy)), "the price that triggers the stop loss"),
    /** Price from which on the trailing stop follows the market. Unit: quote coin per base coin. */
    activePrice: described(
      Rule.optional(Rule.positive),
      "price from which on the trailing stop follows the market",
      price
    ),
    /** Quantity that the take profit closes. Unit: base coin; of inverse contracts USD. */
    tpSize: described(Rule.optional(Rule.positive), "quantity that the take profit closes", base),
    /** Quantity that the stop loss closes. Unit: base coin; of inverse contracts USD. */
    slSize: described(Rule.optional(Rule.positive), "quantity that the stop loss closes", base),
    /** Limit price of the take profit once triggered. Unit: quote coin per base coin. */
    tpLimitPrice: described(Rule.optional(Rule.positive), "limit price of the take profit once triggered", price),
    /** Limit price of the stop loss once triggered. Unit: quote coin per base coin. */
    slLimitPrice: described(Rule.optional(Rule.positive), "limit price of the stop loss once triggered", price),
    /** What the take profit places once triggered. */
    tpOrderType: described(stopOrderType, "what the take profit places once triggered"),
    /** What the stop loss places once triggered. */
    slOrderType: described(stopOrderType, "what the stop loss places once triggered"),
    /** The position: 0 in one-way mode, 1 long and 2 short in hedge mode, where it is required. */
    positionIdx: described(
      positionIdx,
      "the position: 0 in one-way mode, 1 long and 2 short in hedge mode, where it is required"
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

/**
 * @since 0.1.0
 * @category models
 */
export interface TradingStopRequest extends Schema.Schema.Type<typeof TradingStopRequest> {}

// Partial stops add orders and leave the position's own as they are, so that these say nothing about the write.
const isSetFull = (parameters: Parameters, { tpslMode }: Position): boolean =>
  (parameters.tpslMode ?? Option.getOrUndefined(tpslMode)) === "Full"

const stops: ReadonlySet<string> = new Set(["takeProfit", "stopLoss", "trailingStop"])

/**
 * Sets the take profit, stop loss or trailing stop of a position.
 *
 * @since 0.1.0
 * @category endpoints
 */
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
      // Stops that differ may have been set again since, or the write may still be on its way: that proves nothing.
      return { executed: isSet ? "yes" : "undetermined", evidence }
    }),
  source: "docs/reference/rules.md#7-trading-stop",
  example: { category: "linear", symbol: "BTCUSDT", positionIdx: 0, trailingStop: "150" }
})

/**
 * Parameters of `positions.setRiskLimit`. `positionIdx` is required in hedge mode. (docs/reference/positions.md#setrisklimit)
 *
 * @since 0.1.0
 * @category schemas
 */
export const SetRiskLimitRequest = Schema.Struct({
  /** USDT-linear or inverse contracts; the service does not use it. */
  category: described(contractCategory, "USDT-linear or inverse contracts; the service does not use it"),
  /** The instrument, as `BTCUSDT`. */
  symbol: described(Rule.nonEmpty, "the instrument, as `BTCUSDT`"),
  /** Id of the risk limit. */
  riskId: described(Rule.bodyInteger(0), "id of the risk limit"),
  /** The position: 0 in one-way mode, 1 long and 2 short in hedge mode, where it is required. */
  positionIdx: described(
    Rule.optional(positionIdx),
    "the position: 0 in one-way mode, 1 long and 2 short in hedge mode, where it is required"
  )
})

/**
 * @since 0.1.0
 * @category models
 */
export interface SetRiskLimitRequest extends Schema.Schema.Type<typeof SetRiskLimitRequest> {}

const riskLimitSchema = Schema.Struct({
  /** The category of all rows. */
  category: described(Absent.withDefault(Schema.String, ""), "the category of all rows"),
  /** Id of the risk limit. */
  riskId: described(Integer, "id of the risk limit"),
  /** Largest value of the position at its risk limit. Unit: quote coin; of inverse contracts base coin. */
  riskLimitValue: described(
    Absent.emptyable(Decimal),
    "largest value of the position at its risk limit",
    "quote coin; of inverse contracts base coin"
  )
}).annotations({ identifier: "RiskLimit" })

/**
 * The risk limit that holds now.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RiskLimit: Schema.Schema<RiskLimit, Schema.Schema.Encoded<typeof riskLimitSchema>> = riskLimitSchema

/**
 * @since 0.1.0
 * @category models
 */
export interface RiskLimit extends Schema.Schema.Type<typeof riskLimitSchema> {}

/**
 * Sets the risk limit of a position. The service marks this operation as deprecated.
 *
 * @since 0.1.0
 * @category endpoints
 */
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
  /** Side of the order that closed: Sell closes a long position. */
  side: described(Enumeration.stated(Enumerations.Side), "side of the order that closed: Sell closes a long position"),
  /** Quantity of the closing order. Unit: base coin; of inverse contracts USD. */
  qty: described(Decimal, "quantity of the closing order", base),
  /** Price of the closing order. Unit: quote coin per base coin. */
  orderPrice: described(Absent.emptyable(Decimal), "price of the closing order", price),
  /** Limit or Market; of a take profit or stop loss the type once it is triggered. */
  orderType: described(
    Absent.withDefault(Enumerations.OrderType, ""),
    "Limit or Market; of a take profit or stop loss the type once it is triggered"
  ),
  /** Trade, BustTrade (liquidation), SessionSettlePnL or Settle (settlement). */
  execType: described(
    Absent.withDefault(Enumerations.ClosedPnlExecType, ""),
    "Trade, BustTrade (liquidation), SessionSettlePnL or Settle (settlement)"
  ),
  /** Size that was closed. Unit: base coin; of inverse contracts USD. */
  closedSize: described(Decimal, "size that was closed", base),
  /** Value of the closed size at its entry. Unit: settle coin. */
  cumEntryValue: described(Decimal, "value of the closed size at its entry", settle),
  /** Mean price of entry. Unit: quote coin per base coin. */
  avgEntryPrice: described(Decimal, "mean price of entry", price),
  /** Value of the closed size at its exit. Unit: settle coin. */
  cumExitValue: described(Decimal, "value of the closed size at its exit", settle),
  /** Mean price of exit. Unit: quote coin per base coin. */
  avgExitPrice: described(Decimal, "mean price of exit", price),
  /**
   * Profit of the closed size, negative for a loss. In the sandbox net of the fees of opening and closing it, without funding. Unit: settle
   * coin.
   */
  closedPnl: described(
    Decimal,
    "profit of the closed size, negative for a loss. In the sandbox net of the fees of opening and closing it, without funding",
    settle
  ),
  /** Executions of the closing order. Unit: count. */
  fillCount: described(Absent.emptyable(IntegerText), "executions of the closing order", "count"),
  /** Leverage of the position. Unit: times. */
  leverage: described(Absent.emptyable(Decimal), "leverage of the position", "times"),
  /** When it was created. */
  createdTime: described(Instant.MillisText, "when it was created"),
  /** When it was last changed. */
  updatedTime: described(Instant.MillisText, "when it was last changed")
}).annotations({ identifier: "ClosedPnl" })

/**
 * What closing a position, or a part of it, brought. (rule records/closed-pnl)
 *
 * @since 0.1.0
 * @category schemas
 */
export const ClosedPnl: Schema.Schema<ClosedPnl, Schema.Schema.Encoded<typeof closedPnlSchema>> = closedPnlSchema

/**
 * @since 0.1.0
 * @category models
 */
export interface ClosedPnl extends Schema.Schema.Type<typeof closedPnlSchema> {}

const week = Duration.days(7)

const closedPnlParameters = {
  /** USDT-linear or inverse contracts. */
  category: described(contractCategory, "USDT-linear or inverse contracts"),
  /** Only rows of this instrument. */
  symbol: described(Rule.optional(Rule.nonEmpty), "only rows of this instrument"),
  /** Rows from this instant on; without it 7 days up to `endTime`, or the last 7. */
  startTime: described(
    Rule.optional(Instant.queryInstant("ms")),
    "rows from this instant on; without it 7 days up to `endTime`, or the last 7"
  ),
  /** Rows up to this instant; without it 7 days from `startTime` on. */
  endTime: described(
    Rule.optional(Instant.queryInstant("ms")),
    "rows up to this instant; without it 7 days from `startTime` on"
  ),
  /** The most rows of a page. */
  limit: described(Rule.optional(Rule.queryInteger(1, 100)), "the most rows of a page"),
  /** The cursor of the page before, verbatim; the first page without it. */
  cursor: described(Page.cursor, "the cursor of the page before, verbatim; the first page without it")
}

const closedPnlPaging: Endpoint.Paging = Page.ofList(100, 50)

/**
 * Parameters of `positions.preUpgradeClosedPnl`. The time rule is that of `executions.list`. `symbol` may be left out, as the
 * document's example does
 * (docs/reference/contradictions.md#symbol-of-pre-upgrade-closed-pnl). (docs/reference/positions.md#preupgradeclosedpnl)
 *
 * @since 0.1.0
 * @category schemas
 */
export const PreUpgradeClosedPnlRequest = Rule.all(
  Schema.Struct(closedPnlParameters),
  ...Rule.timeRange("startTime", "endTime", week)
)

/**
 * @since 0.1.0
 * @category models
 */
export interface PreUpgradeClosedPnlRequest extends Schema.Schema.Type<typeof PreUpgradeClosedPnlRequest> {}

/**
 * Closed profit and loss from before the account became a unified one, newest `updatedTime` first.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const preUpgradeClosedPnl = Endpoint.make({
  name: "positions.preUpgradeClosedPnl",
  domain: "Positions",
  summary: "Closed profit and loss from before the account became a unified one, newest first",
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
  probes: Endpoint.probeEach(["linear", "inverse"], (category, { cursor, from, size, to }) => ({
    category,
    startTime: from,
    endTime: to,
    limit: size,
    cursor
  }))
})

/**
 * The result of `positions.preUpgradeClosedPnl`.
 *
 * @since 0.1.0
 * @category models
 */
export interface PreUpgradeClosedPnlResult extends Schema.Schema.Type<typeof preUpgradeClosedPnl.result> {}

/**
 * Parameters of `positions.closedPnl`. The time rule is that of `executions.list`. (docs/reference/positions.md#closedpnl)
 *
 * @since 0.1.0
 * @category schemas
 */
export const ClosedPnlRequest = Rule.all(
  Schema.Struct(closedPnlParameters),
  ...Rule.timeRange("startTime", "endTime", week)
)

/**
 * @since 0.1.0
 * @category models
 */
export interface ClosedPnlRequest extends Schema.Schema.Type<typeof ClosedPnlRequest> {}

/**
 * Closed profit and loss, newest `createdTime` first, up to two years back.
 *
 * @since 0.1.0
 * @category endpoints
 */
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
  probes: Endpoint.probeEach(["linear", "inverse"], (category, { cursor, from, size, to }) => ({
    category,
    startTime: from,
    endTime: to,
    limit: size,
    cursor
  }))
})

/**
 * The result of `positions.closedPnl`.
 *
 * @since 0.1.0
 * @category models
 */
export interface ClosedPnlResult extends Schema.Schema.Type<typeof closedPnl.result> {}

const leverage = Rule.decimal("must be a decimal of at least 1", (value) =>
  BigDecimal.greaterThanOrEqualTo(value, BigDecimal.fromBigInt(1n))
)

/**
 * Parameters of `positions.setLeverage`. From 1 to the maximum of the risk tier. `sellLeverage` must equal `buyLeverage` but for
 * isolated positions in hedge mode. (docs/reference/positions.md#setleverage)
 *
 * @since 0.1.0
 * @category schemas
 */
export const SetLeverageRequest = Schema.Struct({
  /** USDT-linear or inverse contracts. */
  category: described(contractCategory, "USDT-linear or inverse contracts"),
  /** The instrument, as `BTCUSDT`. */
  symbol: described(Rule.nonEmpty, "the instrument, as `BTCUSDT`"),
  /** Leverage of long positions; with one-way mode or cross margin as `sellLeverage`. Unit: times. */
  buyLeverage: described(
    leverage,
    "leverage of long positions; with one-way mode or cross margin as `sellLeverage`",
    "times"
  ),
  /** Leverage of short positions. Unit: times. */
  sellLeverage: described(leverage, "leverage of short positions", "times")
})

/**
 * @since 0.1.0
 * @category models
 */
export interface SetLeverageRequest extends Schema.Schema.Type<typeof SetLeverageRequest> {}

/** In hedge mode the selling side has the leverage for selling; in one-way mode both are the same. */
const hasLeverage = ({ buyLeverage, sellLeverage }: Parameters, { leverage, positionIdx }: Position): boolean =>
  agrees({ leverage: positionIdx === 2 ? sellLeverage : buyLeverage }, { leverage }) === true

/**
 * Sets the leverage of a symbol.
 *
 * @since 0.1.0
 * @category endpoints
 */
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
 * Parameters of `positions.setTpslMode`. The service writes `tpSlMode` here, `tpslMode` everywhere else.
 * (docs/reference/positions.md#settpslmode)
 *
 * @since 0.1.0
 * @category schemas
 */
export const SetTpslModeRequest = Schema.Struct({
  /** USDT-linear or inverse contracts. */
  category: described(contractCategory, "USDT-linear or inverse contracts"),
  /** The instrument, as `BTCUSDT`. */
  symbol: described(Rule.nonEmpty, "the instrument, as `BTCUSDT`"),
  /** What orders and trading stops without a mode get: Full, the whole position; Partial, a part. */
  tpSlMode: described(
    Rule.oneOf("Full", "Partial"),
    "what orders and trading stops without a mode get: Full, the whole position; Partial, a part"
  )
})

/**
 * @since 0.1.0
 * @category models
 */
export interface SetTpslModeRequest extends Schema.Schema.Type<typeof SetTpslModeRequest> {}

const tpslModeSetSchema = Schema.Struct({
  /** The mode in force. */
  tpSlMode: described(Absent.withDefault(Enumerations.TpslMode, ""), "the mode in force")
}).annotations({ identifier: "TpslModeSet" })

/**
 * The mode that holds now.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TpslModeSet: Schema.Schema<
  TpslModeSet,
  Schema.Schema.Encoded<typeof tpslModeSetSchema>
> = tpslModeSetSchema

/**
 * @since 0.1.0
 * @category models
 */
export interface TpslModeSet extends Schema.Schema.Type<typeof tpslModeSetSchema> {}

/**
 * Sets which mode take profits and stop losses have where a request does not say.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const setTpslMode = Endpoint.make({
  name: "positions.setTpslMode",
  domain: "Positions",
  summary: "Set which mode take profits and stop losses have where a request does not say",
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

/**
 * Parameters of `positions.confirmNewRiskLimit`. (docs/reference/positions.md#confirmnewrisklimit)
 *
 * @since 0.1.0
 * @category schemas
 */
export const ConfirmNewRiskLimitRequest = Schema.Struct({
  /** USDT-linear or inverse contracts. */
  category: described(contractCategory, "USDT-linear or inverse contracts"),
  /** The instrument, as `BTCUSDT`. */
  symbol: described(Rule.nonEmpty, "the instrument, as `BTCUSDT`")
})

/**
 * @since 0.1.0
 * @category models
 */
export interface ConfirmNewRiskLimitRequest extends Schema.Schema.Type<typeof ConfirmNewRiskLimitRequest> {}

/**
 * Confirms a new risk limit, which lifts the mark `isReduceOnly` that the service put on a position.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const confirmNewRiskLimit = Endpoint.make({
  name: "positions.confirmNewRiskLimit",
  domain: "Positions",
  summary: "Confirm a new risk limit, which lifts the mark that a position may only be reduced",
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

/**
 * The endpoints of the domain by name, in the order in which they are listed.
 *
 * @since 0.1.0
 * @category constants
 */
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
