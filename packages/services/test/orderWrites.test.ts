import type * as Faults from "@effect-venue/sandbox/Faults"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Orders from "@effect-venue/services/Orders"
import type * as Failure from "@effect-venue/transport/Failure"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Effect, Option } from "effect"
import type { YieldWrap } from "effect/Utils"
import { onThatDay, type Services, settle, watched } from "./utils/exchange.js"

const contract = { category: "linear", symbol: "LTCUSDT" } as const

/** Defines a test on a market that stands still, so that orders wait where they are put. */
const test = (
  title: string,
  body: () => Generator<YieldWrap<Effect.Effect<unknown, unknown, Services>>, void, never>
) => {
  it.effect(title, () => onThatDay(watched({ prices: "still" }).venue, Effect.gen(body)))
}

const mainAccount = Effect.gen(function* () {
  const { snapshot, uids } = yield* Sandbox.Sandbox
  return yield* Effect.orDie(Effect.fromNullable((yield* snapshot).accounts.get(uids.main)))
})

const lastPrice = Effect.gen(function* () {
  const { snapshot } = yield* Sandbox.Sandbox
  const listing = (yield* snapshot).listings.find(
    ({ category, instrument }) => category === contract.category && instrument.symbol === contract.symbol
  )
  return (yield* Effect.orDie(Effect.fromNullable(listing))).lastPrice
})

const of = (price: BigDecimal.BigDecimal, part: string) =>
  BigDecimal.scale(BigDecimal.multiply(price, BigDecimal.unsafeFromString(part)), 1)

/** An order that waits far under the market. */
const far = (orderLinkId: string) =>
  Effect.map(lastPrice, (last) => ({
    symbol: contract.symbol,
    side: "Buy" as const,
    orderType: "Limit" as const,
    qty: "1",
    price: of(last, "0.5"),
    orderLinkId
  }))

const named = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`)

/** How many orders the exchange has under each of these names, open or not. */
const held = (names: ReadonlyArray<string>) =>
  Effect.map(mainAccount, ({ closedOrders, openOrders }) =>
    names.map(
      (name) =>
        [...openOrders, ...closedOrders].filter(({ orderLinkId }) => Option.contains<string>(orderLinkId, name)).length
    )
  )

const dropped = (kind: "dropBefore" | "dropAfter", rule: Partial<Faults.Rule> = {}) =>
  Effect.flatMap(Sandbox.Sandbox, ({ faults }) => faults.set([{ fault: { kind }, count: 1, ...rule }]))

/** Makes a write on a connection that breaks, and looks up its outcome. */
const lost = <A>(
  kind: "dropBefore" | "dropAfter",
  write: Effect.Effect<A, Failure.WriteFailure, Services>,
  meanwhile: Effect.Effect<unknown, Failure.Failure, Services> = Effect.void
) =>
  Effect.gen(function* () {
    yield* dropped(kind)
    const failure = yield* settle(Effect.flip(write))
    expect(failure).toMatchObject({ _tag: "OutcomeUnknown", because: { _tag: "ConnectionFailed" } })
    yield* meanwhile
    return failure._tag === "OutcomeUnknown" ? yield* settle(failure.lookUp) : yield* Effect.dieMessage(failure.message)
  })

const inOrders = <A, E>(use: (orders: Orders.Orders.Shape) => Effect.Effect<A, E, Services>) =>
  Effect.flatMap(Orders.Orders, use)

describe("the look-up of an order whose answer was lost", () => {
  const create = (name: string) =>
    Effect.flatMap(far(name), (order) => inOrders((orders) => orders.create({ ...order, category: "linear" })))

  test("returns yes if the order is found by its orderLinkId", function* () {
    const found = yield* lost("dropAfter", create("made"))
    expect(found).toMatchObject({ executed: "yes", evidence: [{ orderLinkId: Option.some("made") }] })
    expect(yield* held(["made"])).toEqual([1])
  })

  test("finds a closed order in the history after the list of open orders dropped it", function* () {
    const { control } = yield* Sandbox.Sandbox
    const forget = Effect.gen(function* () {
      yield* settle(inOrders((orders) => orders.cancel({ ...contract, orderLinkId: "gone" })))
      yield* settle(Effect.sleep("1 second"))
      const state = yield* control.snapshot
      // As after a restart of the service.
      yield* control.restore({ ...state, restartedAt: state.advancedAt + 1 })
    })
    const found = yield* lost("dropAfter", create("gone"), forget)
    expect(found).toMatchObject({
      executed: "yes",
      evidence: [{ orderLinkId: Option.some("gone"), orderStatus: "Cancelled" }]
    })
  })
})

const createBatch = (names: ReadonlyArray<string>) =>
  Effect.flatMap(Effect.forEach(names, far), (request) =>
    inOrders((orders) => orders.createBatch({ category: "linear", request }))
  )
const amendBatch = (names: ReadonlyArray<string>, part: string) =>
  Effect.flatMap(lastPrice, (last) =>
    inOrders((orders) =>
      orders.amendBatch({
        category: "linear",
        request: names.map((orderLinkId) => ({ symbol: contract.symbol, orderLinkId, price: of(last, part) }))
      })
    )
  )
const cancelBatch = (names: ReadonlyArray<string>) =>
  inOrders((orders) =>
    orders.cancelBatch({
      category: "linear",
      request: names.map((orderLinkId) => ({ symbol: contract.symbol, orderLinkId }))
    })
  )

describe("a batch at the exchange", () => {
  test("whose answer was lost was executed if all of its orders are found", function* () {
    const names = named("lost", 3)
    expect(yield* lost("dropBefore", createBatch(names))).toEqual({ executed: "undetermined", evidence: [] })
    const made = yield* lost("dropAfter", createBatch(names))
    expect(made).toMatchObject({
      executed: "yes",
      evidence: names.map((name) => ({ orderLinkId: Option.some(name) }))
    })
    expect(yield* held(names)).toEqual([1, 1, 1])
    expect(yield* lost("dropBefore", amendBatch(names, "0.4"))).toMatchObject({ executed: "undetermined" })
    expect(yield* lost("dropAfter", amendBatch(names, "0.4"))).toMatchObject({ executed: "yes" })
    expect(yield* lost("dropBefore", cancelBatch(names))).toMatchObject({ executed: "undetermined" })
    expect(yield* lost("dropAfter", cancelBatch(names))).toMatchObject({ executed: "yes" })
  })
})
