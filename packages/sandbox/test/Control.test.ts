import { SandboxControl } from "@effect-venue/sandbox/Control"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import type * as Credentials from "@effect-venue/signing/Credentials"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as Raw from "./utils/raw.js"

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
      requestId: "42c0cfb06bcac242bc764e6df6cbcb16",
      coin: "USDT",
      amount: "1",
      fromAccountType: "FUND",
      toAccountType: "UNIFIED"
    },
    { credentials }
  )

const world = Sandbox.layer({ seed: 5 })

describe("SandboxControl", () => {
  it.effect("opens as many accounts as a test likes, each with its own key and money", () =>
    Effect.gen(function* () {
      const control = yield* SandboxControl
      const opened = yield* Effect.forEach(Array.from({ length: 20 }), (_, index) =>
        control.openAccount({ funds: { USDT: `${index}.50`, BTC: "1" } })
      )
      expect(new Set(opened.map(({ uid }) => uid)).size).toBe(20)
      expect(new Set(opened.map(({ apiSecret }) => Redacted.value(apiSecret))).size).toBe(20)
      for (const [index, credentials] of opened.entries()) {
        expect(credentials.baseUrl).toBe(Sandbox.baseUrl)
        expect(yield* balance(credentials, "USDT")).toBe(`${index}.50`)
        expect(yield* balance(credentials, "BTC")).toBe("1")
      }
      // The money has come from somewhere.
      const [, credentials = opened[0]] = opened
      if (credentials === undefined) return yield* Effect.dieMessage("no account")
      const { json } = yield* Raw.call(deposits, { coin: "USDT" }, { credentials })
      expect(json.result.rows).toMatchObject([{ coin: "USDT", amount: "1.50", status: "1" }])
    }).pipe(Effect.provide(world))
  )

  it.effect("opens a sub-account of an account, with the UID that it is told", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(world))
  )

  it.effect("gives keys that only read, or that expire", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(world))
  )

  it.effect("bans an account, and lifts the ban", () =>
    Effect.gen(function* () {
      const control = yield* SandboxControl
      const credentials = yield* control.openAccount({ wallet: "FUND", funds: { USDT: "5" } })
      yield* control.banAccount({ uid: credentials.uid })
      expect((yield* move(credentials)).code).toBe(131208)
      yield* control.banAccount({ uid: credentials.uid, banned: false })
      yield* TestClock.adjust("1 second")
      expect((yield* move(credentials)).code).toBe(0)
    }).pipe(Effect.provide(world))
  )

  it.effect("deposits with a record that the account's owner can read", () =>
    Effect.gen(function* () {
      const control = yield* SandboxControl
      const credentials = yield* control.openAccount()
      const { uid } = credentials
      const { transactionId } = yield* control.deposit({ uid, coin: "USDT", amount: "12.50", chain: "ETH" })
      const { json } = yield* Raw.call(deposits, { coin: "USDT" }, { credentials })
      expect(json.result.rows).toMatchObject([
        { coin: "USDT", chain: "ETH", amount: "12.50", status: "1", transaction_id: transactionId }
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
    }).pipe(Effect.provide(world))
  )

  it.effect("puts the world away and back, and begins anew", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(world))
  )

  it.effect("makes requests go wrong", () =>
    Effect.gen(function* () {
      const control = yield* SandboxControl
      yield* control.faults.set([{ fault: { kind: "status", status: 503, executed: false }, count: 1 }])
      const call = Raw.call(wallet, { accountType: "UNIFIED" })
      expect((yield* call).status).toBe(503)
      expect((yield* call).code).toBe(0)
      expect(yield* control.faults.log).toMatchObject([{ executed: false }, { executed: true }])
    }).pipe(Effect.provide(world))
  )

  it.effect("takes commands by name, with JSON in and out", () =>
    Effect.gen(function* () {
      const control = yield* SandboxControl
      const opened = yield* control.call("openAccount", { uid: "81", funds: { USDT: "1.0" } })
      expect(opened).toEqual({ uid: "81", apiKey: expect.stringMatching(/^sandbox81/), apiSecret: expect.any(String) })
      expect(yield* control.call("banAccount", { uid: "81" })).toEqual({})
      expect(yield* control.call("openKey", { uid: "81", expiresAt: "2030-01-01T00:00:00Z" })).toMatchObject({
        uid: "81"
      })
      expect(yield* control.call("setFaults", { rules: [{ fault: { kind: "ban" } }] })).toEqual({})
      expect((yield* Raw.call(wallet, { accountType: "UNIFIED" })).status).toBe(403)
      expect(yield* control.call("faultLog", {})).toMatchObject({
        entries: [{ operation: "account.walletBalance", fault: { kind: "ban" }, executed: false }]
      })
      const refused: ReadonlyArray<readonly [string, unknown, string, string]> = [
        ["openAccount", { fonds: { USDT: "1" } }, "InvalidArgument", "fonds"],
        ["openAccount", { funds: { USDT: 1 } }, "InvalidArgument", "funds.USDT"],
        ["openKey", {}, "InvalidArgument", "uid"],
        ["openKey", { uid: "81", expiresAt: "soon" }, "InvalidArgument", "expiresAt"],
        ["setFaults", { rules: [{ fault: { kind: "nonsense" } }] }, "InvalidArgument", "rules.0.fault.kind"],
        ["nonsense", {}, "NotFound", ""],
        ["toString", {}, "NotFound", ""]
      ]
      for (const [name, json, reason, field] of refused) {
        expect(yield* Effect.flip(control.call(name, json))).toMatchObject({ command: name, reason, field })
      }
    }).pipe(Effect.provide(world))
  )
})
