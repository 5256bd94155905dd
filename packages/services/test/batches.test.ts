import * as Endpoints from "@effect-venue/schemas/Orders"
import * as Orders from "@effect-venue/services/Orders"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Either, Option, Schema } from "effect"
import * as scripted from "./utils/scripted.js"

interface Sent {
  readonly at: number
  readonly path: string
  readonly query: string
  readonly body: { readonly category?: string; readonly request?: ReadonlyArray<Record<string, string>> }
}

const taken = (request: ReadonlyArray<Record<string, string>> = []) => ({
  retCode: 0,
  retMsg: "OK",
  result: {
    list: request.map(({ orderLinkId = "", symbol }, index) => ({
      category: "linear",
      symbol,
      orderId: `o-${orderLinkId === "" ? index : orderLinkId}`,
      orderLinkId,
      createAt: "1700000000000"
    }))
  },
  retExtInfo: { list: request.map(() => ({ code: 0, msg: "OK" })) },
  time: 0
})

/** A scripted service for batches. */
const far = (answer: (sent: Sent, index: number) => scripted.Answer) => {
  const sent: Array<Sent> = []
  const layer = scripted.layer((request, url) =>
    Effect.map(Clock.currentTimeMillis, (at) => {
      // What the library wrote is JSON of this form; the assertions look at its fields.
      const body = JSON.parse(scripted.textOf(request)) as Sent["body"]
      const one = { at, path: url.pathname, query: url.search, body }
      sent.push(one)
      return answer(one, sent.length - 1)
    })
  )
  return { layer, sent, batches: () => sent.filter(({ path }) => path.endsWith("-batch")) }
}

const order = { symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "1", price: "9" } as const

const create = (count: number) =>
  Effect.flatMap(Orders.Orders, (orders) =>
    orders.createBatch({
      category: "linear",
      request: Array.from({ length: count }, (_, index) => ({ ...order, orderLinkId: `l-${index}` }))
    })
  )

const tags = (outcomes: ReadonlyArray<Orders.BatchOutcome>) =>
  outcomes.map(Either.match({ onLeft: ({ _tag }): string => _tag, onRight: ({ orderId }) => orderId }))

const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `o-l-${from + index}`)
const times = (count: number, tag: string) => Array.from({ length: count }, () => tag)

describe("a batch of orders", () => {
  it.effect("returns an outcome per order, with the reason of each refusal", () =>
    Effect.gen(function* () {
      const { layer, batches } = far(({ body }) => {
        const all = taken(body.request)
        const nothing = { category: "linear", symbol: "", orderId: "", orderLinkId: "", createAt: "" }
        const codes = [0, 110007, 10006, 10005, 10016, 987654, 110999, 987655]
        return {
          body: {
            ...all,
            result: { list: all.result.list.map((slot, index) => (index === 0 ? slot : nothing)) },
            retExtInfo: {
              list: codes.map((code) => ({
                code,
                msg: code === 0 ? "OK" : code === 987655 ? "Too many visits!" : `said ${code}`
              }))
            }
          }
        }
      })
      const outcomes = yield* Effect.flatten(scripted.ended(Effect.provide(create(8), layer)))
      expect(batches()).toHaveLength(1)
      expect(outcomes[0]).toEqual(Either.right({ orderId: "o-l-0", orderLinkId: Option.some("l-0") }))
      const failures = outcomes.flatMap((outcome) => (Either.isLeft(outcome) ? [outcome.left] : []))
      expect(failures).toMatchObject([
        { _tag: "Rejected", reason: "InsufficientBalance", retCode: 110007, retMsg: "said 110007" },
        { _tag: "RateLimited", retCode: 10006 },
        { _tag: "Unauthorized", reason: "Permission", retCode: 10005 },
        { _tag: "OutcomeUnknown", identifiers: { category: "linear", symbol: "BTCUSDT", orderLinkId: "l-4" } },
        { _tag: "OutcomeUnknown", because: { _tag: "Rejected", proof: "none", retCode: 987654 } },
        { _tag: "Rejected", reason: "Unknown", proof: "family", retCode: 110999 },
        { _tag: "RateLimited", retCode: 987655 }
      ])
      for (const { operation } of failures) expect(operation).toBe("orders.createBatch")
    })
  )

  it.effect("over the limit is sent in parts, in order, each in a separate window", () =>
    Effect.gen(function* () {
      const { layer, sent } = far(({ body }) => ({ body: taken(body.request) }))
      const outcomes = yield* Effect.flatten(scripted.ended(Effect.provide(create(20), layer)))
      expect(tags(outcomes)).toEqual(ids(0, 20))
      expect(sent.map(({ body }) => body.request?.length)).toEqual([10, 10])
      expect((sent[1]?.at ?? 0) - (sent[0]?.at ?? 0)).toBeGreaterThan(1000)
    })
  )

  it.effect("is split by the limit that the service reports", () =>
    Effect.gen(function* () {
      const { layer, sent } = far(({ body }) => ({ body: taken(body.request), headers: { "X-Bapi-Limit": "20" } }))
      const both = Effect.zipRight(create(1), create(20))
      yield* Effect.flatten(scripted.ended(Effect.provide(both, layer)))
      expect(sent.map(({ body }) => body.request?.length)).toEqual([1, 20])
    })
  )

  it.effect("shares its rate limit with other batches: 8 and then 5 at 10 a second", () =>
    Effect.gen(function* () {
      const { layer, sent } = far(({ body }) => ({ body: taken(body.request) }))
      yield* Effect.flatten(scripted.ended(Effect.provide(Effect.zipRight(create(8), create(5)), layer)))
      expect(sent.map(({ body }) => body.request?.length)).toEqual([8, 5])
      expect((sent[1]?.at ?? 0) - (sent[0]?.at ?? 0)).toBeGreaterThan(1000)
    })
  )

  it.effect("fails as a whole if its only call fails", () =>
    Effect.gen(function* () {
      const refusedFar = far(() => ({ body: { retCode: 10001, retMsg: "no", result: {}, retExtInfo: {}, time: 0 } }))
      const refused = yield* scripted.ended(Effect.provide(create(3), refusedFar.layer))
      expect(refused).toMatchObject({ left: { _tag: "Rejected", reason: "InvalidRequest" } })
      const lostFar = far(() => "lost")
      const lost = yield* scripted.ended(Effect.provide(create(2), lostFar.layer))
      expect(lost).toMatchObject({
        left: { _tag: "OutcomeUnknown", identifiers: { category: "linear", "request.1.orderLinkId": "l-1" } }
      })
      expect(lostFar.sent).toHaveLength(1)
    })
  )

  it.effect("fails as a whole if nothing was executed, for any number of calls", () =>
    Effect.gen(function* () {
      const { layer, sent } = far(() => ({
        body: { retCode: 10005, retMsg: "no", result: {}, retExtInfo: {}, time: 0 }
      }))
      const refused = yield* scripted.ended(Effect.provide(create(15), layer))
      expect(refused).toMatchObject({ left: { _tag: "Unauthorized" } })
      expect(sent).toHaveLength(1)
    })
  )

  it.effect("keeps the earlier outcomes if the answer of a later call is lost, and each order can be looked up", () =>
    Effect.gen(function* () {
      const open = { retCode: 0, retMsg: "OK", result: { category: "linear", nextPageCursor: "", list: [] } }
      const { layer, batches, sent } = far(({ body, path }, index) =>
        !path.endsWith("-batch")
          ? { body: { ...open, retExtInfo: {}, time: 0 } }
          : index === 1
            ? "lost"
            : { body: taken(body.request), headers: { "X-Bapi-Limit": "7" } }
      )
      const outcomes = yield* Effect.flatten(scripted.ended(Effect.provide(create(20), layer)))
      // 10 were allowed at first; then the service said 7.
      expect(batches().map(({ body }) => body.request?.length)).toEqual([10, 7])
      expect(tags(outcomes)).toEqual([...ids(0, 10), ...times(7, "OutcomeUnknown"), ...times(3, "ConnectionFailed")])
      const unknown = Either.flip(outcomes[11] ?? Either.right(undefined))
      expect(unknown).toMatchObject({ right: { identifiers: { orderLinkId: "l-11", symbol: "BTCUSDT" } } })
      expect(outcomes[19]).toMatchObject({ left: { reason: "NotSent", sent: false } })
      const before = sent.length
      const failure = Either.getOrThrow(unknown)
      const finding = yield* failure._tag === "OutcomeUnknown"
        ? Effect.flatten(scripted.ended(failure.lookUp))
        : Effect.die(1)
      expect(finding).toEqual({ executed: "undetermined", evidence: [], isUnlisted: true })
      expect(sent.slice(before).map(({ path, query }) => [path, query])).toEqual([
        ["/cloud/trade/v3/order/realtime", expect.stringContaining("orderLinkId=l-11")],
        ["/cloud/trade/v3/order/history", expect.stringContaining("orderLinkId=l-11")]
      ])
    })
  )

  it.effect("returns an outcome for each order if the first of several responses is lost", () =>
    Effect.gen(function* () {
      const { layer, sent } = far(() => "lost")
      const outcomes = yield* Effect.flatten(scripted.ended(Effect.provide(create(15), layer)))
      expect(tags(outcomes)).toEqual([...times(10, "OutcomeUnknown"), ...times(5, "ConnectionFailed")])
      expect(sent).toHaveLength(1)
    })
  )

  it.effect("returns the refusal of a later call as the outcome of its orders, without sending the rest", () =>
    Effect.gen(function* () {
      const { layer, sent } = far(({ body }, index) =>
        index === 0
          ? { body: taken(body.request), headers: { "X-Bapi-Limit": "5" } }
          : { body: { retCode: 10005, retMsg: "no", result: {}, retExtInfo: {}, time: 0 } }
      )
      const outcomes = yield* Effect.flatten(scripted.ended(Effect.provide(create(20), layer)))
      expect(tags(outcomes)).toEqual([...ids(0, 10), ...times(5, "Unauthorized"), ...times(5, "ConnectionFailed")])
      expect(sent).toHaveLength(2)
    })
  )

  it.effect("is unknown as a whole if the numbers of codes and slots differ", () =>
    Effect.gen(function* () {
      const uneven = far(({ body }) => ({ body: { ...taken(body.request), retExtInfo: { list: [] } } }))
      expect(yield* scripted.ended(Effect.provide(create(2), uneven.layer))).toMatchObject({
        left: { _tag: "OutcomeUnknown", because: { _tag: "UnexpectedResponse", path: "extInfo.list" } }
      })
    })
  )

  it.effect("is refused as a whole before sending if one order is invalid", () =>
    Effect.gen(function* () {
      const { layer, sent } = far(({ body }) => ({ body: taken(body.request) }))
      expect(yield* scripted.ended(Effect.provide(create(21), layer))).toMatchObject({
        left: { _tag: "InvalidRequest", field: "request", rule: "must be 1 to 20 orders" }
      })
      const bad = Effect.flatMap(Orders.Orders, (orders) =>
        orders.createBatch({
          category: "linear",
          request: Array.from({ length: 15 }, (_, index) => ({
            ...order,
            orderLinkId: `l-${index}`,
            qty: index === 14 ? "0" : order.qty
          }))
        })
      )
      expect(yield* scripted.ended(Effect.provide(bad, layer))).toMatchObject({
        left: { _tag: "InvalidRequest", field: "request.14.qty" }
      })
      expect(sent).toHaveLength(0)
    })
  )
})

describe("an orderLinkId", () => {
  const ack = { retCode: 0, retMsg: "OK", result: { orderId: "o", orderLinkId: "" }, retExtInfo: {}, time: 0 }

  it.effect("is the same in every attempt, and OutcomeUnknown reports it", () =>
    Effect.gen(function* () {
      const { layer, sent } = far((_, index) =>
        index === 0 ? { body: { ...ack, retCode: 10006, retMsg: "Too many visits!", result: {} } } : "lost"
      )
      const place = Effect.flatMap(Orders.Orders, (orders) =>
        orders.create({ ...order, category: "linear", orderLinkId: "mine-1" })
      )
      const ended = yield* scripted.ended(Effect.provide(place, layer))
      expect(sent.map(({ body }) => (body as { readonly orderLinkId?: string }).orderLinkId)).toEqual([
        "mine-1",
        "mine-1"
      ])
      expect(ended).toMatchObject({ left: { _tag: "OutcomeUnknown", identifiers: { orderLinkId: "mine-1" } } })
    })
  )

  it("is required by the schemas of the parameters", () => {
    const request = { ...order, category: "linear" }
    const [isOne, isBatch] = [Schema.is(Orders.CreateRequest), Schema.is(Orders.CreateBatchRequest)]
    const parsed = Schema.decodeUnknownSync(Endpoints.CreateRequest)(request)
    expect([isOne(parsed), isOne({ ...parsed, orderLinkId: "mine" })]).toEqual([false, true])
    const { category: _, ...item } = parsed
    const batch = (...request: ReadonlyArray<object>) => ({ category: "linear", request })
    expect([isBatch(batch(item)), isBatch(batch({ ...item, orderLinkId: "mine" }))]).toEqual([false, true])
  })
})
