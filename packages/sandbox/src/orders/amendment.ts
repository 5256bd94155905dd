import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import type * as Decimal from "@effect-venue/schemas/Decimal"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Exchange from "../state/Exchange.js"
import * as Accounts from "../state/accounts.js"
import * as Checks from "./checks.js"
import type { Checked } from "./checks.js"
import * as Closing from "../positions/closing.js"
import * as Matching from "./matching.js"
import * as RestingOrders from "../book/restingOrders.js"
import * as Handler from "../handling/handler.js"
import * as OrderRecord from "../records/orderRecord.js"
import * as Refusal from "../handling/refusal.js"

/** The fields of an amendment. */
export interface Changes {
  readonly qty?: Decimal.Input | undefined
  readonly price?: Decimal.Input | undefined
  readonly triggerPrice?: Decimal.Input | undefined
  readonly triggerBy?: Enumerations.TriggerBy | undefined
  readonly orderIv?: Decimal.Input | undefined
  readonly tpslMode?: Enumerations.TpslMode | undefined
  readonly takeProfit?: Decimal.Input | undefined
  readonly stopLoss?: Decimal.Input | undefined
  readonly tpTriggerBy?: Enumerations.TriggerBy | undefined
  readonly slTriggerBy?: Enumerations.TriggerBy | undefined
  readonly tpLimitPrice?: Decimal.Input | undefined
  readonly slLimitPrice?: Decimal.Input | undefined
  readonly tpOrderType?: Enumerations.OrderType | undefined
  readonly slOrderType?: Enumerations.OrderType | undefined
}

const checkQty = (listing: Exchange.Listing, order: Exchange.Order, qty: BigDecimal.BigDecimal): Checks.Checked =>
  Either.flatMap(Checks.qty(listing, order.orderType, qty), () =>
    BigDecimal.isPositive(order.cumExecQty) && BigDecimal.lessThanOrEqualTo(qty, order.cumExecQty)
      ? Refusal.left(110064, "New quantity must be larger than the filled quantity.")
      : Either.void
  )

// Absent leaves the stop, 0 removes it, a price sets it.
const stop = (
  present: Option.Option<BigDecimal.BigDecimal>,
  requested: Decimal.Input | undefined
): Option.Option<BigDecimal.BigDecimal> =>
  requested === undefined ? present : Option.filter(Handler.optionalDecimal(requested), BigDecimal.isPositive)

const replace = (
  present: Option.Option<BigDecimal.BigDecimal>,
  requested: Decimal.Input | undefined
): Option.Option<BigDecimal.BigDecimal> => Option.orElse(Handler.optionalDecimal(requested), () => present)

const sameDecimal = Option.getEquivalence(BigDecimal.Equivalence)
const sameText = Option.getEquivalence<string>((a, b) => a === b)

const isSame = (a: Exchange.Order, b: Exchange.Order): boolean =>
  BigDecimal.equals(a.qty, b.qty) &&
  (["price", "triggerPrice", "orderIv", "takeProfit", "stopLoss", "tpLimitPrice", "slLimitPrice"] as const).every(
    (field) => sameDecimal(a[field], b[field])
  ) &&
  (["triggerBy", "tpslMode", "tpTriggerBy", "slTriggerBy"] as const).every((field) => sameText(a[field], b[field]))

const limits = [
  { limit: "tpLimitPrice", type: "tpOrderType" },
  { limit: "slLimitPrice", type: "slOrderType" }
] as const

const modeOf = (order: Exchange.Order, { tpslMode }: Changes): string | undefined =>
  tpslMode ?? Option.getOrUndefined(order.tpslMode)

// The limit price of a stop can only be changed if the order has one: Partial mode with a limit price.
const checkLimits = (order: Exchange.Order, changes: Changes): Checks.Checked => {
  for (const { limit, type } of limits) {
    const isLimit = Option.isSome(order[limit]) && Option.contains(order.tpslMode, "Partial")
    if (changes[limit] !== undefined && !isLimit) {
      return Refusal.parameter(`${limit} needs an order with a partial limit stop`)
    }
    if (changes[type] === "Limit" && !(isLimit && modeOf(order, changes) === "Partial")) {
      return Refusal.parameter(`${type}=Limit needs an order with a partial limit stop`)
    }
    if (changes[type] === "Market" && changes[limit] !== undefined) {
      return Refusal.parameter(`${limit} only with ${type}=Limit`)
    }
  }
  return Either.void
}

// A Market stop, which includes all stops in Full mode, has no limit price.
const limitOf = (
  order: Exchange.Order,
  changes: Changes,
  { limit, type }: (typeof limits)[number]
): Option.Option<BigDecimal.BigDecimal> =>
  changes[type] === "Market" || changes.tpslMode === "Full" ? Option.none() : replace(order[limit], changes[limit])

/** Returns the changed order, or the rule that the changes violate. (docs/reference/orders/amend.md) */
export const apply = (order: Exchange.Order, listing: Exchange.Listing, changes: Changes): Checked<Exchange.Order> =>
  Either.gen(function* () {
    if (changes.qty !== undefined) yield* checkQty(listing, order, Handler.decimal(changes.qty))
    for (const field of ["price", "triggerPrice", "tpLimitPrice", "slLimitPrice"] as const) {
      const requested = changes[field]
      if (requested !== undefined) yield* Checks.price(listing, field, Handler.decimal(requested))
    }
    if (changes.price !== undefined && order.orderType === "Market") {
      return yield* Refusal.parameter("price cannot be set on a market order")
    }
    if (changes.triggerPrice !== undefined) {
      if (!OrderRecord.isConditional(order)) return yield* Refusal.parameter("triggerPrice needs a conditional order")
      yield* Checks.trigger(listing, {
        ...order,
        triggerPrice: Handler.optionalDecimal(changes.triggerPrice),
        triggerBy: changes.triggerBy === undefined ? order.triggerBy : Option.some(changes.triggerBy)
      })
    }
    for (const [value, trigger] of [
      ["takeProfit", "tpTriggerBy"],
      ["stopLoss", "slTriggerBy"]
    ] as const) {
      const wanted = changes[value]
      if (wanted === undefined || BigDecimal.isZero(Handler.decimal(wanted))) continue
      if (changes[trigger] === undefined && Option.isNone(order[trigger])) {
        return yield* Refusal.parameter(`${trigger} is required`)
      }
    }
    yield* checkLimits(order, changes)
    const changed = OrderRecord.withLeaves({
      ...order,
      qty: changes.qty === undefined ? order.qty : Handler.decimal(changes.qty),
      price: replace(order.price, changes.price),
      triggerPrice: replace(order.triggerPrice, changes.triggerPrice),
      triggerBy: changes.triggerBy === undefined ? order.triggerBy : Option.some(changes.triggerBy),
      orderIv: replace(order.orderIv, changes.orderIv),
      tpslMode: changes.tpslMode === undefined ? order.tpslMode : Option.some(changes.tpslMode),
      takeProfit: stop(order.takeProfit, changes.takeProfit),
      stopLoss: stop(order.stopLoss, changes.stopLoss),
      tpTriggerBy: changes.tpTriggerBy === undefined ? order.tpTriggerBy : Option.some(changes.tpTriggerBy),
      slTriggerBy: changes.slTriggerBy === undefined ? order.slTriggerBy : Option.some(changes.slTriggerBy),
      tpLimitPrice: limitOf(order, changes, limits[0]),
      slLimitPrice: limitOf(order, changes, limits[1])
    })
    // After a price change the stops can be on the wrong side.
    yield* Checks.stops(
      listing,
      changed,
      (["takeProfit", "stopLoss"] as const).filter(
        (field) => changes[field] !== undefined || changes.price !== undefined
      )
    )
    if (isSame(order, changed)) {
      return yield* Refusal.left(
        10001,
        "The order remains unchanged as the parameters entered match the existing ones."
      )
    }
    return changed
  })

/** The quantity of a Full stop follows the position; that of a partial stop is at most the position. */
export const checkStopSize = (
  account: Exchange.Account,
  before: Exchange.Order,
  after: Exchange.Order
): Checks.Checked => {
  if (!OrderRecord.isPositionStop(before) || BigDecimal.equals(before.qty, after.qty)) return Either.void
  if (!Option.contains(before.tpslMode, "Partial")) {
    return Refusal.left(110060, "Can't change the size of TP/SL order under Full mode")
  }
  return BigDecimal.greaterThan(after.qty, Matching.reducible(account, after))
    ? Refusal.left(110058, "You can't set TP/SL for more than the position size")
    : Either.void
}

// The position shows the price of its stops.
const followOrder = (position: Exchange.Position, order: Exchange.Order): Exchange.Position =>
  position.category !== order.category ||
  position.symbol !== order.symbol ||
  position.positionIdx !== order.positionIdx ||
  !OrderRecord.isConditional(order)
    ? position
    : Option.contains(order.stopOrderType, "TakeProfit")
      ? { ...position, takeProfit: order.triggerPrice }
      : Option.contains(order.stopOrderType, "StopLoss")
        ? { ...position, stopLoss: order.triggerPrice }
        : position

// Only a smaller quantity keeps an order's place in the queue.
const keepsPlace = (before: Exchange.Order, after: Exchange.Order): boolean =>
  OrderRecord.isConditional(after) ||
  (sameDecimal(before.price, after.price) && BigDecimal.lessThanOrEqualTo(after.qty, before.qty))

/** Stores an amended order. Its pair is broken, and an active order is matched again, because it can fill at its new price. */
export const put = (
  state: Exchange.State,
  account: Exchange.Account,
  original: Exchange.Order,
  changed: Exchange.Order,
  now: number
): Exchange.State => {
  const amended = keepsPlace(original, changed)
    ? changed
    : { ...changed, queuedAs: RestingOrders.lastInQueue(state, changed, now) }
  const placed = Accounts.putOrder(Closing.unpair(account, amended), { ...amended, pairedWith: Option.none() })
  const next = Exchange.withAccount(state, {
    ...placed,
    positions: placed.positions.map((position) => followOrder(position, amended))
  })
  return OrderRecord.isConditional(amended)
    ? next
    : Matching.submit(next, account.uid, amended.orderId, amended.price, now)
}
