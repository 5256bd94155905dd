/** Serves orders over HTTP. The failures of the library are the errors of the interface, each with a status that shows the caller how to react. */
import * as Orders from "@effect-venue/services/Orders"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Failure from "@effect-venue/transport/Failure"
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** No write of this process has this id and an unknown outcome. */
export class NotInDoubt extends Schema.TaggedError<NotInDoubt>()("NotInDoubt", { orderLinkId: Schema.String }) {}

const Outcome = Schema.Struct({ executed: Schema.Literal("yes", "no", "undetermined") })

const desk = HttpApiGroup.make("desk")
  .add(HttpApiEndpoint.post("create", "/orders").setPayload(Orders.CreateRequest).addSuccess(Orders.OrderAck))
  .add(HttpApiEndpoint.post("cancel", "/cancellations").setPayload(Orders.CancelRequest).addSuccess(Orders.OrderAck))
  .add(
    HttpApiEndpoint.get("outcome", "/outcomes/:orderLinkId")
      .setPath(Schema.Struct({ orderLinkId: Schema.String }))
      .addSuccess(Outcome)
      .addError(NotInDoubt, { status: 404 })
  )
  // Nothing was executed: the request is wrong, or this program forbids it.
  .addError(Failure.InvalidRequest, { status: 400 })
  .addError(Failure.Blocked, { status: 403 })
  .addError(Failure.Rejected, { status: 422 })
  // Nothing was executed: try again later, after `Retry-After`.
  .addError(Failure.RateLimited, { status: 429 })
  .addError(Failure.Banned, { status: 429 })
  .addError(Failure.Unavailable, { status: 503 })
  // Nothing was executed: the fault is this program's, or the network's.
  .addError(Failure.Unauthorized, { status: 502 })
  .addError(Failure.ClockSkew, { status: 502 })
  .addError(Failure.ConnectionFailed, { status: 502 })
  .addError(Failure.UnexpectedResponse, { status: 502 })
  // It can have been executed: ask for its outcome, and do not send it again.
  .addError(Failure.OutcomeUnknown, { status: 409 })

export const api = HttpApi.make("venue").add(desk)

/** Tells the caller when the service accepts calls again. */
const setRetryAfter = (failure: Failure.WriteFailure | Failure.ReadFailure) => {
  const until = failure._tag === "Banned" ? failure.until : failure._tag === "RateLimited" ? failure.resetAt : undefined
  if (until === undefined) return Effect.void
  return Effect.flatMap(Clock.currentTimeMillis, (now) =>
    HttpApp.appendPreResponseHandler((_, response) =>
      Effect.succeed(
        HttpServerResponse.setHeader(response, "retry-after", String(Math.ceil((until.epochMillis - now) / 1000)))
      )
    )
  )
}

/** Ends the write with its outcome, even if the caller hangs up. */
const finish = <A>(write: Effect.Effect<A, Failure.WriteFailure>) =>
  write.pipe(
    Effect.provideService(CallOptions.CallTimeout, Duration.seconds(20)),
    Effect.tapError(setRetryAfter),
    Effect.uninterruptible
  )

const deskLive = HttpApiBuilder.group(api, "desk", (handlers) =>
  Effect.gen(function* () {
    const orders = yield* Orders.Orders
    const inDoubt = new Map<string, Failure.OutcomeUnknown>()
    return handlers
      .handle("create", ({ payload }) =>
        finish(
          Effect.tapErrorTag(orders.create(payload), "OutcomeUnknown", (failure) =>
            Effect.sync(() => inDoubt.set(payload.orderLinkId, failure))
          )
        )
      )
      .handle("cancel", ({ payload }) => finish(orders.cancel(payload)))
      .handle("outcome", ({ path: { orderLinkId } }) =>
        Effect.gen(function* () {
          const failure = inDoubt.get(orderLinkId)
          if (failure === undefined) return yield* new NotInDoubt({ orderLinkId })
          return { executed: (yield* Effect.tapError(failure.lookUp, setRetryAfter)).executed }
        })
      )
  })
)

export const layer = HttpApiBuilder.api(api).pipe(Layer.provide(deskLive))
