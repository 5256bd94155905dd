/** Limits how long a caller waits, for an attempt and for the whole call, and handles the timeout. */
import * as Account from "@effect-venue/services/Account"
import * as Orders from "@effect-venue/services/Orders"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/**
 * Returns the balance within 3 seconds, with attempts of one second, or `undefined` if the service did not answer in time. Other failures
 * are kept.
 */
export const equitySoon = Effect.flatMap(Account.Account, (account) =>
  account.walletBalance({ accountType: "UNIFIED" })
).pipe(
  Effect.map(({ list }) => list[0]?.totalEquity),
  Effect.provideService(CallOptions.AttemptTimeout, Duration.seconds(1)),
  Effect.provideService(CallOptions.CallTimeout, Duration.seconds(3)),
  Effect.catchTag("ConnectionFailed", () => Effect.succeed(undefined))
)

/** Places an order within 3 seconds. An order without an answer can have been placed, so it is looked up by its id instead of placed again. */
export const buySoon = (qty: string) =>
  Effect.flatMap(Effect.all([Orders.Orders, Orders.newOrderLinkId]), ([orders, orderLinkId]) =>
    orders.create({ category: "linear", symbol: "BTCUSDT", side: "Buy", orderType: "Market", qty, orderLinkId })
  ).pipe(
    Effect.as("placed" as const),
    Effect.provideService(CallOptions.CallTimeout, Duration.seconds(3)),
    Effect.catchTag("OutcomeUnknown", (failure) =>
      Effect.map(failure.lookUp, ({ executed }) => (executed === "yes" ? ("placed" as const) : ("unknown" as const)))
    )
  )
