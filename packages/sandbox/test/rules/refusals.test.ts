/** What the exchange refuses by its code, beside parameters that are not what they have to be, and that nothing comes of it. */
import type * as Samples from "@effect-venue/testing/Samples"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Rules from "./utils.js"

type Row = readonly [
  operation: Samples.Operation,
  parameters: Rules.Parameters,
  code: number,
  role?: Rules.More["role"]
]

const btc = { category: "linear", symbol: "BTCUSDT" }
const ltc = { category: "linear", symbol: "LTCUSDT" }
const transfer = {
  ...{ requestId: "42c0cfb0-6bca-c242-bc76-4e6df6cbcb16", coin: "USDT", amount: "12.5" },
  ...{ fromAccountType: "FUND", toAccountType: "UNIFIED" }
}
const withdrawal = { requestId: "w1", coin: "USDT", addressType: 3, address: "20000001", amount: "7.25" }
const phone = { ...withdrawal, addressType: 2, address: "7700900201" }
const margin = { category: "linear", symbol: "ETHUSDT", margin: "1" }
const stop = { ...btc, positionIdx: 0, tpslMode: "Full" }
const leverage = (both: string, more: object = {}) => ({ ...ltc, buyLeverage: both, sellLeverage: both, ...more })

const refusals: ReadonlyArray<Row> = [
  ["assets.transfer", { ...transfer, amount: "99999999" }, 131212],
  ["assets.transfer", { ...transfer, toAccountType: "FUND" }, 131211],
  ["assets.transfer", { ...transfer, amount: "0.0000001" }, 131210],
  ["assets.transfer", { ...transfer, coin: "NIX" }, 10001],
  ["assets.transfer", transfer, 131207, "classic"],
  ["assets.transfer", transfer, 10005, "readOnly"],
  ["assets.transferableCoins", { fromAccountType: "FUND", toAccountType: "FUND" }, 131211],
  ["assets.transferableCoins", { fromAccountType: "FUND", toAccountType: "UNIFIED" }, 131207, "classic"],
  ["assets.withdrawInternal", withdrawal, 10005, "sub"],
  ["assets.withdrawInternal", { ...withdrawal, address: "20000002" }, 131093],
  ["assets.withdrawInternal", { ...withdrawal, addressType: 1, address: "unregistered@example.com" }, 131077],
  ["assets.withdrawInternal", { ...withdrawal, amount: "99999999" }, 131212],
  ["assets.withdrawInternal", phone, 10001],
  ["assets.withdrawInternal", { ...phone, areaCode: 49 }, 131093],
  // A UID is no email, and no phone number.
  ["assets.withdrawInternal", { ...withdrawal, addressType: 1, address: "50000001" }, 131093],
  ["assets.withdrawInternal", { ...phone, address: "50000001", areaCode: 44 }, 131093],
  ["account.walletBalance", { accountType: "UNIFIED", coin: "BTC,NIX" }, 10001],
  ["account.walletBalance", { accountType: "UNIFIED" }, 10001, "classic"],
  ["broker.customers", {}, 10005, "customer"],
  ["broker.tradeVolume", { uid: "30000001" }, 10001],
  ["positions.addMargin", { ...margin, margin: "-99999" }, 110078],
  ["positions.addMargin", { ...margin, margin: "99999999" }, 110014],
  ["positions.addMargin", { ...btc, margin: "1" }, 110015],
  ["positions.addMargin", { ...ltc, margin: "1" }, 110033],
  ["positions.setTradingStop", stop, 34040],
  ["positions.setTradingStop", { ...stop, symbol: "LTCUSDT", takeProfit: "900" }, 110034],
  ["positions.setTradingStop", { ...stop, tpslMode: "Partial", takeProfit: "900000", tpSize: "1000" }, 110058],
  ["positions.setRiskLimit", { ...btc, riskId: 1 }, 110075],
  ["positions.setRiskLimit", { ...btc, riskId: 99 }, 110031],
  ["positions.setRiskLimit", { category: "linear", symbol: "ADAUSDT", riskId: 2 }, 10001],
  ["positions.setLeverage", leverage("10"), 110043],
  ["positions.setLeverage", leverage("51"), 110013],
  ["positions.setLeverage", leverage("0.5"), 10001],
  ["positions.setLeverage", leverage("5", { sellLeverage: "6" }), 10001],
  ["positions.setLeverage", leverage("5", { symbol: "NOPEUSDT" }), 10001],
  ["positions.setTpslMode", { ...btc, tpSlMode: "Partial" }, 110054],
  ["positions.setTpslMode", { category: "inverse", symbol: "BTCUSD", tpSlMode: "Partial" }, 110056],
  ["positions.confirmNewRiskLimit", ltc, 110082],
  ["account.feeRate", { category: "inverse", symbol: "BTCUSDT" }, 10001],
  ["orders.amend", { category: "spot", symbol: "BTCUSDT", orderId: "unknown", qty: "1" }, 170213],
  ["orders.cancel", { ...btc, orderId: "unknown" }, 110001],
  ["orders.cancel", { category: "spot", symbol: "BTCUSDT", orderId: "unknown" }, 170213],
  ["orders.cancel", btc, 10001],
  ["executions.list", { category: "linear", symbol: "BTCUSD" }, 10001]
]

/** Of orders, at prices that are parts of the last one. */
const orderRefusals = (last: number, solana: number): ReadonlyArray<Row> => {
  const [at, solAt] = [(part: number) => (last * part).toFixed(2), (part: number) => (solana * part).toFixed(2)]
  const limit = { ...ltc, side: "Buy", orderType: "Limit", qty: "1", price: at(0.9) }
  const waiting = { ...limit, triggerPrice: at(0.95) }
  const spot = { category: "spot", symbol: "SOLUSDT", side: "Buy", orderType: "Limit", qty: "0.1", price: solAt(0.99) }
  const order = (parameters: Rules.Parameters, code: number): Row => ["orders.create", parameters, code]
  return [
    order({ ...limit, qty: "1.05" }, 10001),
    order({ ...limit, qty: "200000.1" }, 10001),
    order({ ...limit, price: `${at(0.9)}1` }, 10001),
    order({ ...limit, price: "99999999" }, 110003),
    order({ ...limit, symbol: "TRXUSDT", price: "0.11", qty: "1" }, 110094),
    order({ ...limit, qty: "25000" }, 110007),
    order({ ...limit, qty: "90000" }, 110090),
    order({ ...limit, positionIdx: 1 }, 10001),
    order({ ...limit, symbol: "ADAUSDT", price: "0.4", qty: "100" }, 10001),
    order({ ...limit, side: "Sell", reduceOnly: true }, 110017),
    order(waiting, 10001),
    order({ ...waiting, triggerDirection: 1 }, 110092),
    order({ ...waiting, triggerPrice: at(1.05), triggerDirection: 2 }, 110093),
    order({ ...limit, takeProfit: at(0.8) }, 10001),
    order({ ...limit, symbol: "NOPEUSDT" }, 10001),
    order({ ...spot, price: solAt(1.5) }, 170132),
    order({ ...spot, side: "Sell", price: solAt(0.5) }, 170133),
    order({ ...spot, price: "10.001" }, 170134),
    order({ ...spot, qty: "0.0001" }, 170137),
    order({ ...spot, qty: "0.001" }, 170140),
    order({ ...spot, qty: "9000" }, 170131),
    order({ ...spot, symbol: "NOPEUSDT" }, 170121)
  ]
}

const refuse = (rows: ReadonlyArray<Row>) =>
  Effect.gen(function* () {
    const sandbox = yield* Rules.sandbox
    const before = yield* sandbox.snapshot
    const codes = yield* Effect.forEach(rows, ([operation, parameters, , role = "main"]) =>
      Effect.map(Rules.code(operation, parameters, { role }), (code) => [operation, parameters, code])
    )
    expect(codes).toEqual(rows.map(([operation, parameters, code]) => [operation, parameters, code]))
    expect((yield* sandbox.snapshot).accounts).toBe(before.accounts)
  })

describe("a refused request", () => {
  it.effect("has its code and changes nothing", () => Effect.provide(refuse(refusals), Rules.world))

  Rules.rule("for an order has its code and changes nothing", function* () {
    const { listings } = yield* (yield* Rules.sandbox).snapshot
    const last = (category: string, symbol: string) => {
      const listing = listings.find((one) => one.category === category && one.instrument.symbol === symbol)
      return Number(listing?.lastPrice.value) / 10 ** Number(listing?.lastPrice.scale)
    }
    yield* Rules.result("positions.setLeverage", leverage("2"))
    yield* refuse(orderRefusals(last("linear", "LTCUSDT"), last("spot", "SOLUSDT")))
  })
})
