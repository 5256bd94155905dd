import type * as Faults from "@effect-venue/sandbox/Faults"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Account from "@effect-venue/services/Account"
import * as Assets from "@effect-venue/services/Assets"
import * as Orders from "@effect-venue/services/Orders"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Effect, Option } from "effect"
import { onThatDay, settle, watched } from "../utils/exchange.js"

const set = (...rules: ReadonlyArray<Faults.Rule>) => Effect.flatMap(Sandbox.Sandbox, ({ faults }) => faults.set(rules))

/** An order that is open, and half a percent of a price further from the market for it. */
const someOrder = Effect.gen(function* () {
  const orders = yield* Orders.Orders
  const { list } = yield* orders.open({ category: "linear", symbol: "BTCUSDT", orderFilter: "Order" })
  const order = yield* Effect.orDie(
    Effect.fromNullable(list.find(({ orderStatus, side }) => orderStatus === "New" && side === "Buy"))
  )
  const price = BigDecimal.subtract(Option.getOrThrow(order.price), BigDecimal.unsafeFromString("100"))
  return { category: "linear" as const, symbol: order.symbol, orderId: order.orderId, price }
})

const priceOf = (orderId: string) =>
  Effect.gen(function* () {
    const { snapshot, uids } = yield* Sandbox.Sandbox
    const account = (yield* snapshot).accounts.get(uids.main)
    return Option.fromNullable(account?.openOrders.find((one) => one.orderId === orderId)).pipe(
      Option.flatMap(({ price }) => price)
    )
  })

const amendments = Effect.flatMap(Sandbox.Sandbox, ({ faults }) =>
  Effect.map(faults.log, (entries) => entries.filter(({ operation }) => operation === "orders.amend"))
)

describe("a write on a connection that breaks", () => {
  it.effect("is sent once, not four times, and its failure is the first one", () => {
    const { venue } = watched()
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const orders = yield* Orders.Orders
        const request = yield* someOrder
        yield* set({ fault: { kind: "dropAfter" } })
        expect(yield* settle(Effect.flip(orders.amend(request)))).toMatchObject({
          _tag: "OutcomeUnknown",
          attempts: [],
          identifiers: { category: "linear", symbol: "BTCUSDT", orderId: request.orderId },
          because: { _tag: "ConnectionFailed", detail: expect.stringContaining("ECONNRESET") }
        })
        expect(yield* amendments).toHaveLength(1)
        // It was executed: sent again it might have undone another client's later change.
        expect(Option.exists(yield* priceOf(request.orderId), BigDecimal.equals(request.price))).toBe(true)
      })
    )
  })

  it.effect("keeps the chain of attempts, where repeating does no harm", () => {
    const { venue } = watched()
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const account = yield* Account.Account
        yield* set(
          { fault: { kind: "dropBefore" }, count: 1 },
          { fault: { kind: "status", status: 502, executed: false }, count: 1 },
          { fault: { kind: "rateRefusal", headers: false }, count: 1 },
          { fault: { kind: "html", executed: false }, count: 1 },
          { fault: { kind: "internal", executed: false } }
        )
        const failure = yield* settle(Effect.flip(account.walletBalance({ accountType: "UNIFIED" })))
        expect(failure).toMatchObject({
          _tag: "Unavailable",
          retCode: 10016,
          attempts: [
            { failure: "ConnectionFailed", message: expect.stringContaining("ECONNRESET") },
            { failure: "Unavailable", message: expect.stringContaining("HTTP 502") },
            { failure: "RateLimited", message: expect.stringContaining("code 10006") },
            { failure: "UnexpectedResponse", message: expect.stringContaining("expected JSON") }
          ]
        })
      })
    )
  })
})

describe("a write whose answer does not come in time", () => {
  const timedOut = (executed: "atOnce" | "afterwards") =>
    Effect.gen(function* () {
      const orders = yield* Orders.Orders
      const request = yield* someOrder
      yield* set({ fault: { kind: "delay", millis: 3_600_000, executed }, operations: ["orders.amend"] })
      const failure = yield* settle(Effect.flip(orders.amend(request)))
      expect(failure).toMatchObject({
        _tag: "OutcomeUnknown",
        because: { _tag: "ConnectionFailed", reason: "Timeout" }
      })
      const found = failure._tag === "OutcomeUnknown" ? yield* settle(failure.lookUp) : undefined
      expect(yield* amendments).toHaveLength(1)
      return { found, request }
    })

  it.effect("is not made a second time: its outcome is looked up at the exchange", () => {
    const { venue } = watched()
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const { found, request } = yield* timedOut("atOnce")
        expect(found).toMatchObject({ executed: "yes", evidence: [{ orderId: request.orderId }] })
      })
    )
  })

  it.effect("is never reported as not executed while it may still be on its way", () => {
    const { venue } = watched()
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const { found, request } = yield* timedOut("afterwards")
        expect(found).toMatchObject({ executed: "undetermined", evidence: [{ orderId: request.orderId }] })
      })
    )
  })

  it.effect("is repeated with the same id where the exchange honours one, and moves the money once", () => {
    const { venue } = watched()
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const assets = yield* Assets.Assets
        const { faults, snapshot, uids } = yield* Sandbox.Sandbox
        const held = Effect.map(snapshot, (state) => state.accounts.get(uids.main)?.transfers ?? [])
        const before = (yield* held).length
        yield* set({ fault: { kind: "dropAfter" }, count: 1 }, { fault: { kind: "html", executed: true }, count: 1 })
        const transfer = { coin: "USDT", amount: "2.5", fromAccountType: "UNIFIED", toAccountType: "FUND" }
        const { transferId } = yield* settle(assets.transfer(transfer))
        const sent = (yield* faults.log).map(({ parameters }) => parameters.requestId)
        expect(sent).toHaveLength(3)
        expect(new Set(sent)).toEqual(new Set([transferId]))
        expect((yield* held).length - before).toBe(1)
      })
    )
  })
})
