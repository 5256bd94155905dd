/** Moves an open order to another price. */
import * as Orders from "@effect-venue/services/Orders"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Effect from "effect/Effect"

const isOver = (failure: Failure.WriteFailure): boolean =>
  failure._tag === "Rejected" && (failure.reason === "NotFound" || failure.reason === "OrderState")

/**
 * `moved`: the service accepted the new price. `over`: the order was already filled or cancelled. `unknown`: the answer was lost, and the
 * order shows neither the new price nor a reason why it cannot have it.
 */
export const reprice = (order: { readonly symbol: string; readonly orderLinkId: string }, price: string) =>
  Effect.flatMap(Orders.Orders, (orders) => orders.amend({ category: "linear", ...order, price })).pipe(
    Effect.as("moved" as const),
    Effect.catchIf(isOver, () => Effect.succeed("over" as const)),
    // An amendment has no id, so read the price of the order.
    Effect.catchTag("OutcomeUnknown", (failure) =>
      Effect.map(failure.lookUp, ({ executed }) => (executed === "yes" ? ("moved" as const) : ("unknown" as const)))
    )
  )
