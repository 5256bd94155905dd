import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as Raw from "./utils/raw.js"

const day = 86_400
const transfer = "/private/v1/asset/transfer/single-account-transfer"
const transfers = "/private/v1/asset/transfer/list"
const withdraw = "/private/v1/asset/withdraw/inner-create"
const deposits = "/private/v1/asset/deposit/query-record"
const bonus = "/private/v1/asset/bonus/usage"
const subTransfers = "/private/v1/asset/sub-member/transfer/list"
const coinsBetween = "/private/v1/asset/transfer/query-coins"
const funding = "/cloud/trade/v3/asset/transfer/query-asset-info"
const wallet = "/cloud/trade/v3/account/wallet-balance"
const world = Sandbox.layer({ seed: 5, limits: "off" })

type More = Parameters<typeof Raw.call>[2]

const unified = (coin = "USDT") =>
  Effect.map(
    Raw.call(wallet, { accountType: "UNIFIED", coin }),
    (answer) => answer.json.result.list[0].coin[0].walletBalance
  )
const fund = (coin = "USDT", more: More = {}) =>
  Effect.map(
    Raw.call(funding, { accountType: "FUND", coin }, more),
    (answer) => answer.json.result.fund.assets[0]?.total_balance ?? "0"
  )

const body = {
  requestId: "42c0cfb0-6bca-c242-bc76-4e6df6cbcb16",
  coin: "USDT",
  amount: "12.5",
  fromAccountType: "FUND",
  toAccountType: "UNIFIED"
}

describe("transfers", () => {
  it.effect("are made once for a request id, however often they are sent", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000_500)
      const [from, to] = [yield* fund(), yield* unified()]
      const first = yield* Raw.post(transfer, body)
      expect(first.json).toMatchObject({ ret_code: 0, result: { transferId: body.requestId } })
      const again = yield* Raw.post(transfer, body)
      expect(again.json.result).toEqual(first.json.result)
      expect(Number(from) - Number(yield* fund())).toBeCloseTo(12.5, 8)
      expect(Number(yield* unified()) - Number(to)).toBeCloseTo(12.5, 8)
      const listed = yield* Raw.call(transfers, { transferId: body.requestId })
      expect(listed.json.result.list).toEqual([
        {
          transferId: body.requestId,
          coin: "USDT",
          amount: "12.5",
          fromAccountType: "FUND",
          toAccountType: "UNIFIED",
          status: "SUCCESS",
          timestamp: "1000"
        }
      ])
      expect((yield* Raw.post(transfer, { ...body, amount: "13" })).code).toBe(131214)
      // A UUID in capitals is the same UUID.
      const capitals = yield* Raw.post(transfer, { ...body, requestId: body.requestId.toUpperCase() })
      expect(capitals.json.result.transferId).toBe(body.requestId)
    }).pipe(Effect.provide(world))
  )

  it.effect("are refused beyond what is free, to the same place, to unknown places, and too fine", () =>
    Effect.gen(function* () {
      const code = (more: Partial<typeof body>) =>
        Effect.map(Raw.post(transfer, { ...body, ...more }), (answer) => answer.code)
      const before = yield* fund()
      expect(yield* code({ amount: "99999999" })).toBe(131212)
      expect(yield* code({ toAccountType: "FUND" })).toBe(131211)
      expect((yield* Raw.post(transfer, body, { role: "classic" })).code).toBe(131207)
      expect(yield* code({ amount: "0.0000001" })).toBe(131210)
      expect(yield* code({ coin: "NIX" })).toBe(10001)
      expect(yield* code({ requestId: "short" })).toBe(10001)
      expect(yield* fund()).toBe(before)
      // Margin of positions and orders stays where it is.
      const all = yield* unified()
      expect(yield* code({ amount: Number(all).toFixed(2), fromAccountType: "UNIFIED", toAccountType: "FUND" })).toBe(
        131212
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("are listed by coin and range, in pages", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const all = (yield* sandbox.snapshot).accounts.get(sandbox.uids.main)!.transfers
      const { count, rows } = yield* Raw.pages(transfers, {}, { items: "list", cursor: "cursor" })
      expect(rows).toHaveLength(all.length)
      expect(count).toBe(Math.ceil(all.length / 10))
      const btc = yield* Raw.pages(transfers, { coin: "BTC", limit: 50 }, { items: "list", cursor: "cursor" })
      expect(btc.rows).toHaveLength(all.filter((one) => one.coin === "BTC").length)
      const late = yield* Raw.pages(
        transfers,
        { startTime: -100 * day, endTime: 0, limit: 50 },
        { items: "list", cursor: "cursor" }
      )
      expect(late.rows).toHaveLength(all.filter((one) => one.timestamp.epochMillis >= -100 * day * 1000).length)
      expect(late.rows.length).toBeLessThan(rows.length)
    }).pipe(Effect.provide(world))
  )

  it.effect("know which coins can be moved", () =>
    Effect.gen(function* () {
      const answer = yield* Raw.call(coinsBetween, { fromAccountType: "FUND", toAccountType: "UNIFIED" })
      expect(answer.json.result.coins).toContain("USDT")
      expect((yield* Raw.call(coinsBetween, { fromAccountType: "FUND", toAccountType: "FUND" })).code).toBe(131211)
      const classic = yield* Raw.call(
        coinsBetween,
        { fromAccountType: "SPOT", toAccountType: "CONTRACT" },
        { role: "classic" }
      )
      expect(classic.code).toBe(0)
    }).pipe(Effect.provide(world))
  )
})

describe("internal withdrawals", () => {
  const to = (requestId: string, more: Readonly<Record<string, unknown>> = {}) => ({
    requestId,
    coin: "USDT",
    addressType: 3,
    address: "20000001",
    amount: "7.25",
    ...more
  })

  it.effect("go out once for a request id and come in at the other side", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [yield* fund(), yield* fund("USDT", { role: "customer" })]
      const first = yield* Raw.post(withdraw, to("w1"))
      expect(first.code).toBe(0)
      expect((yield* Raw.post(withdraw, to("w1"))).json.result).toEqual(first.json.result)
      expect((yield* Raw.post(withdraw, to("w1", { amount: "8" }))).code).toBe(131082)
      expect(Number(mine) - Number(yield* fund())).toBeCloseTo(7.25, 8)
      expect(Number(yield* fund("USDT", { role: "customer" })) - Number(theirs)).toBeCloseTo(7.25, 8)
      const received = yield* Raw.call(deposits, { type: 1 }, { role: "customer" })
      expect(received.json.result.rows[0]).toMatchObject({
        type: "1",
        amount: "7.25",
        address: "10000001",
        status: "1"
      })
    }).pipe(Effect.provide(world))
  )

  it.effect("want the master's key, an entry in the address book, a recipient and a balance", () =>
    Effect.gen(function* () {
      const code = (requestId: string, more: Readonly<Record<string, unknown>>, as: More = {}) =>
        Effect.map(Raw.post(withdraw, to(requestId, more), as), (answer) => answer.code)
      expect(yield* code("a1", {}, { role: "sub" })).toBe(10005)
      expect(yield* code("a2", { address: "20000002" })).toBe(131093)
      expect(yield* code("a3", { addressType: 1, address: "unregistered@example.com" })).toBe(131077)
      expect(yield* code("a4", { amount: "99999999" })).toBe(131212)
      expect(yield* code("a5", { addressType: 2, address: "7700900201", areaCode: 44 })).toBe(0)
      expect(yield* code("a6", { addressType: 2, address: "7700900201", areaCode: 49 })).toBe(131093)
      expect(yield* code("a7", { addressType: 2, address: "7700900201" })).toBe(10001)
      expect(yield* code("a-8", {})).toBe(10001)
      expect(yield* code("a9", { remark: "x".repeat(51) })).toBe(10001)
    }).pipe(Effect.provide(world))
  )
})

describe("records of assets", () => {
  it.effect("deposits: on chain by default, filtered by coin, chain, hash and range", () =>
    Effect.gen(function* () {
      const fields = { items: "rows", cursor: "cursor" }
      const { count, rows } = yield* Raw.pages(deposits, {}, fields)
      expect(count).toBe(Math.ceil(rows.length / 20))
      expect(rows.every((row) => row.type === "0" && row.tx_id !== "" && row.chain !== "")).toBe(true)
      expect(new Set(rows.map((row) => row.status))).toEqual(new Set(["0", "1", "2"]))
      const internal = yield* Raw.pages(deposits, { type: 1 }, fields)
      expect(internal.rows.length).toBeGreaterThan(2)
      expect(internal.rows.every((row) => row.type === "1" && !row.tx_id)).toBe(true)
      const both = yield* Raw.pages(deposits, { type: 2, pageSize: 50 }, fields)
      expect(both.rows).toHaveLength(rows.length + internal.rows.length)
      const one = yield* Raw.call(deposits, { txId: rows[3].tx_id })
      expect(one.json.result.rows).toEqual([rows[3]])
      const sameSecond = { startTime: rows[3].create_time, endTime: rows[3].create_time }
      expect((yield* Raw.call(deposits, sameSecond)).json.result.rows).toEqual([rows[3]])
      expect((yield* Raw.call(deposits, { pageSize: 51 })).code).toBe(10001)
    }).pipe(Effect.provide(world))
  )

  it.effect("bonuses: newest first, between two instants that do not count, ten by default", () =>
    Effect.gen(function* () {
      const rows = (parameters: Readonly<Record<string, unknown>>) =>
        Effect.map(Raw.call(bonus, { coin: "USDT", ...parameters }), (answer) => answer.json.result.rows)
      const all = yield* rows({ limit: 50 })
      expect(all).toHaveLength(24)
      expect(yield* rows({})).toEqual(all.slice(0, 10))
      const coupons = yield* rows({ awardType: 2, limit: 50 })
      expect(coupons).toEqual(all.filter((row: { award_type: number }) => row.award_type === 2))
      const between = yield* rows({ startTime: all[5].time, endTime: all[2].time, limit: 50 })
      expect(between).toEqual(all.slice(3, 5))
      expect((yield* Raw.call(bonus, { coin: "BTC" })).code).toBe(10001)
    }).pipe(Effect.provide(world))
  )

  it.effect("sub-account transfers: the same for both sides, in the bare envelope", () =>
    Effect.gen(function* () {
      const fields = { items: "list", cursor: "cursor" }
      const master = yield* Raw.pages(subTransfers, {}, fields)
      expect(master.rows).toHaveLength(27)
      expect(master.count).toBe(2)
      expect((yield* Raw.pages(subTransfers, {}, fields, { role: "sub" })).rows).toEqual(master.rows)
      expect((yield* Raw.pages(subTransfers, {}, fields, { role: "classic" })).rows).toEqual([])
      const first = yield* Raw.call(subTransfers, { limit: 1 })
      expect(Object.keys(first.json).sort()).toEqual(["result", "ret_code", "ret_msg"])
      expect(first.json.result.list[0]).toMatchObject({ user_id: 10000001, sub_user_id: 10000101 })
    }).pipe(Effect.provide(world))
  )

  it.effect("the wallet: what is not zero, or exactly what is asked for", () =>
    Effect.gen(function* () {
      const coins = (parameters: Readonly<Record<string, unknown>>, more: More = {}) =>
        Effect.map(Raw.call(wallet, { accountType: "UNIFIED", ...parameters }, more), (answer) =>
          answer.json.result.list[0].coin.map((row: { coin: string }) => row.coin)
        )
      expect(yield* coins({})).not.toContain("DOGE")
      expect(yield* coins({ coin: "DOGE,USDT" })).toEqual(["DOGE", "USDT"])
      expect((yield* Raw.call(wallet, { accountType: "CONTRACT" })).code).toBe(10001)
      expect(yield* coins({ accountType: "CONTRACT" }, { role: "classic" })).toContain("USDT")
      expect((yield* Raw.call(wallet, {})).code).toBe(10001)
    }).pipe(Effect.provide(world))
  )
})
