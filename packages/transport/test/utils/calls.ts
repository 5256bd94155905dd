import * as Assets from "@effect-venue/schemas/Assets"
import * as Executions from "@effect-venue/schemas/Executions"
import * as Orders from "@effect-venue/schemas/Orders"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as Transport from "@effect-venue/transport/Transport"
import { Effect, Fiber, TestClock } from "effect"

// One call of each safety.

export const read = Effect.flatMap(Transport.Transport, (transport) =>
  transport.call(Executions.list, { category: "linear" })
)

export const write = Effect.flatMap(Transport.Transport, (transport) =>
  transport.call(Orders.amend, { category: "linear", symbol: "BTCUSDT", orderId: "o-1", price: "1" })
)

export const batch = Effect.flatMap(Transport.Transport, (transport) =>
  transport.call(Orders.cancelBatch, { category: "linear", request: [{ symbol: "BTCUSDT", orderId: "o-1" }] })
)

export const idempotentWrite = Effect.flatMap(Transport.Transport, (transport) =>
  transport.call(Assets.transfer, {
    requestId: "87c18caa-539a-449e-99cc-c39e4329bcc5",
    coin: "USDT",
    amount: "1",
    fromAccountType: "UNIFIED",
    toAccountType: "FUND"
  })
)

export const cancelAll = Effect.flatMap(Transport.Transport, (transport) =>
  transport.call(Orders.cancelAll, { category: "linear", settleCoin: "USDT" })
)

/** Makes the attempt of a call the only one. */
export const once = Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none)

/** The result of a read without rows. */
export const page = { category: "linear", list: [], nextPageCursor: "" }

/** The exit of an effect that ends within five minutes of the test clock. */
export const settle = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.exit(effect))
    yield* TestClock.adjust("5 minutes")
    return yield* Fiber.join(fiber)
  })
