import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Ledger, LedgerFailed } from "./Ledger.js"

/** The attempts of a failing export in a fleet that runs until it is idle. */
export const mostAttempts = 5

/** Whether no export of any address is due, is running or is to be repeated. */
export const isIdle = (ledger: Ledger.Shape): Effect.Effect<boolean, LedgerFailed> =>
  Effect.gen(function* () {
    const addresses = yield* ledger.summary(yield* Clock.currentTimeMillis)
    if (addresses.some(({ due, running }) => due + running > 0)) return false
    const repeated = yield* Effect.forEach(addresses, ({ egress, epoch }) =>
      ledger.nextDue({ egress, epoch }, { busy: [], retriesBelow: mostAttempts })
    )
    return repeated.every(Option.isNone)
  })

/** Ends when the ledger is idle. One that cannot be reached is asked again. */
export const awaitIdle = (ledger: Ledger.Shape, pollEvery: Duration.DurationInput = "5 seconds"): Effect.Effect<void> =>
  Effect.gen(function* () {
    while (!(yield* Effect.orElseSucceed(isIdle(ledger), () => false))) yield* Effect.sleep(pollEvery)
  })
