/**
 * Placing an order, and cancelling one. (docs/reference/listed-operations.md#orderscreate and orderscancel)
 *
 * @since 0.1.0
 */
import type * as Endpoints from "@effect-venue/schemas/Orders"
import * as Either from "effect/Either"
import * as Closing from "../internal/engine/positions/closing.js"
import * as Placement from "../internal/engine/orders/placement.js"
import * as Handler from "../internal/handling/handler.js"
import * as Markets from "../internal/trading/markets.js"
import * as Named from "../internal/handling/named.js"
import * as Refusal from "../internal/edge/refusal.js"
import * as State from "../State.js"

/**
 * Only says that the order was received: what the market did to it is in the order queries.
 *
 * @since 0.1.0
 * @category handlers
 */
export const create: Handler.Handler<typeof Endpoints.create> = (request, { account, now, state }) =>
  Either.flatMap(Placement.place(state, account.uid, request, now), ({ order, state }) =>
    Handler.write(state, { orderId: order.orderId, orderLinkId: order.orderLinkId })
  )

/**
 * Takes the other side of an unbroken pair of take profit and stop loss with it. (rule states/4)
 *
 * @since 0.1.0
 * @category handlers
 */
export const cancel: Handler.Handler<typeof Endpoints.cancel> = (request, { account, now, state }) =>
  Either.gen(function* () {
    const { category } = request
    yield* Markets.known(state, category, request.symbol)
    const filter = "orderFilter" in request ? request.orderFilter : undefined
    const order = account.openOrders.find(
      (one) =>
        one.category === category && Named.isNamed(request, one) && (filter === undefined || one.filter === filter)
    )
    if (order === undefined) return yield* Named.gone(account, category, request)
    if (order.symbol !== request.symbol) return yield* Refusal.parameter("symbol does not match the order")
    const after = Closing.cancelOrders(account, Closing.withPartner(account, order), now, {
      cancelType: "CancelByUser"
    })
    return yield* Handler.write(State.withAccount(state, after), {
      orderId: order.orderId,
      orderLinkId: order.orderLinkId
    })
  })
