import { SandboxControl } from "@effect-venue/sandbox/Control"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import { describe, expect } from "@effect/vitest"
import { BigDecimal, Effect, Option, TestClock } from "effect"
import { invariants } from "./utils/invariants.js"
import * as Raw from "./utils/raw.js"
import { testsIn } from "./utils/tests.js"

const btc = { category: "linear", symbol: "BTCUSDT" } as const

const start = 1_780_000_000_000
const testSeeded = testsIn(Sandbox.layer({ seed: 5 }), start)
const testEmpty = testsIn(Sandbox.layer({ seed: 5, world: "empty" }), start)

const sound = Effect.gen(function* () {
  expect(invariants(yield* (yield* SandboxControl).snapshot)).toEqual([])
})

describe("scenarios", () => {
  testSeeded("open an account that is liquidated by a fall of about one percent, and by nothing less", function* () {
    const control = yield* SandboxControl
    const { uid } = yield* control.openScenario({ name: "about-to-be-liquidated" })
    yield* TestClock.adjust("1 day")
    const held = yield* control.state({ account: uid })
    expect(held.accounts[0]?.positions).toHaveLength(1)
    const [position] = held.accounts[0]?.positions ?? []
    const mark = Option.getOrThrow(position?.markPrice ?? Option.none())
    const part = (text: string) => BigDecimal.scale(BigDecimal.multiply(mark, BigDecimal.unsafeFromString(text)), 1)
    const bust = Option.getOrThrow(position?.liqPrice ?? Option.none())
    expect(BigDecimal.between(bust, { minimum: part("0.985"), maximum: part("0.999") })).toBe(true)
    yield* control.setPrice({ ...btc, price: part("0.985") })
    const { accounts } = yield* control.state({ account: uid })
    expect(accounts[0]?.positions).toEqual([])
    expect(accounts[0]?.executions.map(({ execType }) => execType)).toContainEqual(Option.some("BustTrade"))
    yield* sound
  })

  testEmpty("open an account with the maximum number of orders of a symbol", function* () {
    const control = yield* SandboxControl
    const credentials = yield* control.openScenario({ name: "500-open-orders" })
    const { rows } = yield* Raw.pages("/cloud/trade/v3/order/realtime", { ...btc, limit: 50 }, Raw.v3List, {
      credentials
    })
    expect(new Set(rows.map(({ OrderId }) => OrderId)).size).toBe(500)
    const order = { ...btc, side: "Buy", orderType: "Limit", qty: "0.001", price: "20000" }
    expect((yield* Raw.post("/cloud/trade/v3/order/create", order, { credentials })).code).toBe(110020)
    yield* sound
  })

  testSeeded("open an account whose trades are from before its upgrade", function* () {
    const control = yield* SandboxControl
    const credentials = yield* control.openScenario({ name: "pre-upgrade" })
    const account = (yield* control.snapshot).accounts.get(credentials.uid)
    const at = account?.preUpgradeExecutions.linear.at(-1)?.execTime.epochMillis ?? 0
    const rows = (path: string, range: object) =>
      Effect.map(Raw.call(path, { category: "linear", ...range }, { credentials }), ({ json }) => json.result.list)
    const range = { startTime: at, endTime: at + 1 }
    expect((yield* rows("/cloud/trade/v3/pre-upgrade/execution/list", range)).length).toBeGreaterThan(0)
    expect(yield* rows("/cloud/trade/v3/execution/list", {})).toEqual([])
    const { accounts } = yield* control.state({ account: credentials.uid })
    expect(accounts[0]?.balances.map(({ wallet }) => wallet)).toContain("UNIFIED")
    yield* sound
  })

  testEmpty("open several accounts in one scenario, each with a separate key", function* () {
    const control = yield* SandboxControl
    const opened = yield* Effect.replicateEffect(control.openScenario({ name: "about-to-be-liquidated" }), 2)
    expect(new Set(opened.map(({ uid }) => uid)).size).toBe(2)
    expect(yield* Effect.flip(control.call("openScenario", { name: "nonsense" }))).toMatchObject({ field: "name" })
    yield* sound
  })
})
