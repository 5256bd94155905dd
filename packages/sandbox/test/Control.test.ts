import { type ControlRefused, SandboxControl } from "@effect-venue/sandbox/Control"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Seed from "@effect-venue/sandbox/siblings/Seed"
import type * as Exchange from "@effect-venue/sandbox/siblings/Exchange"
import * as StateText from "@effect-venue/sandbox/State"
import * as Decimal from "@effect-venue/schemas/Decimal"
import type * as Credentials from "@effect-venue/signing/Credentials"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Effect, Option, Redacted, TestClock } from "effect"
import { invariants } from "./utils/invariants.js"
import * as Raw from "./utils/raw.js"
import { testsIn } from "./utils/tests.js"

const wallet = "/cloud/trade/v3/account/wallet-balance"
const deposits = "/private/v1/asset/deposit/query-record"
const transfer = "/private/v1/asset/transfer/single-account-transfer"

const balance = (credentials: Credentials.Credentials.Shape, coin: string) =>
  Effect.map(
    Raw.call(wallet, { accountType: "UNIFIED", coin }, { credentials }),
    ({ json }): string => json.result.list[0].coin[0].walletBalance
  )

const move = (credentials: Credentials.Credentials.Shape) =>
  Raw.post(
    transfer,
    {
      requestId: "42c0cfb0-6bca-c242-bc76-4e6df6cbcb16",
      coin: "USDT",
      amount: "1",
      fromAccountType: "FUND",
      toAccountType: "UNIFIED"
    },
    { credentials }
  )

// What an answer holds is looked at as it is.
type Row = Record<string, string>

const ltc = { category: "linear", symbol: "LTCUSDT" } as const

const test = testsIn(Sandbox.layer({ seed: 5 }))

describe("SandboxControl", () => {
  test("opens any number of accounts, each with a separate key and money", function* () {
    const control = yield* SandboxControl
    const opened = yield* Effect.forEach(Array.from({ length: 20 }), (_, index) =>
      control.openAccount({ funds: { USDT: `${index}.50`, BTC: "1" } })
    )
    expect(new Set(opened.map(({ uid }) => uid)).size).toBe(20)
    expect(new Set(opened.map(({ apiSecret }) => Redacted.value(apiSecret))).size).toBe(20)
    for (const [index, credentials] of opened.entries()) {
      expect(credentials.baseUrl).toBe(Sandbox.baseUrl)
      expect(yield* balance(credentials, "USDT")).toBe(`${index}.5`)
      expect(yield* balance(credentials, "BTC")).toBe("1")
    }
    // The money has come from somewhere.
    const [, credentials = opened[0]] = opened
    if (credentials === undefined) return yield* Effect.dieMessage("no account")
    const { json } = yield* Raw.call(deposits, { coin: "USDT" }, { credentials })
    expect(json.result.rows).toMatchObject([{ coin: "USDT", amount: "1.5", status: "1" }])
  })

  test("opens a sub-account with a chosen UID", function* () {
    const control = yield* SandboxControl
    const master = yield* control.openAccount({ uid: "77", institutional: true })
    const sub = yield* control.openAccount({ uid: "78", master: "77", unified: false, funds: { USDT: "2" } })
    const { accounts } = yield* control.snapshot
    expect(accounts.get("78")).toMatchObject({ unified: false, institutional: true })
    expect(accounts.get("78")?.masterUid).toEqual(Option.some("77"))
    expect(accounts.get("78")?.wallets.CONTRACT.has("USDT")).toBe(true)
    const refused = [
      [control.openAccount({ uid: "77" }), "Conflict", "uid"],
      [control.openAccount({ master: "78" }), "NotPossible", "master"],
      [control.openAccount({ master: "79" }), "NotFound", "master"],
      [control.openAccount({ funds: { NOPE: "1" } }), "NotFound", "funds"],
      [control.openAccount({ funds: { USDT: "-1" } }), "InvalidArgument", "funds.USDT"],
      [control.openAccount({ uid: "me" }), "InvalidArgument", "uid"]
    ] as const
    for (const [command, reason, field] of refused) {
      expect(yield* Effect.flip(command)).toMatchObject({
        _tag: "ControlRefused",
        command: "openAccount",
        reason,
        field
      })
    }
    expect((yield* control.snapshot).accounts.size).toBe(accounts.size)
    expect([master.uid, sub.uid]).toEqual(["77", "78"])
  })

  test("creates keys that can only read, or that expire", function* () {
    const control = yield* SandboxControl
    const { uid } = yield* control.openAccount()
    yield* control.deposit({ uid, coin: "USDT", amount: "10" })
    const readOnly = yield* control.openKey({ uid, readOnly: true })
    expect((yield* move(readOnly)).code).toBe(10005)
    const expiring = yield* control.openKey({ uid, expiresAt: 1000 })
    expect((yield* move(expiring)).code).toBe(0)
    yield* TestClock.setTime(1000)
    expect((yield* move(expiring)).code).toBe(33004)
    const failure = yield* Effect.flip(control.openKey({ uid: "404" }))
    expect(failure.message).toBe("openKey: uid has no account: 404")
  })

  test("bans an account, and lifts the ban", function* () {
    const control = yield* SandboxControl
    const credentials = yield* control.openAccount({ wallet: "FUND", funds: { USDT: "5" } })
    yield* control.banAccount({ uid: credentials.uid })
    expect((yield* move(credentials)).code).toBe(131208)
    const order = { ...ltc, side: "Buy", orderType: "Market", qty: "1" }
    expect((yield* Raw.post("/cloud/trade/v3/order/create", order, { credentials })).code).toBe(10027)
    const withdrawal = { requestId: "w1", coin: "USDT", addressType: 3, address: "20000001", amount: "1" }
    expect((yield* Raw.post("/private/v1/asset/withdraw/inner-create", withdrawal, { credentials })).code).toBe(131090)
    yield* control.banAccount({ uid: credentials.uid, banned: false })
    yield* TestClock.adjust("1 second")
    expect((yield* move(credentials)).code).toBe(0)
  })

  test("deposits coins, with a record that the account can query", function* () {
    const control = yield* SandboxControl
    const credentials = yield* control.openAccount()
    const { uid } = credentials
    const { transactionId } = yield* control.deposit({ uid, coin: "USDT", amount: "12.50", chain: "ETH" })
    const { json } = yield* Raw.call(deposits, { coin: "USDT" }, { credentials })
    expect(json.result.rows).toMatchObject([
      { coin: "USDT", chain: "ETH", amount: "12.5", status: "1", transaction_id: transactionId }
    ])
    expect((yield* move(credentials)).code).toBe(0)
    const refused = [
      [{ uid, coin: "USDT", amount: "0" }, "InvalidArgument", "amount"],
      [{ uid, coin: "USDT", amount: "1", chain: "MOON" }, "NotFound", "chain"],
      [{ uid, coin: "NOPE", amount: "1" }, "NotFound", "coin"]
    ] as const
    for (const [options, reason, field] of refused) {
      expect(yield* Effect.flip(control.deposit(options))).toMatchObject({ reason, field })
    }
  })

  test("saves and restores the world, and resets it", function* () {
    const control = yield* SandboxControl
    const before = yield* control.snapshot
    const credentials = yield* control.openAccount({ funds: { USDT: "3" } })
    const kept = yield* control.snapshot
    yield* control.reset
    expect(yield* control.snapshot).toBe(before)
    expect((yield* Raw.call(wallet, { accountType: "UNIFIED" }, { credentials })).code).toBe(10003)
    yield* control.restore(kept)
    expect(yield* balance(credentials, "USDT")).toBe("3")
    // The same command in the same state gives the same key.
    yield* control.reset
    expect((yield* control.openAccount({ funds: { USDT: "3" } })).apiKey).toEqual(credentials.apiKey)
  })

  test("keeps the books balanced after deposits and grants", function* () {
    const control = yield* SandboxControl
    const one = yield* control.openAccount({ funds: { USDT: "1.50", BTC: "2", LTC: "3" } })
    const other = yield* control.openAccount({ unified: false, wallet: "SPOT", funds: { USDT: "7" } })
    yield* control.deposit({ uid: one.uid, coin: "USDT", amount: "10" })
    yield* control.deposit({ uid: one.uid, coin: "USDT", amount: "20", from: other.uid, takes: "1 minute" })
    yield* control.deposit({ uid: other.uid, coin: "USDT", amount: "30", takes: 60_000, fails: true })
    yield* control.grant({ uid: one.uid, award: "bonus", coin: "USDT", amount: "5" })
    yield* control.grant({ uid: one.uid, award: "coupon", coin: "USDT", amount: "4" })
    const amounts = Effect.map(control.snapshot, (state) => {
      expect(invariants(state)).toEqual([])
      return [one, other].map(({ uid }) =>
        Object.entries(state.accounts.get(uid)?.wallets ?? {}).flatMap(([type, wallet]) =>
          Array.from(wallet, ([coin, amount]) => `${type} ${coin} ${Decimal.format(amount)}`)
        )
      )
    })
    expect(yield* amounts).toEqual([
      ["UNIFIED USDT 6.50", "UNIFIED BTC 2", "UNIFIED LTC 3", "FUND USDT 10", "FUND BTC 0", "FUND LTC 0"],
      ["FUND USDT 0", "SPOT USDT 7"]
    ])
    yield* TestClock.adjust("1 minute")
    expect((yield* amounts)[0]).toContain("FUND USDT 30")
    const { json } = yield* Raw.call(deposits, { type: 2 }, { credentials: one })
    expect(json.result.rows.map(({ coin, status, type }: Row) => `${coin} ${status} ${type}`).sort()).toEqual([
      "BTC 1 0",
      "LTC 1 1",
      "USDT 1 0",
      "USDT 1 0",
      "USDT 1 1"
    ])
    expect((yield* control.snapshot).accounts.get(one.uid)?.transfers.map(({ coin }) => coin)).toEqual([
      "USDT",
      "BTC",
      "LTC"
    ])
  })

  test("sets prices, and triggers and fills orders that wait for them", function* () {
    const control = yield* SandboxControl
    const trader = yield* control.openAccount({ funds: { USDT: "100000" } })
    const { uid } = trader
    const place = (parameters: Record<string, string | number>) =>
      Effect.map(
        Raw.post("/cloud/trade/v3/order/create", { ...ltc, ...parameters }, { credentials: trader }),
        (one) => {
          expect(one.code).toBe(0)
          return String(one.json.result.orderId)
        }
      )
    const list = (path: string, parameters: Row = {}) =>
      Effect.map(
        Raw.call(`/cloud/trade/v3/${path}`, { ...ltc, ...parameters }, { credentials: trader }),
        ({ json }): ReadonlyArray<Row> => json.result.list
      )
    const position = Effect.map(list("position/list"), ([first]) => first)
    const sound = Effect.map(control.snapshot, (state) => expect(invariants(state)).toEqual([]))

    yield* control.setPrice({ ...ltc, price: "100" })
    const waiting = yield* place({
      side: "Buy",
      orderType: "Market",
      qty: "5",
      triggerPrice: "110",
      triggerDirection: 1
    })
    const resting = yield* place({ side: "Buy", orderType: "Limit", qty: "3", price: "90" })
    yield* TestClock.adjust("1 hour")
    expect(yield* position).toMatchObject({ markPrice: "100", size: "0" })
    yield* control.setPrice({ ...ltc, price: "110" })
    expect(yield* position).toMatchObject({ side: "Buy", size: "5" })
    yield* control.fill({ orderId: resting, qty: "1" })
    expect(yield* position).toMatchObject({ size: "6" })
    yield* control.fill({ orderId: resting, price: "89" })
    expect(yield* position).toMatchObject({ size: "8" })
    expect(yield* Effect.flip(control.fill({ orderId: resting }))).toMatchObject({
      command: "fill",
      reason: "NotFound",
      field: "orderId"
    })
    // An order that waits is triggered, wherever the market stands.
    const later = yield* place({
      side: "Buy",
      orderType: "Market",
      qty: "2",
      triggerPrice: "120",
      triggerDirection: 1
    })
    yield* control.fill({ orderId: later })
    expect(yield* position).toMatchObject({ size: "10" })

    yield* control.markReduceOnly({ uid, ...ltc, riskLimit: "500", adjustsAt: 9_000_000_000_000 })
    expect(yield* position).toMatchObject({ isReduceOnly: true, mmrSysUpdatedTime: "9000000000000" })
    for (const qty of ["11", "0", "0.01"]) {
      expect(yield* Effect.flip(control.deleverage({ uid, ...ltc, qty }))).toMatchObject({
        reason: "InvalidArgument",
        field: "qty"
      })
    }
    yield* control.deleverage({ uid, ...ltc, qty: "4" })
    expect(yield* position).toMatchObject({ size: "6", positionStatus: "Adl" })
    expect(yield* list("execution/list", { execType: "AdlTrade" })).toMatchObject([
      { createType: "CreateByAdl_PassThrough", side: "Sell", execQty: "4" }
    ])
    yield* sound
    yield* control.liquidate({ uid, ...ltc })
    expect(yield* position).toMatchObject({ side: "", size: "0", positionStatus: "Liq" })
    yield* sound

    const closed = list("order/realtime", { openOnly: "1" })
    expect((yield* closed).map(({ OrderId }) => OrderId)).toContain(waiting)
    yield* TestClock.adjust("1 second")
    yield* control.restart
    expect(yield* closed).toEqual([])

    yield* control.releasePrice(ltc)
    const released = (yield* position)?.markPrice
    expect(released).not.toBe("110")
    yield* TestClock.adjust("1 hour")
    expect((yield* position)?.markPrice).not.toBe(released)

    const nowhere = { category: "linear", symbol: "NOPEUSDT" } as const
    const refused: ReadonlyArray<readonly [Effect.Effect<unknown, ControlRefused>, string, string]> = [
      [control.setPrice({ ...nowhere, price: "1" }), "NotFound", "symbol"],
      [control.setPrice({ ...ltc, price: "0" }), "InvalidArgument", "price"],
      [control.setPrice({ ...ltc, price: "100.001" }), "InvalidArgument", "price"],
      [control.releasePrice(nowhere), "NotFound", "symbol"],
      [control.fill({ orderId: "none" }), "NotFound", "orderId"],
      [control.liquidate({ uid, ...ltc }), "NotFound", "symbol"],
      [control.liquidate({ uid: "404", ...ltc }), "NotFound", "uid"],
      [control.deleverage({ uid, ...ltc }), "NotFound", "symbol"],
      [control.markReduceOnly({ uid: "404", ...ltc }), "NotFound", "uid"],
      [control.markReduceOnly({ uid, ...nowhere }), "NotFound", "symbol"],
      [control.grant({ uid: "404", award: "bonus", coin: "USDT", amount: "1" }), "NotFound", "uid"],
      [control.grant({ uid, award: "bonus", coin: "NOPE", amount: "1" }), "NotFound", "coin"],
      [control.grant({ uid, award: "coupon", coin: "USDT", amount: "0" }), "InvalidArgument", "amount"],
      [control.deposit({ uid, coin: "USDT", amount: "0.0000001" }), "InvalidArgument", "amount"],
      [
        control.deposit({ uid, coin: "USDT", amount: "1", takes: Number.POSITIVE_INFINITY }),
        "InvalidArgument",
        "takes"
      ],
      [control.addAddress({ uid: "404", addressType: 3, address: uid }), "NotFound", "uid"],
      [control.addAddress({ uid: Seed.uids.sub, addressType: 3, address: uid }), "NotPossible", "uid"],
      [control.addAddress({ uid, addressType: 2, address: "7700900201" }), "InvalidArgument", "areaCode"],
      [control.openAccount({ unified: false, wallet: "UNIFIED" }), "NotPossible", "wallet"],
      [control.openAccount({ funds: { USDT: "0.0000001" } }), "InvalidArgument", "funds.USDT"]
    ]
    const before = yield* control.snapshot
    for (const [command, reason, field] of refused) {
      expect(yield* Effect.flip(command)).toMatchObject({ _tag: "ControlRefused", reason, field })
    }
    expect(yield* control.snapshot).toBe(before)
  })

  test("applies commands to the market as of the present instant", function* () {
    const control = yield* SandboxControl
    const { uid } = yield* control.openAccount()
    yield* control.deposit({ uid, coin: "USDT", amount: "1", takes: "1 minute" })
    const before = yield* control.snapshot
    yield* TestClock.adjust("1 hour")
    // Whatever is asked, also in vain.
    yield* Effect.flip(control.banAccount({ uid: "404" }))
    const after = yield* control.snapshot
    expect(after.advancedAt - before.advancedAt).toBe(3_600_000)
    expect(after.pending).toEqual([])
    expect(after.accounts.get(uid)?.deposits).toMatchObject([{ status: "1" }])
  })

  it.effect("continues a restored state from its instant", () =>
    Effect.gen(function* () {
      const control = yield* SandboxControl
      yield* control.setPrice({ category: "linear", symbol: "BTCUSDT", price: "50000" })
      const trader = yield* control.openAccount({ funds: { USDT: "100000" } })
      yield* control.deposit({ uid: trader.uid, coin: "USDT", amount: "9", takes: "1 hour" })
      yield* Raw.post(
        "/cloud/trade/v3/order/create",
        { ...ltc, side: "Buy", orderType: "Market", qty: "5" },
        { credentials: trader }
      )
      const kept = yield* control.snapshot
      const listingsOf = (state: Exchange.State) =>
        state.listings.map(({ indexPrice, instrument, lastPrice, markPrice }) =>
          [instrument.symbol, ...[lastPrice, markPrice, indexPrice].map(BigDecimal.format)].join(" ")
        )
      const listings = listingsOf(kept)
      // All but the clock, and what goes by it.
      const text = (state: Exchange.State) =>
        StateText.print({ ...state, advancedAt: 0, pausedFor: 0, restartedAt: 0, pending: [] })
      yield* TestClock.adjust("3 days")
      const later = yield* control.snapshot
      expect(listingsOf(later)).not.toEqual(listings)

      for (const restore of [control.restore(kept), control.call("restore", JSON.parse(StateText.print(kept)))]) {
        yield* restore
        expect((yield* Raw.call(wallet, { accountType: "UNIFIED" })).code).toBe(0)
        const restored = yield* control.snapshot
        // Nothing has happened in between: no price, no order, no position, no deposit.
        expect(listingsOf(restored)).toEqual(listings)
        expect(text(restored) === text(kept)).toBe(true)
        expect(restored.issued).toBe(kept.issued)
        expect(invariants(restored)).toEqual([])
        expect(restored.advancedAt).toBe(later.advancedAt)

        // From here on it goes the way it would have gone.
        yield* TestClock.adjust("30 minutes")
        const moved = yield* control.snapshot
        expect(listingsOf(moved)).not.toEqual(listings)
        expect(moved.accounts.get(trader.uid)?.deposits.at(-1)).toMatchObject({ status: "0" })
        yield* TestClock.adjust("30 minutes")
        expect((yield* control.snapshot).accounts.get(trader.uid)?.deposits.at(-1)).toMatchObject({ status: "1" })
        yield* TestClock.setTime(later.advancedAt)
      }
    }).pipe(Effect.provide(Sandbox.layer({ seed: 5, world: "empty" })), (test) =>
      // Before the sandbox begins, which would live through the decades before.
      Effect.zipRight(TestClock.setTime(1_780_000_000_000), test)
    )
  )

  test("resets to the initial state, at its instant", function* () {
    const control = yield* SandboxControl
    const first = yield* control.snapshot
    yield* TestClock.adjust("400 days")
    yield* control.reset
    const anew = yield* control.snapshot
    expect(anew.listings).toEqual(first.listings)
    expect(anew.accounts).toBe(first.accounts)
    yield* TestClock.adjust("1 minute")
    const moved = (yield* control.snapshot).listings
    // The same minute as the first one.
    yield* TestClock.setTime(0)
    yield* control.restore(first)
    yield* TestClock.adjust("1 minute")
    expect((yield* control.snapshot).listings).toEqual(moved)
  })

  test("makes requests fail", function* () {
    const control = yield* SandboxControl
    yield* control.faults.set([{ fault: { kind: "status", status: 503, executed: false }, count: 1 }])
    const call = Raw.call(wallet, { accountType: "UNIFIED" })
    expect((yield* call).status).toBe(503)
    expect((yield* call).code).toBe(0)
    expect(yield* control.faults.log).toMatchObject([{ executed: false }, { executed: true }])
  })

  test("runs commands by name, with JSON arguments and results", function* () {
    const control = yield* SandboxControl
    const opened = yield* control.call("openAccount", { uid: "81", funds: { USDT: "1.0" } })
    expect(opened).toEqual({ uid: "81", apiKey: expect.stringMatching(/^sandbox81/), apiSecret: expect.any(String) })
    expect(yield* control.call("banAccount", { uid: "81" })).toEqual({})
    expect(yield* control.call("deposit", { uid: "81", coin: "USDT", amount: "2", takes: "5 seconds" })).toEqual({
      transactionId: expect.any(String)
    })
    const phone = { uid: "81", addressType: 2, areaCode: 44, address: "7700900201" }
    for (const address of [phone, phone, { ...phone, areaCode: 45 }]) {
      expect(yield* control.call("addAddress", address)).toEqual({})
    }
    const { accounts } = yield* control.snapshot
    expect(accounts.get("81")?.addressBook.map(({ areaCode }) => Option.getOrNull(areaCode))).toEqual([44, 45])
    expect(yield* control.call("setPrice", { ...ltc, price: "100" })).toEqual({})
    expect(yield* control.call("releasePrice", ltc)).toEqual({})
    expect(yield* control.call("grant", { uid: "81", award: "coupon", coin: "USDT", amount: "1" })).toEqual({})
    expect(yield* control.call("markReduceOnly", { uid: "81", ...ltc, adjustsAt: "2030-01-01T00:00:00Z" })).toEqual({})
    expect(yield* control.call("restart", {})).toEqual({})
    expect(yield* control.call("openKey", { uid: "81", expiresAt: "2030-01-01T00:00:00Z" })).toMatchObject({
      uid: "81"
    })
    expect(yield* control.call("setFaults", { rules: [{ fault: { kind: "ban" } }] })).toEqual({})
    expect((yield* Raw.call(wallet, { accountType: "UNIFIED" })).status).toBe(403)
    expect(yield* control.call("requests", { account: Seed.uids.main, last: "1" })).toMatchObject({
      requests: [{ operation: "account.walletBalance", fault: { kind: "ban" }, executed: false }]
    })
    const refused: ReadonlyArray<readonly [string, unknown, string, string]> = [
      ["openAccount", { fonds: { USDT: "1" } }, "InvalidArgument", "fonds"],
      ["openAccount", { funds: { USDT: 1 } }, "InvalidArgument", "funds.USDT"],
      ["openKey", {}, "InvalidArgument", "uid"],
      ["openKey", { uid: "81", expiresAt: "soon" }, "InvalidArgument", "expiresAt"],
      ["setPrice", { ...ltc, price: 100 }, "InvalidArgument", "price"],
      ["fill", { orderId: "none", qty: "-1" }, "InvalidArgument", "qty"],
      ["liquidate", { uid: "81", category: "spot", symbol: "BTCUSDT" }, "InvalidArgument", "category"],
      ["deleverage", { uid: "81", ...ltc, positionIdx: 3 }, "InvalidArgument", "positionIdx"],
      ["addAddress", { uid: "81", addressType: 4, address: "82" }, "InvalidArgument", "addressType"],
      ["addAddress", { uid: "81", addressType: 3, address: "" }, "InvalidArgument", "address"],
      ["grant", { uid: "81", award: "cake", coin: "USDT", amount: "1" }, "InvalidArgument", "award"],
      ["deposit", { uid: "81", coin: "USDT", amount: "1", takes: "soon" }, "InvalidArgument", "takes"],
      ["setFaults", { rules: [{ fault: { kind: "nonsense" } }] }, "InvalidArgument", "rules.0.fault.kind"],
      ["nonsense", {}, "NotFound", ""],
      ["toString", {}, "NotFound", ""]
    ]
    for (const [name, json, reason, field] of refused) {
      expect(yield* Effect.flip(control.call(name, json))).toMatchObject({ command: name, reason, field })
    }
  })
})
