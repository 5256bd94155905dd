import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Either, FastCheck as fc } from "effect"
import type { Amount } from "../src/attempt/callState.js"
import { amountsOf, type Write } from "../src/guard/amounts.js"
import { day, hour, Totals } from "../src/guard/totals.js"

const decimal = BigDecimal.unsafeFromString

const measures = {
  currencies: ["USDT", "USDC", "USD", "T"],
  coins: ["USDT", "BTC"],
  marketPrice: (symbol: string) => (symbol === "ETHUSDT" ? decimal("3000") : undefined)
}

const write = (operation: string, parameters: Write["parameters"], movesFunds = false): Write => ({
  operation,
  parameters,
  movesFunds
})

/** The amounts as text, or why they are not known. */
const shown = (write: Write): string =>
  Either.match(amountsOf(write, measures), {
    onLeft: ({ detail, index }) => `${index}: ${detail}`,
    onRight: (amounts) =>
      amounts.map(({ index, kind, unit, value }) => `${index} ${kind} ${BigDecimal.format(value)} ${unit}`).join(", ")
  })

const limit = { symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "0.5", price: "60000" }
const market = { symbol: "BTCUSDT", side: "Buy", orderType: "Market", qty: "0.5" }
const noPrice = "an order without a price has no notional: give the guard a marketPrice, or the order a price"
const noRest = "the guard does not know the rest of the order: amend qty and price together"

const table: ReadonlyArray<readonly [name: string, write: Write, amounts: string]> = [
  ["quantity times price", write("orders.create", { ...limit, category: "linear" }), "0 orders 30000 USDT"],
  [
    "the quantity of inverse contracts",
    write("orders.create", { ...limit, symbol: "BTCUSD", category: "inverse", qty: "700" }),
    "0 orders 700 USD"
  ],
  [
    "the quantity of a spot order in quote coin",
    write("orders.create", { ...market, category: "spot", qty: "250" }),
    "0 orders 250 USDT"
  ],
  [
    "the same of one that names its unit",
    write("orders.create", { ...market, category: "spot", side: "Sell", marketUnit: "quoteCoin", qty: "250" }),
    "0 orders 250 USDT"
  ],
  [
    "nothing for a spot market order in base coin without a price",
    write("orders.create", { ...market, category: "spot", side: "Sell" }),
    `0: ${noPrice}`
  ],
  [
    "the trigger price of a conditional order",
    write("orders.create", { ...market, category: "linear", triggerPrice: "50000" }),
    "0 orders 25000 USDT"
  ],
  [
    "the market price of a market order",
    write("orders.create", { ...market, category: "linear", symbol: "ETHUSDT" }),
    "0 orders 1500 USDT"
  ],
  [
    "nothing for a market order of another symbol",
    write("orders.create", { ...market, category: "linear" }),
    `0: ${noPrice}`
  ],
  [
    "the longest currency that the symbol ends with",
    write("orders.create", { ...limit, category: "spot", symbol: "BTCUSDC" }),
    "0 orders 30000 USDC"
  ],
  [
    "nothing for a currency without a cap",
    write("orders.create", { ...limit, category: "spot", symbol: "BTCEUR" }),
    "0: no cap of orders is for the quote coin of BTCEUR"
  ],
  [
    "each order of a batch",
    write("orders.createBatch", { category: "linear", request: [limit, { ...limit, qty: "2" }] }),
    "0 orders 30000 USDT, 1 orders 120000 USDT"
  ],
  [
    "the place of the order that is not known",
    write("orders.createBatch", { category: "linear", request: [limit, market] }),
    `1: ${noPrice}`
  ],
  [
    "an amended order in full",
    write("orders.amend", { category: "linear", symbol: "BTCUSDT", orderId: "1", qty: "2", price: "10" }),
    "0 orders 20 USDT"
  ],
  [
    "nothing for half of an amended order",
    write("orders.amend", { category: "linear", symbol: "BTCUSDT", orderId: "1", price: "10" }),
    `0: ${noRest}`
  ],
  [
    "no amount for a change of stops",
    write("orders.amend", { category: "linear", symbol: "BTCUSDT", orderId: "1", takeProfit: "9" }),
    ""
  ],
  [
    "no amount for another price of inverse contracts",
    write("orders.amend", { category: "inverse", symbol: "BTCUSD", orderId: "1", price: "9" }),
    ""
  ],
  [
    "only the orders of a batch that change",
    write("orders.amendBatch", {
      category: "linear",
      request: [
        { symbol: "BTCUSDT", orderId: "1", stopLoss: "1" },
        { symbol: "BTCUSDT", orderId: "2", qty: "3", price: "2" }
      ]
    }),
    "1 orders 6 USDT"
  ],
  ["no amount for a cancel", write("orders.cancel", { category: "linear", symbol: "BTCUSDT", orderId: "1" }), ""],
  ["a transfer", write("assets.transfer", { coin: "BTC", amount: "0.1" }, true), "0 transfers 0.1 BTC"],
  [
    "nothing for a coin without a cap",
    write("assets.transfer", { coin: "ETH", amount: "0.1" }, true),
    "0: no cap of transfers is for ETH"
  ],
  [
    "nothing for an operation of the application that moves funds unread",
    write("assets.sweep", { to: "x" }, true),
    "0: it has no coin and amount in decimal text"
  ]
]

describe("the amount of a write is", () => {
  it.each(table)("%s", (_, write, amounts) => {
    expect(shown(write)).toBe(amounts)
  })

  it("nothing without caps", () => {
    const free = { ...measures, currencies: undefined, coins: undefined }
    expect(amountsOf(write("orders.create", { ...market, category: "linear" }), free)).toEqual(Either.right([]))
    expect(amountsOf(write("assets.transfer", { coin: "ETH", amount: "1" }, true), free)).toEqual(Either.right([]))
  })
})

/** A step of a program: a write, the end of an earlier one, or a wait. */
type Step =
  | { readonly _tag: "reserve"; readonly values: ReadonlyArray<number>; readonly id: number | undefined }
  | { readonly _tag: "settle"; readonly which: number; readonly releases: number }
  | { readonly _tag: "wait"; readonly millis: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constant("reserve" as const),
      values: fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 3 }),
      id: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined })
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constant("settle" as const),
      which: fc.nat(5),
      releases: fc.integer({ min: 0, max: 7 })
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      _tag: fc.constant("wait" as const),
      millis: fc.oneof(fc.integer({ min: 0, max: hour }), fc.integer({ min: 0, max: day }))
    })
  }
)

const caps = { largest: 50, perHour: 100, perDay: 150 }

/** A write of the model. */
interface Counted {
  readonly id: string | undefined
  parts: ReadonlyArray<{ readonly index: number; readonly value: number }>
  endedAt: number | undefined
  /** The place among all that have ended. */
  order: number
}

const model = () => {
  let all: Array<Counted> = []
  const sum = (now: number, span: number, without?: Counted) =>
    all
      .filter((each) => each !== without && (each.endedAt === undefined || each.endedAt > now - span))
      .flatMap(({ parts }) => parts)
      .reduce((total, { value }) => total + value, 0)
  return {
    sum,
    allows: (values: ReadonlyArray<number>, replaced: Counted | undefined, now: number) => {
      let added = 0
      return values.every((value) => {
        const fits =
          value <= caps.largest &&
          sum(now, hour, replaced) + added + value <= caps.perHour &&
          sum(now, day, replaced) + added + value <= caps.perDay
        added += value
        return fits
      })
    },
    ended: (id: string) =>
      all
        .filter((each) => each.id === id && each.endedAt !== undefined && each.parts.length > 0)
        .toSorted((one, other) => one.order - other.order)
        .at(-1),
    add: (counted: Counted, replaced: Counted | undefined) => {
      all = [...all.filter((each) => each !== replaced), counted]
    }
  }
}

const amountsFrom = (values: ReadonlyArray<number>): ReadonlyArray<Amount> =>
  values.map((value, index) => ({ kind: "orders", unit: "USDT", value: BigDecimal.fromBigInt(BigInt(value)), index }))

describe("the totals of a guard", () => {
  it("never exceed a cap, and refuse nothing that fits, for any sequence of writes, settlements and repetitions", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const totals = new Totals({
          orders: { USDT: { largest: decimal("50"), perHour: decimal("100"), perDay: decimal("150") } },
          transfers: {}
        })
        const expected = model()
        const running: Array<{ counted: Counted; reservation: Parameters<Totals["settle"]>[0] }> = []
        let now = 1_000
        let endings = 0
        for (const each of steps) {
          if (each._tag === "wait") now += each.millis
          else if (each._tag === "reserve") {
            const id = each.id === undefined ? undefined : `id-${each.id}`
            const replaced = id === undefined ? undefined : expected.ended(id)
            const result = totals.reserve(amountsFrom(each.values), id, now)
            expect(Either.isRight(result)).toBe(expected.allows(each.values, replaced, now))
            if (Either.isLeft(result)) continue
            const counted: Counted = {
              id,
              parts: each.values.map((value, index) => ({ index, value })),
              endedAt: undefined,
              order: 0
            }
            expected.add(counted, replaced)
            running.push({ counted, reservation: result.right })
          } else {
            const [ended] = running.splice(each.which % Math.max(running.length, 1), 1)
            if (ended === undefined) continue
            const isReleased = (index: number) => (each.releases & (1 << index)) !== 0
            totals.settle(ended.reservation, isReleased, now)
            ended.counted.parts = ended.counted.parts.filter(({ index }) => !isReleased(index))
            ended.counted.endedAt = now
            ended.counted.order = ++endings
          }
          const used = totals.used("orders", "USDT", now)
          expect(BigDecimal.format(used.hour)).toBe(String(expected.sum(now, hour)))
          expect(BigDecimal.format(used.day)).toBe(String(expected.sum(now, day)))
          expect(BigDecimal.lessThanOrEqualTo(used.hour, decimal("100"))).toBe(true)
          expect(BigDecimal.lessThanOrEqualTo(used.day, decimal("150"))).toBe(true)
        }
      }),
      { numRuns: 10_000 }
    )
  })

  it("drop amounts of old writes, and keep those in flight", () => {
    const totals = new Totals({ orders: {}, transfers: {} })
    const under = Either.getOrThrow(totals.reserve(amountsFrom([1]), undefined, 0))
    for (let at = 0; at < 5_000; at++) {
      totals.settle(Either.getOrThrow(totals.reserve(amountsFrom([10]), undefined, at)), () => false, at)
    }
    expect(BigDecimal.format(totals.used("orders", "USDT", day + 4_998).day)).toBe("11")
    totals.settle(under, () => false, day + 5_000)
    expect(BigDecimal.format(totals.used("orders", "USDT", day + 5_000).day)).toBe("1")
  })
})
