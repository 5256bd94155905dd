import type * as Faults from "@effect-venue/sandbox/Faults"
import * as Seed from "@effect-venue/sandbox/Seed"
import type * as State from "@effect-venue/sandbox/State"
import * as Id from "@effect-venue/schemas/Id"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Failure from "@effect-venue/transport/Failure"
import { describe, expect, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Call from "../src/calls/Call.js"
import type * as Told from "../src/calls/Told.js"
import * as Verdict from "../src/calls/Verdict.js"

const world = Seed.make({ seed: 1, now: 0 }).state

/** A world whose main account has closed orders of these names, each in a status. */
const holding = (...found: ReadonlyArray<readonly [orderLinkId: string, orderStatus: string]>): State.State => {
  const main = world.accounts.get(Seed.uids.main)
  const [some] = main?.openOrders ?? []
  if (main === undefined || some === undefined) throw new Error("the seed has no order")
  const closedOrders = found.map(([orderLinkId, orderStatus]): State.Order => ({
    ...some,
    // A name of an order is any text here.
    orderLinkId: Option.some(orderLinkId as Option.Option.Value<State.Order["orderLinkId"]>),
    orderStatus
  }))
  return { ...world, accounts: new Map(world.accounts).set(main.uid, { ...main, closedOrders }) }
}

const wish = (verb: "place" | "cancel", ...names: ReadonlyArray<string>): Call.Call => ({
  ...Call.make("main", Orders.cancelAll, { category: "spot" }),
  orders: names.map((orderLinkId) => ({ verb, orderLinkId }))
})
const done = (call: Call.Call, result: unknown = {}): Told.Told => ({ call, _tag: "Done", result })
const interrupted = (call: Call.Call): Told.Told => ({ call, _tag: "Interrupted" })

const judge = (after: State.State, ...told: ReadonlyArray<Told.Told>) =>
  Verdict.orders({ told, log: [], after, uids: Seed.uids })

describe("whether a cancel-all was executed", () => {
  const call = Call.make("main", Orders.cancelAll, { category: "linear", settleCoin: "USDT" })
  const told: ReadonlyArray<Told.Told> = [{ call, _tag: "Interrupted" }]
  const wasMade = (openOrders: ReadonlyArray<State.Order>) => {
    const after = holding()
    const main = after.accounts.get(Seed.uids.main)
    if (main === undefined) throw new Error("the seed has no main account")
    const accounts = new Map(after.accounts).set(main.uid, { ...main, openOrders })
    return Verdict.wasMade({ told, log: [], after: { ...after, accounts }, uids: Seed.uids })(call)
  }

  it("is certain while orders of its category are open, and not when the market filled them all", () => {
    const open = holding().accounts.get(Seed.uids.main)?.openOrders ?? []
    expect(open.some(({ category }) => category === "linear")).toBe(true)
    expect(wasMade(open)).toEqual(Option.some(false))
    expect(wasMade(open.filter(({ category }) => category !== "linear"))).toEqual(Option.none())
  })
})

describe("the verdict on orders", () => {
  it("finds nothing where every outcome is true", () => {
    const after = holding(["soak-1", "New"], ["soak-2", "Cancelled"])
    const told = [
      done(wish("place", "soak-1")),
      done(wish("place", "soak-2", "soak-3"), ["taken", "refused"]),
      done(wish("cancel", "soak-2")),
      interrupted(wish("cancel", "soak-1"))
    ]
    expect(judge(after, ...told)).toEqual([])
    // An unknown outcome: either is so.
    expect(judge(after, done(wish("place", "soak-1", "soak-2", "soak-4"), ["unknown", "unknown", "unknown"]))).toEqual(
      []
    )
  })

  it("finds an order that was reported and is not there, or not cancelled", () => {
    const after = holding(["soak-1", "New"])
    const told = [done(wish("place", "soak-1", "soak-2"), ["taken", "taken"]), done(wish("cancel", "soak-1"))]
    expect(judge(after, ...told)).toEqual([
      "place soak-2: taken; and it is not so",
      "cancel soak-1: taken; and it is not so"
    ])
  })

  it("finds an order that was refused and is there, or cancelled", () => {
    const after = holding(["soak-1", "Cancelled"])
    const told = [interrupted(wish("place", "soak-1")), done(wish("cancel", "soak-1"), ["refused"])]
    expect(judge(after, ...told)).toEqual([
      "place soak-1: refused; and it is so",
      "cancel soak-1: refused; and it is so"
    ])
  })

  it("finds an order that is there twice, and one that was not requested", () => {
    const after = holding(["soak-1", "New"], ["soak-1", "New"], ["soak-2", "New"])
    expect(judge(after, done(wish("place", "soak-1")))).toEqual([
      "order soak-1: there are 2",
      "order soak-2 was not requested"
    ])
  })
})

describe("the verdict on writes", () => {
  const call = Call.make("main", Orders.cancel, {
    category: "linear",
    symbol: "BTCUSDT",
    orderLinkId: Id.OrderLinkId.make("soak-1")
  })
  const request = (executed: boolean): Faults.Entry => ({
    at: 0,
    method: "POST",
    path: Orders.cancel.path,
    operation: "orders.cancel",
    signature: "valid",
    status: Option.none(),
    code: Option.none(),
    uid: Option.some(Seed.uids.main),
    parameters: { category: "linear", symbol: "BTCUSDT", orderLinkId: "soak-1" },
    fault: Option.none(),
    executed
  })
  const of = (log: ReadonlyArray<Faults.Entry>, ...told: ReadonlyArray<Told.Told>) =>
    Verdict.violations({ told, log, after: world, uids: Seed.uids }).map((text) => text.split(":")[0])
  const refused: Told.Told = {
    call,
    _tag: "Failed",
    failure: new Failure.InvalidRequest({
      operation: "orders.cancel",
      field: "orderId",
      rule: "is required",
      issues: []
    })
  }

  it("is that of the simulator's judge", () => {
    expect(of([request(true)], done(call))).toEqual([])
    expect(of([request(false)], done(call))).toEqual(["Invented"])
    expect(of([request(true)], refused)).toEqual(["Denied"])
    expect(of([request(true)], interrupted(call))).toEqual(["Silent"])
    expect(of([request(true), request(true)], done(call))).toEqual(["Twice"])
    expect(of([request(false), request(true)], done(call))).toEqual([])
  })

  it("is a count where several calls ask for the same", () => {
    expect(of([request(true), request(true)], done(call), done(call))).toEqual([])
    expect(of([request(true)], done(call), done(call))).toHaveLength(1)
    expect(of([request(true), request(true)], done(call), refused)).toHaveLength(1)
  })
})
