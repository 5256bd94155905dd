import type * as Orders from "@effect-venue/schemas/Orders"
import * as Option from "effect/Option"

/** Identifies an order in a request: the service's id or the application's. */
export interface OrderName {
  readonly orderId?: string | undefined
  readonly orderLinkId?: string | undefined
}

export type Slot = Orders.BatchResult[number]

/** The conclusion from a slot of a batch's response about the order at the same index. */
export type Verdict =
  | { readonly _tag: "Accepted"; readonly ack: Orders.OrderAck }
  | { readonly _tag: "Refused"; readonly refusal: { readonly code: number; readonly msg: string } }
  | { readonly _tag: "Unclear" }

const unclear: Verdict = { _tag: "Unclear" }

/** Whether a slot identifies an order; `undefined` if their ids cannot be compared. The service's id takes priority over the link id. */
const names = (slot: Slot, order: OrderName): boolean | undefined => {
  if (order.orderId !== undefined && Option.isSome(slot.orderId)) return slot.orderId.value === order.orderId
  if (order.orderLinkId !== undefined && Option.isSome(slot.orderLinkId)) {
    return slot.orderLinkId.value === order.orderLinkId
  }
  return undefined
}

const differ = (a: OrderName, b: OrderName): boolean => {
  if (a.orderId !== undefined && b.orderId !== undefined) return a.orderId !== b.orderId
  return a.orderLinkId !== undefined && b.orderLinkId !== undefined && a.orderLinkId !== b.orderLinkId
}

const isSameId = (a: Slot, b: Slot): boolean =>
  (Option.isSome(a.orderId) && Option.exists(b.orderId, (id) => id === Option.getOrNull(a.orderId))) ||
  (Option.isSome(a.orderLinkId) && Option.exists(b.orderLinkId, (id) => id === Option.getOrNull(a.orderLinkId)))

/** Whether an id of an accepted slot identifies the order at the same index. */
const isAcknowledged = (slot: Slot, order: OrderName): boolean =>
  Option.isSome(slot.orderId) &&
  (order.orderId !== undefined
    ? slot.orderId.value === order.orderId
    : order.orderLinkId === undefined || Option.exists(slot.orderLinkId, (id) => id === order.orderLinkId))

/** The indexes that a slot puts in doubt: its index, and those of the orders that it identifies instead. */
const doubtOrders = (orders: ReadonlyArray<OrderName>, slots: ReadonlyArray<Slot>): ReadonlySet<number> => {
  const places = new Set<number>()
  slots.forEach((slot, index) => {
    const order = orders[index]
    if (order === undefined) return
    const isMisplaced = names(slot, order) === false || (slot.code === 0 && !isAcknowledged(slot, order))
    orders.forEach((another, place) => {
      if (place === index) return
      const isDuplicate = slots.some((twin, at) => at === place && isSameId(slot, twin) && differ(order, another))
      const isAnothers = names(slot, another) === true && names(slot, order) !== true
      if (isDuplicate || isAnothers) places.add(index).add(place)
    })
    if (isMisplaced) places.add(index)
  })
  return places
}

/**
 * Returns the conclusion for each order of a batch. The service responds by position and repeats ids. If an id contradicts its position,
 * neither order has a result, and slots without ids in the same response are ignored. A response with more or fewer slots than orders is
 * ignored as a whole.
 */
export const verdicts = (orders: ReadonlyArray<OrderName>, slots: ReadonlyArray<Slot>): ReadonlyArray<Verdict> => {
  if (slots.length !== orders.length) return orders.map(() => unclear)
  const places = doubtOrders(orders, slots)
  return orders.map((order, index): Verdict => {
    const slot = slots[index]
    if (slot === undefined || places.has(index)) return unclear
    if (slot.code === 0) {
      return Option.match(slot.orderId, {
        onNone: () => unclear,
        onSome: (orderId) => ({ _tag: "Accepted", ack: { orderId, orderLinkId: slot.orderLinkId } })
      })
    }
    return places.size > 0 && names(slot, order) !== true
      ? unclear
      : { _tag: "Refused", refusal: { code: slot.code, msg: slot.msg } }
  })
}
