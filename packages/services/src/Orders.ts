/**
 * Orders: what is open, what was closed lately, changing one, cancelling all.
 *
 * @since 0.1.0
 */
import * as Endpoints from "@effect-venue/schemas/Orders"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Pages from "@effect-venue/transport/Pages"
import * as Transport from "@effect-venue/transport/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

/**
 * @since 0.1.0
 * @category tags
 */
export class Orders extends Context.Tag("@effect-venue/services/Orders")<Orders, Orders.Shape>() {}

/**
 * @since 0.1.0
 */
export declare namespace Orders {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /**
     * One page of open orders, or with `openOnly: 1` of the most recent closed ones (at most 500 are kept), newest
     * first; 20 rows unless told (1 to 50). Limit: 10 calls a second per category. (interface.md, 1)
     */
    readonly open: (
      request: Endpoints.OpenRequest
    ) => Effect.Effect<typeof Endpoints.open.result.Type, Failure.ReadFailure>
    /** All pages of `open`, row by row. */
    readonly openStream: (request: Endpoints.OpenRequest) => Stream.Stream<Endpoints.Order, Failure.ReadFailure>
    /**
     * Changes an order that is not filled, or partially filled. What is not given stays; a take profit or stop loss
     * of 0 cancels it. Fails with `Rejected` (`NotFound`, `OrderState`) for other orders. Limit: 10 calls a second
     * per category. (interface.md, 13)
     */
    readonly amend: (
      request: Endpoints.AmendRequest
    ) => Effect.Effect<typeof Endpoints.amend.result.Type, Failure.WriteFailure>
    /**
     * Cancels all orders of a category, symbol or coin: at most 500 a call for contracts, picked at random when
     * there are more. Limit: 10 calls a second per category. (interface.md, 18)
     */
    readonly cancelAll: (
      request: Endpoints.CancelAllRequest
    ) => Effect.Effect<typeof Endpoints.cancelAll.result.Type, Failure.WriteFailure>
  }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (transport: Transport.Transport.Shape): Orders.Shape => {
  const open = (request: Endpoints.OpenRequest) => transport.call(Endpoints.open, request)
  const openPages = (request: Endpoints.OpenRequest) =>
    Pages.stream({
      operation: Endpoints.open.name,
      from: request.cursor,
      page: (cursor) => open({ ...request, cursor }),
      next: (page) => page.nextPageCursor
    }).pipe(Stream.map((page) => page.list))

  return {
    open,
    openStream: (request) => Stream.mapConcat(openPages(request), (rows) => rows),
    amend: (request) => transport.call(Endpoints.amend, request),
    cancelAll: (request) => transport.call(Endpoints.cancelAll, request)
  }
}

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Orders, never, Transport.Transport> = Layer.effect(
  Orders,
  Effect.map(Transport.Transport, make)
)
