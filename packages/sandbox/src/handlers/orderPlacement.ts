/** Places an order, and cancels one. (docs/reference/listed-operations.md#orderscreate and orderscancel) */
import type * as Endpoints from "@effect-venue/schemas/Orders"
import * as Either from "effect/Either"
import * as Closing from "../positions/closing.js"
import * as Placement from "../orders/placement.js"
import * as Handler from "../handling/handler.js"
import * as Markets from "../handling/markets.js"
import * as Named from "../handling/named.js"
import * as Refusal from "../handling/refusal.js"
import * as Exchange from "../state/Exchange.js"

/** Only confirms that the order was received; the order queries return its outcome. */
export const create: Handler.Handler<typeof Endpoints.create> = (request, { account, now, state }) =>
  Either.flatMap(Placement.place(state, account.uid, request, now), ({ order, state }) =>
    Handler.write(state, { orderId: order.orderId, orderLinkId: order.orderLinkId })
  )

/** Also cancels the other order of an unbroken pair of take profit and stop loss. (rule states/4) */
export const cancel: Handler.Handler<typeof Endpoints.cancel> = (request, { account, now, state }) =>
  Either.gen(function* () {
    const { category } = request
    yield* Markets.findListing(state, category, request.symbol)
    const filter = "orderFilter" in request ? request.orderFilter : undefined
    const order = account.openOrders.find(
      (candidate) =>
        candidate.category === category &&
        Named.isNamed(request, candidate) &&
        (filter === undefined || candidate.filter === filter)
    )
    if (order === undefined) return yield* Named.gone(account, category, request)
    if (order.symbol !== request.symbol) return yield* Refusal.parameter("symbol does not match the order")
    const after = Closing.cancelOrders(account, Closing.withPartner(account, order), now, {
      cancelType: "CancelByUser"
    })
    return yield* Handler.write(Exchange.withAccount(state, after), {
      orderId: order.orderId,
      orderLinkId: order.orderLinkId
    })
  })
