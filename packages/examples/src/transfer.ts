/**
 * A transfer that is made once, even when its response is lost.
 *
 *     node --import tsx packages/examples/src/transfer.ts
 *
 * @since 0.1.0
 */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Assets from "@effect-venue/services/Assets"
import * as Venue from "@effect-venue/services/Venue"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { isMain } from "./main.js"

/**
 * The outcome of a transfer. `done` is proved by a response or by the service's own list; `unknown` has the id to look it up later.
 *
 * @since 0.1.0
 * @category examples
 */
export type Outcome =
  | { readonly _tag: "done"; readonly by: "answer" | "look-up" }
  | { readonly _tag: "failed" }
  | { readonly _tag: "unknown"; readonly requestId: string }

/**
 * Moves coins from the funding account to the trading account. The id is the caller's, to be kept before the call: a program that dies
 * in between calls again with the same id, and the service moves the coins once.
 *
 * @since 0.1.0
 * @category examples
 */
export const topUp = (requestId: string, coin: string, amount: string) =>
  Effect.gen(function* () {
    const assets = yield* Assets.Assets
    yield* assets.transfer({ requestId, coin, amount, fromAccountType: "FUND", toAccountType: "UNIFIED" })
    return { _tag: "done", by: "answer" } satisfies Outcome
  }).pipe(
    // Every attempt that may be made has been made: now the service is asked, for as long as it takes it to know.
    Effect.catchTag("OutcomeUnknown", (failure) =>
      failure.lookUp.pipe(
        Effect.repeat(
          Schedule.intersect(Schedule.exponential("1 second"), Schedule.recurs(5)).pipe(
            Schedule.zipRight(Schedule.identity<Endpoint.Finding>()),
            Schedule.whileOutput(({ executed }) => executed === "undetermined")
          )
        ),
        // The list cannot be read either: nothing is known, and saying anything else would be a guess.
        Effect.catchAll(() => Effect.succeed({ executed: "undetermined" as const })),
        Effect.map(({ executed }): Outcome => {
          if (executed === "yes") return { _tag: "done", by: "look-up" }
          return executed === "no" ? { _tag: "failed" } : { _tag: "unknown", requestId }
        })
      )
    )
  )

/** An exchange that makes the transfer and never answers, five times: as often as a call is attempted. */
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
