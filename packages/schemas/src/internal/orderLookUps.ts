import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Endpoint from "../Endpoint.js"
import { agrees, contract, isOfCategory, type Parameters, text } from "./lookUp.js"

/** The fields of an order that a look-up reads by name. Other fields are compared with the parameters of the same name. */
interface Order {
  readonly symbol: string
  readonly side: string
  readonly orderStatus: string
  readonly orderId: string
  readonly orderLinkId: Option.Option<string>
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

type ContractFilter = "Order" | "StopOrder" | undefined

type OpenSelection =
  | (Selection & { readonly category: "spot"; readonly orderFilter?: "Order" | "tpslOrder" | undefined })
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

/** A parameter, or `undefined` if it is missing or empty. */
const parameter = (parameters: Parameters, name: string): string | undefined => {
  const value = text(parameters, name)
  return value === "" ? undefined : value
}

const idsOf = (parameters: Parameters) => ({
  orderId: parameter(parameters, "orderId"),
  orderLinkId: parameter(parameters, "orderLinkId")
})

const categoryOf = (parameters: Parameters) => (parameters.category === "spot" ? "spot" : contract(parameters))

/** The service does not document which spot orders it lists without a filter. */
const spotFilter = ({ orderFilter }: Parameters): "Order" | "tpslOrder" | undefined =>
  orderFilter === "Order" || orderFilter === "tpslOrder" ? orderFilter : undefined

const contractFilter = ({ orderFilter }: Parameters): ContractFilter =>
  orderFilter === "Order" || orderFilter === "StopOrder" ? orderFilter : undefined

/** Whether an order has the ids of a write. The service's id takes priority over the caller's. */
const isNamed = ({ orderId, orderLinkId }: Selection, order: Order): boolean => {
  if (orderId !== undefined) return order.orderId === orderId
  return orderLinkId !== undefined && Option.exists(order.orderLinkId, (id) => id === orderLinkId)
}

/** The orders of a page that a write can have created or changed. */
const concerned = (parameters: Parameters, page: Page): ReadonlyArray<Order> =>
  isOfCategory(page, categoryOf(parameters))
    ? page.list.filter((order) => isNamed(idsOf(parameters), order) && order.symbol === parameters.symbol)
    : []

/** Finds the order of a write among the open and the recently closed orders. */
const openOrders =
  ({ open }: Reads) =>
  <E>(parameters: Parameters, read: Endpoint.ReadCall<E>): Effect.Effect<ReadonlyArray<Order>, E> => {
    const by = { ...idsOf(parameters), symbol: text(parameters, "symbol") }
    const category = categoryOf(parameters)
    const page =
      category === "spot"
        ? open({ ...by, category, orderFilter: spotFilter(parameters) }, read)
        : category === "inverse"
          ? open({ ...by, category }, read)
          : open({ ...by, category }, read)
    return Effect.map(page, (found) => concerned(parameters, found))
  }

/** Finds the order of a write, in the history if necessary, because the list of open orders drops closed ones. */
const orders =
  (reads: Reads) =>
  <E>(parameters: Parameters, read: Endpoint.ReadCall<E>): Effect.Effect<ReadonlyArray<Order>, E> => {
    const ids = idsOf(parameters)
    const hasId = ids.orderId !== undefined || ids.orderLinkId !== undefined
    const selection = { ...ids, category: categoryOf(parameters), symbol: text(parameters, "symbol") } as const
    return Effect.flatMap(openOrders(reads)(parameters, read), (found) =>
      found.length > 0 || !hasId
        ? Effect.succeed(found)
        : Effect.map(reads.history(selection, read), (page) => concerned(parameters, page))
    )
  }

/** `isNamed` compares the ids. A market order is executed at once for any time in force. */
const isCompared =
  ({ orderType }: Parameters) =>
  (field: string): boolean =>
    field !== "orderId" && field !== "orderLinkId" && !(field === "timeInForce" && orderType === "Market")

const created =
  (reads: Reads): Endpoint.LookUp =>
  (parameters, read) =>
    Effect.map(orders(reads)(parameters, read), (evidence) => {
      const order = evidence.find(({ side }) => side === parameters.side)
      // An order that is not found can still arrive. Without an id, orders cannot be distinguished.
      if (order === undefined) return { executed: "undetermined", evidence }
      // A different order belongs to an earlier request with the same id, or was amended since.
      if (agrees(parameters, order, isCompared(parameters)) !== true) {
        return { executed: "undetermined", evidence: [order] }
      }
      return { executed: order.orderStatus === "Rejected" ? "no" : "yes", evidence: [order] }
    })

const amended =
  (reads: Reads): Endpoint.LookUp =>
  (parameters, read) =>
    Effect.map(openOrders(reads)(parameters, read), (evidence) => {
      const [order] = evidence
      const { symbol: _, ...changes } = parameters
      return {
        // A difference proves nothing: the order can have been changed again, and the change can still arrive.
        executed:
          order !== undefined && agrees(changes, order, isCompared(parameters)) === true ? "yes" : "undetermined",
        evidence
      }
    })

const cancelled =
  (reads: Reads): Endpoint.LookUp =>
  (parameters, read) =>
    Effect.map(orders(reads)(parameters, read), (evidence) => {
      switch (evidence[0]?.orderStatus) {
        case "Cancelled":
        case "Deactivated":
        case "PartiallyFilledCanceled":
          return { executed: "yes", evidence }
        // Closed by something else than a cancellation.
        case "Filled":
        case "Rejected":
          return { executed: "no", evidence }
        default:
          return { executed: "undetermined", evidence }
      }
    })

/** The service uses the first of symbol, base coin and settle coin. */
const selectionOfAll = (parameters: Parameters): OpenSelection => {
  const symbol = parameter(parameters, "symbol")
  const baseCoin = parameter(parameters, "baseCoin")
  if (parameters.category === "spot") return { category: "spot", symbol, orderFilter: spotFilter(parameters) }
  const orderFilter = contractFilter(parameters)
  if (parameters.category === "inverse") return { category: "inverse", symbol, baseCoin, orderFilter }
  if (symbol !== undefined) return { category: "linear", symbol, orderFilter }
  if (baseCoin !== undefined) return { category: "linear", baseCoin, orderFilter }
  return { category: "linear", settleCoin: text(parameters, "settleCoin"), orderFilter }
}

const allCancelled =
  ({ open }: Reads): Endpoint.LookUp =>
  (parameters, read) =>
    Effect.map(open(selectionOfAll(parameters), read), (page) => {
      const isEmpty =
        page.list.length === 0 && Option.isNone(page.nextPageCursor) && isOfCategory(page, categoryOf(parameters))
      // With no open order left, the request is fulfilled; an open order can be newer than the request.
      return { executed: isEmpty ? "yes" : "undetermined", evidence: page.list }
    })

/** The orders of a batch, each with the category of the batch. */
export const ordersOfBatch = ({ category, request }: Parameters): ReadonlyArray<Parameters> =>
  Array.isArray(request) ? request.map((item: object) => ({ category, ...item })) : []

/** A batch was executed if all of its orders were, and not executed if none was. */
const each =
  (lookUp: Endpoint.LookUp): Endpoint.LookUp =>
  (parameters, read) =>
    Effect.map(
      Effect.forEach(ordersOfBatch(parameters), (order) => lookUp(order, read)),
      (findings) => {
        const all = (executed: "yes" | "no") => findings.every((finding) => finding.executed === executed)
        return {
          executed: findings.length === 0 ? "undetermined" : all("yes") ? "yes" : all("no") ? "no" : "undetermined",
          evidence: findings.flatMap(({ evidence }) => evidence)
        }
      }
    )

/** The look-ups for the writes of orders. */
export const make = (reads: Reads) => ({
  created: created(reads),
  amended: amended(reads),
  cancelled: cancelled(reads),
  allCancelled: allCancelled(reads),
  each
})
