/**
 * The enumerations of the service, with the meaning of each value. All are open: editors complete the known values,
 * and values that the service adds later still decode. (docs/reference/enumerations.md)
 */
import type * as Brand from "effect/Brand"
import type * as Schema from "effect/Schema"
import * as enumeration from "./enumeration.js"

/** Text, or a whole number. */
type Base<Known extends string | number> = Known extends string ? string : number

/**
 * One of the known values, or a value that the service added later. A later value is branded, so that a misspelt literal does not compile; `make`
 * of the enumeration brands one.
 */
export type Open<Name extends string, Known extends string | number> = Known | (Base<Known> & Brand.Brand<Name>)

/** An open enumeration together with the values that are known today. */
export interface Enumeration<
  Name extends string,
  Known extends string | number,
  Wire = Base<Known>
> extends Schema.Schema<Open<Name, Known>, Wire> {
  readonly known: ReadonlyArray<Known>
  readonly isKnown: (value: string | number) => value is Known
  /** Returns a value that is known only at run time, or that the service added later. */
  readonly make: (value: Base<Known>) => Open<Name, Known>
}

/**
 * An enumeration with the values that are known today. Any other text decodes too.
 *
 * @category constructors
 */
export const open: <const Name extends string, const Known extends ReadonlyArray<string>>(
  identifier: Name,
  known: Known
) => Enumeration<Name, Known[number]> = enumeration.open

/**
 * - `Created`: accepted by the system, not yet handed to matching
 * - `New`: resting on the book, nothing filled
 * - `Rejected`: refused; final
 * - `PartiallyFilled`: part filled, rest still open
 * - `Filled`: completely filled; final
 * - `Cancelled`: cancelled; final; in derivatives it can have a filled part
 * - `Untriggered`: conditional order waiting for its trigger
 * - `Triggered`: short-lived step from Untriggered to New
 * - `Deactivated`: conditional or TP/SL order cancelled before it triggered; final
 * - `Active`: the conditional order triggered and its active order was placed; final state of a successful conditional order
 * - `PartiallyFilledCanceled`: spot only: part filled, the rest cancelled; final (seen in sister sources only)
 * - `PendingCancel`: matching has the cancel request but it may not succeed (seen in sister sources only)
 */
export const OrderStatus = /* @__PURE__ */ enumeration.open("OrderStatus", [
  "Created",
  "New",
  "Rejected",
  "PartiallyFilled",
  "Filled",
  "Cancelled",
  "Untriggered",
  "Triggered",
  "Deactivated",
  "Active",
  "PartiallyFilledCanceled",
  "PendingCancel"
])

export type OrderStatus = typeof OrderStatus.Type

/**
 * - `CancelByUser`: the user cancelled it
 * - `CancelByReduceOnly`: cancelled by the reduce-only rule
 * - `CancelByPrepareLiq`: cancelled to free margin before liquidation
 * - `CancelAllBeforeLiq`: all orders cancelled before liquidation
 * - `CancelByPrepareAdl`: cancelled because auto-deleveraging is being prepared
 * - `CancelAllBeforeAdl`: all orders cancelled before auto-deleveraging
 * - `CancelByAdmin`: cancelled by the operator
 * - `CancelByTpSlTsClear`: TP/SL/trailing order removed because the position was cleared
 * - `CancelByPzSideCh`: removed after the TP/SL triggered and the position side changed
 * - `CancelBySmp`: cancelled by self-match prevention
 * - `UNKNOWN`: no cancel reason applies (shown in the service's order examples, also on a rejected post-only order)
 * - `CancelBySettle`: contract delisted (seen in sister sources only)
 * - `CancelByDCP`: disconnect protection fired (seen in sister sources only)
 * - `CancelByRebalance`: spread trading: a leg price left the limit band (seen in sister sources only)
 * - `CancelByOCOTpCanceledBySlTriggered`: OCO: the TP leg fell because the SL leg fired (seen in sister sources only)
 * - `CancelByOCOSlCanceledByTpTriggered`: OCO: the SL leg fell because the TP leg fired (seen in sister sources only)
 * - `CancelByCannotAffordOrderCost`: option: cost not affordable (seen in sister sources only)
 * - `CancelByPmTrialMmOverEquity`: option: trial maintenance margin above equity (seen in sister sources only)
 * - `CancelByAccountBlocking`: option: account blocked (seen in sister sources only)
 * - `CancelByDelivery`: option: delivery (seen in sister sources only)
 * - `CancelByMmpTriggered`: option: market-maker protection (seen in sister sources only)
 * - `CancelByCrossSelfMuch`: option: self-fill not allowed (seen in sister sources only)
 * - `CancelByCrossReachMaxTradeNum`: option: too many counter orders consumed (seen in sister sources only)
 */
export const CancelType = /* @__PURE__ */ enumeration.open("CancelType", [
  "CancelByUser",
  "CancelByReduceOnly",
  "CancelByPrepareLiq",
  "CancelAllBeforeLiq",
  "CancelByPrepareAdl",
  "CancelAllBeforeAdl",
  "CancelByAdmin",
  "CancelByTpSlTsClear",
  "CancelByPzSideCh",
  "CancelBySmp",
  "UNKNOWN",
  "CancelBySettle",
  "CancelByDCP",
  "CancelByRebalance",
  "CancelByOCOTpCanceledBySlTriggered",
  "CancelByOCOSlCanceledByTpTriggered",
  "CancelByCannotAffordOrderCost",
  "CancelByPmTrialMmOverEquity",
  "CancelByAccountBlocking",
  "CancelByDelivery",
  "CancelByMmpTriggered",
  "CancelByCrossSelfMuch",
  "CancelByCrossReachMaxTradeNum"
])

export type CancelType = typeof CancelType.Type

/**
 * - `EC_NoError`: nothing wrong
 * - `EC_Others`: other reason
 * - `EC_UnknownMessageType`: message type unknown
 * - `EC_MissingClOrdID`: client order ID missing
 * - `EC_MissingOrigClOrdID`: original client order ID missing
 * - `EC_ClOrdIDOrigClOrdIDAreTheSame`: new and original client order ID equal
 * - `EC_DuplicatedClOrdID`: client order ID already used
 * - `EC_OrigClOrdIDDoesNotExist`: original client order ID unknown
 * - `EC_TooLateToCancel`: too late to cancel
 * - `EC_UnknownOrderType`: order type unknown
 * - `EC_UnknownSide`: side unknown
 * - `EC_UnknownTimeInForce`: time in force unknown
 * - `EC_WronglyRouted`: sent to the wrong place
 * - `EC_MarketOrderPriceIsNotZero`: market order carries a price
 * - `EC_LimitOrderInvalidPrice`: limit price invalid
 * - `EC_NoEnoughQtyToFill`: not enough quantity to fill (FOK)
 * - `EC_NoImmediateQtyToFill`: no counter order at once (IOC)
 * - `EC_PerCancelRequest`: ended by a cancel request
 * - `EC_MarketOrderCannotBePostOnly`: market order cannot be post-only
 * - `EC_PostOnlyWillTakeLiquidity`: post-only order would have taken liquidity
 * - `EC_CancelReplaceOrder`: ended by cancel/replace
 * - `EC_InvalidSymbolStatus`: symbol status does not allow it
 * - `EC_CancelForNoFullFill`: cancelled because it could not fill fully (seen in sister sources only)
 * - `EC_BySelfMatch`: self-match (seen in sister sources only)
 * - `EC_InCallAuctionStatus`: call-auction phase forbids it (seen in sister sources only)
 * - `EC_QtyCannotBeZero`: quantity is zero (seen in sister sources only)
 * - `EC_MarketOrderNoSupportTIF`: time in force not allowed for market orders (seen in sister sources only)
 * - `EC_ReachMaxTradeNum`: too many trades (seen in sister sources only)
 * - `EC_InvalidPriceScale`: price scale invalid (seen in sister sources only)
 * - `EC_BitIndexInvalid`: bit index invalid (seen in sister sources only)
 * - `EC_StopBySelfMatch`: stopped by self-match (seen in sister sources only)
 * - `EC_InvalidSmpType`: self-match type invalid (seen in sister sources only)
 * - `EC_CancelByMMP`: market-maker protection (seen in sister sources only)
 * - `EC_InvalidUserType`: user type invalid (seen in sister sources only)
 * - `EC_InvalidMirrorOid`: mirror order ID invalid (seen in sister sources only)
 * - `EC_InvalidMirrorUid`: mirror user ID invalid (seen in sister sources only)
 * - `EC_EcInvalidQty`: quantity invalid (seen in sister sources only)
 * - `EC_InvalidAmount`: amount invalid (seen in sister sources only)
 * - `EC_LoadOrderCancel`: cancelled while loading (seen in sister sources only)
 * - `EC_MarketQuoteNoSuppSell`: market sell by quote amount not supported (seen in sister sources only)
 * - `EC_DisorderOrderID`: order IDs out of sequence (seen in sister sources only)
 * - `EC_InvalidBaseValue`: base value invalid (seen in sister sources only)
 * - `EC_LoadOrderCanMatch`: loaded order could match (seen in sister sources only)
 * - `EC_SecurityStatusFail`: security status check failed (seen in sister sources only)
 * - `EC_ReachRiskPriceLimit`: risk price limit reached (seen in sister sources only)
 * - `EC_OrderNotExist`: order unknown (seen in sister sources only)
 * - `EC_CancelByOrderValueZero`: remaining order value is zero (seen in sister sources only)
 * - `EC_CancelByMatchValueZero`: counter order's remaining value is zero (seen in sister sources only)
 * - `EC_ReachMarketPriceLimit`: market price limit reached (seen in sister sources only)
 */
export const RejectReason = /* @__PURE__ */ enumeration.open("RejectReason", [
  "EC_NoError",
  "EC_Others",
  "EC_UnknownMessageType",
  "EC_MissingClOrdID",
  "EC_MissingOrigClOrdID",
  "EC_ClOrdIDOrigClOrdIDAreTheSame",
  "EC_DuplicatedClOrdID",
  "EC_OrigClOrdIDDoesNotExist",
  "EC_TooLateToCancel",
  "EC_UnknownOrderType",
  "EC_UnknownSide",
  "EC_UnknownTimeInForce",
  "EC_WronglyRouted",
  "EC_MarketOrderPriceIsNotZero",
  "EC_LimitOrderInvalidPrice",
  "EC_NoEnoughQtyToFill",
  "EC_NoImmediateQtyToFill",
  "EC_PerCancelRequest",
  "EC_MarketOrderCannotBePostOnly",
  "EC_PostOnlyWillTakeLiquidity",
  "EC_CancelReplaceOrder",
  "EC_InvalidSymbolStatus",
  "EC_CancelForNoFullFill",
  "EC_BySelfMatch",
  "EC_InCallAuctionStatus",
  "EC_QtyCannotBeZero",
  "EC_MarketOrderNoSupportTIF",
  "EC_ReachMaxTradeNum",
  "EC_InvalidPriceScale",
  "EC_BitIndexInvalid",
  "EC_StopBySelfMatch",
  "EC_InvalidSmpType",
  "EC_CancelByMMP",
  "EC_InvalidUserType",
  "EC_InvalidMirrorOid",
  "EC_InvalidMirrorUid",
  "EC_EcInvalidQty",
  "EC_InvalidAmount",
  "EC_LoadOrderCancel",
  "EC_MarketQuoteNoSuppSell",
  "EC_DisorderOrderID",
  "EC_InvalidBaseValue",
  "EC_LoadOrderCanMatch",
  "EC_SecurityStatusFail",
  "EC_ReachRiskPriceLimit",
  "EC_OrderNotExist",
  "EC_CancelByOrderValueZero",
  "EC_CancelByMatchValueZero",
  "EC_ReachMarketPriceLimit"
])

export type RejectReason = typeof RejectReason.Type

/**
 * - `GTC`: stays until cancelled; default when absent
 * - `IOC`: fills what it can at once, the rest is cancelled; forced for market orders
 * - `FOK`: all at once or nothing
 * - `PostOnly`: cancelled when it would fill at once
 * - `RPI`: retail price improvement: post-only for chosen market makers (seen in sister sources only)
 * - `GoodTillCancel`: long form (seen in sister sources only)
 * - `ImmediateOrCancel`: long form (seen in sister sources only)
 * - `FillOrKill`: long form (seen in sister sources only)
 */
export const TimeInForce = /* @__PURE__ */ enumeration.open("TimeInForce", [
  "GTC",
  "IOC",
  "FOK",
  "PostOnly",
  "RPI",
  "GoodTillCancel",
  "ImmediateOrCancel",
  "FillOrKill"
])

export type TimeInForce = typeof TimeInForce.Type

/**
 * - `TakeProfit`: take profit of the whole position
 * - `StopLoss`: stop loss of the whole position
 * - `TrailingStop`: trailing stop
 * - `Stop`: plain conditional order
 * - `PartialTakeProfit`: take profit of part of the position
 * - `PartialStopLoss`: stop loss of part of the position
 * - `UNKNOWN`: not a stop order (an empty string is used too)
 * - `tpslOrder`: spot TP/SL order (seen in sister sources only)
 * - `OcoOrder`: spot one-cancels-other order (seen in sister sources only)
 * - `MmRateClose`: closing on a margin-rate condition set on web/app (seen in sister sources only)
 * - `BidirectionalTpslOrder`: spot two-sided TP/SL order (seen in sister sources only)
 */
export const StopOrderType = /* @__PURE__ */ enumeration.open("StopOrderType", [
  "TakeProfit",
  "StopLoss",
  "TrailingStop",
  "Stop",
  "PartialTakeProfit",
  "PartialStopLoss",
  "UNKNOWN",
  "tpslOrder",
  "OcoOrder",
  "MmRateClose",
  "BidirectionalTpslOrder"
])

export type StopOrderType = typeof StopOrderType.Type

/**
 * - `LastPrice`: last traded price; default for TP and SL
 * - `IndexPrice`: index price
 * - `MarkPrice`: mark price
 * - `UNKNOWN`: no trigger (response only, shown in examples; an empty string also occurs)
 */
export const TriggerBy = /* @__PURE__ */ enumeration.open("TriggerBy", [
  "LastPrice",
  "IndexPrice",
  "MarkPrice",
  "UNKNOWN"
])

export type TriggerBy = typeof TriggerBy.Type

/**
 * - `spot`: spot pairs
 * - `linear`: USDT perpetuals
 * - `inverse`: inverse contracts
 */
export const Category = /* @__PURE__ */ enumeration.open("Category", ["spot", "linear", "inverse"])

export type Category = typeof Category.Type

/**
 * - `Buy`: buy or long
 * - `Sell`: sell or short
 * - `None`: empty position (classic account)
 */
export const Side = /* @__PURE__ */ enumeration.open("Side", ["Buy", "Sell", "None"])

export type Side = typeof Side.Type

/**
 * - `Market`: market
 * - `Limit`: limit
 * - `UNKNOWN`: responses only, mostly with execType Funding (seen in sister sources only)
 */
export const OrderType = /* @__PURE__ */ enumeration.open("OrderType", ["Market", "Limit", "UNKNOWN"])

export type OrderType = typeof OrderType.Type

/**
 * - `Order`: ordinary active order; default
 * - `StopOrder`: conditional order
 * - `tpslOrder`: spot TP/SL order
 * - `OcoOrder`: spot OCO (seen in sister sources only)
 * - `BidirectionalTpslOrder`: spot two-sided TP/SL (seen in sister sources only)
 */
export const OrderFilter = /* @__PURE__ */ enumeration.open("OrderFilter", [
  "Order",
  "StopOrder",
  "tpslOrder",
  "OcoOrder",
  "BidirectionalTpslOrder"
])

export type OrderFilter = typeof OrderFilter.Type

/**
 * - `Normal`: ordinary
 * - `Liq`: being liquidated
 * - `Adl`: being auto-deleveraged
 */
export const PositionStatus = /* @__PURE__ */ enumeration.open("PositionStatus", ["Normal", "Liq", "Adl"])

export type PositionStatus = typeof PositionStatus.Type

/**
 * - `Full`: whole position; TP/SL must be market orders
 * - `Partial`: part of the position; limit TP/SL allowed
 */
export const TpslMode = /* @__PURE__ */ enumeration.open("TpslMode", ["Full", "Partial"])

export type TpslMode = typeof TpslMode.Type

/**
 * - `baseCoin`: qty counts base coin; default for spot market sells
 * - `quoteCoin`: qty counts quote coin; default for spot market buys
 */
export const MarketUnit = /* @__PURE__ */ enumeration.open("MarketUnit", ["baseCoin", "quoteCoin"])

export type MarketUnit = typeof MarketUnit.Type

/**
 * - `TickSize`: tolerance in ticks, integer 1 to 10000
 * - `Percent`: tolerance in percent, 0.01 to 10, at most 2 decimals
 * - `UNKNOWN`: response default (seen in sister sources only)
 */
export const SlippageToleranceType = /* @__PURE__ */ enumeration.open("SlippageToleranceType", [
  "TickSize",
  "Percent",
  "UNKNOWN"
])

export type SlippageToleranceType = typeof SlippageToleranceType.Type

/**
 * - `None`: no self-match prevention; default (seen in sister sources only)
 * - `CancelMaker`: cancel the resting order (seen in sister sources only)
 * - `CancelTaker`: cancel the incoming order (seen in sister sources only)
 * - `CancelBoth`: cancel both (seen in sister sources only)
 */
export const SmpType = /* @__PURE__ */ enumeration.open("SmpType", ["None", "CancelMaker", "CancelTaker", "CancelBoth"])

export type SmpType = typeof SmpType.Type

/**
 * - `price`: placed by price
 * - `iv`: placed by implied volatility
 */
export const PlaceType = /* @__PURE__ */ enumeration.open("PlaceType", ["price", "iv"])

export type PlaceType = typeof PlaceType.Type

/**
 * - `InversePerpetual`: coin-margined perpetual
 * - `LinearPerpetual`: USDT perpetual
 * - `LinearFutures`: dated linear future; on the broker trade-volume page only
 * - `InverseFutures`: dated inverse future; on the broker trade-volume page only
 */
export const ContractType = /* @__PURE__ */ enumeration.open("ContractType", [
  "InversePerpetual",
  "LinearPerpetual",
  "LinearFutures",
  "InverseFutures"
])

export type ContractType = typeof ContractType.Type

/**
 * - `PreLaunch`: announced, not open
 * - `Trading`: open for trading
 * - `Settling`: being settled
 * - `Closed`: taken off
 * - `Delivering`: being delivered (seen in sister sources only)
 */
export const InstrumentStatus = /* @__PURE__ */ enumeration.open("InstrumentStatus", [
  "PreLaunch",
  "Trading",
  "Settling",
  "Closed",
  "Delivering"
])

export type InstrumentStatus = typeof InstrumentStatus.Type

/**
 * - `CONTRACT`: derivatives account (classic)
 * - `SPOT`: spot account
 * - `FUND`: funding account
 * - `COPYTRADING`: copy-trading account
 * - `UNIFIED`: trading (unified) account
 * - `OPTION`: USDC account (seen in sister sources only)
 * - `INVESTMENT`: savings account, taken offline (seen in sister sources only)
 * - `EARN`: earn account (SDK type only) (seen in sister sources only)
 */
export const AccountType = /* @__PURE__ */ enumeration.open("AccountType", [
  "CONTRACT",
  "SPOT",
  "FUND",
  "COPYTRADING",
  "UNIFIED",
  "OPTION",
  "INVESTMENT",
  "EARN"
])

export type AccountType = typeof AccountType.Type

/**
 * - `SUCCESS`: done
 * - `PENDING`: in progress
 * - `FAILED`: failed
 * - `STATUS_UNKNOWN`: state unknown; on the sub-account asset enum page only
 */
export const TransferStatus = /* @__PURE__ */ enumeration.open("TransferStatus", [
  "SUCCESS",
  "PENDING",
  "FAILED",
  "STATUS_UNKNOWN"
])

export type TransferStatus = typeof TransferStatus.Type

/**
 * - `IN`: from the main account to the sub-account
 * - `OUT`: from the sub-account to the main account
 */
export const SubAccountTransferType = /* @__PURE__ */ enumeration.open("SubAccountTransferType", ["IN", "OUT"])

export type SubAccountTransferType = typeof SubAccountTransferType.Type

/**
 * - `Prev`: previous page
 * - `Next`: next page
 * - `first`: first page
 * - `last`: last page
 * - `jump`: jump to a page
 */
export const PageDirection = /* @__PURE__ */ enumeration.open("PageDirection", [
  "Prev",
  "Next",
  "first",
  "last",
  "jump"
])

export type PageDirection = typeof PageDirection.Type

/**
 * - `Trade`: ordinary trade
 * - `AdlTrade`: auto-deleveraging
 * - `Funding`: funding fee
 * - `BustTrade`: liquidation take-over
 * - `BlockTrade`: block trade
 * - `Settle`: inverse futures settlement (seen in sister sources only)
 * - `Delivery`: futures delivery, or position closed by delisting (seen in sister sources only)
 * - `MovePosition`: position moved between accounts (seen in sister sources only)
 * - `FutureSpread`: leg of a spread order (seen in sister sources only)
 * - `CorporateAction`: stock split or reverse split (seen in sister sources only)
 * - `UNKNOWN`: classic accounts; cannot be queried (seen in sister sources only)
 */
export const ExecType = /* @__PURE__ */ enumeration.open("ExecType", [
  "Trade",
  "AdlTrade",
  "Funding",
  "BustTrade",
  "BlockTrade",
  "Settle",
  "Delivery",
  "MovePosition",
  "FutureSpread",
  "CorporateAction",
  "UNKNOWN"
])

export type ExecType = typeof ExecType.Type

/**
 * - `Trade`: ordinary trade
 * - `BustTrade`: liquidation
 * - `SessionSettlePnL`: session settlement
 * - `Settle`: settlement
 * - `MovePosition`: position moved (seen in sister sources only)
 * - `CorporateAction`: stock split or reverse split (seen in sister sources only)
 */
export const ClosedPnlExecType = /* @__PURE__ */ enumeration.open("ClosedPnlExecType", [
  "Trade",
  "BustTrade",
  "SessionSettlePnL",
  "Settle",
  "MovePosition",
  "CorporateAction"
])

export type ClosedPnlExecType = typeof ClosedPnlExecType.Type

/**
 * - `CreateByUser`: placed by the user
 * - `CreateByClosing`: close order from web or app
 * - `CreateByAdminClosing`: closed by the operator
 * - `CreateByStopOrder`: conditional order
 * - `CreateByTakeProfit`: take profit
 * - `CreateByStopLoss`: stop loss
 * - `CreateByPartialTakeProfit`: partial take profit
 * - `CreateByPartialStopLoss`: partial stop loss
 * - `CreateByTrailingStop`: trailing stop
 * - `CreateByLiq`: partial (laddered) liquidation
 * - `CreateByAdl_PassThrough`: auto-deleveraging
 * - `CreateByTakeOver_PassThrough`: liquidation take-over
 * - `CreateBySettle`: delivery or delisting (seen in sister sources only)
 * - `CreateByFutureSpread`: spread order (seen in sister sources only)
 * - `CreateByTrailingProfit`: trailing take profit (seen in sister sources only)
 * - `CreateByBlock_PassThrough`: block trade (seen in sister sources only)
 * - `CreateByBlockTradeMovePosition_PassThrough`: move position (seen in sister sources only)
 * - `CreateByChaseOrder`: chase order (seen in sister sources only)
 * - `CreateByFGridBot`: grid bot opened (seen in sister sources only)
 * - `CloseByFGridBot`: grid bot closed (seen in sister sources only)
 * - `CreateByTWAP`: TWAP (seen in sister sources only)
 * - `CreateByMartingaleBot`: martingale bot opened (seen in sister sources only)
 * - `CloseByMartingaleBot`: martingale bot closed (seen in sister sources only)
 * - `CreateByIceBerg`: iceberg (seen in sister sources only)
 * - `CreateByBboOrder`: best-bid/offer order (seen in sister sources only)
 * - `CreateByTVSignal`: webhook signal (seen in sister sources only)
 * - `CreateByMmRateClose`: margin-rate close (seen in sister sources only)
 * - `CreateByArbitrage`: arbitrage (seen in sister sources only)
 * - `CreateByDdh`: option delta hedge (seen in sister sources only)
 */
export const CreateType = /* @__PURE__ */ enumeration.open("CreateType", [
  "CreateByUser",
  "CreateByClosing",
  "CreateByAdminClosing",
  "CreateByStopOrder",
  "CreateByTakeProfit",
  "CreateByStopLoss",
  "CreateByPartialTakeProfit",
  "CreateByPartialStopLoss",
  "CreateByTrailingStop",
  "CreateByLiq",
  "CreateByAdl_PassThrough",
  "CreateByTakeOver_PassThrough",
  "CreateBySettle",
  "CreateByFutureSpread",
  "CreateByTrailingProfit",
  "CreateByBlock_PassThrough",
  "CreateByBlockTradeMovePosition_PassThrough",
  "CreateByChaseOrder",
  "CreateByFGridBot",
  "CloseByFGridBot",
  "CreateByTWAP",
  "CreateByMartingaleBot",
  "CloseByMartingaleBot",
  "CreateByIceBerg",
  "CreateByBboOrder",
  "CreateByTVSignal",
  "CreateByMmRateClose",
  "CreateByArbitrage",
  "CreateByDdh"
])

export type CreateType = typeof CreateType.Type

/**
 * - `SPOT`: spot
 * - `DERIVATIVES`: derivatives
 * - `OPTIONS`: options (seen in sister sources only)
 */
export const BizType = /* @__PURE__ */ enumeration.open("BizType", ["SPOT", "DERIVATIVES", "OPTIONS"])

export type BizType = typeof BizType.Type

/**
 * - `API limit updated successfully`: set
 * - `Requested limit exceeds maximum allowed per user`: above the per-user cap
 * - `No permission to operate these UIDs`: UIDs not the caller's
 * - `API cap configuration not found`: no cap configured
 * - `API cap configuration not found for bizType`: no cap configured for the business type
 * - `Requested limit would exceed institutional quota`: above the institution's quota
 */
export const ApiLimitMessage = /* @__PURE__ */ enumeration.open("ApiLimitMessage", [
  "API limit updated successfully",
  "Requested limit exceeds maximum allowed per user",
  "No permission to operate these UIDs",
  "API cap configuration not found",
  "API cap configuration not found for bizType",
  "Requested limit would exceed institutional quota"
])

export type ApiLimitMessage = typeof ApiLimitMessage.Type

/**
 * - `ALL`: spot and derivatives; same as absent
 * - `SPOT`: spot
 * - `DERIVATIVES`: derivatives
 */
export const ProductType = /* @__PURE__ */ enumeration.open("ProductType", ["ALL", "SPOT", "DERIVATIVES"])

export type ProductType = typeof ProductType.Type

/**
 * - `ACCOUNT_STATUS_NORMAL`: usable
 * - `ACCOUNT_STATUS_UNSPECIFIED`: banned
 */
export const AssetAccountStatus = /* @__PURE__ */ enumeration.open("AssetAccountStatus", [
  "ACCOUNT_STATUS_NORMAL",
  "ACCOUNT_STATUS_UNSPECIFIED"
])

export type AssetAccountStatus = typeof AssetAccountStatus.Type

/**
 * - `0`: on-chain; default
 * - `1`: internal transfer
 * - `2`: all (request only)
 */
export const DepositType = /* @__PURE__ */ enumeration.open("DepositType", ["0", "1", "2"])

export type DepositType = typeof DepositType.Type

/**
 * - `0`: in progress
 * - `1`: successful
 * - `2`: failed
 */
export const DepositStatus = /* @__PURE__ */ enumeration.open("DepositStatus", ["0", "1", "2"])

export type DepositStatus = typeof DepositStatus.Type

/**
 * - `0`: one-way mode
 * - `1`: buy side of hedge mode
 * - `2`: sell side of hedge mode
 */
export const PositionIdx = /* @__PURE__ */ enumeration.openInteger("PositionIdx", [0, 1, 2])

export type PositionIdx = typeof PositionIdx.Type

/**
 * - `0`: no direction
 * - `1`: triggers on a rise
 * - `2`: triggers on a fall
 */
export const TriggerDirection = /* @__PURE__ */ enumeration.openInteger("TriggerDirection", [0, 1, 2])

export type TriggerDirection = typeof TriggerDirection.Type

/**
 * - `1`: bonus
 * - `2`: coupon
 */
export const AwardType = /* @__PURE__ */ enumeration.openInteger("AwardType", [1, 2])

export type AwardType = typeof AwardType.Type

/**
 * - `1`: trade
 * - `2`: trading fee
 * - `3`: funding fee
 */
export const BonusUsageType = /* @__PURE__ */ enumeration.openInteger("BonusUsageType", [1, 2, 3])

export type BonusUsageType = typeof BonusUsageType.Type
