import { describe, expect } from "@effect/vitest"
import * as Exchange from "@effect-venue/sandbox/siblings/Exchange"
import { Effect, TestClock } from "effect"
import * as Rules from "./utils.js"

const { day } = Rules

const fund = (coin: string, more: Rules.More = {}) =>
  Effect.map(Rules.result("assets.fundingAssets", { accountType: "FUND", coin }, more), (page) =>
    Number(page.fund.assets[0]?.total_balance ?? 0)
  )
const unified = (coin: string) =>
  Effect.map(Rules.result("account.walletBalance", { accountType: "UNIFIED", coin }), (page) =>
    Number(page.list[0].coin[0].walletBalance)
  )

describe("3. coins", () => {
  Rules.rule("[assets.coins/coin] one of them, or all", function* () {
    const { rows: every } = yield* Rules.result("assets.coins")
    expect(every.length).toBeGreaterThan(3)
    const { rows: one } = yield* Rules.result("assets.coins", { coin: "BTC" })
    expect(one).toEqual(every.filter((row: Rules.Row) => row.coin === "BTC"))
    expect(one).toHaveLength(1)
  })
})

describe("4. bonus usage", () => {
  const usage = (parameters: Rules.Parameters) =>
    Rules.rows("assets.bonusUsage", { coin: "USDT", limit: 50, ...parameters })

  Rules.rule("[assets.bonusUsage/startTime] after it, in seconds", function* () {
    const every = yield* usage({})
    expect(yield* usage({ startTime: every[4]!.time })).toEqual(every.slice(0, 4))
    expect(yield* usage({ startTime: every[4]!.time - 1 })).toEqual(every.slice(0, 5))
    expect(yield* Rules.code("assets.bonusUsage", { coin: "USDT", startTime: "soon" })).toBe(10001)
  })

  Rules.rule("[assets.bonusUsage/endTime] before it, in seconds", function* () {
    const every = yield* usage({})
    expect(yield* usage({ endTime: every[4]!.time })).toEqual(every.slice(5))
    expect(yield* usage({ endTime: Number(every[4]!.time) + 1 })).toEqual(every.slice(4))
    expect(yield* Rules.code("assets.bonusUsage", { coin: "USDT", endTime: "soon" })).toBe(10001)
  })
})

describe("14. transfers with sub-accounts", () => {
  Rules.rule("[records/sub-account-transfer] are visible to both accounts, and to no others", function* () {
    const list = (role: "main" | "sub" | "classic") => Rules.all("assets.subAccountTransfers", {}, { role })
    const found = yield* list("main")
    expect(found).toHaveLength(27)
    expect(found[0]).toMatchObject({ user_id: 10000001, sub_user_id: 10000101 })
    expect(yield* list("sub")).toEqual(found)
    expect(yield* list("classic")).toEqual([])
  })
})

describe("15. internal withdrawal", () => {
  const withdrawal = (requestId: string, more: Rules.Parameters = {}) => ({
    requestId,
    coin: "USDT",
    addressType: 3,
    address: "20000001",
    amount: "7.25",
    ...more
  })
  const withdraw = (requestId: string, more: Rules.Parameters = {}, as: Rules.More = {}) =>
    Rules.code("assets.withdrawInternal", withdrawal(requestId, more), as)

  Rules.rule("[assets.withdrawInternal/addressBook] only to recipients in the address book", function* () {
    expect(yield* withdraw("a1", { address: "20000002" })).toBe(131093)
    expect(yield* withdraw("a2")).toBe(0)
  })

  Rules.rule("[assets.withdrawInternal/requestId.unique] once per request id, which is case-sensitive", function* () {
    const [mine, theirs] = [yield* fund("USDT"), yield* fund("USDT", { role: "customer" })]
    const first = yield* Rules.result("assets.withdrawInternal", withdrawal("once"))
    expect(yield* Rules.result("assets.withdrawInternal", withdrawal("once"))).toEqual(first)
    expect(mine - (yield* fund("USDT"))).toBeCloseTo(7.25, 8)
    expect((yield* fund("USDT", { role: "customer" })) - theirs).toBeCloseTo(7.25, 8)
    const received = yield* Rules.rows("assets.deposits", { type: 1 }, { role: "customer" })
    expect(received[0]).toMatchObject({ type: "1", amount: "7.25", address: "10000001", status: "1" })
    expect(yield* withdraw("once", { amount: "8" })).toBe(131082)
    const other = yield* Rules.result("assets.withdrawInternal", withdrawal("Once"))
    expect(other.withdraw_id).not.toBe(first.withdraw_id)
    expect(mine - (yield* fund("USDT"))).toBeCloseTo(14.5, 8)
  })

  Rules.rule("[assets.withdrawInternal/requestId.unique] the id of another master is taken", function* () {
    const { control, uids } = yield* Rules.sandbox
    const [customer, main] = [{ role: "customer" } as const, { addressType: 3, address: uids.main }]
    expect(yield* withdraw("mine")).toBe(0)
    expect(yield* withdraw("theirs", main, customer)).toBe(131093)
    yield* control.addAddress({ uid: uids.customer, ...main, addressType: 3 })
    expect(yield* withdraw("mine", main, customer)).toBe(131082)
    const before = yield* fund("USDT")
    expect(yield* withdraw("theirs", main, customer)).toBe(0)
    expect(yield* withdraw("theirs", main, customer)).toBe(0)
    expect((yield* fund("USDT")) - before).toBeCloseTo(7.25, 8)
    expect(yield* withdraw("theirs")).toBe(131082)
  })

  Rules.rule("[assets.withdrawInternal/areaCode] is required for a phone number, and ignored otherwise", function* () {
    const phone = { addressType: 2, address: "7700900201" }
    expect(yield* withdraw("p1", phone)).toBe(10001)
    expect(yield* withdraw("p3", { ...phone, areaCode: 44 })).toBe(0)
    expect(yield* withdraw("p4", { areaCode: 49 })).toBe(0)
  })

  Rules.rule(
    "[assets.withdrawInternal/addressType, assets.withdrawInternal/address] email, phone or UID",
    function* () {
      const before = yield* fund("USDT")
      const friend = { address: "50000001" }
      expect(yield* withdraw("t1", { ...friend, addressType: 3 })).toBe(0)
      expect(yield* withdraw("t4", { addressType: 1, address: "user50000001@example.com" })).toBe(0)
      expect(yield* withdraw("t5", { addressType: 2, address: "7700900201", areaCode: 44 })).toBe(0)
      expect(before - (yield* fund("USDT"))).toBeCloseTo(3 * 7.25, 8)
    }
  )

  Rules.rule(
    "[assets.withdrawInternal/coin, assets.withdrawInternal/amount] moves the amount of the coin",
    function* () {
      const before = yield* fund("BTC")
      expect(yield* withdraw("c1", { coin: "BTC", amount: "0.125" })).toBe(0)
      expect(before - (yield* fund("BTC"))).toBeCloseTo(0.125, 8)
    }
  )

  Rules.rule("[auth/4.withdraw] only with the key of a master UID", function* () {
    expect(yield* withdraw("k1", {}, { role: "sub" })).toBe(10005)
    expect(yield* withdraw("k1")).toBe(0)
  })

  Rules.rule("[assets.withdrawInternal/result] returns the text withdraw_id", function* () {
    const answer = yield* Rules.result("assets.withdrawInternal", withdrawal("r1"))
    expect(Rules.kinds(answer)).toEqual({ withdraw_id: "string" })
    expect(answer.withdraw_id).not.toBe("")
  })
})

describe("16. making a transfer", () => {
  const transfer = {
    requestId: "42c0cfb0-6bca-c242-bc76-4e6df6cbcb16",
    coin: "USDT",
    amount: "12.5",
    fromAccountType: "FUND",
    toAccountType: "UNIFIED"
  }

  Rules.rule(
    "[assets.transfer/effect, assets.transfer/coin, assets.transfer/amount] moves an amount of a coin",
    function* () {
      const [from, to, other] = [yield* fund("USDT"), yield* unified("USDT"), yield* unified("BTC")]
      yield* Rules.result("assets.transfer", transfer)
      expect(from - (yield* fund("USDT"))).toBeCloseTo(12.5, 6)
      expect((yield* unified("USDT")) - to).toBeCloseTo(12.5, 6)
      expect(yield* unified("BTC")).toBe(other)
      // Margin of positions and orders stays where it is.
      const all = { amount: (yield* unified("USDT")).toFixed(2), fromAccountType: "UNIFIED", toAccountType: "FUND" }
      expect(yield* Rules.code("assets.transfer", { ...transfer, ...all, requestId: Rules.uuid(1) })).toBe(131212)
    }
  )

  Rules.rule(
    "[assets.transfer/fromAccountType, assets.transfer/toAccountType] between account types of the account",
    function* () {
      const before = yield* fund("USDT")
      // SPOT, UNIFIED and CONTRACT are the values seen.
      let step = 0
      for (const toAccountType of ["SPOT", "CONTRACT", "FUND"]) {
        const fromAccountType = ["FUND", "SPOT", "CONTRACT"][step]
        const requestId = Rules.uuid(step++)
        yield* Rules.result("assets.transfer", { ...transfer, requestId, fromAccountType, toAccountType })
      }
      expect(yield* fund("USDT")).toBe(before)
      const back = { ...transfer, fromAccountType: "UNIFIED", toAccountType: "FUND" }
      yield* Rules.result("assets.transfer", back)
      expect((yield* fund("USDT")) - before).toBeCloseTo(12.5, 6)
    }
  )

  Rules.rule("[assets.transfer/result, assets.transfer/requestId] returns the UUID, and lists it", function* () {
    yield* TestClock.adjust("1000500 millis")
    const before = yield* fund("USDT")
    const answer = yield* Rules.result("assets.transfer", transfer)
    expect(answer).toEqual({ transferId: transfer.requestId })
    // A UUID in capitals is the same UUID.
    for (const requestId of [transfer.requestId, transfer.requestId.toUpperCase()]) {
      expect(yield* Rules.result("assets.transfer", { ...transfer, requestId })).toEqual(answer)
    }
    expect(yield* Rules.code("assets.transfer", { ...transfer, amount: "13" })).toBe(131214)
    expect(before - (yield* fund("USDT"))).toBeCloseTo(12.5, 8)
    const { requestId, ...made } = transfer
    for (const transferId of [requestId, requestId.toUpperCase()]) {
      expect(yield* Rules.rows("assets.transfers", { transferId })).toEqual([
        { ...made, transferId: requestId, status: "SUCCESS", timestamp: "1000" }
      ])
    }
  })
})

describe("17. funding account", () => {
  Rules.rule("[assets.fundingAssets/accountType] returns the funding account or the spot account", function* () {
    const account = (accountType: string) => Rules.result("assets.fundingAssets", { accountType }, { role: "classic" })
    const [funding, spot] = [yield* account("FUND"), yield* account("SPOT")]
    expect(funding.fund.assets.length).toBeGreaterThan(0)
    expect(spot.spot.assets.length).toBeGreaterThan(0)
    expect(funding.fund.assets).not.toEqual(spot.spot.assets)
  })

  Rules.rule("[assets.fundingAssets/coin] returns one coin or all", function* () {
    const assets = (more: Rules.Parameters) =>
      Effect.map(Rules.result("assets.fundingAssets", { accountType: "FUND", ...more }), (page) => page.fund.assets)
    const every = yield* assets({})
    expect(every.length).toBeGreaterThan(2)
    expect(yield* assets({ coin: "BTC" })).toEqual(every.filter((row: Rules.Row) => row.coin === "BTC"))
  })
})

describe("19. transferable coins", () => {
  Rules.rule(
    "[assets.transferableCoins/fromAccountType, assets.transferableCoins/toAccountType] between account types of the account",
    function* () {
      const code = (fromAccountType: string, toAccountType: string) =>
        Rules.code("assets.transferableCoins", { fromAccountType, toAccountType })
      expect(yield* code("FUND", "UNIFIED")).toBe(0)
      expect(yield* code("UNIFIED", "FUND")).toBe(0)
      expect(yield* code("FUND", "CONTRACT")).toBe(0)
      expect(yield* code("SPOT", "FUND")).toBe(0)
      const classic = { fromAccountType: "SPOT", toAccountType: "CONTRACT" }
      expect(yield* Rules.code("assets.transferableCoins", classic, { role: "classic" })).toBe(0)
    }
  )
})

describe("24. wallet balance", () => {
  const coins = (parameters: Rules.Parameters, more: Rules.More = {}) =>
    Effect.map(
      Rules.result("account.walletBalance", { accountType: "UNIFIED", ...parameters }, more),
      (page): ReadonlyArray<Rules.Row> => page.list[0].coin
    )

  Rules.rule("[account.walletBalance/accountType] accepts only an account type of the account", function* () {
    const wallet = (accountType: string, role: "main" | "classic") =>
      Rules.send("account.walletBalance", { accountType }, { role })
    expect((yield* wallet("UNIFIED", "main")).json.result.list[0].accountType).toBe("UNIFIED")
    expect((yield* wallet("CONTRACT", "classic")).json.result.list[0].accountType).toBe("CONTRACT")
  })

  Rules.rule("[account.walletBalance/coin] several, joined by commas", function* () {
    const names = (found: ReadonlyArray<Rules.Row>) => found.map((row): string => row.coin)
    expect(names(yield* coins({ coin: "USDT" }))).toEqual(["USDT"])
    expect(names(yield* coins({ coin: "BTC,USDT" }))).toEqual(["BTC", "USDT"])
  })

  Rules.rule("[account.walletBalance/coin.absent] defaults to the coins with a balance", function* () {
    const found = yield* coins({})
    expect(found.length).toBeGreaterThan(2)
    expect(found.every((row) => Number(row.walletBalance) !== 0)).toBe(true)
    const [zero] = yield* coins({ coin: "DOGE" })
    expect(Number(zero!.walletBalance)).toBe(0)
    expect(found.map((row) => row.coin)).not.toContain("DOGE")
  })
})

describe("20. and 23. broker", () => {
  const second = (index: number) => (-(360 - index * 12) * day) / 1000

  Rules.rule("[broker.customers/begin] selects those who joined at or after it, in seconds", function* () {
    const { user_list: every } = yield* Rules.result("broker.customers")
    const joined = (begin: number) => Effect.map(Rules.result("broker.customers", { begin }), (one) => one.user_list)
    expect(yield* joined(second(3))).toEqual(every.slice(3))
    expect(yield* joined(second(3) + 1)).toEqual(every.slice(4))
    expect(yield* Rules.code("broker.customers", { begin: "soon" })).toBe(10001)
  })

  Rules.rule("[broker.customers/end] selects those who joined at or before it, in seconds", function* () {
    const { user_list: every } = yield* Rules.result("broker.customers")
    const joined = (end: number) => Effect.map(Rules.result("broker.customers", { end }), (one) => one.user_list)
    expect(yield* joined(second(3))).toEqual(every.slice(0, 4))
    expect(yield* joined(second(3) - 1)).toEqual(every.slice(0, 3))
    expect(yield* Rules.code("broker.customers", { begin: second(3), end: second(2) })).toBe(10001)
  })

  const customer = "20000001"
  const volume = (parameters: Rules.Parameters) =>
    Effect.map(Rules.rows("broker.tradeVolume", { uid: customer, ...parameters }), (found): Rules.Row => found[0]!)
  const amount = (row: Rules.Row, coin: string, field = "trade_volume") =>
    Number(row.coins.find((one: Rules.Row) => one.coin === coin)?.[field] ?? 0)
  /** The executions of the customer's orders, which funding is not. */
  const fills = (category: string) =>
    Effect.gen(function* () {
      const found: Array<Rules.Row> = []
      for (let startTime = -30 * day; startTime < 0; startTime += Rules.week) {
        const range = { startTime, endTime: Math.min(startTime + Rules.week - 1, 0), execType: "Trade", limit: 100 }
        found.push(...(yield* Rules.all("executions.list", { category, ...range }, { role: "customer" })))
      }
      return found.toSorted((one, other) => Number(other.execTime) - Number(one.execTime))
    })
  const sum = (found: ReadonlyArray<Rules.Row>, field: string) =>
    found.reduce((total, row) => total + Number(row[field]), 0)

  Rules.rule(
    "[broker.tradeVolume/aggregate, records/volume.tradeVolume] spot and contracts, as maker and taker",
    function* () {
      const [contracts, coins] = [yield* fills("linear"), yield* fills("spot")]
      expect(contracts.length).toBeGreaterThan(3)
      expect(new Set(contracts.map((row) => row.isMaker))).toEqual(new Set([true, false]))
      const bitcoin = coins.filter((row) => row.symbol === "BTCUSDT")
      const [from, inverse] = [-30 * day, yield* fills("inverse")]
      const row = yield* volume({ from })
      expect(amount(row, "USDT")).toBeCloseTo(sum(contracts, "execValue"), 4)
      const inCoin = inverse.filter((one) => one.symbol === "BTCUSD")
      expect(amount(row, "BTC")).toBeCloseTo(sum(bitcoin, "execQty") + sum(inCoin, "execValue"), 6)
    }
  )

  Rules.rule("[records/volume.fee] with the fees of the coin, 0 if there are none", function* () {
    const row = yield* volume({ from: -30 * day, productType: "DERIVATIVES" })
    expect(amount(row, "USDT", "fee")).toBeCloseTo(sum(yield* fills("linear"), "execFee"), 6)
    // Of spot, what is only sold brings no fee in its own coin.
    const spot = (yield* Rules.all("broker.tradeVolume", { productType: "SPOT", limit: 50 })).flatMap(
      (one): ReadonlyArray<Rules.Row> => one.coins
    )
    expect(spot.some((one) => Number(one.trade_volume) > 0 && Number(one.fee) === 0)).toBe(true)
    expect(spot.some((one) => Number(one.fee) > 0)).toBe(true)
  })

  Rules.rule(
    "[broker.tradeVolume/from, broker.tradeVolume/to] from is inclusive and to exclusive, in milliseconds",
    function* () {
      const found = yield* fills("linear")
      const times = found.map((row) => Number(row.execTime))
      const [at, before] = [times[0]!, times.find((time) => time < times[0]!)!]
      const last = found.filter((row) => Number(row.execTime) === at)
      const contracts = { productType: "DERIVATIVES", contractType: "LinearPerpetual" }
      const from = amount(yield* volume({ ...contracts, from: at }), "USDT")
      expect(from).toBeCloseTo(sum(last, "execValue"), 4)
      expect(amount(yield* volume({ ...contracts, from: at + 1 }), "USDT")).toBe(0)
      const until = found.filter((row) => Number(row.execTime) === before)
      const to = amount(yield* volume({ ...contracts, from: before, to: at }), "USDT")
      expect(to).toBeCloseTo(sum(until, "execValue"), 4)
      const both = amount(yield* volume({ ...contracts, from: before, to: at + 1 }), "USDT")
      expect(both).toBeCloseTo(sum(until, "execValue") + sum(last, "execValue"), 4)
      expect(yield* Rules.code("broker.tradeVolume", { from: at, to: before })).toBe(10001)
    }
  )

  Rules.rule("[broker.tradeVolume/uid] one customer, or all of them", function* () {
    const { user_list: every } = yield* Rules.result("broker.customers")
    const one = yield* Rules.rows("broker.tradeVolume", { uid: customer })
    expect(one.map((row) => row.user_id)).toEqual([customer])
    const all = yield* Rules.all("broker.tradeVolume", {})
    expect(all.map((row) => row.user_id)).toEqual([...every].sort())
  })

  Rules.rule("[broker.tradeVolume/productType] spot, derivatives, or both", function* () {
    const [spot, contracts, both] = [
      yield* volume({ productType: "SPOT" }),
      yield* volume({ productType: "DERIVATIVES" }),
      yield* volume({ productType: "ALL" })
    ]
    expect(yield* volume({})).toEqual(both)
    for (const coin of ["BTC", "USDT"]) {
      expect(amount(spot, coin) + amount(contracts, coin)).toBeCloseTo(amount(both, coin), 6)
    }
    expect(amount(spot, "BTC")).toBeGreaterThan(0)
    expect(amount(contracts, "USDT")).toBeGreaterThan(0)
    expect(amount(spot, "USDT")).toBe(0)
  })

  Rules.rule("[broker.tradeVolume/contractType] one kind of contract, or all; none of spot", function* () {
    const of = (contractType: string) => volume({ productType: "DERIVATIVES", contractType })
    const [usdt, coins] = [yield* of("LinearPerpetual"), yield* of("InversePerpetual")]
    expect(usdt.coins.map((one: Rules.Row) => one.coin)).toEqual(["USDT"])
    expect(coins.coins.map((one: Rules.Row) => one.coin)).not.toContain("USDT")
    const all = yield* volume({ productType: "DERIVATIVES" })
    expect(all.coins).toHaveLength(Number(coins.coins.length) + 1)
    expect((yield* of("LinearFutures")).coins).toEqual([])
    const spot = { uid: customer, productType: "SPOT", contractType: "LinearPerpetual" }
    expect(yield* Rules.code("broker.tradeVolume", spot)).toBe(10001)
  })

  Rules.rule("[broker.tradeVolume/coin] one coin, or all", function* () {
    const all = yield* volume({})
    expect(all.coins.length).toBeGreaterThan(2)
    const bitcoin = all.coins.filter((one: Rules.Row) => one.coin === "BTC")
    expect((yield* volume({ coin: "BTC" })).coins).toEqual(bitcoin)
    expect(bitcoin).toHaveLength(1)
  })
})

describe("21. and 22. API rate limits", () => {
  const entry = (uids: string, rate = 30) => ({ list: [{ uids, bizType: "DERIVATIVES", rate }] })
  const set = (body: Rules.Parameters, role: "main" | "sub" | "classic" = "main") =>
    Effect.map(Rules.result("apiLimits.set", body, { role }), (page) => page.result[0].success as unknown)
  const rate = (uid: string) =>
    Effect.map(
      Rules.result("apiLimits.query", { uids: uid }),
      (page) => page.list.find((one: Rules.Row) => one.bizType === "DERIVATIVES").rate
    )

  Rules.rule("[apiLimits.set/master] a master sets its sub-accounts' limits, and no others", function* () {
    expect(yield* set(entry("10000101"))).toBe(true)
    expect(yield* rate("10000101")).toBe(30)
    for (const uid of ["10000001", "20000001", "30000001", "10000101,20000001"]) {
      expect(yield* set(entry(uid, 40))).toBe(false)
    }
    expect(yield* rate("10000101")).toBe(30)
  })

  Rules.rule("[apiLimits.set/self] any other account sets only its limits", function* () {
    expect(yield* set(entry("10000101", 25), "sub")).toBe(true)
    expect(yield* rate("10000101")).toBe(25)
    expect(yield* set(entry("10000001"), "sub")).toBe(false)
  })

  Rules.rule(
    "[apiLimits.set/self] an account without master and without sub-accounts sets its limits",
    function* () {
      expect(yield* set(entry("30000001", 25), "classic")).toBe(true)
      expect(yield* set(entry("10000001"), "classic")).toBe(false)
    },
    Rules.altered((state) => Exchange.withAccount(state, { ...state.accounts.get("30000001")!, institutional: true }))
  )

  Rules.rule("[apiLimits.set/uids] several UIDs, joined by commas", function* () {
    expect(yield* set(entry("10000101,10000101", 35))).toBe(true)
    expect(yield* rate("10000101")).toBe(35)
  })

  Rules.rule(
    "[apiLimits.set/result, apiLimits.set/bizType, apiLimits.set/rate] reports the outcome of each entry",
    function* () {
      const list = [
        { uids: "10000101", bizType: "DERIVATIVES", rate: 30 },
        { uids: "20000001", bizType: "SPOT", rate: 30 },
        { uids: "10000101", bizType: "GOLD", rate: 30 },
        { uids: "10000101", bizType: "SPOT", rate: 100_000 }
      ]
      const page = yield* Rules.result("apiLimits.set", { list })
      Rules.expectKinds(page.result, {
        ...Rules.every("string", "uids bizType msg"),
        rate: "integer",
        success: "boolean"
      })
      expect(page.result.map((one: Rules.Row) => `${one.success} ${one.msg}`)).toEqual([
        "true API limit updated successfully",
        "false No permission to operate these UIDs",
        "false API cap configuration not found for bizType",
        "false Requested limit exceeds maximum allowed per user"
      ])
      expect(page.result.map(({ bizType, rate, uids }: Rules.Row) => ({ uids, bizType, rate }))).toEqual(list)
    }
  )

  Rules.rule("[auth/4.set] only by institutional users", function* () {
    expect(yield* Rules.code("apiLimits.set", entry("30000001"), { role: "classic" })).toBe(10005)
    expect(yield* Rules.code("apiLimits.set", entry("10000101"))).toBe(0)
  })

  Rules.rule("[apiLimits.query/uids] as uids or as uid, several joined by commas", function* () {
    const uids = yield* Rules.result("apiLimits.query", { uids: "10000001,10000101" })
    expect(yield* Rules.result("apiLimits.query", { uid: "10000001,10000101" })).toEqual(uids)
    expect(uids.list).toHaveLength(4)
    expect(yield* Rules.code("apiLimits.query")).toBe(10001)
  })

  Rules.rule("[apiLimits.query/master] a master sees itself and its sub-accounts", function* () {
    const code = (uids: string) => Rules.code("apiLimits.query", { uids })
    expect([yield* code("10000001"), yield* code("10000101")]).toEqual([0, 0])
    expect([yield* code("20000001"), yield* code("10000001,30000001")]).toEqual([10005, 10005])
  })

  Rules.rule("[auth/4.query] a sub-account sees only itself", function* () {
    const code = (uids: string) => Rules.code("apiLimits.query", { uids }, { role: "sub" })
    expect(yield* code("10000101")).toBe(0)
    expect([yield* code("10000001"), yield* code("10000101,10000001")]).toEqual([10005, 10005])
  })
})
