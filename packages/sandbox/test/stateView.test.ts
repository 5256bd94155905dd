import { SandboxControl } from "@effect-venue/sandbox/Control"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Effect } from "effect"
import * as Raw from "./utils/raw.js"
import { onServer } from "./utils/tests.js"

const xrp = { category: "linear", symbol: "XRPUSDT" } as const

describe("the view of the state", () => {
  it.effect("contains the balances, positions, orders and executions that an account's requests produced", () =>
    Effect.gen(function* () {
      const control = yield* SandboxControl
      const credentials = yield* control.openAccount({ funds: { USDT: "1000" } })
      const { uid } = credentials
      const order = (parameters: Record<string, string>) =>
        Raw.post("/cloud/trade/v3/order/create", { ...xrp, side: "Buy", ...parameters }, { credentials })
      yield* control.setPrice({ ...xrp, price: "0.5" })
      yield* order({ orderType: "Market", qty: "100" })
      yield* order({ orderType: "Limit", qty: "20", price: "0.48" })
      yield* order({ orderType: "Limit", qty: "30", price: "0.47" })
      yield* Raw.post(
        "/cloud/trade/v3/order/create",
        { category: "linear", symbol: "BTCUSDT", side: "Buy", orderType: "Market", qty: "0.001" },
        { credentials }
      )
      yield* control.faults.set([{ fault: { kind: "ban" }, count: 1 }])

      const all = yield* control.state({ account: uid })
      expect(all.rules).toEqual([{ fault: { kind: "ban" }, count: 1 }])
      expect(all.markets.length).toBeGreaterThan(20)
      const [account] = all.accounts
      expect(account?.positions.map(({ symbol }) => symbol).sort()).toEqual(["BTCUSDT", "XRPUSDT"])
      expect(account?.executions).toHaveLength(2)
      expect(account?.balances.map(({ coin, wallet }) => [wallet, coin])).toEqual([["UNIFIED", "USDT"]])
      const balance = account?.balances[0]
      expect(balance !== undefined && BigDecimal.lessThan(balance.free, balance.balance)).toBe(true)

      expect(yield* control.call("state", { account: uid, symbol: "XRPUSDT", last: "1" })).toMatchObject({
        markets: [{ ...xrp, markPrice: "0.5", isHeld: true }],
        accounts: [
          {
            uid,
            positions: [{ ...xrp, side: "Buy", size: "100", avgPrice: "0.5001" }],
            openOrders: [
              { ...xrp, qty: "30" },
              { ...xrp, qty: "20" }
            ],
            closedOrders: [{ ...xrp, qty: "100" }],
            executions: [{ ...xrp, execQty: "100", execPrice: "0.5001" }]
          }
        ]
      })
    }).pipe(Effect.provide(Sandbox.layer({ seed: 5, world: "empty", prices: "still" })))
  )

  onServer("can be read over HTTP by account and symbol, in less than 20 kB", function* () {
    const { url } = yield* Server.Server
    const get = (path: string) =>
      Effect.promise(async () => {
        const response = await fetch(`${url}/sandbox/control/${path}`)
        return { status: response.status, text: await response.text() }
      })
    const view = yield* get("state?account=10000001&symbol=BTCUSDT&last=3")
    const { accounts } = JSON.parse(view.text)
    expect(accounts).toHaveLength(1)
    expect(accounts[0].executions).toHaveLength(3)
    // The whole state has several megabytes.
    expect(view.text.length).toBeLessThan(20_000)
    for (const [query, field] of [
      ["account=404", "account"],
      ["symbol=NOPE", "symbol"]
    ]) {
      const refused = yield* get(`state?${query}`)
      expect([refused.status, JSON.parse(refused.text).field]).toEqual([404, field])
    }
    expect((yield* get("state?last=0")).status).toBe(400)
  })
})
