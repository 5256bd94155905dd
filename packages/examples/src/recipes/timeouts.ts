/**
 * How long a caller waits: for one attempt, for the call with all its waiting, and what it then has.
 *
 * @since 0.1.0
 */
import * as Account from "@effect-venue/services/Account"
import * as Orders from "@effect-venue/services/Orders"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/**
 * The balance within 3 seconds, attempts of one second included, or `undefined` where the service did not answer in time. Any other
 * failure stays one.
 *
 * @since 0.1.0
 * @category examples
 */
export const equitySoon = Effect.flatMap(Account.Account, (account) =>
  account.walletBalance({ accountType: "UNIFIED" })
).pipe(
  Effect.map(({ list }) => list[0]?.totalEquity),
  Effect.provideService(CallOptions.AttemptTimeout, Duration.seconds(1)),
  Effect.provideService(CallOptions.CallTimeout, Duration.seconds(3)),
  Effect.catchTag("ConnectionFailed", () => Effect.succeed(undefined))
)

/**
 * Places an order within 3 seconds. An order whose answer did not arrive in time may have been placed: it is looked up by its id, not
 * placed again.
 *
 * @since 0.1.0
 * @category examples
 */
export const buySoon = (qty: string) =>
  Effect.flatMap(Orders.Orders, (orders) =>
    orders.create({ category: "linear", symbol: "BTCUSDT", side: "Buy", orderType: "Market", qty })
  ).pipe(
    Effect.as("placed" as const),
    Effect.provideService(CallOptions.CallTimeout, Duration.seconds(3)),
    Effect.catchTag("OutcomeUnknown", (failure) =>
      Effect.map(failure.lookUp, ({ executed }) => (executed === "yes" ? ("placed" as const) : ("unknown" as const)))
    )
  )
