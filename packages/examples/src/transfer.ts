/**
 * Makes a transfer exactly once, even if its response is lost.
 *
 *     node --import tsx packages/examples/src/transfer.ts
 */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Assets from "@effect-venue/services/Assets"
import * as Venue from "@effect-venue/services/Venue"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { isMain } from "./main.js"

/** The outcome of a transfer. `done` is proved by a response or by the service's list; `unknown` has the id for a later look-up. */
export type Outcome =
  | { readonly _tag: "done"; readonly by: "answer" | "look-up" }
  | { readonly _tag: "failed" }
  | { readonly _tag: "unknown"; readonly requestId: string }

/**
 * Moves coins from the funding account to the trading account. Store the id before the call: a program that dies calls again with the same
 * id, and the service moves the coins once.
 */
export const topUp = (requestId: string, coin: string, amount: string) =>
  Effect.gen(function* () {
    const assets = yield* Assets.Assets
    yield* assets.transfer({ requestId, coin, amount, fromAccountType: "FUND", toAccountType: "UNIFIED" })
    return { _tag: "done", by: "answer" } satisfies Outcome
  }).pipe(
    // All attempts are used up: query the service until it knows the transfer.
    Effect.catchTag("OutcomeUnknown", (failure) =>
      failure.lookUp.pipe(
        Effect.repeat(
          Schedule.intersect(Schedule.exponential("1 second"), Schedule.recurs(5)).pipe(
            Schedule.zipRight(Schedule.identity<Endpoint.Finding>()),
            Schedule.whileOutput(({ executed }) => executed === "undetermined")
          )
        ),
        // The list is unreadable too, so the outcome is unknown.
        Effect.catchAll(() => Effect.succeed({ executed: "undetermined" as const })),
        Effect.map(({ executed }): Outcome => {
          if (executed === "yes") return { _tag: "done", by: "look-up" }
          return executed === "no" ? { _tag: "failed" } : { _tag: "unknown", requestId }
        })
      )
    )
  )

/** An exchange that makes the transfer and never answers, for five attempts, the maximum of a call. */
const mute = Sandbox.layer({
  seed: 7,
  faults: { rules: [{ fault: { kind: "dropAfter" }, operations: ["assets.transfer"], count: 5 }] }
})

const main = Effect.flatMap(topUp("6f1c3a52-8a4d-4c67-9d9e-0f4b7c1f0a55", "USDT", "25"), (outcome) =>
  Console.log(outcome)
)

if (isMain(import.meta.url)) {
  await Effect.runPromise(main.pipe(Effect.provide(Venue.layer), Effect.provide(mute)))
}
