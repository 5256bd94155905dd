import * as Faults from "@effect-venue/sandbox/Faults"
import * as Assets from "@effect-venue/services/Assets"
import * as Orders from "@effect-venue/services/Orders"
import * as Venue from "@effect-venue/services/Venue"
import * as Resting from "@effect-venue/testing/Resting"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Guard from "@effect-venue/transport/Guard"
import * as SentWrites from "@effect-venue/transport/siblings/SentWrites"
import * as WriteJournal from "@effect-venue/transport/WriteJournal"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Duration, Effect, Either, Layer, Option, Stream } from "effect"
import { settle } from "@effect-venue/testing/Settling"
import * as Exchange from "./utils/exchange.js"
import * as scripted from "./utils/scripted.js"

type Services = Orders.Orders | Assets.Assets

type Write = Effect.Effect<unknown, Failure.WriteFailure, Services>

/** A write whose id was chosen outside of it, and how often the service has executed its request, under any id. */
interface Intent {
  readonly operation: "orders.create" | "assets.transfer"
  readonly write: Write
  readonly executions: Effect.Effect<number, Failure.ReadFailure, Services>
}

/** `bound` makes one effect, `tag` a new effect in each run. */
const spellings = ["bound", "tag"] as const

type Spelling = (typeof spellings)[number]

const makeOrder = (spelling: Spelling, number: number): Effect.Effect<Intent, never, Services> =>
  Effect.map(Orders.Orders, (orders) => {
    // No other intent has this price.
    const price = (15 + number / 100).toFixed(2)
    const request = {
      ...Resting.market,
      side: "Buy",
      orderType: "Limit",
      qty: "1",
      price,
      orderLinkId: `i-${number}`
    } as const
    const isOurs = ({ price: listed }: { readonly price: Option.Option<BigDecimal.BigDecimal> }) =>
      Option.exists(listed, BigDecimal.equals(BigDecimal.unsafeFromString(price)))
    return {
      operation: "orders.create",
      write:
        spelling === "bound" ? orders.create(request) : Effect.flatMap(Orders.Orders, ({ create }) => create(request)),
      executions: Stream.runCount(Stream.filter(orders.openStream({ ...Resting.market, limit: 50 }), isOurs))
    }
  })

const makeTransfer = (spelling: Spelling, number: number): Effect.Effect<Intent, never, Services> =>
  Effect.map(Assets.Assets, (assets) => {
    const amount = `0.${1001 + number}`
    const requestId = globalThis.crypto.randomUUID()
    const request = { coin: "USDT", amount, fromAccountType: "UNIFIED", toAccountType: "FUND", requestId } as const
    const isOurs = (transfer: { readonly amount: BigDecimal.BigDecimal }) =>
      BigDecimal.equals(transfer.amount, BigDecimal.unsafeFromString(amount))
    return {
      operation: "assets.transfer",
      write:
        spelling === "bound"
          ? assets.transfer(request)
          : Effect.flatMap(Assets.Assets, ({ transfer }) => transfer(request)),
      executions: Stream.runCount(Stream.filter(assets.transfersStream({ coin: "USDT", limit: 50 }), isOurs))
    }
  })

const answers = {
  arrives: { kind: "delay", millis: 1, executed: "atOnce" },
  "lost before": { kind: "dropBefore" },
  "lost after": { kind: "dropAfter" },
  late: { kind: "delay", millis: 60_000, executed: "atOnce" }
} as const satisfies Record<string, Faults.Fault>

const around: Readonly<Record<string, (write: Write) => Effect.Effect<unknown, unknown, Services>>> = {
  retry: Effect.retry({ times: 3 }),
  orElse: (write) =>
    write.pipe(
      Effect.orElse(() => write),
      Effect.orElse(() => write),
      Effect.orElse(() => write)
    ),
  race: (write) => Effect.retry(Effect.race(write, write), { times: 3 }),
  timeout: (write) => Effect.retry(Effect.timeout(write, "3 seconds"), { times: 8 })
}

const onVenue = (effect: Effect.Effect<void, unknown, Services | Faults.Faults>) => {
  const { venue } = Exchange.watched({ prices: "still" })
  return Exchange.onThatDay(venue, effect)
}

const placed = {
  category: "linear",
  symbol: "BTCUSDT",
  side: "Buy",
  orderType: "Limit",
  qty: "1",
  price: "100",
  orderLinkId: "link-1"
} as const

/** The order in the list of open orders. */
const record = {
  OrderId: "o-1",
  OrderLinkId: "link-1",
  Symbol: "BTCUSDT",
  Side: "Buy",
  OrderType: "Limit",
  Price: "100",
  Qty: "1",
  OrderStatus: "New",
  CumExecQty: "0",
  CumExecValue: "0",
  CumExecFee: "0",
  CreatedTime: "1700000000000",
  UpdatedTime: "1700000000000"
}

const answerOf = (retCode: number, result: object): scripted.Answer => ({
  body: { retCode, retMsg: "", result: { category: "linear", nextPageCursor: "", ...result }, retExtInfo: {}, time: 0 }
})

describe("one intent with one id", () => {
  for (const [operation, make] of [
    ["orders.create", makeOrder],
    ["assets.transfer", makeTransfer]
  ] as const) {
    for (const [name, repeatedly] of Object.entries(around)) {
      it.effect.each(spellings)(
        `${operation} in ${name} is executed once and succeeds, in the spelling %s`,
        (spelling) =>
          onVenue(
            Effect.gen(function* () {
              let number = 0
              for (const first of ["lost before", "lost after", "late"] as const) {
                for (const second of ["arrives", "lost after"] as const) {
                  const lookUp = number % 2 === 0 ? "arrives" : "lost after"
                  const intent = yield* make(spelling, ++number)
                  yield* Faults.inject(answers[first], operation, { times: 1 })
                  yield* Faults.inject(answers[second], operation, { times: 1 })
                  yield* Faults.inject(answers[lookUp], "orders.open", { times: 1 })
                  const ended = yield* settle(Effect.either(repeatedly(intent.write)))
                  yield* Faults.clear
                  const executions = yield* settle(intent.executions)
                  expect({ first, second, lookUp, ended, executions }).toMatchObject({
                    ended: { _tag: "Right" },
                    executions: 1
                  })
                }
              }
            })
          )
      )
    }
  }

  it.effect.each(spellings)("is refused as Duplicate after a caller had its success, in the spelling %s", (spelling) =>
    onVenue(
      Effect.gen(function* () {
        const compound = (write: Write) => Effect.retry(Effect.zipRight(write, Effect.fail("later")), { times: 1 })
        let number = 0
        for (const repeatedly of [Effect.repeat({ times: 1 }), compound] as const) {
          const intent = yield* makeOrder(spelling, ++number)
          const exit = yield* settle(Effect.either(repeatedly(intent.write)))
          expect(exit).toMatchObject({ left: { _tag: "Rejected", reason: "Duplicate" } })
          expect(yield* intent.executions).toBe(1)
        }
      })
    )
  )

  it.effect("places a batch once, looks its orders up by one list, and refuses it as Duplicate afterwards", () => {
    const { seen, venue } = Exchange.watched({ prices: "still" })
    return Exchange.onThatDay(
      venue,
      Effect.gen(function* () {
        const orders = yield* Orders.Orders
        const order = {
          symbol: Resting.market.symbol,
          side: "Buy",
          orderType: "Limit",
          qty: "1",
          price: Resting.price
        } as const
        const request = ["b-1", "b-2", "b-3"].map((orderLinkId) => ({ ...order, orderLinkId }))
        const batch = orders.createBatch({ category: "linear", request })
        yield* Faults.inject({ kind: "dropAfter" }, "orders.createBatch", { times: 1 })
        const outcomes = yield* settle(Effect.retry(batch, { times: 1 }))
        const lists = seen.filter(({ path }) => path.includes("/order/realtime")).length
        const open = yield* Stream.runCollect(orders.openStream(Resting.market))
        const placed = [...open].filter(({ orderLinkId }) => Option.exists(orderLinkId, (id) => id.startsWith("b-")))
        expect(placed.length).toBe(3)
        expect(outcomes.map((outcome) => Either.isRight(outcome) && outcome.right.orderId).sort()).toEqual(
          placed.map(({ orderId }) => orderId).sort()
        )
        expect(lists).toBe(1)
        const again = yield* settle(batch)
        expect(again.map((outcome) => Either.isLeft(outcome) && outcome.left)).toMatchObject(
          request.map(() => ({ _tag: "Rejected", reason: "Duplicate" }))
        )
        // A part of a batch and a call of its own are the same write.
        const alone = orders.create({ ...order, category: "linear", orderLinkId: "b-1" })
        expect(yield* Effect.either(alone)).toMatchObject({ left: { _tag: "Rejected", reason: "Duplicate" } })
      })
    )
  })

  it.effect("stays Rejected if the earlier write with its id had other content", () =>
    onVenue(
      Effect.gen(function* () {
        const orders = yield* Orders.Orders
        const order = {
          ...Resting.market,
          side: "Buy",
          orderType: "Limit",
          price: Resting.price,
          orderLinkId: "other"
        } as const
        const ended = (qty: string) => settle(Effect.either(orders.create({ ...order, qty })))
        yield* Faults.inject({ kind: "dropAfter" }, "orders.create", { times: 1 })
        expect(yield* ended("1")).toMatchObject({ left: { _tag: "OutcomeUnknown" } })
        expect(yield* ended("2")).toMatchObject({ left: { _tag: "Rejected", reason: "Duplicate" } })
        expect(yield* ended("1.0")).toMatchObject({ _tag: "Right" })
      })
    )
  )

  it.effect("is looked up after a restart, if the journal has an open entry of it", () => {
    const { sandbox } = Exchange.watched({ prices: "still" })
    return Exchange.onThatDay(
      sandbox,
      Effect.gen(function* () {
        const storage = WriteJournal.memoryStorage()
        const request = {
          ...Resting.market,
          side: "Buy",
          orderType: "Limit",
          qty: "1",
          price: Resting.price,
          orderLinkId: "j"
        } as const
        const run = (storage: WriteJournal.MemoryStorage) =>
          Effect.gen(function* () {
            const orders = yield* Orders.Orders
            return yield* settle(Effect.either(orders.create(request)))
          }).pipe(
            Effect.provide(Layer.fresh(Venue.layer)),
            Effect.provideServiceEffect(WriteJournal.WriteJournal, WriteJournal.makeMemory(storage)),
            Effect.provideService(SentWrites.SentWrites, () => SentWrites.makeMemory())
          )
        yield* Faults.inject({ kind: "dropAfter" }, "orders.create", { times: 1 })
        expect(yield* run(storage)).toMatchObject({ left: { _tag: "OutcomeUnknown" } })
        expect(yield* run(WriteJournal.memoryStorage())).toMatchObject({ left: { _tag: "Rejected" } })
        expect(yield* run(storage)).toMatchObject({ _tag: "Right" })
      })
    )
  })

  const refusedAfterLoss = (
    write: Effect.Effect<unknown, Failure.WriteFailure, Services>,
    path: string,
    refusal: scripted.Answer,
    listed: scripted.Answer
  ) => {
    let calls = 0
    const layer = scripted.layer(({ url }) =>
      Effect.sync(() => (url.includes(path) ? (++calls === 1 ? "lost" : refusal) : listed))
    )
    return Effect.provide(Effect.zipRight(scripted.ended(write), scripted.ended(write)), layer)
  }

  // An earlier call can be why the balance, the position or the id is used up.
  const refusals = { Duplicate: 110072, PositionState: 110017, InsufficientBalance: 110007 } as const
  const create = Effect.flatMap(Orders.Orders, (orders) => orders.create(placed))
  const withdraw = Effect.flatMap(Assets.Assets, (assets) =>
    assets.withdrawInternal({ coin: "USDT", addressType: 3, address: "1", amount: "1", requestId: "w1" })
  )

  for (const [reason, code] of Object.entries(refusals)) {
    it.effect.each([
      ["not listed", { list: [] }],
      ["amended since", { list: [{ ...record, Qty: "7" }] }],
      ["in a state that is not known", { list: [{ ...record, OrderStatus: "Strange" }] }],
      ["of another symbol", { list: [{ ...record, Symbol: "ETHUSDT" }] }],
      ["not readable", { list: 7 }]
    ] as const)(`is OutcomeUnknown if it is refused as ${reason} and its order is %s`, ([, listed]) =>
      Effect.gen(function* () {
        expect(yield* refusedAfterLoss(create, "/create", answerOf(code, {}), answerOf(0, listed))).toMatchObject({
          left: { _tag: "OutcomeUnknown", isOnce: true, because: { _tag: "Rejected", reason } }
        })
      })
    )

    it.effect(`succeeds if it is refused as ${reason} and its order is listed`, () =>
      Effect.gen(function* () {
        const listed = answerOf(0, { list: [record] })
        expect(yield* refusedAfterLoss(create, "/create", answerOf(code, {}), listed)).toMatchObject({
          right: { orderId: "o-1" }
        })
      })
    )

    it.effect(`is Rejected if it is refused as ${reason} and its order is listed as rejected`, () =>
      Effect.gen(function* () {
        const listed = answerOf(0, { list: [{ ...record, OrderStatus: "Rejected" }] })
        expect(yield* refusedAfterLoss(create, "/create", answerOf(code, {}), listed)).toMatchObject({
          left: { _tag: "Rejected", reason }
        })
      })
    )
  }

  it.effect("succeeds if it closed the position that its repetition would reduce", () =>
    onVenue(
      Effect.gen(function* () {
        const orders = yield* Orders.Orders
        const market = { ...Resting.market, orderType: "Market", qty: "1" } as const
        yield* orders.create({ ...market, side: "Buy", orderLinkId: "open" })
        yield* Faults.inject({ kind: "dropAfter" }, "orders.create", { times: 1 })
        const close = orders.create({ ...market, side: "Sell", reduceOnly: true, orderLinkId: "close" })
        expect(yield* settle(Effect.either(Effect.retry(close, { times: 1 })))).toMatchObject({
          _tag: "Right"
        })
      })
    )
  )

  /** How a repetition can end without any news of the first call, by the failure that it would be on its own. */
  const endings: Readonly<Record<string, scripted.Answer>> = {
    RateLimited: answerOf(10006, {}),
    Unauthorized: answerOf(10003, {}),
    ClockSkew: answerOf(10002, {}),
    Banned: { status: 403, body: { retCode: 10018, retMsg: "access too frequent, the address is banned" } },
    ConnectionFailed: "refused"
  }

  const writes: Readonly<
    Record<string, readonly [path: string, write: Effect.Effect<unknown, Failure.WriteFailure, Services>]>
  > = {
    "orders.create": ["/create", create],
    "orders.createBatch": [
      "/create-batch",
      Effect.flatMap(Orders.Orders, ({ createBatch }) => {
        const { category, ...order } = placed
        return createBatch({ category, request: [{ ...order, orderLinkId: "other" }, order] })
      })
    ],
    "assets.transfer": [
      "/single-account-transfer",
      Effect.flatMap(Assets.Assets, ({ transfer }) =>
        transfer({
          coin: "USDT",
          amount: "1",
          fromAccountType: "FUND",
          toAccountType: "UNIFIED",
          requestId: "42c0cfb0-6bca-4242-bc76-4e6df6cbcb11"
        })
      )
    ],
    "assets.withdrawInternal": ["/inner-create", withdraw]
  }

  for (const [operation, [path, write]] of Object.entries(writes)) {
    it.effect.each(Object.entries(endings))(
      `${operation} is OutcomeUnknown after a lost answer if its repetition ends as %s`,
      ([tag, answer]) =>
        Effect.gen(function* () {
          expect(yield* refusedAfterLoss(write, path, answer, answerOf(0, { list: [] }))).toMatchObject({
            left: { _tag: "OutcomeUnknown", isOnce: true, because: { _tag: tag } }
          })
        })
    )
  }

  it.effect.each([
    ["fails as Blocked", "Blocked", undefined],
    ["ends at the limit of the call", "ConnectionFailed", "1 second"]
  ] as const)("is OutcomeUnknown if the kill switch was turned on, and its repetition %s", ([, tag, timeout]) =>
    Effect.gen(function* () {
      let isLost = false
      const guard = yield* Guard.make({
        isStopped: Effect.suspend(() => (isLost && timeout !== undefined ? Effect.never : Effect.succeed(isLost)))
      })
      const layer = scripted.layer(({ url }) =>
        Effect.sync(() => {
          isLost = url.includes("/create")
          return "lost"
        })
      )
      const repeated =
        timeout === undefined
          ? create
          : Effect.provideService(create, CallOptions.CallTimeout, Duration.decode(timeout))
      const [first, second] = yield* Effect.all([scripted.ended(create), scripted.ended(repeated)]).pipe(
        Effect.provide(layer),
        Effect.provideService(Guard.Guard, guard)
      )
      expect(first).toMatchObject({ left: { _tag: "OutcomeUnknown" } })
      expect(second).toMatchObject({ left: { _tag: "OutcomeUnknown", isOnce: true, because: { _tag: tag } } })
    })
  )

  it.effect("tells the orders of a batch apart if a call before them fails", () =>
    Effect.gen(function* () {
      const { category, ...order } = placed
      const request = Array.from({ length: 15 }, (_, number) => ({ ...order, orderLinkId: `many-${number}` }))
      const batch = Effect.flatMap(Orders.Orders, ({ createBatch }) => createBatch({ category, request }))
      const alone = Effect.flatMap(Orders.Orders, (orders) => orders.create({ ...placed, orderLinkId: "many-13" }))
      const layer = scripted.layer(({ url }) =>
        Effect.succeed(url.includes("/create-batch") ? answerOf(10006, {}) : "lost")
      )
      const [, outcomes] = yield* Effect.provide(Effect.all([scripted.ended(alone), scripted.ended(batch)]), layer)
      const tags = Either.getOrThrow(outcomes).map(Either.match({ onLeft: ({ _tag }) => _tag, onRight: () => "Right" }))
      expect(
        tags.map((tag, index) => (tag === "OutcomeUnknown" ? index : tag)).filter((tag) => typeof tag === "number")
      ).toEqual([13])
      expect(new Set(tags.slice(0, 10))).toEqual(new Set(["RateLimited"]))
    })
  )

  it.effect("is Rejected in a batch whose outcome its journal cannot record", () =>
    Effect.gen(function* () {
      const { category, ...order } = placed
      const journal = yield* WriteJournal.makeMemory()
      const unwritable = WriteJournal.make({
        ...journal,
        end: (id) =>
          Effect.zipRight(
            journal.end(id, { _tag: "Unknown", failure: "not recorded" }),
            new WriteJournal.WriteJournalFailed({ reason: "Storage", detail: "the disk is full" })
          )
      })
      const list = [{ category, symbol: order.symbol, orderId: "", orderLinkId: order.orderLinkId, createAt: "" }]
      const retExtInfo = { list: [{ code: 110007, msg: "no" }] }
      const refused = { retCode: 0, retMsg: "OK", result: { list }, retExtInfo, time: 0 }
      const layer = scripted.layer(({ url }) =>
        Effect.succeed(url.includes("/create-batch") ? { body: refused } : answerOf(0, { list: [] }))
      )
      const batch = Effect.flatMap(Orders.Orders, ({ createBatch }) => createBatch({ category, request: [order] }))
      const [outcome] = Either.getOrThrow(
        yield* scripted
          .ended(batch)
          .pipe(Effect.provide(layer), Effect.provideService(WriteJournal.WriteJournal, unwritable))
      )
      expect(outcome).toMatchObject({ left: { _tag: "Rejected", reason: "InsufficientBalance" } })
      expect(yield* journal.open).toHaveLength(1)
    })
  )

  it.effect("fails as it does on its own if the first call was refused", () =>
    Effect.gen(function* () {
      let calls = 0
      const layer = scripted.layer(({ url }) =>
        Effect.sync(() => (url.includes("/create") && ++calls === 1 ? answerOf(110007, {}) : "refused"))
      )
      const [first, second] = yield* Effect.provide(Effect.all([scripted.ended(create), scripted.ended(create)]), layer)
      expect(first).toMatchObject({ left: { _tag: "Rejected" } })
      expect(second).toMatchObject({ left: { _tag: "ConnectionFailed", sent: false } })
    })
  )

  it.effect(
    "is OutcomeUnknown after a restart, if the journal has an open entry of it and it is refused for another reason",
    () =>
      Effect.gen(function* () {
        const storage = WriteJournal.memoryStorage()
        const run = (answer: scripted.Answer) =>
          scripted
            .ended(create)
            .pipe(
              Effect.provide(Layer.fresh(scripted.layer(() => Effect.succeed(answer)))),
              Effect.provideServiceEffect(WriteJournal.WriteJournal, WriteJournal.makeMemory(storage))
            )
        expect(yield* run("lost")).toMatchObject({ left: { _tag: "OutcomeUnknown" } })
        expect(yield* run(answerOf(10006, {}))).toMatchObject({
          left: { _tag: "OutcomeUnknown", because: { _tag: "RateLimited" } }
        })
      })
  )

  it.effect("is OutcomeUnknown for a refused withdrawal, which no operation lists", () =>
    Effect.gen(function* () {
      expect(yield* refusedAfterLoss(withdraw, "/inner-create", answerOf(131214, {}), answerOf(0, {}))).toMatchObject({
        left: { _tag: "OutcomeUnknown" }
      })
    })
  )

  const { orderLinkId: _, ...withoutId } = {
    ...{ symbol: "LTCUSDT", side: "Buy", orderType: "Limit", qty: "1", price: "15", orderLinkId: "i-1" }
  } as const
  const market = { category: "linear" } as const
  const required = (...fields: ReadonlyArray<string>) => fields.map((field) => ({ field, rule: "is required" }))
  const isMissing = [
    ["create", { ...market, ...withoutId }, required("orderLinkId")],
    ["create", { ...market, ...withoutId, orderLinkId: undefined }, required("orderLinkId")],
    [
      "create",
      { ...market, ...withoutId, orderLinkId: null },
      [{ field: "orderLinkId", rule: "must be text, not null" }]
    ],
    ["create", market, required("symbol", "side", "orderType", "qty", "orderLinkId")],
    [
      "createBatch",
      { ...market, request: [withoutId, { ...withoutId, orderLinkId: "i-2" }, withoutId, { symbol: "LTCUSDT" }] },
      [
        ...required("request.0.orderLinkId", "request.2.orderLinkId"),
        ...required("request.3.side", "request.3.orderType", "request.3.qty", "request.3.orderLinkId")
      ]
    ]
  ] as const
  it.effect.each(isMissing)("is refused without an id, from a caller that no compiler has checked: %s", (row) =>
    Effect.gen(function* () {
      const [name, request, issues] = row
      const { seen, venue } = Exchange.watched()
      const orders = yield* Effect.provide(Orders.Orders, venue)
      const failure = yield* Effect.flip<unknown, Failure.WriteFailure, never>(orders[name](request as never))
      expect(failure).toMatchObject({
        _tag: "InvalidRequest",
        operation: `orders.${name}`,
        issues
      })
      expect(seen).toEqual([])
    })
  )
})
