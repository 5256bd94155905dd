/**
 * Orders: what is open, what was closed lately, changing one, cancelling all.
 *
 * @since 0.1.0
 */
import * as Endpoints from "@effect-venue/schemas/Orders"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Transport from "@effect-venue/transport/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { categorisedPages } from "./internal/pages.js"

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
    /**
     * `cancelAll` until nothing is left that it cancels, past the 500 of one call. Every round is told. A round whose answer never
     * came is told as `unknown` and followed by another, because cancelling again does no harm. Ends when a round finds nothing
     * to cancel; fails as `cancelAll` does, and with `RoundsExhausted` when orders keep appearing.
     */
    readonly cancelEverything: (
      request: Endpoints.CancelAllRequest,
      options?: { readonly maxRounds?: number | undefined }
    ) => Stream.Stream<CancelRound, Failure.WriteFailure | RoundsExhausted>
  }
}

/**
 * One round of `cancelEverything`: the orders that it cancelled, those that it could not, and how many were cancelled so far.
 *
 * @since 0.1.0
 * @category models
 */
export interface CancelRound {
  readonly round: number
  /** Whether the answer of this round came; without it `cancelled` is empty although orders may have been cancelled. */
  readonly outcome: "known" | "unknown"
  readonly cancelled: ReadonlyArray<Endpoints.OrderAck>
  readonly failed: ReadonlyArray<Endpoints.OrderAck>
  readonly total: number
}

/**
 * Orders were still cancelled in the last round that was allowed: something keeps placing them.
 *
 * @since 0.1.0
 * @category failures
 */
export class RoundsExhausted extends Schema.TaggedError<RoundsExhausted>()("RoundsExhausted", {
  rounds: Schema.Int,
  cancelled: Schema.Int
}) {
  override get message(): string {
    return `orders.cancelEverything: after ${this.rounds} rounds and ${this.cancelled} cancelled orders there still were more`
  }
}

// 100 rounds are 50,000 orders: a hundred times what one symbol may have open.
const maxRoundsUnlessTold = 100

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (transport: Transport.Transport.Shape): Orders.Shape => {
  const open = (request: Endpoints.OpenRequest) => transport.call(Endpoints.open, request)
  const openPages = (request: Endpoints.OpenRequest) =>
    categorisedPages(Endpoints.open, request.cursor, (cursor) => open({ ...request, cursor }))

  const cancelAll = (request: Endpoints.CancelAllRequest) => transport.call(Endpoints.cancelAll, request)

  const cancelRound = (request: Endpoints.CancelAllRequest, round: number, before: number) =>
    cancelAll(request).pipe(
      Effect.map(({ list }): CancelRound => {
        const failed = list.filter(({ success }) => Option.contains(success, false))
        const cancelled = list.filter(({ success }) => !Option.contains(success, false))
        return { round, outcome: "known", cancelled, failed, total: before + cancelled.length }
      }),
      Effect.catchTag("OutcomeUnknown", () =>
        Effect.succeed<CancelRound>({ round, outcome: "unknown", cancelled: [], failed: [], total: before })
      )
    )

  return {
    open,
    openStream: (request) => Stream.mapConcat(openPages(request), (rows) => rows),
    amend: (request) => transport.call(Endpoints.amend, request),
    cancelAll,
    cancelEverything: (request, options = {}) => {
      const maxRounds = options.maxRounds ?? maxRoundsUnlessTold
      return Stream.paginateEffect({ round: 1, total: 0 }, ({ round, total }) =>
        Effect.flatMap(cancelRound(request, round, total), (done) => {
          const isLast = done.outcome === "known" && done.cancelled.length === 0
          if (isLast) return Effect.succeed([done, Option.none()] as const)
          return round >= maxRounds
            ? Effect.fail(new RoundsExhausted({ rounds: round, cancelled: done.total }))
            : Effect.succeed([done, Option.some({ round: round + 1, total: done.total })] as const)
        })
      )
    }
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
