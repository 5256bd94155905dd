import type { Order } from "@effect-venue/sandbox/State"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Endpoints from "@effect-venue/schemas/Executions"
import * as Id from "@effect-venue/schemas/Id"
import * as Account from "@effect-venue/services/Account"
import * as ApiLimits from "@effect-venue/services/ApiLimits"
import * as Executions from "@effect-venue/services/Executions"
import * as Orders from "@effect-venue/services/Orders"
import * as Venue from "@effect-venue/services/Venue"
import * as BanGate from "@effect-venue/transport/BanGate"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Priority from "@effect-venue/transport/Priority"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { BigDecimal, Chunk, DateTime, Effect, Layer, Option, Redacted, Stream, TestClock } from "effect"
import { inspect } from "node:util"
import { daysAgo, onThatDay, refusals, settle, today, watched, withWorld } from "../utils/exchange.js"

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

describe("the clock of the exchange", () => {
  it.effect("is learnt from answers that come anyway: nothing is ever asked for the time alone", () => {
    const { seen, venue } = watched()
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const { faults } = yield* Sandbox.Sandbox
        yield* faults.set([{ fault: { kind: "clock", millis: 800 } }])
        yield* fills
        yield* TestClock.adjust("6 hours")
        expect(seen).toHaveLength(1)
        yield* fills
        // Still within the window without it, and corrected all the same.
        expect(Number(seen[1]?.headers["x-bapi-timestamp"]) - (seen[1]?.at ?? 0)).toBe(800)
        expect(seen).toHaveLength(2)
      })
    )
  })
})

describe("failures", () => {
  it.effect("are typed by operation: only a write can end unknown, and every tag can be matched", () => {
    const { venue } = watched()
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const orders = yield* Orders.Orders
        type ErrorOf<E> = E extends (...args: never) => Effect.Effect<unknown, infer Error> ? Error : never
        expectTypeOf<Failure.OutcomeUnknown>().not.toExtend<ErrorOf<Executions.Executions.Shape["list"]>>()
        expectTypeOf<Failure.UnexpectedResponse>().not.toExtend<ErrorOf<typeof orders.amend>>()
        expectTypeOf<Failure.OutcomeUnknown>().toExtend<ErrorOf<typeof orders.amend>>()
        const outcome = orders.amend({ category: "linear", symbol: "BTCUSDT", orderId: "unknown", qty: "1" }).pipe(
          Effect.as("amended"),
          Effect.catchTags({
            InvalidRequest: ({ field }) => Effect.succeed(field),
            Rejected: ({ reason }) => Effect.succeed(reason),
            Unauthorized: ({ reason }) => Effect.succeed(reason),
            ClockSkew: () => Effect.succeed("clock"),
            RateLimited: () => Effect.succeed("limit"),
            Banned: () => Effect.succeed("ban"),
            Unavailable: () => Effect.succeed("unavailable"),
            ConnectionFailed: () => Effect.succeed("connection"),
            OutcomeUnknown: () => Effect.succeed("unknown")
          })
        )
        // Nothing is left that could fail.
        expectTypeOf(outcome).toEqualTypeOf<Effect.Effect<string>>()
        expect(yield* outcome).toBe("NotFound")
      })
    )
  })
})

describe("an exchange to test against", () => {
  it.effect("comes with the library: a program runs on it unchanged, and twice the same", () => {
    const program = Effect.gen(function* () {
      const executions = yield* Executions.Executions
      const account = yield* Account.Account
      const { list } = yield* account.walletBalance({ accountType: "UNIFIED" })
      const rows = yield* settle(
        Stream.runCollect(executions.history({ category: "inverse", from: daysAgo(30), to: today }))
      )
      return { balance: list[0]?.totalEquity, ids: Chunk.toReadonlyArray(rows).map(({ execId }) => execId) }
    })
    const on = (seed: number) => onThatDay(watched({ seed }).venue, program)
    return Effect.gen(function* () {
      const first = yield* on(1)
      yield* TestClock.setTime(0)
      const second = yield* on(1)
      yield* TestClock.setTime(0)
      const other = yield* on(2)
      expect(first.ids.length).toBeGreaterThan(10)
      expect(second).toEqual(first)
      expect(other.ids).not.toEqual(first.ids)
    })
  })

  it.effect("checks by itself what it is sent: a call that was changed on the way is refused", () =>
    onThatDay(
      watched().sandbox,
      Effect.gen(function* () {
        const { credentials, handle } = yield* Sandbox.Sandbox
        expect(
          yield* handle({
            method: "GET",
            target: "/cloud/trade/v3/execution/list?category=linear",
            headers: {
              "x-bapi-api-key": Redacted.value(credentials.main.apiKey),
              "x-bapi-timestamp": String(today.epochMillis),
              "x-bapi-sign": "0".repeat(64)
            },
            body: new Uint8Array()
          })
        ).toMatchObject({ status: 200, body: expect.stringContaining('"retCode":10004') })
      })
    )
  )
})

describe("an export", () => {
  it.effect("keeps the wire texts beside the decoded values", () => {
    const { seen, venue } = watched()
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const transport = yield* Transport.Transport
        const request = { category: "linear", limit: 50 } as const
        const wire = yield* transport.callWire(Endpoints.list, request)
        const { result } = JSON.parse(seen[0]?.answer ?? "") as { readonly result: unknown }
        expect(JSON.stringify(wire)).toBe(JSON.stringify(result))
        const { list } = yield* transport.call(Endpoints.list, request)
        expect(list.every((row) => BigDecimal.isBigDecimal(row.execFee) && DateTime.isUtc(row.execTime))).toBe(true)
      })
    )
  })
})

describe("credentials", () => {
  it.effect("can be printed, logged and kept in a context without showing their secret", () =>
    onThatDay(
      watched().sandbox,
      Effect.gen(function* () {
        const { credentials } = yield* Sandbox.Sandbox
        const context = yield* Effect.provide(Venue.account(credentials.main), Venue.layerShared)
        const shown = `${inspect([credentials, context], { depth: 30, showHidden: true })}${JSON.stringify([credentials, context])}`
        expect(shown).toContain(credentials.main.baseUrl)
        expect(shown).not.toContain(Redacted.value(credentials.main.apiSecret))
        expect(shown).not.toContain(Redacted.value(credentials.main.apiKey))
      }).pipe(Effect.scoped)
    )
  )
})

describe("cancelling everything", () => {
  it.effect("goes on past the 500 of one call, until the exchange has nothing open", () => {
    const copies = 1234
    const { seen, venue } = withWorld((state) => {
      const accounts = new Map(state.accounts)
      for (const [uid, account] of state.accounts) {
        const [order] = account.openOrders.filter(({ category, filter }) => category === "linear" && filter === "Order")
        if (order === undefined) continue
        const openOrders = Array.from({ length: copies }, (_, index): Order => ({
          ...order,
          orderId: Id.OrderId.make(`copy-${index}`),
          orderLinkId: Option.none()
        }))
        accounts.set(uid, { ...account, openOrders })
      }
      return { ...state, accounts }
    })
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const orders = yield* Orders.Orders
        const all = { category: "linear", settleCoin: "USDT" } as const
        const rounds = Chunk.toReadonlyArray(yield* settle(Stream.runCollect(orders.cancelEverything(all))))
        expect(rounds.map(({ cancelled }) => cancelled.length)).toEqual([500, 500, 234, 0])
        expect(rounds.at(-1)?.total).toBe(copies)
        expect((yield* orders.open(all)).list).toEqual([])
        expect(seen).toHaveLength(5)
      })
    )
  })
})
