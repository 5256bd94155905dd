/**
 * Batches of orders. Each order is accepted or refused separately, in the order of the request. Orders beyond the caller's rate limit are
 * refused; the orders before them are not. (rule limits/batch.partial; docs/reference/listed-operations.md#batches)
 */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Endpoints from "@effect-venue/schemas/Orders"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Handler from "../../handling/handler.js"
import * as Ids from "../../trading/ids.js"
import * as Refusal from "../../handling/refusal.js"
import * as Orders from "./orders.js"

const tooMany = Refusal.make(10006, "Too many visits! Exceeded the API Rate Limit.")

type Slot = Endpoints.BatchResult[number]

const taken = (category: string, symbol: string, ack: Endpoints.OrderAck): Slot => ({
  category: Option.some(category),
  symbol: Option.some(Ids.Symbol(symbol)),
  orderId: Option.some(ack.orderId),
  orderLinkId: ack.orderLinkId,
  code: 0,
  msg: "OK"
})

// The slot of a refused order has no ids.
const refuse = (category: string, symbol: string, { code, message }: Refusal.Refusal): Slot => ({
  category: Option.some(category),
  symbol: Option.some(Ids.Symbol(symbol)),
  orderId: Option.none(),
  orderLinkId: Option.none(),
  code,
  msg: message
})

/** Handles the orders in sequence, so that each sees the effects of those before it. */
const each = <A extends { readonly category: string; readonly symbol: string }>(
  context: Handler.Context,
  requests: ReadonlyArray<A>,
  run: (request: A, context: Handler.Context) => Handler.Handled<Endpoints.OrderAck>
): Handler.Answer<ReadonlyArray<Slot>> => {
  const places = context.places ?? requests.length
  return requests.reduce<Handler.Answer<ReadonlyArray<Slot>>>(
    ({ result, state }, request, index) => {
      const { category, symbol } = request
      const outcome = index < places ? run(request, Handler.after(context, state)) : Either.left(tooMany)
      return Either.match(outcome, {
        onLeft: (refusal) => ({ state, result: [...result, refuse(category, symbol, refusal)] }),
        onRight: (done) => ({ state: done.state, result: [...result, taken(category, symbol, done.result)] })
      })
    },
    { state: context.state, result: [] }
  )
}

/** The requests of a batch, each with its category. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- an item is a request without its category
const requestsOf = <Request>(batch: {
  readonly category: string
  readonly request: ReadonlyArray<object>
}): ReadonlyArray<Request> => batch.request.map((item) => ({ ...item, category: batch.category }) as Request) // an item is a request without its category

/** The slot of an accepted order has the order's time of creation. */
export const createBatch: Handler.Handler<typeof Endpoints.createBatch> = (batch, context) => {
  const { result, state } = each(context, requestsOf<Endpoint.Accepted<Endpoints.CreateRequest>>(batch), Orders.create)
  return Handler.write(
    state,
    result.map((slot) => ({
      ...slot,
      createAt: slot.code === 0 ? Option.some(DateTime.unsafeMake(context.now)) : Option.none()
    }))
  )
}

export const amendBatch: Handler.Handler<typeof Endpoints.amendBatch> = (batch, context) =>
  Either.right(each(context, requestsOf<Endpoint.Accepted<Endpoints.AmendRequest>>(batch), Orders.amend))

export const cancelBatch: Handler.Handler<typeof Endpoints.cancelBatch> = (batch, context) =>
  Either.right(each(context, requestsOf<Endpoint.Accepted<Endpoints.CancelRequest>>(batch), Orders.cancel))
