import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Account from "@effect-venue/services/Account"
import * as Executions from "@effect-venue/services/Executions"
import * as Orders from "@effect-venue/services/Orders"
import * as Venue from "@effect-venue/services/Venue"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Layer, TestClock } from "effect"
import { settle } from "@effect-venue/testing/Settling"
import { onThatDay, refusals, today, watched } from "../utils/exchange.js"

const fills = (limit = 1) =>
  Effect.flatMap(Executions.Executions, (executions) => executions.list({ category: "linear", limit }))

const wallet = Effect.flatMap(Account.Account, (account) => account.walletBalance({ accountType: "UNIFIED" }))

const cancelAll = Effect.flatMap(Orders.Orders, (orders) => orders.cancelAll({ category: "linear", symbol: "BTCUSDT" }))

// A retry would hide that a limit was tripped.

describe("the limit of an address", () => {
  it.effect(
    "holds back calls beside the limit of an operation, and a cancellation overtakes an export that waits for the same address",
    () => {
      const { seen, venue } = watched()
      return onThatDay(
        venue,
        Effect.gen(function* () {
          // No limit per UID is documented for these: only the one of the address holds them back.
          const page = Effect.flatMap(Executions.Executions, (executions) =>
            executions.preUpgrade({ category: "linear", limit: 1 })
          ).pipe(Effect.provideService(CallOptions.Priority, "bulk"))
          const exported = yield* Effect.fork(
            Effect.replicateEffect(page, 700, { concurrency: "unbounded", discard: true })
          )
          yield* TestClock.adjust("1 second")
          expect(seen).toHaveLength(600)
          const cancelled = yield* Effect.fork(cancelAll)
          yield* settle(Effect.all([Effect.fromFiber(exported), Effect.fromFiber(cancelled)]))
          expect(seen).toHaveLength(701)
          expect(seen[600]?.path).toMatch(/cancel-all/)
          expect(refusals(seen)).toEqual({ rate: 0, bans: 0 })
        })
      )
    }
  )
})

describe("a ban", () => {
  it.effect("stops every account of the process at once, says how long it lasts, and is not knocked at", () => {
    const { sandbox, seen } = watched()
    const program = Effect.scoped(
      Effect.gen(function* () {
        const { credentials, faults } = yield* Sandbox.Sandbox
        const [main, sub] = yield* Effect.all([Venue.account(credentials.main), Venue.account(credentials.sub)])
        yield* faults.set([{ fault: { kind: "ban" }, count: 1 }])
        const until = { epochMillis: today.epochMillis + Duration.toMillis("10 minutes") }
        expect(yield* Effect.flip(Effect.provide(fills(), main))).toMatchObject({ _tag: "Banned", until })
        yield* TestClock.adjust("9 minutes")
        const failure = yield* Effect.flip(Effect.provide(wallet, sub))
        expect(failure).toMatchObject({ _tag: "Banned", until })
        expect(failure.message).toBe("account.walletBalance: this address is banned until 2026-06-15T12:44:56.789Z")
        expect(seen).toHaveLength(1)
        yield* TestClock.adjust("1 minute")
        expect((yield* Effect.provide(wallet, sub)).list).toHaveLength(1)
        expect((yield* Effect.provide(fills(1), main)).list).toHaveLength(1)
        expect(seen).toHaveLength(3)
      })
    )
    return onThatDay(Layer.merge(sandbox, Venue.layerShared), program)
  })
})
