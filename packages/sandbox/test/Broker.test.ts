import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Raw from "./utils/raw.js"

const day = 86_400_000
const customers = "/private/v1/broker/query-direct-user-list"
const volume = "/private/v1/broker/trade-volume"
const setLimit = "/cloud/trade/v3/apilimit/set"
const queryLimit = "/cloud/trade/v3/apilimit/query"
const amend = "/cloud/trade/v3/order/amend"
const world = Sandbox.layer({ seed: 5, limits: "off" })
const limited = Sandbox.layer({ seed: 5 })

const zero = BigDecimal.fromBigInt(0n)

describe("broker", () => {
  it.effect("lists customers by the second of their joining, both ends included", () =>
    Effect.gen(function* () {
      const list = (parameters: Readonly<Record<string, unknown>>) =>
        Effect.map(Raw.call(customers, parameters), (answer) => answer.json.result.user_list)
      const all = yield* list({})
      expect(all).toHaveLength(24)
      const second = (-348 * day) / 1000
      expect(yield* list({ begin: second, end: second })).toEqual([all[1]])
      expect(yield* list({ end: second - 1 })).toEqual([all[0]])
      expect((yield* Raw.call(customers, {}, { role: "customer" })).code).toBe(10005)
    }).pipe(Effect.provide(world))
  )

  it.effect("adds up what customers traded, from the executions, half open", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const all = (yield* sandbox.snapshot).accounts.get(sandbox.uids.customer)!.executions.linear
      // Funding is no volume.
      const fills = all.filter((one) => Option.contains(one.execType, "Trade"))
      expect(fills.length).toBeLessThan(all.length)
      const [from, to] = [fills[10]!.execTime.epochMillis, fills.at(-10)!.execTime.epochMillis]
      const expected = fills
        .filter((one) => one.execTime.epochMillis >= from && one.execTime.epochMillis < to)
        .reduce(
          (sum, one) => ({
            value: BigDecimal.sum(sum.value, Option.getOrThrow(one.execValue)),
            fee: BigDecimal.sum(sum.fee, one.execFee)
          }),
          { value: zero, fee: zero }
        )
      const answer = yield* Raw.call(volume, {
        from,
        to,
        uid: sandbox.uids.customer,
        productType: "DERIVATIVES",
        contractType: "LinearPerpetual"
      })
      const [row] = answer.json.result.list
      expect(row.coins).toHaveLength(1)
      expect(BigDecimal.equals(BigDecimal.unsafeFromString(row.coins[0].trade_volume), expected.value)).toBe(true)
      expect(BigDecimal.equals(BigDecimal.unsafeFromString(row.coins[0].fee), expected.fee)).toBe(true)
    }).pipe(Effect.provide(world))
  )

  it.effect("pages by UID and filters by product and coin", () =>
    Effect.gen(function* () {
      const fields = { items: "list", cursor: "next_cursor" }
      const { count, rows } = yield* Raw.pages(volume, { limit: 7 }, fields)
      expect([rows.length, count]).toEqual([24, 4])
      expect(new Set(rows.map((row) => row.user_id)).size).toBe(24)
      expect(rows.at(-1).coins).toEqual([])
      const spot = yield* Raw.pages(volume, { productType: "SPOT", coin: "BTC" }, fields)
      expect(spot.rows.some((row) => row.coins.length === 1)).toBe(true)
      expect(spot.rows.every((row) => row.coins.every((one: { coin: string }) => one.coin === "BTC"))).toBe(true)
      expect((yield* Raw.call(volume, { uid: "30000001" })).code).toBe(10001)
    }).pipe(Effect.provide(world))
  )
})

describe("apiLimits", () => {
  const entry = (uids: string, rate = 30, bizType = "DERIVATIVES") => ({ list: [{ uids, bizType, rate }] })

  it.effect("are set by institutional users, a master's for its sub-accounts, with a word on each", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const set = (body: unknown, role: "main" | "sub" = "main") =>
        Effect.map(Raw.post(setLimit, body as Record<string, unknown>, { role }), (answer) => {
          const [one] = answer.json.result.result
          return [one.success, one.msg]
        })
      expect(yield* set(entry(sandbox.uids.sub))).toEqual([true, "API limit updated successfully"])
      expect(yield* set(entry(sandbox.uids.main))).toEqual([false, "No permission to operate these UIDs"])
      expect(yield* set(entry(sandbox.uids.sub, 500))).toEqual([
        false,
        "Requested limit exceeds maximum allowed per user"
      ])
      expect(yield* set(entry(sandbox.uids.sub, 5, "OPTIONS"))).toEqual([
        false,
        "API cap configuration not found for bizType"
      ])
      expect(yield* set(entry(sandbox.uids.sub, 20), "sub")).toEqual([true, "API limit updated successfully"])
      expect((yield* Raw.post(setLimit, entry(sandbox.uids.classic), { role: "classic" })).code).toBe(10005)
      const queried = yield* Raw.call(queryLimit, { uids: `${sandbox.uids.main},${sandbox.uids.sub}` })
      const rates = queried.json.result.result ?? queried.json.result.list
      expect(rates).toContainEqual({ uids: sandbox.uids.sub, bizType: "DERIVATIVES", rate: 20 })
      expect(rates).toContainEqual({ uids: sandbox.uids.main, bizType: "SPOT", rate: 10 })
      expect((yield* Raw.call(queryLimit, { uids: sandbox.uids.main }, { role: "sub" })).code).toBe(10005)
    }).pipe(Effect.provide(world))
  )

  it.effect("that are set hold from the next request on", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const limit = Effect.map(
        Raw.post(amend, { category: "linear", symbol: "BTCUSDT", orderId: "none", qty: "1" }, { role: "sub" }),
        (answer) => [answer.code, answer.headers["X-Bapi-Limit"]]
      )
      for (let call = 0; call < 10; call++) expect(yield* limit).toEqual([110001, "10"])
      expect(yield* limit).toEqual([10006, "10"])
      yield* Raw.post(setLimit, entry(sandbox.uids.sub, 12))
      expect(yield* limit).toEqual([110001, "12"])
      expect(yield* limit).toEqual([110001, "12"])
      expect(yield* limit).toEqual([10006, "12"])
    }).pipe(Effect.provide(limited))
  )
})
