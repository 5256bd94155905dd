import { SandboxControl } from "@effect-venue/sandbox/Control"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Seed from "@effect-venue/sandbox/siblings/Seed"
import * as StateText from "@effect-venue/sandbox/State"
import type * as Exchange from "@effect-venue/sandbox/siblings/Exchange"
import { addEqualityTesters, describe, expect, it } from "@effect/vitest"
import { BigDecimal, DateTime, Effect, Either, Option, Redacted, TestClock } from "effect"
import * as Advance from "../src/engine/advance.js"
import { invariants } from "./utils/invariants.js"
import * as Raw from "./utils/raw.js"
import { RecordList } from "../src/state/recordList.js"

addEqualityTesters()

const world = Seed.make({ seed: 3, now: 1_770_000_000_000 }).state

const empty = Seed.make({ seed: 3, now: 1_770_000_000_000, world: "empty" }).state

const few = <A>(records: RecordList<A>): RecordList<A> => RecordList.from(records.slice(0, 3))

const perCategory = <A>({ inverse, linear, spot }: Exchange.PerCategory<A>): Exchange.PerCategory<A> => ({
  spot: few(spot),
  linear: few(linear),
  inverse: few(inverse)
})

// A few of each kind of record show all there is.
const seeded: Exchange.State = {
  ...world,
  accounts: new Map(
    Array.from(world.accounts.values())
      .filter(({ uid }) => uid === Seed.uids.main)
      .map((account) => [
        account.uid,
        {
          ...account,
          closedOrders: few(account.closedOrders),
          preUpgradeOrders: few(account.preUpgradeOrders),
          executions: perCategory(account.executions),
          preUpgradeExecutions: perCategory(account.preUpgradeExecutions),
          closedPnl: perCategory(account.closedPnl),
          preUpgradeClosedPnl: perCategory(account.preUpgradeClosedPnl)
        }
      ])
  )
}

const read = (text: string): Exchange.State => Either.getOrThrow(StateText.parse(text))

const withFuture = (future: unknown): Exchange.State => ({ ...seeded, future }) as Exchange.State

const future = (state: Exchange.State): unknown => Object.getOwnPropertyDescriptor(state, "future")?.value

describe("StateFile", () => {
  it("restores a state exactly", () => {
    const text = StateText.print(seeded)
    const back = read(text)
    expect(StateText.print(back)).toBe(text)
    expect(back).toEqual(seeded)
  })

  it("preserves the scale of decimals, every kind of absent value, and values without a JSON form", () => {
    const values = {
      decimals: ["0.00", "-1.50", "0", "123456789012345678901234567890.1"].map(BigDecimal.unsafeFromString),
      coarse: BigDecimal.make(15n, -3),
      tiny: BigDecimal.make(1n, 400),
      nothing: Option.none(),
      nested: Option.some(Option.none()),
      instant: DateTime.unsafeMake(-1),
      map: new Map<unknown, unknown>([[1, new Map([["a", undefined]])]]),
      secret: Redacted.make("hush"),
      big: 12345678901234567890n,
      numbers: [Number.NaN, Infinity, -Infinity, -0, 0, 1e-7],
      odd: { $decimal: "not one", undefined: undefined },
      tagged: { $some: 1 },
      list: []
    }
    const back = future(read(StateText.print(withFuture(values)))) as typeof values
    expect(back).toEqual(values)
    expect(back.coarse).toMatchObject({ value: 15n, scale: -3 })
    expect(back.tiny).toMatchObject({ value: 1n, scale: 400 })
    expect(back.decimals.map(({ scale }) => scale)).toEqual([2, 2, 0, 1])
    expect(Redacted.value(back.secret)).toBe("hush")
    expect(Object.is(back.numbers[3], -0)).toBe(true)
    expect("undefined" in back.odd).toBe(true)
  })

  it("fails to write values that a state cannot contain", () => {
    expect(() => StateText.print(withFuture(() => 1))).toThrow("A state holds no function")
    expect(() => StateText.print(withFuture(new Date(0)))).toThrow("A state holds no Date")
  })

  const text = StateText.print(seeded)
  const damaged: ReadonlyArray<readonly [what: string, text: string, path: string, reason: RegExp]> = [
    ["nothing", "", "", /is not JSON/],
    ["a text that was cut off", text.slice(0, text.length / 2), "", /is not JSON/],
    ["other JSON", "{}", "format", /missing/],
    ["another version", text.replace('"version":1', '"version":2'), "version", /Expected 1, actual 2/],
    ["no state", '{"format":"effect-venue sandbox state","version":1,"state":[]}', "state", /Expected/],
    [
      "a decimal that is none",
      text.replace(/"tickSize":\{"\$decimal":"[^"]*"\}/, '"tickSize":{"$decimal":"a lot"}'),
      "state.listings.0.instrument.priceFilter.tickSize",
      /must be decimal text/
    ],
    [
      "an unknown kind of value",
      text.replace(/"tickSize":\{"\$decimal"/, '"tickSize":{"$matrix"'),
      "state.listings.0.instrument.priceFilter.tickSize",
      /not a kind of value/
    ],
    [
      "an account's record that lacks a field",
      text.replace('"execId"', '"execld"'),
      "state.accounts.10000001.executions.spot.0.execId",
      /missing/
    ],
    [
      "an account's address of mail that is none",
      text.replace(/"email":"[^"]*"/, '"email":1'),
      "state.accounts.10000001.email",
      /Expected string/
    ],
    [
      "a market maker that is none",
      text.replace('"marketMaker":{"balances":{"$map"', '"marketMaker":{"balances":{"$object"'),
      "state.marketMaker.balances",
      /Map/
    ],
    [
      "a held price as text",
      text.replace('"pinned":{"$map":[]}', '"pinned":{"$map":[["linear:BTCUSDT","1"]]}'),
      "state.pinned.0.1",
      /BigDecimal/
    ],
    [
      "an instant that is none",
      text.replace(/"advancedAt":\d+/, '"advancedAt":"now"'),
      "state.advancedAt",
      /Expected number/
    ],
    [
      "an account without its closed orders",
      text.replace('"closedOrders":', '"closed":'),
      "state.accounts.10000001.closedOrders",
      /missing/
    ],
    [
      "a price as a number",
      text.replace(/"lastPrice":\{[^}]*\}/, '"lastPrice":1'),
      "state.listings.0.lastPrice",
      /BigDecimal/
    ]
  ]
  for (const [what, text, path, reason] of damaged) {
    it(`reports position and reason if it cannot read ${what}`, () => {
      const failure = Either.getOrThrow(Either.flip(StateText.parse(text)))
      expect(failure._tag).toBe("StateFileInvalid")
      expect(failure.path).toBe(path)
      expect(failure.reason).toMatch(reason)
    })
  }
})

const transfer = (amount: string) =>
  Raw.post("/private/v1/asset/transfer/single-account-transfer", {
    requestId: "42c0cfb0-6bca-c242-bc76-4e6df6cbcb16",
    coin: "USDT",
    amount,
    fromAccountType: "FUND",
    toAccountType: "UNIFIED"
  })

describe("a world after trading", () => {
  it.effect("is restored exactly, with balanced books", () =>
    Effect.gen(function* () {
      const control = yield* SandboxControl
      const btc = { category: "linear", symbol: "BTCUSDT" } as const
      const order = (parameters: Readonly<Record<string, unknown>>) =>
        Effect.map(Raw.post("/cloud/trade/v3/order/create", { ...btc, ...parameters }), ({ code }) =>
          expect(code).toBe(0)
        )
      yield* control.reset
      yield* control.setPrice({ ...btc, price: "50000" })
      yield* control.deposit({ uid: Seed.uids.main, coin: "USDT", amount: "1000000" })
      const { code } = yield* transfer("1000000")
      expect(code).toBe(0)
      yield* order({ symbol: "ETHUSDT", side: "Buy", orderType: "Market", qty: "1" })
      yield* order({ side: "Buy", orderType: "Market", qty: "0.1", takeProfit: "51000", stopLoss: "49000" })
      yield* order({ side: "Buy", orderType: "Limit", qty: "0.1", price: "40000" })
      yield* control.deposit({ uid: Seed.uids.main, coin: "USDT", amount: "5", takes: "1 hour" })
      yield* control.grant({ uid: Seed.uids.sub, award: "coupon", coin: "USDT", amount: "1" })
      yield* control.setPrice({ ...btc, price: "51500" })
      yield* control.restart
      yield* TestClock.adjust("10 minutes")
      yield* control.liquidate({ uid: Seed.uids.main, category: "linear", symbol: "ETHUSDT" })

      const state = yield* control.snapshot
      const text = StateText.print(state)
      const back = read(text)
      expect(StateText.print(back) === text).toBe(true)
      expect(back.pinned).toEqual(state.pinned)
      expect(back.pending).toEqual(state.pending)
      expect(state.pending).toHaveLength(1)
      expect([back.advancedAt, back.restartedAt]).toEqual([state.advancedAt, state.restartedAt])
      expect(back.marketMaker.balances.size).toBeGreaterThan(0)
      expect(invariants(state)).toEqual([])
      expect(invariants(back)).toEqual([])
      // What the books are judged by is in the text too.
      expect(invariants({ ...back, marketMaker: { balances: new Map() } })).not.toEqual([])

      yield* control.restore(back)
      yield* order({ side: "Sell", orderType: "Market", qty: "0.1" })
      yield* TestClock.adjust("2 hours")
      const later = yield* control.snapshot
      expect(later.pending).toEqual([])
      expect(invariants(later)).toEqual([])
    }).pipe(Effect.provide(Sandbox.layer({ state: empty })), (test) =>
      Effect.zipRight(TestClock.setTime(1_780_000_000_000), test)
    )
  )

  it.effect("can freeze its prices, and moves them again from their last level", () =>
    Effect.gen(function* () {
      const later = 1_770_000_000_000 + 100 * 86_400_000
      yield* TestClock.setTime(later)
      const at = (state: Exchange.State) => state.listings.map(({ indexPrice }) => BigDecimal.format(indexPrice))
      const prices = (options: Sandbox.Options, millis: number) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(later)
          const sandbox = yield* Sandbox.make(options)
          yield* TestClock.adjust(millis)
          return yield* sandbox.snapshot
        })
      const moved = Advance.advance({ ...world, accounts: new Map() }, later)
      expect(at(moved)).not.toEqual(at(world))
      const still = yield* prices({ state: moved, prices: "still" }, 86_400_000)
      expect(at(still)).toEqual(at(moved))
      const again = yield* prices({ state: still, prices: "moving" }, 0)
      expect(at(again)).toEqual(at(moved))
      expect(at(yield* prices({ state: still, prices: "moving" }, 86_400_000))).not.toEqual(at(moved))
    })
  )
})

describe("a sandbox from a state", () => {
  const transfers = "/private/v1/asset/transfer/list"

  it.effect("continues where the saved sandbox stopped, with the same keys", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_770_000_000_001)
      const text = yield* Effect.gen(function* () {
        const moved = yield* transfer("1.50")
        expect(moved.code).toBe(0)
        const sandbox = yield* Sandbox.Sandbox
        return StateText.print(yield* sandbox.snapshot)
      }).pipe(Effect.provide(Sandbox.layer({ state: seeded })))

      const state = read(text)
      yield* Effect.gen(function* () {
        const sandbox = yield* Sandbox.Sandbox
        expect(yield* sandbox.snapshot).toBe(state)
        const { json } = yield* Raw.call(transfers, {})
        expect(json.result.list[0]).toMatchObject({ coin: "USDT", amount: "1.5", status: "SUCCESS" })
      }).pipe(Effect.provide(Sandbox.layer({ state })))
    })
  )

  it.effect("stands at least at the instant of its state, which was saved with a clock that had been moved ahead", () =>
    Effect.gen(function* () {
      const saved = yield* Effect.gen(function* () {
        const control = yield* SandboxControl
        yield* control.setClock({ by: "8 hours" })
        return yield* control.snapshot
      }).pipe(Effect.provide(Sandbox.layer({ state: seeded })))

      yield* Effect.gen(function* () {
        const control = yield* SandboxControl
        expect((yield* control.clock).now).toBe(saved.advancedAt)
        yield* control.reset
        expect((yield* control.snapshot).advancedAt).toBe(saved.advancedAt)
        yield* control.restore({ ...saved, advancedAt: saved.advancedAt + 3_600_000 })
        expect((yield* control.clock).now).toBe(saved.advancedAt + 3_600_000)
      }).pipe(Effect.provide(Sandbox.layer({ state: saved })))
    })
  )
})
