import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Account from "@effect-venue/services/Account"
import * as Executions from "@effect-venue/services/Executions"
import * as Instruments from "@effect-venue/services/Instruments"
import * as Venue from "@effect-venue/services/Venue"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Layer, TestClock } from "effect"
import { onThatDay, refusals, settle, today, watched } from "../utils/exchange.js"

const fills = (limit = 1) =>
  Effect.flatMap(Executions.Executions, (executions) => executions.list({ category: "linear", limit }))

const wallet = Effect.flatMap(Account.Account, (account) => account.walletBalance({ accountType: "UNIFIED" }))

// A retry would hide that a limit was tripped.
const withoutRetry = Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none)

describe("the limit of an operation", () => {
  it.effect("rolls: a burst at the end of a second and one at the beginning of the next are never refused", () => {
    const { seen, venue } = watched()
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const burst = Effect.replicateEffect(fills(), 10, { concurrency: "unbounded", discard: true })
        yield* TestClock.adjust("100 millis")
        yield* burst
        const first = seen.map(({ at }) => at)
        yield* TestClock.adjust("900 millis")
        yield* settle(Effect.zipRight(burst, burst))
        expect(first).toEqual(Array(10).fill(today.epochMillis + 100))
        expect(seen).toHaveLength(30)
        // No eleven of them lie within a second.
        const times = seen.map(({ at }) => at)
        for (const [index, at] of times.slice(10).entries())
          expect(at - (times[index] ?? at)).toBeGreaterThanOrEqual(1000)
        expect(refusals(seen)).toEqual({ rate: 0, bans: 0 })
      }).pipe(withoutRetry)
    )
  })

  it.effect("is kept by several programs of one UID that share a store", () => {
    const { sandbox, seen } = watched()
    const program = Effect.scoped(
      Effect.gen(function* () {
        const { credentials } = yield* Sandbox.Sandbox
        const store = yield* RateLimitStore.makeMemory
        // Each has rate limits, a gate and a clock of its own, as a process has.
        const bot = Effect.provide(
          Venue.account(credentials.main),
          Layer.fresh(
            Layer.mergeAll(
              Layer.provide(RateLimiter.layer, Layer.succeed(RateLimitStore.RateLimitStore, store)),
              BanGate.layer,
              ServerClock.layer
            )
          )
        )
        const bots = [yield* bot, yield* bot, yield* bot]
        yield* settle(
          Effect.forEach(bots, (one) => Effect.provide(Effect.replicateEffect(fills(), 15, { concurrency: 15 }), one), {
            concurrency: "unbounded"
          })
        )
        expect(seen).toHaveLength(45)
        expect(refusals(seen)).toEqual({ rate: 0, bans: 0 })
      })
    )
    return onThatDay(sandbox, withoutRetry(program))
  })

  it.effect("is corrected by what the headers say of calls that others have made", () => {
    const { sandbox, seen } = watched()
    const program = Effect.scoped(
      Effect.gen(function* () {
        const { credentials } = yield* Sandbox.Sandbox
        const stranger = Effect.provide(Venue.account(credentials.main), Layer.fresh(Venue.layerShared))
        const other = yield* stranger
        const ours = yield* stranger
        yield* Effect.provide(Effect.replicateEffect(fills(), 6, { concurrency: 6 }), other)
        yield* Effect.provide(fills(), ours)
        // Three of ten remain, and only the headers of that one response say so.
        yield* settle(Effect.provide(Effect.replicateEffect(fills(), 9, { concurrency: 9 }), ours))
        expect(seen.filter(({ at }) => at === today.epochMillis)).toHaveLength(10)
        expect(seen).toHaveLength(16)
        expect(refusals(seen)).toEqual({ rate: 0, bans: 0 })
      })
    )
    return onThatDay(sandbox, withoutRetry(program))
  })
})

describe("the limit of an address", () => {
  it.effect("is charged beside that of the operation, so that neither is tripped", () => {
    const { seen, venue } = watched()
    const instruments = Effect.flatMap(Instruments.Instruments, (all) => all.list({ category: "linear", limit: 1 }))
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const calls = [...Array.from({ length: 640 }, () => instruments), ...Array.from({ length: 25 }, () => fills())]
        yield* settle(Effect.all(calls, { concurrency: "unbounded", discard: true }))
        expect(seen).toHaveLength(665)
        expect(seen.filter(({ at }) => at < today.epochMillis + 5000)).toHaveLength(600)
        expect(refusals(seen)).toEqual({ rate: 0, bans: 0 })
      }).pipe(withoutRetry)
    )
  })
})

describe("the headers of a limit", () => {
  it.effect("are a help and not a need: without any, nothing is refused and nothing hangs", () => {
    const { seen, venue } = watched({}, (answer) => ({
      ...answer,
      headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !name.startsWith("x-bapi-limit")))
    }))
    return onThatDay(
      venue,
      Effect.gen(function* () {
        yield* withoutRetry(settle(Effect.replicateEffect(fills(), 35, { concurrency: "unbounded", discard: true })))
        expect(refusals(seen)).toEqual({ rate: 0, bans: 0 })
        // A refusal that says nothing of when to come back is waited out by the documented window.
        const { faults } = yield* Sandbox.Sandbox
        yield* faults.set([{ fault: { kind: "rateRefusal", headers: false }, count: 1 }])
        yield* TestClock.adjust("1 minute")
        expect((yield* settle(fills(2))).list).toHaveLength(2)
        const [refused, repeated] = seen.slice(-2)
        expect((repeated?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(1000)
      })
    )
  })
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
