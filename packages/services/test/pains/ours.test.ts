import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as ApiLimits from "@effect-venue/services/ApiLimits"
import * as Executions from "@effect-venue/services/Executions"
import * as Orders from "@effect-venue/services/Orders"
import * as Venue from "@effect-venue/services/Venue"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as Priority from "@effect-venue/transport/Priority"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { onThatDay, refusals, settle, today, watched } from "../utils/exchange.js"

const fills = Effect.flatMap(Executions.Executions, (executions) => executions.list({ category: "linear", limit: 1 }))

const cancelAll = Effect.flatMap(Orders.Orders, (orders) => orders.cancelAll({ category: "linear", symbol: "BTCUSDT" }))

describe("the limiter", () => {
  it.effect("has two levels and priorities: a cancellation overtakes an export that waits for the same address", () => {
    const { seen, venue } = watched()
    return onThatDay(
      venue,
      Effect.gen(function* () {
        // No limit per UID is documented for these: only the one of the address holds them back.
        const page = Effect.flatMap(Executions.Executions, (executions) =>
          executions.preUpgrade({ category: "linear", limit: 1 })
        ).pipe(Effect.provideService(Priority.Priority, "bulk"))
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
  })

  it.effect("learns the limits that the exchange grants, from its response or from the headers of a response", () => {
    const { sandbox, seen } = watched()
    // Refused for its order and counted all the same.
    const amend = Effect.flip(
      Effect.flatMap(Orders.Orders, (orders) =>
        orders.amend({ category: "linear", symbol: "BTCUSDT", orderId: "unknown", qty: "1" })
      )
    )
    const burst = (calls: number) => settle(Effect.replicateEffect(amend, calls, { concurrency: calls }))
    return onThatDay(
      sandbox,
      Effect.gen(function* () {
        const { credentials, uids } = yield* Sandbox.Sandbox
        const shared = yield* Layer.build(Layer.fresh(Venue.layerShared))
        const [main, sub] = yield* Effect.provide(
          Effect.all([Venue.account(credentials.main), Venue.account(credentials.sub)]),
          shared
        )
        const grant = { list: [{ uids: [uids.sub], bizType: "DERIVATIVES", rate: 25 }] } as const
        const limits = Effect.flatMap(ApiLimits.ApiLimits, (all) => all.set(grant))
        yield* Effect.provide(limits, main)
        const began = today.epochMillis
        yield* Effect.provide(burst(25), sub)
        const amended = () => seen.filter(({ path }) => path.endsWith("/amend")).map(({ at }) => at)
        expect(amended()).toEqual(Array(25).fill(began))
        // Another process, which has no notice of the limit: one response suffices.
        yield* TestClock.adjust("1 minute")
        const stranger = yield* Effect.provide(Venue.account(credentials.sub), Layer.fresh(Venue.layerShared))
        yield* Effect.provide(amend, stranger)
        yield* Effect.provide(burst(24), stranger)
        expect(new Set(amended().slice(25)).size).toBe(1)
        expect(refusals(seen)).toEqual({ rate: 0, bans: 0 })
      }).pipe(Effect.scoped)
    )
  })
})

describe("the gate", () => {
  it.effect("sends one call first after a ban, and the others only when that one was let in", () => {
    const { seen, venue } = watched()
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const { faults } = yield* Sandbox.Sandbox
        yield* faults.set([{ fault: { kind: "ban" }, count: 2 }])
        expect(yield* Effect.flip(fills)).toMatchObject({ _tag: "Banned" })
        const waiting = yield* Effect.fork(
          Effect.all(
            Array.from({ length: 8 }, () => Effect.either(fills)),
            { concurrency: "unbounded" }
          ).pipe(Effect.provideService(BanGate.WhenBanned, "wait"))
        )
        yield* TestClock.adjust("10 minutes")
        // The first one was banned again: the others still wait.
        expect(seen).toHaveLength(2)
        yield* TestClock.adjust("10 minutes")
        const ended = yield* settle(Effect.fromFiber(waiting))
        expect(ended.filter(({ _tag }) => _tag === "Right")).toHaveLength(7)
        expect(seen).toHaveLength(9)
      })
    )
  })
})
