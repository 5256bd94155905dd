/** Orders: place, change and cancel orders, one at a time or in batches; list open and closed orders. */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Endpoints from "@effect-venue/schemas/Orders"
import { orderKinds } from "@effect-venue/schemas/siblings/OrderKinds"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Trace from "@effect-venue/transport/siblings/Trace"
import * as Transport from "@effect-venue/transport/Transport"
import * as Array from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as batches from "./calls/batches.js"
import { layerOf, randomIds } from "./calls/making.js"
import * as Pages from "./calls/pages.js"

export {
  AmendBatchRequest,
  AmendRequest,
  BatchResult,
  CancelAllRequest,
  CancelAllResult,
  CancelBatchRequest,
  CancelRequest,
  CancelledOrder,
  CreateBatchResult,
  HistoryRequest,
  HistoryResult,
  OpenOrder,
  OpenRequest,
  OpenResult,
  Order,
  OrderAck
} from "@effect-venue/schemas/Orders"

export class Orders extends Context.Tag("@effect-venue/services/Orders")<Orders, Orders.Shape>() {}

export declare namespace Orders {
  export interface Shape {
    /**
     * Returns one page of open orders, or with `openOnly: 1` of recently closed orders (the service keeps at most 500), newest first; 1 to
     * 50 rows, default 20. Fails as any read does. Limit: 10 calls a second per category, for spot assumed. (docs/reference/orders/open.md)
     */
    readonly open: (request: Endpoints.OpenRequest) => Effect.Effect<Endpoints.OpenResult, Failure.ReadFailure>
    /**
     * All pages of `open`, row by row. Each page is a call, and fails as `open` does. An order that is filled or cancelled between two pages
     * moves the orders after it forward, so that one of them can be on neither page: look up an order by its id before deciding that it is not open.
     */
    readonly openStream: (request: Endpoints.OpenRequest) => Stream.Stream<Endpoints.Order, Failure.ReadFailure>
    /**
     * Returns one page of the order history: at most 7 days, by default the last 7 (pass both times or neither); 1 to 50 rows, default 20.
     * Orders of the last 7 days are listed in any status, older orders only if they were filled, up to 730 days ago. Fails as any read
     * does. Limit: 10 calls a second per category, for spot assumed. The service's document contains only the path of this operation.
     * (docs/reference/orders/history.md)
     */
    readonly history: (request: Endpoints.HistoryRequest) => Effect.Effect<Endpoints.HistoryResult, Failure.ReadFailure>
    /**
     * All pages of `history`, row by row. Each page is a call, and fails as `history` does. For a range of any length, use
     * `History.stream` with `History.orderHistory`.
     */
    readonly historyStream: (request: Endpoints.HistoryRequest) => Stream.Stream<Endpoints.Order, Failure.ReadFailure>
    /**
     * Places an order. The service accepts each `orderLinkId` once: make it with `newOrderLinkId` outside of what is retried, and
     * `Effect.retry`, `orElse`, `race` or `timeout` around this effect places one order (docs/money.md). An id that was used for
     * something else, or whose success a caller has had, fails as `Duplicate`. The response only confirms that the order was received. Fails as
     * any write does, with `Rejected` (`InsufficientBalance`, `RiskLimit`, `Duplicate`, ...). Limit: 10 calls a second per category, for
     * spot assumed. The service's document contains only the path of this operation. (docs/reference/orders/create.md)
     */
    readonly create: (request: CreateRequest) => Effect.Effect<Endpoints.OrderAck, Failure.WriteFailure>
    /**
     * Cancels an open order: new, partially filled or waiting for its trigger. Fails as any write does, with `Rejected` (`NotFound`,
     * `OrderState`) for other orders. Limit: 10 calls a second per category, for spot assumed. The service's document contains only the
     * path of this operation. (docs/reference/orders/cancel.md)
     */
    readonly cancel: (request: Endpoints.CancelRequest) => Effect.Effect<Endpoints.OrderAck, Failure.WriteFailure>
    /**
     * Places 1 to 20 orders and returns the outcome of each, in the same order. Each order counts as one call; a batch over the limit in
     * force is sent in several calls. Fails as any write does if nothing was executed, or if the response of a single call is lost. Any
     * other failure is the outcome of its order: `OutcomeUnknown` if it can have been executed, `ConnectionFailed` (`NotSent`) for orders
     * that were no longer sent. Limit: 10 calls a second per category, assumed. The service's document contains neither the path nor the
     * payload of this operation. (docs/reference/orders/createBatch.md; docs/decisions/0011-batches.md)
     */
    readonly createBatch: (
      request: CreateBatchRequest
    ) => Effect.Effect<ReadonlyArray<BatchOutcome>, Failure.WriteFailure>
    /**
     * Changes 1 to 20 orders, with outcomes as in `createBatch`. Fails as any write does. Limit: 10 calls a second per category, assumed.
     * The service's document contains neither the path nor the payload of this operation. (docs/reference/orders/amendBatch.md)
     */
    readonly amendBatch: (
      request: Endpoints.AmendBatchRequest
    ) => Effect.Effect<ReadonlyArray<BatchOutcome>, Failure.WriteFailure>
    /**
     * Cancels 1 to 20 orders, with outcomes as in `createBatch`. Fails as any write does. Limit: 10 calls a second per category, assumed.
     * The service's document contains neither the path nor the payload of this operation. (docs/reference/orders/cancelBatch.md)
     */
    readonly cancelBatch: (
      request: Endpoints.CancelBatchRequest
    ) => Effect.Effect<ReadonlyArray<BatchOutcome>, Failure.WriteFailure>
    /**
     * Changes an unfilled or partially filled order. Values that are left out do not change; a take profit or stop loss of 0 cancels it.
     * Fails as any write does, with `Rejected` (`NotFound`, `OrderState`) for other orders. Limit: 10 calls a second per category, for spot
     * assumed. (docs/reference/orders/amend.md)
     */
    readonly amend: (request: Endpoints.AmendRequest) => Effect.Effect<Endpoints.OrderAck, Failure.WriteFailure>
    /**
     * Cancels all orders of a category, symbol or coin: at most 500 per call for contracts, picked at random if there are more. A response
     * without a list, or with entries that cannot be read, does not tell what was cancelled. Fails as any write does. Limit: 10 calls a second per category, for spot assumed. (docs/reference/orders/cancelAll.md)
     */
    readonly cancelAll: (
      request: Endpoints.CancelAllRequest
    ) => Effect.Effect<Endpoints.CancelAllResult, Failure.WriteFailure>
    /**
     * Repeats `cancelAll` until no matching order remains, beyond the 500 of a single call. Without an `orderFilter`, orders of every
     * kind are cancelled; on spot a round then has a call for each kind. Emits every call. A call whose response is lost or does not tell what
     * was cancelled is emitted as `unknown`, and its round is followed by another, because cancelling twice is harmless. Ends when a round
     * is known to find nothing to cancel. Fails as `cancelAll` does, and with `RoundsExhausted` if orders keep appearing or rounds stay unknown.
     */
    readonly cancelEverything: (
      request: Endpoints.CancelAllRequest,
      options?: {
        /** Maximum number of rounds; each cancels up to 500 contract orders. Default: 100. */
        readonly maxRounds?: number | undefined
      }
    ) => Stream.Stream<CancelRound, Failure.WriteFailure | RoundsExhausted>
  }
}

/** The outcome of one order of a batch: its ids if it was accepted, or its failure. */
export type BatchOutcome = Either.Either<Endpoints.OrderAck, Failure.WriteFailure>

const { withOrderLinkId } = Endpoints

/** The id of an order, which this service requires. */
export interface HasOrderLinkId {
  /** The id of the order, chosen by the caller. The service accepts each once: `newOrderLinkId`. */
  readonly orderLinkId: string
}

type AnyOrder = (AnyPricedOrder | AnyMarketOrder) & Endpoints.OfBatch
interface AnyPricedOrder extends Endpoints.AnyOrderFields, Endpoints.PricedOrder, HasOrderLinkId {}
interface AnyMarketOrder extends Endpoints.AnyOrderFields, Endpoints.MarketOrder, HasOrderLinkId {}
type SpotOrder = (SpotPricedOrder | SpotMarketOrder) & Endpoints.OfBatch
interface SpotPricedOrder extends Endpoints.SpotOrderFields, Endpoints.PricedOrder, HasOrderLinkId {}
interface SpotMarketOrder extends Endpoints.SpotOrderFields, Endpoints.MarketOrder, HasOrderLinkId {}
type ContractOrder = (ContractPricedOrder | ContractMarketOrder) & Endpoints.OfBatch
interface ContractPricedOrder extends Endpoints.ContractOrderFields, Endpoints.PricedOrder, HasOrderLinkId {}
interface ContractMarketOrder extends Endpoints.ContractOrderFields, Endpoints.MarketOrder, HasOrderLinkId {}

/** Parameters of `create`: those of the operation, with an `orderLinkId`. */
export type CreateRequest =
  | AnyPricedRequest
  | AnyMarketRequest
  | SpotPricedRequest
  | SpotMarketRequest
  | ContractPricedRequest
  | ContractMarketRequest
interface AnyPricedRequest extends AnyPricedOrder, Endpoint.ForCategory<Endpoint.Category> {}
interface AnyMarketRequest extends AnyMarketOrder, Endpoint.ForCategory<Endpoint.Category> {}
interface SpotPricedRequest extends SpotPricedOrder, Endpoint.ForCategory<"spot"> {}
interface SpotMarketRequest extends SpotMarketOrder, Endpoint.ForCategory<"spot"> {}
interface ContractPricedRequest extends ContractPricedOrder, Endpoint.ForCategory<"linear" | "inverse"> {}
interface ContractMarketRequest extends ContractMarketOrder, Endpoint.ForCategory<"linear" | "inverse"> {}

/** The schema of the parameters of `create`. */
// Its rules require the ids that the narrower type has.
export const CreateRequest = withOrderLinkId.create.request as unknown as Schema.Schema<
  CreateRequest,
  Schema.Schema.Encoded<typeof Endpoints.CreateRequest>
>

/** Parameters of `createBatch`: those of the operation, with an `orderLinkId` for each order. */
export type CreateBatchRequest =
  | Endpoints.BatchOf<Endpoint.Category, AnyOrder>
  | Endpoints.BatchOf<"spot", SpotOrder>
  | Endpoints.BatchOf<"linear" | "inverse", ContractOrder>

/** The schema of the parameters of `createBatch`. */
// Its rules require the ids that the narrower type has.
export const CreateBatchRequest = withOrderLinkId.createBatch.request as unknown as Schema.Schema<
  CreateBatchRequest,
  Schema.Schema.Encoded<typeof Endpoints.CreateBatchRequest>
>

/**
 * Generates the ids of `newOrderLinkId`. Each must be 1 to 36 letters, digits, `-` or `_`, and never used before. Default: random UUIDs.
 */
export class OrderLinkIds extends Context.Reference<OrderLinkIds>()("@effect-venue/services/Orders/OrderLinkIds", {
  defaultValue: randomIds
}) {}

/** A new id for an order. Run it once for each order, outside of what is retried. */
export const newOrderLinkId: Effect.Effect<string> = Effect.map(OrderLinkIds, (next) => next())

/** A call of `cancelEverything`: the orders that it cancelled, the orders that it could not cancel, and the total so far. */
export interface CancelRound {
  /** The number of the round, from 1. A round has one call, on spot without an `orderFilter` one for each kind of order. */
  readonly round: number
  /**
   * `unknown` if the response of this call was lost, or does not tell the outcome of every order: without a list, with unclear entries, or with a failure
   * and no entries. More orders than those of `cancelled` can then have been cancelled, and more can remain.
   */
  readonly outcome: "known" | "unknown"
  /** The orders that this call cancelled. */
  readonly cancelled: ReadonlyArray<Endpoints.OrderAck>
  /** The orders that this call could not cancel. */
  readonly failed: ReadonlyArray<Endpoints.OrderAck>
  /**
   * The entries that do not tell whether their order was cancelled: a `Left` is an entry that cannot be read, as it was sent; a `Right` has no `success` in a
   * response that reports a failure.
   */
  readonly unclear: ReadonlyArray<Either.Either<Endpoints.CancelledOrder, unknown>>
  /** The number of orders cancelled so far, in all calls. */
  readonly total: number
}

/** The last allowed round still cancelled orders, so something keeps placing them, or its outcome was unknown. */
export class RoundsExhausted extends Schema.TaggedError<RoundsExhausted>()("RoundsExhausted", {
  rounds: Schema.Int,
  cancelled: Schema.Int,
  /** Whether the last round does not tell if orders remain. */
  isUnknown: Schema.Boolean
}) {
  override get message(): string {
    const rest = this.isUnknown
      ? "orders can remain, because the outcome of the last round is unknown"
      : "there still were more"
    return `orders.cancelEverything: after ${this.rounds} rounds and ${this.cancelled} cancelled orders ${rest}`
  }
}

/** Without a filter, the service cancels only active orders on spot, and orders of every kind of contracts. */
const callsOfRound = (request: Endpoints.CancelAllRequest): ReadonlyArray<Endpoints.CancelAllRequest> =>
  request.category === "spot" && request.orderFilter === undefined
    ? orderKinds.spot.map((orderFilter) => ({ ...request, category: "spot", orderFilter }))
    : [request]

const noEntries = { cancelled: [], failed: [], unclear: [] }

/** The flag of an entry decides; without one, the flag of the response proves the success of all its orders, and no failure of one. */
const sortEntries = ({
  list,
  success
}: Endpoints.CancelAllResult): Pick<CancelRound, "cancelled" | "failed" | "unclear"> => {
  const [unreadable, orders] = Array.separate(Option.getOrElse(list, Array.empty))
  const isUnclear = (order: Endpoints.CancelledOrder) => Option.isNone(order.success) && Option.contains(success, false)
  const isFailed = (order: Endpoints.CancelledOrder) => Option.contains(order.success, false)
  return {
    cancelled: orders.filter((order) => !isFailed(order) && !isUnclear(order)),
    failed: orders.filter(isFailed),
    unclear: [...unreadable.map(Either.left), ...orders.filter(isUnclear).map(Either.right)]
  }
}

/** On spot a call cancels all orders, so its `success` needs no list. */
const tellsEveryOrder = ({ category }: Endpoints.CancelAllRequest, { list, success }: Endpoints.CancelAllResult) =>
  Option.match(list, {
    onNone: () => category === "spot" && Option.contains(success, true),
    onSome: (entries) => entries.length > 0 || !Option.contains(success, false)
  })

/** The place of a call in `cancelEverything`, with what the earlier calls of its round found. */
interface CallPlace {
  readonly round: number
  readonly call: number
  readonly total: number
  /** Whether they cancelled no order. */
  readonly isIdle: boolean
  /** Whether their outcome is known. */
  readonly isKnown: boolean
}

const firstCall: CallPlace = { round: 1, call: 0, total: 0, isIdle: true, isKnown: true }

// 100 rounds cancel 50,000 orders, a hundred times the maximum of open orders per symbol.
const defaultMaxRounds = 100

export const make = (transport: Transport.Transport.Shape): Orders.Shape => {
  const open = (request: Endpoints.OpenRequest) => transport.call(Endpoints.open, request)
  const openPage = (request: Endpoints.OpenRequest) => Pages.toPage(open(request))

  const cancelAll = (request: Endpoints.CancelAllRequest) => transport.call(Endpoints.cancelAll, request)

  const cancelRound = (request: Endpoints.CancelAllRequest, round: number, before: number) =>
    cancelAll(request).pipe(
      Effect.map((result): CancelRound => {
        const parts = sortEntries(result)
        const isKnown = tellsEveryOrder(request, result) && parts.unclear.length === 0
        return { round, outcome: isKnown ? "known" : "unknown", ...parts, total: before + parts.cancelled.length }
      }),
      Effect.catchTag("OutcomeUnknown", () =>
        Effect.succeed<CancelRound>({ round, outcome: "unknown", ...noEntries, total: before })
      )
    )

  const history = (request: Endpoints.HistoryRequest) => transport.call(Endpoints.history, request)
  const historyPage = (request: Endpoints.HistoryRequest) => Pages.toPage(history(request))

  return Trace.namedAll<Orders.Shape>("Orders", {
    open,
    openStream: (request) => Pages.rows(Endpoints.open, request, openPage),
    history,
    historyStream: (request) => Pages.rows(Endpoints.history, request, historyPage),
    create: (request) => transport.call(withOrderLinkId.create, request),
    amend: (request) => transport.call(Endpoints.amend, request),
    cancel: (request) => transport.call(Endpoints.cancel, request),
    createBatch: (request) => batches.run(transport, withOrderLinkId.createBatch, withOrderLinkId.create, request),
    amendBatch: (request) => batches.run(transport, Endpoints.amendBatch, Endpoints.amend, request),
    cancelBatch: (request) => batches.run(transport, Endpoints.cancelBatch, Endpoints.cancel, request),
    cancelAll,
    cancelEverything: (request, options = {}) => {
      const maxRounds = options.maxRounds ?? defaultMaxRounds
      const calls = callsOfRound(request)
      return Stream.paginateEffect(firstCall, (place) =>
        Effect.flatMap(cancelRound(calls[place.call] ?? request, place.round, place.total), (done) => {
          const { total } = done
          const isKnown = place.isKnown && done.outcome === "known"
          const isIdle = place.isIdle && done.cancelled.length === 0
          const goOn = (next: CallPlace) => Effect.succeed([done, Option.some(next)] as const)
          if (place.call + 1 < calls.length) return goOn({ ...place, call: place.call + 1, total, isIdle, isKnown })
          if (isIdle && isKnown) return Effect.succeed([done, Option.none()] as const)
          return place.round < maxRounds
            ? goOn({ ...firstCall, round: place.round + 1, total })
            : Effect.fail(new RoundsExhausted({ rounds: place.round, cancelled: total, isUnknown: !isKnown }))
        })
      )
    }
  })
}

export const layer: Layer.Layer<Orders, never, Transport.Transport> = Layer.effect(
  Orders,
  Effect.map(Transport.Transport, make)
)

/**
 * For tests: a service with only these members. Calling another member dies with an error that names it, such as `Orders.cancel`; a missing stream
 * dies when it is run.
 */
export const layerTest = (members: Partial<Orders.Shape>): Layer.Layer<Orders> =>
  layerOf(Orders, "Orders", make, members)
