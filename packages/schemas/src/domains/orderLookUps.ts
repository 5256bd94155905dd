import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Endpoint from "../endpoint/Endpoint.js"
import type * as Enumerations from "../scalars/Enumerations.js"
import { type OrderKind, orderKinds } from "./OrderKinds.js"
import * as LookUp from "../endpoint/lookUp.js"
import { type Comparison, contract, isOfCategory, type Parameters, textOf } from "../endpoint/lookUp.js"

type Amount = Option.Option<BigDecimal.BigDecimal>
type Word = Option.Option<string>

/** The fields of an order that look-ups compare. */
interface Order {
  readonly orderId: string
  readonly orderLinkId: Word
  readonly symbol: string
  readonly side: string
  readonly orderType: string
  readonly orderStatus: string
  readonly cancelType: Word
  readonly qty: BigDecimal.BigDecimal
  readonly cumExecQty: BigDecimal.BigDecimal
  readonly price: Amount
  readonly timeInForce: string
  readonly positionIdx: number
  readonly orderIv: Amount
  readonly marketUnit: Word
  readonly stopOrderType: Word
  readonly triggerPrice: Amount
  readonly triggerDirection: Option.Option<number>
  readonly triggerBy: Word
  readonly takeProfit: Amount
  readonly stopLoss: Amount
  readonly tpslMode: Word
  readonly tpLimitPrice: Amount
  readonly slLimitPrice: Amount
  readonly tpTriggerBy: Word
  readonly slTriggerBy: Word
  readonly reduceOnly: boolean
  readonly closeOnTrigger: boolean
}

interface Page {
  readonly category: Option.Option<string>
  readonly list: ReadonlyArray<Order>
  readonly nextPageCursor: Option.Option<string>
}

/** The selection of a read. `orders.open` accepts those that its category allows; `undefined` selects nothing. */
interface Selection {
  readonly symbol?: string | undefined
  readonly orderId?: string | undefined
  readonly orderLinkId?: string | undefined
}

type ContractFilter = OrderKind<"linear"> | undefined

type OpenSelection =
  | (Selection & { readonly category: "spot"; readonly orderFilter?: OrderKind<"spot"> | undefined })
  | (Selection & {
      readonly category: "inverse"
      readonly baseCoin?: string | undefined
      readonly orderFilter?: ContractFilter
    })
  // At least one of these is required.
  | (Selection & { readonly category: "linear"; readonly symbol: string; readonly orderFilter?: ContractFilter })
  | { readonly category: "linear"; readonly baseCoin: string; readonly orderFilter?: ContractFilter }
  | { readonly category: "linear"; readonly settleCoin: string; readonly orderFilter?: ContractFilter }

interface HistorySelection extends Selection {
  readonly category: "spot" | "linear" | "inverse"
}

/** The reads of the domain. They are parameters because Orders.ts imports this file. */
export interface Reads {
  readonly open: <E>(selection: OpenSelection, read: Endpoint.ReadCall<E>) => Effect.Effect<Page, E>
  readonly history: <E>(selection: HistorySelection, read: Endpoint.ReadCall<E>) => Effect.Effect<Page, E>
}

// The state of an order ---------------------------------------------------------------------------------------------

/** `triggered` and `leaving`: whether the order is open is shown by another record, or later. */
type State = "open" | "cancelled" | "filled" | "rejected" | "triggered" | "leaving"

type KnownStatus = (typeof Enumerations.OrderStatus)["known"][number]

const states: { readonly [S in KnownStatus]: State } = {
  Created: "open",
  New: "open",
  PartiallyFilled: "open",
  Untriggered: "open",
  Triggered: "open",
  Active: "triggered",
  PendingCancel: "leaving",
  Filled: "filled",
  Cancelled: "cancelled",
  Deactivated: "cancelled",
  PartiallyFilledCanceled: "cancelled",
  Rejected: "rejected"
}

/** Returns `undefined` for a status that is not known. */
const stateOf = ({ orderStatus }: Order): State | undefined =>
  new Map<string, State>(Object.entries(states)).get(orderStatus)

const isExecuted = ({ cumExecQty }: Order): boolean => BigDecimal.isPositive(cumExecQty)

const isWholeExecuted = (order: Order): boolean =>
  isExecuted(order) && BigDecimal.greaterThanOrEqualTo(order.cumExecQty, order.qty)

// Reading -----------------------------------------------------------------------------------------------------------

const idsOf = (parameters: Parameters) => ({
  orderId: textOf(parameters, "orderId"),
  orderLinkId: textOf(parameters, "orderLinkId")
})

const categoryOf = (parameters: Parameters) => (parameters.category === "spot" ? "spot" : contract(parameters))

/** The service does not document which spot orders it lists without a filter. */
const spotFilter = ({ orderFilter }: Parameters): OrderKind<"spot"> | undefined =>
  orderKinds.spot.find((kind) => kind === orderFilter)

/** Whether an order has the ids of a write. The service's id takes priority over the caller's. */
const isNamed = ({ orderId, orderLinkId }: Selection, order: Order): boolean =>
  orderId === undefined
    ? orderLinkId !== undefined && Option.contains(order.orderLinkId, orderLinkId)
    : order.orderId === orderId

const isComplete = (page: Page, parameters: Parameters): boolean =>
  Option.isNone(page.nextPageCursor) && isOfCategory(page, categoryOf(parameters))

/** The orders under the ids of a write. */
interface Named {
  readonly orders: ReadonlyArray<Order>
  /** The orders that are also of the category and the symbol of the write. */
  readonly isOf: (order: Order) => boolean
  readonly isUnlisted: boolean
}

const findNamed = (parameters: Parameters, page: Page): Named => ({
  orders: page.list.filter((order) => isNamed(idsOf(parameters), order)),
  isOf: ({ symbol }) => symbol === parameters.symbol && isOfCategory(page, categoryOf(parameters)),
  isUnlisted: page.list.length === 0 && isComplete(page, parameters)
})

/** Finds the order of a write among the open and the recently closed orders. */
const findOpen = <E>({ open }: Reads, parameters: Parameters, read: Endpoint.ReadCall<E>): Effect.Effect<Named, E> => {
  const by = { ...idsOf(parameters), symbol: textOf(parameters, "symbol") ?? "" }
  const category = categoryOf(parameters)
  const page =
    category === "spot"
      ? open({ ...by, category, orderFilter: spotFilter(parameters) }, read)
      : category === "inverse"
        ? open({ ...by, category }, read)
        : open({ ...by, category }, read)
  return Effect.map(page, (page) => findNamed(parameters, page))
}

/** Finds the order of a write, in the history if necessary, because the list of open orders drops closed ones. */
const find = <E>(reads: Reads, parameters: Parameters, read: Endpoint.ReadCall<E>): Effect.Effect<Named, E> => {
  const category = categoryOf(parameters)
  const selection = { ...idsOf(parameters), category, symbol: textOf(parameters, "symbol") } as const
  return Effect.flatMap(findOpen(reads, parameters, read), (open) =>
    open.orders.length > 0
      ? Effect.succeed(open)
      : Effect.map(reads.history(selection, read), (page) => {
          const past = findNamed(parameters, page)
          return { ...past, isUnlisted: open.isUnlisted && past.isUnlisted }
        })
  )
}

/** The result of a write of an order, on the wire side. */
const toAck = ({ orderId, orderLinkId }: Order) => ({ orderId, orderLinkId: Option.getOrElse(orderLinkId, () => "") })

/** Judges each order under the ids of a write. Without an id, orders cannot be distinguished. */
const judgeOrders = <E>(
  { parameters }: LookUp.Write<Order>,
  find: () => Effect.Effect<Named, E>,
  judge: (order: Order) => Endpoint.Finding["executed"]
): Effect.Effect<Endpoint.Finding, E> =>
  LookUp.hasAny(parameters, ["orderId", "orderLinkId"])
    ? Effect.map(find(), ({ isOf, isUnlisted, orders }) => {
        const executed = LookUp.joinFindings(orders.map((order) => (isOf(order) ? judge(order) : "undetermined")))
        return LookUp.withResult({ executed, evidence: orders, ...(isUnlisted ? { isUnlisted } : {}) }, orders, toAck)
      })
    : Effect.succeed({ executed: "undetermined", evidence: [] })

// Comparing ---------------------------------------------------------------------------------------------------------

const selecting = { category: "selects", symbol: "selects", orderId: "selects", orderLinkId: "selects" } as const

/** A comparison of a parameter that has no effect on a market order, which is executed at once at market prices. */
const unlessMarket =
  (comparison: (order: Order, value: unknown) => boolean): Comparison<Order> =>
  (order, value, { orderType }) =>
    orderType === "Market" || comparison(order, value)

/** A record shows the type of a stop by its limit price. */
const typeOfStop =
  (limitPrice: "tpLimitPrice" | "slLimitPrice"): Comparison<Order> =>
  (order, value) =>
    value === undefined || (value === "Limit") === !LookUp.isNothing(order[limitPrice])

/** A comparison of a parameter that has no effect without one of the `stops`: a record without a stop does not show it. */
const withStop =
  (
    name: "tpslMode" | "tpTriggerBy" | "slTriggerBy",
    stops: ReadonlyArray<"takeProfit" | "stopLoss">
  ): Comparison<Order> =>
  (order, value, parameters) =>
    LookUp.exact(name)(order, value) ||
    (isUnset(order[name]) && stops.every((stop) => LookUp.valueOf(parameters, stop) === undefined))

/** `UNKNOWN` is the service's word for none. */
const isUnset = (word: Word): boolean => Option.isNone(word) || word.value === "UNKNOWN"

/** A record shows the kind of a spot order by the kind of its stop. */
const kindOfSpot: Comparison<Order> = ({ stopOrderType }, filter) =>
  filter === undefined || (filter === "Order" ? isUnset(stopOrderType) : Option.contains(stopOrderType, filter))

const typesOfStops = { tpOrderType: typeOfStop("tpLimitPrice"), slOrderType: typeOfStop("slLimitPrice") }

/**
 * Of the parameters that are left out, only those are compared without which the order has no such price. The service fills the others in
 * from its defaults, such as the mode of the position.
 */
const comparisonsOfNew = {
  ...selecting,
  ...typesOfStops,
  side: LookUp.exact("side"),
  orderType: LookUp.exact("orderType"),
  qty: LookUp.decimal("qty"),
  price: unlessMarket(LookUp.decimal("price")),
  timeInForce: unlessMarket(LookUp.exact("timeInForce")),
  marketUnit: LookUp.exact("marketUnit"),
  orderFilter: kindOfSpot,
  slippageToleranceType: "unseen",
  slippageTolerance: "unseen",
  smpType: "unseen",
  triggerPrice: LookUp.decimalOrNone("triggerPrice"),
  triggerDirection: LookUp.exact("triggerDirection"),
  triggerBy: LookUp.exact("triggerBy"),
  positionIdx: LookUp.exact("positionIdx"),
  reduceOnly: LookUp.exact("reduceOnly"),
  closeOnTrigger: LookUp.exact("closeOnTrigger"),
  takeProfit: LookUp.decimalOrNone("takeProfit"),
  stopLoss: LookUp.decimalOrNone("stopLoss"),
  tpslMode: withStop("tpslMode", ["takeProfit", "stopLoss"]),
  tpTriggerBy: withStop("tpTriggerBy", ["takeProfit"]),
  slTriggerBy: withStop("slTriggerBy", ["stopLoss"]),
  tpLimitPrice: LookUp.decimalOrNone("tpLimitPrice"),
  slLimitPrice: LookUp.decimalOrNone("slLimitPrice")
} as const satisfies Record<string, Comparison<Order>>

const comparisonsOfChanges = {
  ...selecting,
  ...typesOfStops,
  orderIv: LookUp.decimal("orderIv"),
  triggerPrice: LookUp.decimal("triggerPrice"),
  triggerBy: LookUp.exact("triggerBy"),
  qty: LookUp.decimal("qty"),
  price: LookUp.decimal("price"),
  takeProfit: LookUp.decimal("takeProfit"),
  stopLoss: LookUp.decimal("stopLoss"),
  tpslMode: LookUp.exact("tpslMode"),
  tpTriggerBy: LookUp.exact("tpTriggerBy"),
  slTriggerBy: LookUp.exact("slTriggerBy"),
  tpLimitPrice: LookUp.decimal("tpLimitPrice"),
  slLimitPrice: LookUp.decimal("slLimitPrice")
} as const satisfies Record<string, Comparison<Order>>

const makeLookUp = LookUp.makeFor<Order>()

// Look-ups ----------------------------------------------------------------------------------------------------------

/** What was executed decides before the status does. */
const isPlaced = (order: Order): Endpoint.Finding["executed"] => {
  const state = stateOf(order)
  if (isExecuted(order)) return "yes"
  return state === undefined ? "undetermined" : state === "rejected" ? "no" : "yes"
}

const makeCreateLookUp = (reads: Reads) =>
  makeLookUp(comparisonsOfNew, (write, read) =>
    // An order that is not found can still arrive. A different order belongs to an earlier request with the same id, or was amended since.
    judgeOrders(
      write,
      () => find(reads, write.parameters, read),
      (order) => (write.isShownBy(order) ? isPlaced(order) : "undetermined")
    )
  )

const changes = Object.keys(comparisonsOfChanges).filter((name) => !(name in selecting))

const makeAmendLookUp = (reads: Reads) =>
  makeLookUp(comparisonsOfChanges, (write, read) =>
    // A difference proves nothing: the order can have been changed again, and the change can still arrive. Only open orders can be changed.
    judgeOrders(
      write,
      () => findOpen(reads, write.parameters, read),
      (order) =>
        LookUp.hasAny(write.parameters, changes) &&
        write.isShownBy(order) &&
        stateOf(order) === "open" &&
        !isWholeExecuted(order)
          ? "yes"
          : "undetermined"
    )
  )

/**
 * A spot stop that triggers is closed, and an order with a new id takes its place. The documented closed states have none for that, so
 * `Cancelled` without a reason can mean it. (docs/reference/listed-operations.md#orderscreate)
 */
const canBeTriggered = ({ cancelType, orderStatus, stopOrderType }: Order): boolean =>
  Option.contains(stopOrderType, "tpslOrder") && orderStatus === "Cancelled" && isUnset(cancelType)

/** An order that was executed as a whole had nothing left to cancel. A status that contradicts what was executed decides nothing. */
const isCancelled = (order: Order): Endpoint.Finding["executed"] => {
  switch (stateOf(order)) {
    case "cancelled":
      return isWholeExecuted(order) || canBeTriggered(order) ? "undetermined" : "yes"
    case "filled":
      return isExecuted(order) && !isWholeExecuted(order) ? "undetermined" : "no"
    case "rejected":
      return isExecuted(order) ? "undetermined" : "no"
    default:
      return "undetermined"
  }
}

const makeCancelLookUp = (reads: Reads) =>
  makeLookUp({ ...selecting, orderFilter: "selects" }, (write, read) =>
    judgeOrders(write, () => find(reads, write.parameters, read), isCancelled)
  )

/** The kinds of orders that a request cancels. The service does not document which orders it lists without a filter, so each kind is listed. */
const kindsOfAll = <K extends string>(
  all: ReadonlyArray<K>,
  byDefault: ReadonlyArray<K>,
  filter: string | undefined
) => (filter === undefined ? byDefault : all.filter((kind) => kind === filter))

/** The lists that contain every order which a request cancels. The service uses the first of symbol, base coin and settle coin. */
const listsOfAll = (parameters: Parameters): ReadonlyArray<OpenSelection> => {
  const [symbol, baseCoin, filter] = ["symbol", "baseCoin", "orderFilter"].map((name) => textOf(parameters, name))
  const category = categoryOf(parameters)
  if (category === "spot") {
    return kindsOfAll(orderKinds.spot, ["Order"], filter).map((orderFilter) => ({ category, symbol, orderFilter }))
  }
  return kindsOfAll(orderKinds[category], orderKinds[category], filter).map((orderFilter): OpenSelection => {
    if (category === "inverse") return { category, symbol, baseCoin, orderFilter }
    if (symbol !== undefined) return { category, symbol, orderFilter }
    if (baseCoin !== undefined) return { category, baseCoin, orderFilter }
    return { category, settleCoin: textOf(parameters, "settleCoin") ?? "", orderFilter }
  })
}

const selectingAll = {
  category: "selects",
  symbol: "selects",
  baseCoin: "selects",
  settleCoin: "selects",
  orderFilter: "selects",
  stopOrderType: "selects"
} as const

const allCancelled = ({ open }: Reads) =>
  makeLookUp(selectingAll, ({ parameters }, read) =>
    Effect.map(
      Effect.forEach(listsOfAll(parameters), (selection) => open(selection, read)),
      (pages) => {
        // With no open order left, the request is fulfilled; an open order can be newer than the request.
        const isEmpty =
          pages.length > 0 && pages.every((page) => page.list.length === 0 && isComplete(page, parameters))
        return { executed: isEmpty ? "yes" : "undetermined", evidence: pages.flatMap(({ list }) => list) }
      }
    )
  )

/** The orders of a batch, each with the category of the batch. */
export const ordersOfBatch = ({ category, request }: Parameters): ReadonlyArray<Parameters> =>
  Array.isArray(request) ? request.map((item: object) => ({ category, ...item })) : []

/** A batch was executed if all of its orders were, and not executed if none was. */
const each = <P extends string>(lookUp: Endpoint.LookUp<P>): Endpoint.LookUp<P | "request"> =>
  Endpoint.makeLookUp({ ...lookUp.uses, request: "selects" }, (parameters, read) =>
    Effect.map(
      Effect.forEach(ordersOfBatch(parameters), (order) => lookUp(order, read)),
      (findings) => ({
        executed: LookUp.joinFindings(findings.map(({ executed }) => executed)),
        evidence: findings.flatMap(({ evidence }) => evidence),
        ...(findings.length > 0 && findings.every(({ isUnlisted }) => isUnlisted === true) ? { isUnlisted: true } : {})
      })
    )
  )

/** The look-ups for the writes of orders. */
export const make = (reads: Reads) => ({
  created: makeCreateLookUp(reads),
  amended: makeAmendLookUp(reads),
  cancelled: makeCancelLookUp(reads),
  allCancelled: allCancelled(reads),
  each
})
