import type * as Orders from "@effect-venue/schemas/Orders"
import * as Option from "effect/Option"

/** What names an order in a request: the id of the service or of the application. */
export interface OrderName {
  readonly orderId?: string | undefined
  readonly orderLinkId?: string | undefined
}

export type Slot = Orders.BatchResult[number]

/** What one slot of a batch's answer says of the order in its place. */
export type Verdict =
  | { readonly _tag: "Accepted"; readonly ack: Orders.OrderAck }
  | { readonly _tag: "Refused"; readonly refusal: { readonly code: number; readonly msg: string } }
  | { readonly _tag: "Unclear" }

const unclear: Verdict = { _tag: "Unclear" }

/** Whether a slot names an order; `undefined` where their ids cannot be compared. An order's own id decides before its link id. */
const names = (slot: Slot, order: OrderName): boolean | undefined => {
  if (order.orderId !== undefined && Option.isSome(slot.orderId)) return slot.orderId.value === order.orderId
  if (order.orderLinkId !== undefined && Option.isSome(slot.orderLinkId)) {
    return slot.orderLinkId.value === order.orderLinkId
  }
  return undefined
}

const differ = (one: OrderName, other: OrderName): boolean => {
  if (one.orderId !== undefined && other.orderId !== undefined) return one.orderId !== other.orderId
  return one.orderLinkId !== undefined && other.orderLinkId !== undefined && one.orderLinkId !== other.orderLinkId
}

const isSameId = (one: Slot, other: Slot): boolean =>
  (Option.isSome(one.orderId) && Option.exists(other.orderId, (id) => id === Option.getOrNull(one.orderId))) ||
  (Option.isSome(one.orderLinkId) && Option.exists(other.orderLinkId, (id) => id === Option.getOrNull(one.orderLinkId)))

/** Whether an accepted slot is the answer to the order in its place, by an id. */
const isAcknowledged = (slot: Slot, order: OrderName): boolean =>
  Option.isSome(slot.orderId) &&
  (order.orderId !== undefined
    ? slot.orderId.value === order.orderId
    : order.orderLinkId === undefined || Option.exists(slot.orderLinkId, (id) => id === order.orderLinkId))

/** The places that a slot throws into doubt: its own, and those of the orders that it names instead. */
const doubted = (orders: ReadonlyArray<OrderName>, slots: ReadonlyArray<Slot>): ReadonlySet<number> => {
  const places = new Set<number>()
  slots.forEach((slot, index) => {
    const order = orders[index]
    if (order === undefined) return
    const isMisplaced = names(slot, order) === false || (slot.code === 0 && !isAcknowledged(slot, order))
    orders.forEach((other, place) => {
      if (place === index) return
      const isDuplicate = slots.some((twin, at) => at === place && isSameId(slot, twin) && differ(order, other))
      const isAnothers = names(slot, other) === true && names(slot, order) !== true
      if (isDuplicate || isAnothers) places.add(index).add(place)
    })
    if (isMisplaced) places.add(index)
  })
  return places
}

/**
 * What each slot of a batch's answer says of the order in its place. The service answers by place, and repeats ids: where an id
 * contradicts a place, the slot says nothing of either order, and a slot without ids in the same answer says nothing at all. Nor
 * does an answer with more or fewer slots than orders.
 */
export const verdicts = (orders: ReadonlyArray<OrderName>, slots: ReadonlyArray<Slot>): ReadonlyArray<Verdict> => {
  if (slots.length !== orders.length) return orders.map(() => unclear)
  const places = doubted(orders, slots)
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
