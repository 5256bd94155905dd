import type * as Id from "@effect-venue/schemas/Id"
import * as Orders from "@effect-venue/services/Orders"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import type * as Failure from "@effect-venue/transport/Failure"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Either, FastCheck, Fiber, Option, TestClock } from "effect"
import { type OrderName, verdicts } from "../src/calls/batchSlots.js"
import * as scripted from "./utils/scripted.js"

interface WireSlot {
  readonly orderId: string
  readonly orderLinkId: string
  readonly code: number
}

type Request = ReadonlyArray<{ readonly orderLinkId?: string; readonly orderId?: string }>

const linkId = (index: number) => `l-${index}`
const serviceId = (index: number) => `o-${index}`
const acceptedSlot = (index: number): WireSlot => ({ orderId: serviceId(index), orderLinkId: linkId(index), code: 0 })
const silentRefusal = (): WireSlot => ({ orderId: "", orderLinkId: "", code: 110007 })
const namedRefusal = (index: number): WireSlot => ({ orderId: "", orderLinkId: linkId(index), code: 110007 })

/** A service that answers batches with the slots of a script; "hang" is no answer. */
const service = (script: (request: Request, index: number) => ReadonlyArray<WireSlot> | "hang") => {
  const requests: Array<Request> = []
  const layer = scripted.layer((request) =>
    Effect.sync((): scripted.Answer => {
      const { request: orders = [] } = JSON.parse(scripted.textOf(request)) as { readonly request?: Request }
      requests.push(orders)
      const slots = script(orders, requests.length - 1)
      if (slots === "hang") return "hang"
      const list = slots.map(({ orderId, orderLinkId }) => ({
        category: "",
        symbol: "",
        orderId,
        orderLinkId,
        createAt: ""
      }))
      return {
        body: {
          retCode: 0,
          retMsg: "OK",
          result: { list },
          retExtInfo: { list: slots.map(({ code }) => ({ code, msg: "" })) },
          time: 0
        }
      }
    })
  )
  return { requests, layer }
}

const create = (count: number) =>
  Effect.flatMap(Orders.Orders, (orders) =>
    orders.createBatch({
      category: "linear",
      request: Array.from({ length: count }, (_, index) => ({
        symbol: "BTCUSDT",
        side: "Buy" as const,
        orderType: "Limit" as const,
        qty: "1",
        price: "9",
        orderLinkId: linkId(index)
      }))
    })
  )

const tagsOf = (outcomes: ReadonlyArray<Orders.BatchOutcome>) =>
  outcomes.map(Either.match({ onLeft: ({ _tag }): string => _tag, onRight: ({ orderId }) => orderId }))

/** The conclusion for each order: its id if it was accepted, or the tag. */
const concluded = (slots: ReadonlyArray<WireSlot>, orders: ReadonlyArray<OrderName>) =>
  verdicts(
    orders,
    slots.map(({ code, orderId, orderLinkId }) => ({
      category: Option.none(),
      symbol: Option.none(),
      orderId: Option.liftPredicate(orderId as Id.OrderId, (id) => id !== ""),
      orderLinkId: Option.liftPredicate(orderLinkId as Id.OrderLinkId, (id) => id !== ""),
      code,
      msg: ""
    }))
  ).map((verdict) => (verdict._tag === "Accepted" ? String(verdict.ack.orderId) : verdict._tag))

const ordersOf = (count: number) => Array.from({ length: count }, (_, index) => ({ orderLinkId: linkId(index) }))

describe("the answer to a batch", () => {
  const cases: ReadonlyArray<readonly [what: string, slots: ReadonlyArray<WireSlot>, expected: ReadonlyArray<string>]> =
    [
      [
        "a refused slot has the id of another order",
        [namedRefusal(1), acceptedSlot(1), acceptedSlot(2)],
        ["Unclear", "Unclear", "o-2"]
      ],
      ["refused slots have their own ids", [namedRefusal(0), namedRefusal(1)], ["Refused", "Refused"]],
      [
        "two slots have one order id",
        [acceptedSlot(0), { ...acceptedSlot(1), orderId: serviceId(0) }, acceptedSlot(2)],
        ["Unclear", "Unclear", "o-2"]
      ],
      [
        "a refused slot has no ids and another is out of place",
        [silentRefusal(), acceptedSlot(1), acceptedSlot(1)],
        ["Unclear", "Unclear", "Unclear"]
      ],
      [
        "a refused slot has no ids and an accepted one has none either",
        [silentRefusal(), { ...acceptedSlot(0), orderLinkId: "" }],
        ["Unclear", "Unclear"]
      ],
      ["a slot is missing", [acceptedSlot(0)], ["Unclear", "Unclear"]],
      ["there is a slot too many", [acceptedSlot(0), acceptedSlot(1), namedRefusal(2)], ["Unclear", "Unclear"]]
    ]
  for (const [what, slots, expected] of cases) {
    it(`is ${expected.join(", ")} when ${what}`, () => {
      expect(concluded(slots, ordersOf(expected.length))).toEqual(expected)
    })
  }

  it("proves nothing about cancelled orders whose ids are swapped", () => {
    const slot = (orderId: string, code: number) => ({ orderId, orderLinkId: "", code })
    const orders = [0, 1, 1].map((index) => ({ orderId: serviceId(index) }))
    const swapped = [slot("o-1", 110001), slot("o-0", 0), slot("o-1", 0)]
    // The third order is the second again, and may be the one that the first slot means.
    expect(concluded(swapped, orders)).toEqual(["Unclear", "Unclear", "Unclear"])
    const right = [slot("o-0", 0), slot("o-1", 0), slot("o-1", 110001)]
    expect(concluded(right, orders)).toEqual(["o-0", "o-1", "Refused"])
  })

  // Each order is accepted or refused; the answer is then damaged in ways that leave a trace.
  const damage = FastCheck.record({
    truth: FastCheck.array(FastCheck.constantFrom("accepted", "named", "silent"), { minLength: 1, maxLength: 8 }),
    swaps: FastCheck.array(FastCheck.tuple(FastCheck.nat(7), FastCheck.nat(7)), { maxLength: 4 }),
    copies: FastCheck.array(FastCheck.tuple(FastCheck.nat(7), FastCheck.nat(7)), { maxLength: 1 }),
    blanks: FastCheck.array(FastCheck.nat(7), { maxLength: 2 }),
    dropped: FastCheck.boolean()
  })

  it.prop("never assigns an order to another request", { damage }, ({ damage }) => {
    const { blanks, copies, dropped, swaps, truth } = damage
    const slots: Array<WireSlot> = truth.map((fate, index) =>
      fate === "accepted" ? acceptedSlot(index) : fate === "named" ? namedRefusal(index) : silentRefusal()
    )
    const change = (index: number, slot: WireSlot | undefined) => {
      if (index < slots.length && slot !== undefined) slots[index] = slot
    }
    for (const [one, other] of swaps) {
      if (one >= slots.length || other >= slots.length) continue
      const first = slots[one]
      change(one, slots[other])
      change(other, first)
    }
    for (const [from, to] of copies) {
      // A copy of a slot without ids leaves no trace: it could be right.
      if (slots[from]?.orderLinkId !== "") change(to, slots[from])
    }
    for (const index of blanks) {
      const slot = slots[index]
      // Nor does a named refusal that loses its name.
      if (slot?.code === 0) change(index, { ...slot, orderLinkId: "" })
    }
    if (dropped) slots.pop()
    for (const [index, conclusion] of concluded(slots, ordersOf(truth.length)).entries()) {
      const right = ["Unclear", truth[index] === "accepted" ? serviceId(index) : "Refused"]
      expect(right, String(index)).toContain(conclusion)
    }
  })
})

const accepted = (request: Request) =>
  request.map(({ orderLinkId = "" }) => ({ orderId: orderLinkId.replace("l", "o"), orderLinkId, code: 0 }))

describe("a batch in several calls", () => {
  const reportsOf = (script: Parameters<typeof service>[0], after: Duration.DurationInput) =>
    Effect.gen(function* () {
      const reports: Array<Failure.OutcomeUnknown> = []
      const { layer, requests } = service(script)
      const fiber = yield* Effect.fork(
        create(20).pipe(
          Effect.provideService(CallOptions.OnInterruptedWrite, (report) =>
            Effect.sync(() => void reports.push(report))
          ),
          Effect.provide(layer)
        )
      )
      yield* TestClock.adjust(after)
      yield* Fiber.interrupt(fiber)
      return { reports, requests }
    })

  const acceptedIds = Array.from({ length: 10 }, (_, index) => ({
    symbol: "BTCUSDT",
    orderId: serviceId(index),
    orderLinkId: linkId(index)
  }))

  it.effect("reports the accepted orders if it is interrupted between two calls", () =>
    Effect.gen(function* () {
      const { reports, requests } = yield* reportsOf(accepted, "500 millis")
      expect(requests).toHaveLength(1)
      expect(reports).toHaveLength(1)
      expect(reports[0]).toMatchObject({
        _tag: "OutcomeUnknown",
        operation: "orders.createBatch",
        identifiers: { category: "linear", "request.9.orderId": "o-9", "request.9.orderLinkId": "l-9" },
        because: { _tag: "ConnectionFailed", reason: "NotSent", detail: "interrupted after 10 of 20 orders" }
      })
      expect(reports[0]?.accepted).toEqual(acceptedIds)
      expect(Object.keys(reports[0]?.identifiers ?? {})).toHaveLength(1 + 3 * 10)
    })
  )

  it.effect("reports the accepted orders and those in flight if it is interrupted during a later call", () =>
    Effect.gen(function* () {
      const { reports, requests } = yield* reportsOf(
        (request, index) => (index === 0 ? accepted(request) : "hang"),
        "5 seconds"
      )
      expect(requests).toHaveLength(2)
      expect(reports).toHaveLength(1)
      expect(reports[0]).toMatchObject({
        identifiers: { "request.0.orderId": "o-0", "request.19.orderLinkId": "l-19" },
        because: { reason: "Timeout", sent: true }
      })
      expect(reports[0]?.accepted).toEqual(acceptedIds)
      expect(Object.keys(reports[0]?.identifiers ?? {})).not.toContain("request.19.orderId")
    })
  )

  it.effect("reports orders with unclear slots, but no refused ones", () =>
    Effect.gen(function* () {
      const { reports } = yield* reportsOf(
        (request) =>
          accepted(request).map((slot, index) =>
            index === 0 ? namedRefusal(0) : index === 1 ? acceptedSlot(2) : slot
          ),
        "500 millis"
      )
      const identifiers = Object.keys(reports[0]?.identifiers ?? {})
      expect(identifiers).toContain("request.1.orderLinkId")
      expect(identifiers).not.toContain("request.0.orderLinkId")
      expect(reports[0]?.accepted).toHaveLength(7)
      const refused = yield* reportsOf((request) => request.map((_, index) => namedRefusal(index)), "500 millis")
      expect(refused.reports).toEqual([])
    })
  )

  it.effect("returns every outcome so far when its time limit is reached", () =>
    Effect.gen(function* () {
      for (const [script, timeout, later] of [
        [accepted, "500 millis", "ConnectionFailed"],
        [(request, index) => (index === 0 ? accepted(request) : "hang"), "3 seconds", "OutcomeUnknown"]
      ] satisfies ReadonlyArray<readonly [Parameters<typeof service>[0], Duration.DurationInput, string]>) {
        const { layer } = service(script)
        const fiber = yield* Effect.fork(
          create(20).pipe(
            Effect.provideService(CallOptions.CallTimeout, Duration.decode(timeout)),
            Effect.provide(layer)
          )
        )
        yield* TestClock.adjust(timeout)
        const tags = tagsOf(yield* Fiber.join(fiber))
        expect(tags.slice(0, 10)).toEqual(acceptedIds.map(({ orderId }) => orderId))
        expect(tags.slice(10)).toEqual(Array.from({ length: 10 }, () => later))
      }
    })
  )
})
