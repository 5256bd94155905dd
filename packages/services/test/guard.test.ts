import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Assets from "@effect-venue/services/Assets"
import * as Orders from "@effect-venue/services/Orders"
import * as Positions from "@effect-venue/services/Positions"
import * as Resting from "@effect-venue/testing/Resting"
import type * as Failure from "@effect-venue/transport/Failure"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as FileWriteJournal from "@effect-venue/transport/FileWriteJournal"
import * as Guard from "@effect-venue/transport/Guard"
import * as WriteJournal from "@effect-venue/transport/WriteJournal"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Duration, Effect, Either, Exit, Fiber, Layer, Option, SubscriptionRef, TestClock } from "effect"
import type { YieldWrap } from "effect/Utils"
import { settle } from "@effect-venue/testing/Settling"
import { onThatDay, type Seen, type Services, watched } from "./utils/exchange.js"

/** Runs with a guard on an exchange whose prices do not move. */
const guarded = <A, E>(
  options: Guard.Options,
  use: (posts: () => ReadonlyArray<Seen>) => Effect.Effect<A, E, Services | Guard.Guard>
) => {
  const { seen, venue } = watched({ prices: "still" })
  const layer = venue.pipe(Layer.provideMerge(Layer.orDie(Guard.layer(options))))
  return onThatDay(
    layer,
    use(() => seen.filter(({ body }) => body !== ""))
  )
}

/** Defines a test that runs so. */
const test = (
  title: string,
  options: Guard.Options,
  body: (
    posts: () => ReadonlyArray<Seen>
  ) => Generator<YieldWrap<Effect.Effect<unknown, unknown, Services | Guard.Guard>>, void, never>
) => {
  it.effect(title, () => guarded(options, (posts) => Effect.gen(() => body(posts))))
}

/** An order that rests; its notional is 20 USDT for each LTC. */
const order = (qty: string, more: { readonly price?: string; readonly symbol?: string } = {}) =>
  ({ symbol: Resting.market.symbol, side: "Buy", orderType: "Limit", qty, price: Resting.price, ...more }) as const

const create = (qty: string, more: Parameters<typeof order>[1] = {}) =>
  Effect.gen(function* () {
    const { create } = yield* Orders.Orders
    const orderLinkId = yield* Orders.newOrderLinkId
    return yield* Effect.either(create({ ...order(qty, more), category: "linear", orderLinkId }))
  })

/** The rule of the guard, the tag of any other failure, or `sent`. */
const ended = (outcome: Either.Either<unknown, Failure.WriteFailure>): string =>
  Either.match(outcome, {
    onLeft: (failure) => (failure._tag === "Blocked" ? failure.rule : failure._tag),
    onRight: () => "sent"
  })

const usedToday = (kind: "orders" | "transfers" = "orders") =>
  Effect.flatMap(Guard.Guard, ({ used }) => Effect.map(used(kind, "USDT"), ({ day }) => BigDecimal.format(day)))

describe("a guard", () => {
  test(
    "refuses an order over a cap with both amounts, and sends nothing",
    { orders: { USDT: { largest: "100", perDay: "150" } } },
    function* (posts) {
      const large = yield* Effect.flip(yield* create("6"))
      expect(large._tag === "Blocked" && large.message).toBe(
        "orders.create: blocked by the guard (largest), 120 USDT would exceed the cap of 100 USDT for a single amount"
      )
      expect(ended(yield* create("5"))).toBe("sent")
      const over = yield* Effect.flip(yield* create("3"))
      expect(over._tag === "Blocked" && over.message).toBe(
        "orders.create: blocked by the guard (perDay), 60 USDT would exceed the cap of 150 USDT per day, of which 100 USDT are used"
      )
      expect(posts()).toHaveLength(1)
    }
  )

  test("keeps concurrent writes within a cap", { orders: { USDT: { perHour: "60" } } }, function* (posts) {
    const outcomes = yield* settle(
      Effect.all(
        Array.from({ length: 8 }, () => create("1")),
        { concurrency: "unbounded" }
      )
    )
    expect(outcomes.map(ended).toSorted()).toEqual([
      ...Array<string>(5).fill("perHour"),
      ...Array<string>(3).fill("sent")
    ])
    expect(posts()).toHaveLength(3)
    yield* TestClock.adjust("61 minutes")
    expect(ended(yield* settle(create("3")))).toBe("sent")
  })

  test(
    "counts an amount for the whole hour after its call, and less than a minute longer",
    { orders: { USDT: { perDay: "100" } } },
    function* () {
      const usedInHour = Effect.flatMap(Guard.Guard, ({ used }) =>
        Effect.map(used("orders", "USDT"), ({ hour }) => BigDecimal.format(hour))
      )
      yield* TestClock.adjust("90 seconds")
      expect(ended(yield* create("1"))).toBe("sent")
      yield* TestClock.adjust("3599 seconds")
      expect(yield* usedInHour).toBe("20")
      yield* TestClock.adjust("61 seconds")
      expect(yield* usedInHour).toBe("0")
    }
  )

  test(
    "returns an amount if the service refused, and counts it if the outcome is unknown",
    { orders: { USDT: { perDay: "100" } } },
    function* () {
      const { faults } = yield* Sandbox.Sandbox
      expect(ended(yield* create("1", { price: "20.001" }))).toBe("Rejected")
      expect(yield* usedToday()).toBe("0")
      yield* faults.set([{ fault: { kind: "dropAfter" }, operations: ["orders.create"] }])
      expect(ended(yield* settle(create("1")))).toBe("OutcomeUnknown")
      expect(yield* usedToday()).toBe("20")
    }
  )

  test("returns the amounts of the refused orders of a batch", { orders: { USDT: { perDay: "100" } } }, function* () {
    const { createBatch } = yield* Orders.Orders
    const request = [order("1"), order("1", { price: "20.001" }), order("2")].map((order, index) => ({
      ...order,
      orderLinkId: `batch-${index}`
    }))
    const outcomes = yield* createBatch({ category: "linear", request })
    expect(outcomes.map(ended)).toEqual(["sent", "Rejected", "sent"])
    expect(yield* usedToday()).toBe("60")
    const failure = yield* Effect.flip(createBatch({ category: "linear", request }))
    expect(failure.message).toContain("20.001 USDT of order 1 would exceed the cap of")
  })

  test(
    "allows the listed operations and symbols, and reads",
    { operations: ["orders.create", "orders.cancelAll"], symbols: ["LTCUSDT"] },
    function* (posts) {
      const orders = yield* Orders.Orders
      const positions = yield* Positions.Positions
      expect(ended(yield* create("1", { symbol: "ETHUSDT", price: "100" }))).toBe("symbol")
      expect(
        ended(
          yield* Effect.either(
            positions.setLeverage({ category: "linear", symbol: "LTCUSDT", buyLeverage: "2", sellLeverage: "2" })
          )
        )
      ).toBe("operation")
      expect(posts()).toHaveLength(0)
      expect(ended(yield* create("1"))).toBe("sent")
      expect(ended(yield* Effect.either(orders.cancelAll({ category: "linear", settleCoin: "USDT" })))).toBe("sent")
      yield* orders.open({ category: "linear", symbol: "ETHUSDT" })
    }
  )

  it.effect("stops every write except cancellations while its kill switch is on or unreadable", () =>
    Effect.gen(function* () {
      const ref = yield* SubscriptionRef.make(false)
      yield* guarded({ isStopped: Guard.stopRef(ref) }, () =>
        Effect.gen(function* () {
          expect(ended(yield* create("1"))).toBe("sent")
          yield* SubscriptionRef.set(ref, true)
          expect(ended(yield* create("1"))).toBe("stopped")
          const { cancelAll } = yield* Orders.Orders
          const { list } = yield* cancelAll({ category: "linear", symbol: "LTCUSDT" })
          expect(Option.getOrThrow(list).length).toBeGreaterThan(0)
        })
      )
      yield* guarded({ isStopped: Effect.die("a disk that is gone") }, () =>
        Effect.map(create("1"), (outcome) => {
          expect(ended(outcome)).toBe("stopped")
        })
      )
    })
  )

  /** Runs with a kill switch. `ids`: the orders that have arrived. */
  const switched = <A, E>(
    use: (world: {
      readonly turn: (isOn: boolean) => Effect.Effect<void>
      readonly ids: () => ReadonlyArray<string>
    }) => Effect.Effect<A, E, Services | Guard.Guard>
  ) =>
    Effect.flatMap(SubscriptionRef.make(false), (ref) =>
      guarded({ orders: { USDT: { perDay: "100000" } }, isStopped: Guard.stopRef(ref) }, (posts) =>
        use({
          turn: (isOn) => SubscriptionRef.set(ref, isOn),
          ids: () => posts().map(({ body }) => String(/"orderLinkId":"([^"]*)"/.exec(body)?.[1]))
        })
      )
    )

  it.effect("sends none of the orders that wait for a rate limit when the kill switch is turned on", () =>
    switched(({ ids, turn }) =>
      Effect.gen(function* () {
        const waiting = yield* Effect.fork(
          Effect.all(
            Array.from({ length: 40 }, () => create("1")),
            { concurrency: "unbounded" }
          )
        )
        yield* TestClock.adjust("1200 millis")
        const sent = ids().length
        expect(sent).toBeGreaterThan(0)
        expect(sent).toBeLessThan(40)
        yield* turn(true)
        const outcomes = yield* settle(Fiber.join(waiting))
        expect(ids()).toHaveLength(sent)
        expect(outcomes.map(ended).filter((outcome) => outcome === "stopped")).toHaveLength(40 - sent)
        expect(yield* usedToday()).toBe(String(20 * sent))
      })
    )
  )

  it.effect("repeats nothing when the kill switch is turned on, and reports what can have been executed", () =>
    switched(({ turn }) =>
      Effect.gen(function* () {
        const { faults } = yield* Sandbox.Sandbox
        const { transfer } = yield* Assets.Assets
        const stopping = Effect.provideService(CallOptions.OnRetry, () => turn(true))
        yield* faults.set([{ fault: { kind: "rateRefusal", headers: true }, operations: ["orders.create"], count: 1 }])
        const refused = yield* settle(stopping(create("1")))
        expect(ended(refused)).toBe("stopped")
        yield* turn(false)
        yield* faults.set([{ fault: { kind: "dropAfter" }, operations: ["assets.transfer"], count: 1 }])
        const request = { coin: "USDT", amount: "20", fromAccountType: "FUND", toAccountType: "UNIFIED" } as const
        const lost = transfer({ ...request, requestId: "42c0cfb0-6bca-4242-bc76-4e6df6cbcb11" })
        expect(ended(yield* settle(Effect.either(stopping(lost))))).toBe("OutcomeUnknown")
      })
    )
  )

  it.effect("ends at the limits of a call if the kill switch does not answer", () =>
    guarded({ isStopped: Effect.never }, (posts) =>
      Effect.gen(function* () {
        const limited = Effect.provideService(create("1"), CallOptions.CallTimeout, Duration.seconds(1))
        const [ofCall, ofAttempt] = yield* settle(
          Effect.all([limited, Effect.uninterruptible(create("1"))], { concurrency: "unbounded" })
        )
        expect([ofCall, ofAttempt].map(ended)).toEqual(["ConnectionFailed", "stopped"])
        expect(posts()).toEqual([])
      })
    )
  )

  it.effect("is not built into a transport that would record its writes in another journal", () =>
    Effect.gen(function* () {
      const journals = [yield* WriteJournal.makeMemory(), yield* WriteJournal.makeMemory()] as const
      const [ofGuard, another] = [
        Layer.succeed(WriteJournal.WriteJournal, journals[0]),
        Layer.succeed(WriteJournal.WriteJournal, journals[1])
      ]
      const options = { orders: { USDT: { perDay: "1" } } }
      const guard = Guard.layerJournalled(options).pipe(Layer.provide(ofGuard), Layer.orDie)
      const built = (journal: Layer.Layer<Guard.Guard | WriteJournal.WriteJournal>) =>
        Effect.exit(Effect.scoped(Layer.build(watched({ prices: "still" }).venue.pipe(Layer.provide(journal)))))
      expect(Exit.isSuccess(yield* built(guard))).toBe(true)
      expect(Exit.isSuccess(yield* built(Layer.provideMerge(ofGuard, guard)))).toBe(true)
      const refused = yield* built(Layer.provideMerge(another, guard))
      expect(String(refused)).toContain("provide only the journal of the guard")
    })
  )

  it.scoped("stops writes while a file exists, and after a signal", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = `${yield* fs.makeTempDirectoryScoped()}/STOP`
      const isStopped = yield* Guard.stopFile(file)
      expect(yield* isStopped).toBe(false)
      yield* fs.writeFileString(file, "")
      expect(yield* isStopped).toBe(true)
      const isSignalled = yield* Guard.stopSignal("SIGUSR2")
      expect(yield* isSignalled).toBe(false)
      process.emit("SIGUSR2", "SIGUSR2")
      expect(yield* isSignalled).toBe(true)
    }).pipe(Effect.provide(NodeContext.layer))
  )

  test(
    "sends nothing in a dry run, and counts nothing",
    { dryRun: true, orders: { USDT: { largest: "100" } } },
    function* (posts) {
      expect([ended(yield* create("1")), ended(yield* create("6"))]).toEqual(["dryRun", "largest"])
      expect([posts().length, yield* usedToday()]).toEqual([0, "0"])
    }
  )

  test("counts a repeated transfer with the same id once", { transfers: { USDT: { perDay: "30" } } }, function* () {
    const { transfer } = yield* Assets.Assets
    const move = (digit: number, coin = "USDT") =>
      settle(
        Effect.either(
          transfer({
            requestId: `42c0cfb0-6bca-4242-bc76-4e6df6cbcb1${digit}`,
            coin,
            amount: "20",
            fromAccountType: "FUND",
            toAccountType: "UNIFIED"
          })
        )
      )
    expect(ended(yield* move(1))).toBe("sent")
    expect(["sent", "Rejected"]).toContain(ended(yield* move(1)))
    expect(yield* usedToday("transfers")).toBe("20")
    expect([ended(yield* move(2)), ended(yield* move(3, "BTC"))]).toEqual(["perDay", "unmeasured"])
  })

  test(
    "counts a transfer once, at the larger amount, if it is repeated and the answer is lost",
    { transfers: { USDT: { perDay: "100" } } },
    function* () {
      const { transfer } = yield* Assets.Assets
      const { faults } = yield* Sandbox.Sandbox
      const move = (amount: string) =>
        settle(
          Effect.either(
            transfer({
              ...{ requestId: "42c0cfb0-6bca-4242-bc76-4e6df6cbcb11", coin: "USDT", amount },
              ...{ fromAccountType: "FUND", toAccountType: "UNIFIED" }
            })
          )
        )
      expect(ended(yield* move("20"))).toBe("sent")
      yield* faults.set([{ fault: { kind: "dropAfter" }, operations: ["assets.transfer"] }])
      expect(ended(yield* move("30"))).toBe("OutcomeUnknown")
      expect(yield* usedToday("transfers")).toBe("30")
    }
  )

  it.effect.each(["-1", "much", 5, null])("names a cap that is not decimal text: %j", (perDay) =>
    Effect.map(Effect.flip(Guard.make({ orders: { USDT: { perDay } } } as unknown as Guard.Options)), ({ message }) => {
      expect(message).toBe("guard: orders.USDT.perDay must be decimal text, not negative")
    })
  )

  const priced = [
    ["decimal text", "20", "sent"],
    ["a BigDecimal", BigDecimal.fromBigInt(20n), "sent"],
    ["nothing", undefined, "unmeasured"],
    ["0", "0", "unmeasured"],
    ["no decimal", "20 USDT", "unmeasured"],
    ["a number", 20, "unmeasured"],
    ["an effect", Effect.succeed("20"), "unmeasured"]
  ] as const
  it.effect.each(priced)("of a market order with a marketPrice that returns %s", ([, price, outcome]) => {
    const marketPrice = (() => price) as unknown as NonNullable<Guard.Options["marketPrice"]>
    return guarded({ orders: { USDT: { largest: "100" } }, marketPrice }, () =>
      Effect.gen(function* () {
        const { create } = yield* Orders.Orders
        const market = { category: "linear", symbol: "LTCUSDT", side: "Buy", orderType: "Market", qty: "1" } as const
        expect(ended(yield* Effect.either(create({ ...market, orderLinkId: "market" })))).toBe(outcome)
      })
    )
  })

  it.effect("names a rule that is misspelt, in a file that no compiler has read", () =>
    Effect.gen(function* () {
      const read: Guard.Options = JSON.parse('{"orders":{"USDT":{"perhour":"5"}}}')
      const cap = yield* Effect.flip(Guard.make(read))
      expect(cap.message).toBe("guard: orders.USDT.perhour is not a rule: did you mean perHour?")
      const option = yield* Effect.flip(Guard.make({ ...JSON.parse('{"order":{}}') }))
      expect(option.message).toBe("guard: order is not a rule: did you mean orders?")
      const far = yield* Effect.flip(Guard.make({ ...JSON.parse('{"caps":{}}') }))
      expect(far.message).toContain("guard: caps is not a rule: use operations, symbols, orders, transfers")
    })
  )

  it.effect("counts a transfer that a later process repeats with its id once, at the larger amount", () =>
    Effect.gen(function* () {
      const storage = WriteJournal.memoryStorage()
      const process = (amount: string) => {
        const { venue } = watched({ prices: "still" })
        const layer = venue.pipe(
          Layer.provideMerge(Layer.orDie(Guard.layerJournalled({ transfers: { USDT: { perDay: "100" } } }))),
          Layer.provide(Layer.effect(WriteJournal.WriteJournal, WriteJournal.makeMemory(storage)))
        )
        const move = Effect.flatMap(Assets.Assets, ({ transfer }) =>
          transfer({
            ...{ requestId: "42c0cfb0-6bca-4242-bc76-4e6df6cbcb11", coin: "USDT", amount },
            ...{ fromAccountType: "FUND", toAccountType: "UNIFIED" }
          })
        )
        return onThatDay(layer, Effect.zipRight(settle(Effect.either(move)), usedToday("transfers")))
      }
      expect([yield* process("20"), yield* process("20"), yield* process("30")]).toEqual(["20", "20", "30"])
    })
  )

  it.scoped("keeps its used amounts after its process is killed", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      /** A process that is killed after its writes: nothing is closed before the next one begins. */
      const process = <A, E>(use: Effect.Effect<A, E, Services | Guard.Guard>) =>
        Effect.gen(function* () {
          const journal = yield* FileWriteJournal.make({ folder })
          const { venue } = watched({ prices: "still" })
          const layer = venue.pipe(
            Layer.provideMerge(Layer.orDie(Guard.layerJournalled({ orders: { USDT: { perDay: "100" } } }))),
            Layer.provide(Layer.succeed(WriteJournal.WriteJournal, journal))
          )
          return yield* onThatDay(layer, use)
        })
      expect(ended(yield* process(create("2")))).toBe("sent")
      expect(ended(yield* process(create("2")))).toBe("sent")
      yield* process(
        Effect.gen(function* () {
          expect(yield* usedToday()).toBe("80")
          expect([ended(yield* create("2")), ended(yield* create("1"))]).toEqual(["perDay", "sent"])
        })
      )
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
