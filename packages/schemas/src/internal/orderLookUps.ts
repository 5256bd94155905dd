import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Endpoint from "../Endpoint.js"
import { contract, says, text } from "./lookUp.js"

type Parameters = Readonly<Record<string, unknown>>

/** What a look-up compares of an order, and the amounts that `says` reads by name. */
interface Order {
  readonly symbol: string
  readonly side: string
  readonly orderType: string
  readonly orderStatus: string
  readonly orderLinkId: Option.Option<string>
}

/** The selection of a read. `orders.open` takes what its category allows; `undefined` selects nothing. */
interface Selection {
  readonly symbol?: string | undefined
  readonly orderId?: string | undefined
  readonly orderLinkId?: string | undefined
}

type OpenSelection =
  | (Selection & { readonly category: "spot" })
  | (Selection & { readonly category: "inverse"; readonly baseCoin?: string | undefined })
  // One of these at least.
  | (Selection & { readonly category: "linear"; readonly symbol: string })
  | { readonly category: "linear"; readonly baseCoin: string }
  | { readonly category: "linear"; readonly settleCoin: string }

interface HistorySelection extends Selection {
  readonly category: "spot" | "linear" | "inverse"
}

/** The reads of the domain, which is not imported here: its writes name these look-ups. */
export interface Reads {
  readonly open: <E>(selection: OpenSelection, read: Endpoint.ReadCall<E>) => Effect.Effect<ReadonlyArray<Order>, E>
  readonly history: <E>(
    selection: HistorySelection,
    read: Endpoint.ReadCall<E>
  ) => Effect.Effect<ReadonlyArray<Order>, E>
}

/** A parameter, or `undefined` where it is missing or empty. */
const parameter = (parameters: Parameters, name: string): string | undefined => {
  const value = text(parameters, name)
  return value === "" ? undefined : value
}

const idsOf = (parameters: Parameters) => ({
  orderId: parameter(parameters, "orderId"),
  orderLinkId: parameter(parameters, "orderLinkId")
})

/** The order that a write was about, among the open and the most recent closed ones. */
const openOrders =
  ({ open }: Reads) =>
  <E>(parameters: Parameters, read: Endpoint.ReadCall<E>): Effect.Effect<ReadonlyArray<Order>, E> => {
    const by = { ...idsOf(parameters), symbol: text(parameters, "symbol") }
    if (parameters.category === "spot") return open({ ...by, category: "spot" }, read)
    return contract(parameters) === "inverse"
      ? open({ ...by, category: "inverse" }, read)
      : open({ ...by, category: "linear" }, read)
  }

/** The same, or else in the history: the list of open orders forgets closed ones. */
const orders =
  (reads: Reads) =>
  <E>(parameters: Parameters, read: Endpoint.ReadCall<E>): Effect.Effect<ReadonlyArray<Order>, E> => {
    const ids = idsOf(parameters)
    const hasId = ids.orderId !== undefined || ids.orderLinkId !== undefined
    const category = parameters.category === "spot" ? "spot" : contract(parameters)
    return Effect.flatMap(openOrders(reads)(parameters, read), (found) =>
      found.length > 0 || !hasId
        ? Effect.succeed(found)
        : reads.history({ ...ids, category, symbol: text(parameters, "symbol") }, read)
    )
  }

const created =
  (reads: Reads): Endpoint.LookUp =>
  (parameters, read) =>
    Effect.map(orders(reads)(parameters, read), (evidence) => {
      const link = parameter(parameters, "orderLinkId")
      const order = evidence.find(
        ({ orderLinkId, side, symbol }) =>
          link !== undefined &&
          Option.exists(orderLinkId, (id) => id === link) &&
          side === parameters.side &&
          symbol === parameters.symbol
      )
      // An order that is not found may still be on its way. Without an id, orders cannot be distinguished.
      if (order === undefined) return { executed: "undetermined", evidence }
      // One of another kind, size or price belongs to an earlier request under the same id, or was amended since.
      const isSame =
        order.orderType === parameters.orderType &&
        Option.getOrElse(says(parameters, { ...order }, ["price", "qty", "triggerPrice"]), () => true)
      if (!isSame) return { executed: "undetermined", evidence: [order] }
      return { executed: order.orderStatus === "Rejected" ? "no" : "yes", evidence: [order] }
    })

const amended =
  (reads: Reads): Endpoint.LookUp =>
  (parameters, read) =>
    Effect.map(openOrders(reads)(parameters, read), (evidence) => {
      const same = Option.flatMap(Option.fromNullable(evidence[0]), (order) =>
        says(parameters, { ...order }, ["price", "qty", "triggerPrice", "takeProfit", "stopLoss"])
      )
      return {
        // One that differs may have been changed again since, or the change may still be on its way: that proves nothing.
        executed: Option.contains(same, true) ? "yes" : "undetermined",
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
        // Final, and not by cancelling.
        case "Filled":
        case "Rejected":
          return { executed: "no", evidence }
        default:
          return { executed: "undetermined", evidence }
      }
    })

/** Of several the first counts: symbol, base coin, settle coin. */
const selectionOfAll = (parameters: Parameters): OpenSelection => {
  const symbol = parameter(parameters, "symbol")
  const baseCoin = parameter(parameters, "baseCoin")
  if (parameters.category === "spot") return { category: "spot", symbol }
  if (parameters.category === "inverse") return { category: "inverse", symbol, baseCoin }
  if (symbol !== undefined) return { category: "linear", symbol }
  if (baseCoin !== undefined) return { category: "linear", baseCoin }
  return { category: "linear", settleCoin: text(parameters, "settleCoin") }
}

const allCancelled =
  ({ open }: Reads): Endpoint.LookUp =>
  (parameters, read) =>
    Effect.map(open(selectionOfAll(parameters), read), (evidence) => ({
      // No open order is what was requested, whatever closed them; an order that is open may be new.
      executed: evidence.length === 0 ? "yes" : "undetermined",
      evidence
    }))

/** The orders of a batch, each with the category of all. */
export const ordersOfBatch = ({ category, request }: Parameters): ReadonlyArray<Parameters> =>
  Array.isArray(request) ? request.map((item: object) => ({ category, ...item })) : []

/** A batch is executed when each of its orders is, and not when none is. */
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

/** How to determine the outcome of each write of orders. */
export const make = (reads: Reads) => ({
  created: created(reads),
  amended: amended(reads),
  cancelled: cancelled(reads),
  allCancelled: allCancelled(reads),
  each
})
