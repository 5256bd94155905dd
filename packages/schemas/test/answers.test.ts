/** The recorded answers out of their envelopes, as the domain has them. */
import { addEqualityTesters, describe, expect, it } from "@effect/vitest"
import { BigDecimal, DateTime, Option, Schema } from "effect"
import { readdirSync } from "node:fs"
import * as Account from "../src/domains/Account.js"
import * as Decimal from "../src/scalars/Decimal.js"
import type * as Endpoint from "../src/endpoint/Endpoint.js"
import * as Endpoints from "../src/document/Endpoints.js"
import * as Envelope from "@effect-venue/schemas/siblings/Envelope"
import * as Json from "@effect-venue/schemas/siblings/Json"
import * as Orders from "../src/domains/Orders.js"
import { dec, fixture, mismatches, none } from "./helpers.js"

addEqualityTesters()

const unwrapped = ({ envelope, name }: Endpoint.Any): unknown => {
  const { code, result, time } = Schema.decodeUnknownSync(Envelope.fromKind(envelope))(
    fixture(`successes/${name}.json`)
  )
  expect([code, Option.isNone(time)]).toEqual([0, envelope === "bare"])
  return result
}

/** A decimal is `$1.5`, an instant `@` and its milliseconds, a number `#1`, an option `(…)` or `-`. */
const shown = (value: unknown): string => {
  if (BigDecimal.isBigDecimal(value)) return `$${Decimal.format(value)}`
  if (DateTime.isDateTime(value)) return `@${value.epochMillis}`
  if (Option.isOption(value)) return Option.match(value, { onNone: () => "-", onSome: (some) => `(${shown(some)})` })
  if (Array.isArray(value)) return `[${value.map(shown).join(", ")}]`
  if (typeof value === "object" && value !== null) {
    return `{ ${Object.entries(value)
      .map(([name, field]) => `${name}: ${shown(field)}`)
      .join(", ")} }`
  }
  return typeof value === "number" ? `#${value}` : String(value)
}

const answers: Readonly<Record<string, string>> = {
  "account.walletBalance": `
    { list: [{ accountType: UNIFIED, accountIMRate: ($0.0162), accountMMRate: -, totalEquity: ($3.31216591),
    totalWalletBalance: ($3.00326056), totalMarginBalance: ($3.00326056), totalAvailableBalance: ($3.00326056),
    totalPerpUPL: ($0), totalInitialMargin: ($0), totalMaintenanceMargin: ($0), accountLTV: -, coin: [{ coin: BTC,
    equity: $0.00012345, usdValue: ($3.3333), walletBalance: $0.00012345, availableToWithdraw: -, totalOrderIM:
    ($0), totalPositionIM: ($0), totalPositionMM: ($0), unrealisedPnl: ($-0.50), cumRealisedPnl: ($0), bonus: ($0),
    borrowAmount: ($0.000000000000), availableToBorrow: -, accruedInterest: ($0) }] }] }`,
  "apiLimits.query": "{ list: [{ uids: [100001], bizType: SPOT, rate: #20 }] }",
  "apiLimits.set": `
    { list: [{ uids: [100001, 100002], bizType: DERIVATIVES, rate: #20, success: true, msg: API limit updated
    successfully }, { uids: [100003], bizType: SPOT, rate: #9999, success: false, msg: Requested limit exceeds
    maximum allowed per user }] }`,
  "assets.bonusUsage": `
    { rows: [{ awardType: (#1), symbol: (BTCUSDT), time: @1700000000000, type: (#2), coin: USDT, amount: $1.2300,
    orderId: - }, { awardType: (#2), symbol: (ETHUSDT), time: @1700000001000, type: (#1), coin: USDT, amount: $5,
    orderId: (o-1) }] }`,
  "assets.coins": `
    { rows: [{ coin: USDT, coinName: Tether, accuracy: (#6), depositChains: [{ chain: ETH, chainName: ERC20,
    canDeposit: (true), depositMin: ($0.01), depositConfirmation: (#12) }, { chain: OLD, chainName: Gone,
    canDeposit: (false), depositMin: -, depositConfirmation: - }], withdrawChains: [{ chain: ETH, chainName: ERC20,
    canWithdraw: (false), withdrawMin: ($20), withdrawFee: ($10.50) }] }] }`,
  "assets.deposits": `
    { rows: [{ type: 0, chain: (TRX), coin: USDT, amount: $100.50, address: (Txxxxxxxxxxxxx), status: 1, time:
    @1700000000000, transactionId: 7d3f, txId: (e5f7e2), createTime: @1699999990000 }, { type: 1, chain: -, coin:
    USDT, amount: $3, address: (100001), status: 0, time: @1700000001000, transactionId: 7d40, txId: -, createTime:
    @1699999991000 }], cursor: (eyJtaW5JRCI6MX0=) }`,
  "assets.fundingAssets": `
    { spot: ({ status: ACCOUNT_STATUS_NORMAL, assets: [{ coin: USDT, free: $10.00, totalBalance: $12.50 }] }), fund:
    ({ status: ACCOUNT_STATUS_UNSPECIFIED, assets: [] }) }`,
  "assets.subAccountTransfers": `
    { list: [{ transferId: 42c0cfb0-6bca-c242-bc76-4e6df6cbab16, coin: USDT, amount: $0.01, userId: 100001,
    subUserId: 100002, timestamp: @1700000000123, status: SUCCESS, type: IN }], cursor: (next%3D2) }`,
  "assets.transfer": "{ transferId: 87c18caa-539a-449e-99cc-c39e4329bcc5 }",
  "assets.transferableCoins": "{ coins: [BTC, USDT] }",
  "assets.transfers": `
    { list: [{ transferId: selfTransfer_0001, coin: USDT, amount: $11.50, fromAccountType: SPOT, toAccountType:
    UNIFIED, status: SUCCESS, timestamp: @1700000000000 }], cursor: - }`,
  "assets.withdrawInternal": "{ withdrawId: 9000001 }",
  "broker.customers": "{ userList: [100001, 100002] }",
  "broker.tradeVolume": `
    { list: [{ userId: 100001, coins: [{ coin: BTC, tradeVolume: $12.50000000, fee: $0 }, { coin: USDT, tradeVolume:
    $1000, fee: $0.60 }] }], nextCursor: (100001) }`,
  "executions.list": `
    { category: (linear), list: [{ symbol: BTCUSDT, orderId: 9aac161b, side: Sell, orderPrice: ($27000.5), orderQty:
    ($0.030), leavesQty: ($0.010), orderType: Limit, stopOrderType: (UNKNOWN), execFee: $0.32400600, execId:
    e0cbe81d-0f18-5866-9415-cf319b5dab3b, execPrice: $27000.5, execQty: $0.020, execValue: ($540.010), execType:
    (Trade), execTime: @1700000000555, isMaker: (false), feeRate: ($0.0006), markPrice: ($26999.99), closedSize:
    ($0), createType: (CreateByUser), seq: (4688002127) }, { symbol: ETHUSDT, orderId: 1523, side: Buy, orderPrice:
    ($1800), orderQty: ($1), leavesQty: ($0), orderType: Market, stopOrderType: -, execFee: $-0.0001, execId:
    2100000000032905730, execPrice: $1799.99, execQty: $1.0, execValue: ($1799.99), execType: (Trade), execTime:
    @1700000000444, isMaker: (true), feeRate: ($-0.0001), markPrice: -, closedSize: -, createType: -, seq: - }],
    nextPageCursor: (132766%3A2%2C132766%3A2) }`,
  "executions.preUpgrade": `
    { category: (spot), list: [{ symbol: ETHUSDT, orderId: 1523, side: Buy, orderPrice: ($1800), orderQty: ($1),
    leavesQty: -, orderType: Market, stopOrderType: -, execFee: $-0.0001, execId: 2100000000032905730, execPrice:
    $1799.99, execQty: $1.0, execValue: -, execType: -, execTime: @1700000000444, isMaker: (true), feeRate: -,
    markPrice: -, closedSize: - }], nextPageCursor: - }`,
  "instruments.list": `
    { category: (linear), list: [{ symbol: BTCUSDT, contractType: (LinearPerpetual), status: Trading, baseCoin: BTC,
    quoteCoin: USDT, settleCoin: (USDT), launchTime: (@1585526400000), deliveryTime: -, deliveryFeeRate: -,
    priceScale: (#2), leverageFilter: ({ minLeverage: ($1), maxLeverage: ($100.00), leverageStep: ($0.01) }),
    priceFilter: { minPrice: ($0.10), maxPrice: ($199999.80), tickSize: $0.10 }, lotSizeFilter: { minOrderQty:
    $0.001, maxOrderQty: $1190.000, qtyStep: ($0.001), maxMktOrderQty: ($500.000), postOnlyMaxOrderQty: ($1190.000),
    minNotionalValue: ($5), basePrecision: -, quotePrecision: -, minOrderAmt: -, maxOrderAmt: - }, riskParameters:
    -, unifiedMarginTrade: (true), fundingInterval: (#480), offlineTime: (@1700006400000), tags: [innovation] }, {
    symbol: ETHUSDT, contractType: -, status: Trading, baseCoin: ETH, quoteCoin: USDT, settleCoin: -, launchTime: -,
    deliveryTime: -, deliveryFeeRate: -, priceScale: -, leverageFilter: -, priceFilter: { minPrice: -, maxPrice: -,
    tickSize: $0.01 }, lotSizeFilter: { minOrderQty: $0.0005, maxOrderQty: $1200, qtyStep: -, maxMktOrderQty: -,
    postOnlyMaxOrderQty: -, minNotionalValue: -, basePrecision: ($0.00001), quotePrecision: ($0.0000001),
    minOrderAmt: ($1), maxOrderAmt: ($2000000) }, riskParameters: ({ limitParameter: $0.03, marketParameter: $0.05
    }), unifiedMarginTrade: -, fundingInterval: -, offlineTime: -, tags: [] }], nextPageCursor:
    (first%3D0GUSDT%26last%3D10000SATSUSDT) }`,
  "orders.amend": "{ orderId: c6f055d9-7f21-4079-913d-e6523a9cfffa, orderLinkId: - }",
  "orders.cancelAll": `
    { list: ([{ right: { orderId: 1, orderLinkId: (a), success: (true) } }, { right: { orderId: 2, orderLinkId: -,
    success: (false) } }, { right: { orderId: 3, orderLinkId: (b), success: - } }]), success: - }`,
  "orders.history": `
    { category: (linear), list: [{ orderId: 14bad3a1-6454-43d8-bcf2-5345896cf74d, orderLinkId: (YLxaWKMiHU), symbol:
    ETHUSDT, price: ($1187.05), qty: $0.10, side: Sell, isLeverage: -, positionIdx: #2, orderStatus: Cancelled,
    cancelType: (UNKNOWN), rejectReason: (EC_PostOnlyWillTakeLiquidity), avgPrice: ($0), leavesQty: ($0.00),
    leavesValue: ($0), cumExecQty: $0.00, cumExecValue: $0, cumExecFee: $0, timeInForce: PostOnly, orderType: Limit,
    stopOrderType: (UNKNOWN), orderIv: -, marketUnit: -, triggerPrice: ($0.00), takeProfit: ($0.00), stopLoss:
    ($0.00), tpslMode: -, tpLimitPrice: -, slLimitPrice: -, tpTriggerBy: (UNKNOWN), slTriggerBy: (UNKNOWN),
    triggerDirection: (#0), triggerBy: (UNKNOWN), lastPriceOnCreated: ($0.00), reduceOnly: false, closeOnTrigger:
    false, placeType: -, createdTime: @1672225446000, updatedTime: @1672225446123 }], nextPageCursor:
    (page_token%3D39380%26) }`,
  "orders.open": `
    { category: (linear), list: [{ orderId: c6f055d9-7f21-4079-913d-e6523a9cfffa, orderLinkId: (my-order-1), symbol:
    BTCUSDT, price: ($27000.50), qty: $0.010, side: Buy, isLeverage: -, positionIdx: #0, orderStatus:
    PartiallyFilled, cancelType: (UNKNOWN), rejectReason: (EC_NoError), avgPrice: ($27000.10), leavesQty: ($0.004),
    leavesValue: ($108.0020), cumExecQty: $0.006, cumExecValue: $162.0006, cumExecFee: $0.03240012, timeInForce:
    GTC, orderType: Limit, stopOrderType: -, orderIv: -, marketUnit: -, triggerPrice: -, takeProfit: ($28000),
    stopLoss: ($26000.0), tpslMode: (Partial), tpLimitPrice: ($27990.50), slLimitPrice: -, tpTriggerBy: (LastPrice),
    slTriggerBy: (MarkPrice), triggerDirection: (#0), triggerBy: -, lastPriceOnCreated: ($27010.00), reduceOnly:
    false, closeOnTrigger: false, placeType: -, createdTime: @1700000000001, updatedTime: @1700000000789 }, {
    orderId: 1523347543495541248, orderLinkId: -, symbol: ETHUSDT, price: ($0), qty: $100.00, side: Sell,
    isLeverage: (true), positionIdx: #0, orderStatus: New, cancelType: -, rejectReason: -, avgPrice: -, leavesQty:
    ($100.00), leavesValue: ($0), cumExecQty: $0, cumExecValue: $0, cumExecFee: $0, timeInForce: GTC, orderType:
    Market, stopOrderType: (tpslOrder), orderIv: -, marketUnit: (quoteCoin), triggerPrice: ($1800.5), takeProfit: -,
    stopLoss: -, tpslMode: -, tpLimitPrice: -, slLimitPrice: -, tpTriggerBy: -, slTriggerBy: -, triggerDirection:
    (#2), triggerBy: -, lastPriceOnCreated: -, reduceOnly: true, closeOnTrigger: true, placeType: -, createdTime:
    @1700000000002, updatedTime: @1700000000003 }], nextPageCursor: (page_token%3D39380%26) }`,
  "positions.addMargin": `
    { category: linear, positionIdx: (#1), riskId: (#1), riskLimitValue: ($2000000), symbol: (BTCUSDT), size: ($0.500),
    avgPrice: ($27000.00), positionValue: ($13500), positionStatus: Normal, leverage: ($10), markPrice: ($27100.12),
    liqPrice: ($24435.00), bustPrice: ($24300.00), positionIM: ($1357.29), positionMM: ($74.79), takeProfit:
    ($0.00), stopLoss: -, trailingStop: ($0), unrealisedPnl: ($50.06), cumRealisedPnl: ($-12.3400), autoAddMargin:
    (true), createdTime: (@1690000000000), updatedTime: (@1700000000000) }`,
  "positions.list": `
    { category: (linear), list: [{ positionIdx: #1, riskId: (#1), riskLimitValue: ($2000000), symbol: BTCUSDT, size:
    $0.500, avgPrice: ($27000.00), positionValue: ($13500), positionStatus: Normal, leverage: ($10), markPrice:
    ($27100.12), liqPrice: ($24435.00), bustPrice: ($24300.00), positionIM: ($1357.29), positionMM: ($74.79),
    takeProfit: ($0.00), stopLoss: -, trailingStop: ($0), unrealisedPnl: ($50.06), cumRealisedPnl: ($-12.3400),
    autoAddMargin: (true), createdTime: (@1690000000000), updatedTime: (@1700000000000), side: (Buy), isReduceOnly:
    true, mmrSysUpdatedTime: (@1700000100000), leverageSysUpdatedTime: -, adlRankIndicator: (#2), tpslMode: (Full),
    tradeMode: -, positionBalance: - }, { positionIdx: #2, riskId: (#1), riskLimitValue: ($2000000), symbol:
    BTCUSDT, size: $0, avgPrice: ($0), positionValue: -, positionStatus: Normal, leverage: ($10), markPrice:
    ($27100.12), liqPrice: -, bustPrice: -, positionIM: ($1357.29), positionMM: ($74.79), takeProfit: ($0.00),
    stopLoss: -, trailingStop: ($0), unrealisedPnl: ($50.06), cumRealisedPnl: ($-12.3400), autoAddMargin: (false),
    createdTime: (@1690000000000), updatedTime: (@1700000000000), side: -, isReduceOnly: false, mmrSysUpdatedTime:
    -, leverageSysUpdatedTime: -, adlRankIndicator: (#2), tpslMode: -, tradeMode: -, positionBalance: - }],
    nextPageCursor: - }`,
  "positions.preUpgradeClosedPnl": `
    { category: (linear), list: [{ symbol: ETHUSDT, orderId: 59f5f3a1, side: Sell, qty: $2.50, orderPrice:
    ($1500.00), orderType: Market, execType: BustTrade, closedSize: $2.50, cumEntryValue: $4000.00, avgEntryPrice:
    $1600, cumExitValue: $3750.00, avgExitPrice: $1500, closedPnl: $-252.325, fillCount: (#3), leverage: ($20),
    createdTime: @1669196417930, updatedTime: @1669196417999 }], nextPageCursor: (5a6d%3A1%2C2) }`,
  "positions.setRiskLimit": "{ category: linear, riskId: (#2), riskLimitValue: ($4000000) }",
  "positions.setTradingStop": "undefined"
}

const files = new Set(readdirSync(new URL("fixtures/successes/", import.meta.url)))
const recorded = Endpoints.all.filter(({ extended, name }) => extended !== true && files.has(`${name}.json`))

describe("a recorded answer", () => {
  for (const endpoint of recorded) {
    it(`of ${endpoint.name} decodes to its values`, () => {
      const result = unwrapped(endpoint)
      expect(shown(Schema.decodeUnknownSync(endpoint.result)(result))).toBe(
        answers[endpoint.name]?.replace(/\s+/g, " ").trim()
      )
    })
  }

  const ids = (value: unknown): ReadonlyArray<string> =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([name, inner]) =>
          /id$/i.test(name) && inner !== "" ? [String(inner)] : ids(inner)
        )
      : []

  it("keeps every digit of a numeric id beyond 2^53", () => {
    let count = 0
    for (const endpoint of recorded) {
      const text = JSON.stringify(unwrapped(endpoint))
      const read = (changed: string) =>
        shown(Schema.decodeUnknownSync(endpoint.result)(Option.getOrThrow(Json.parse(changed))))
      for (const id of new Set(ids(JSON.parse(text))).values()) {
        const large = "1523347543495541248"
        const quoted = text.replace(`"${id}"`, `"${large}"`)
        if (quoted === text) continue
        expect(read(text.replace(`"${id}"`, large))).toBe(read(quoted))
        count++
      }
    }
    expect(count).toBeGreaterThan(15)
  })

  it("[records/wallet.isolated] has no account-wide amounts in isolated margin, but those of its coins", () => {
    const { list } = unwrapped(Account.walletBalance) as { readonly list: ReadonlyArray<object> }
    const whole = [
      ...["accountIMRate", "accountMMRate", "totalEquity", "totalWalletBalance", "totalMarginBalance", "accountLTV"],
      ...["totalAvailableBalance", "totalPerpUPL", "totalInitialMargin", "totalMaintenanceMargin"]
    ]
    const isolated = list.map((one) => ({ ...one, ...Object.fromEntries(whole.map((name) => [name, ""])) }))
    const [wallet] = Schema.decodeUnknownSync(Account.walletBalance.result)({ list: isolated }).list
    for (const name of whole) expect(wallet).toHaveProperty(name, none)
    expect(wallet?.coin).toMatchObject([{ coin: "BTC", walletBalance: dec("0.00012345") }])
  })

  it("of fee rates contains fractions, and the category if the service returns it", () => {
    const list = [{ symbol: "ETHUSDT", takerFeeRate: "0.0006", makerFeeRate: "-0.0001" }]
    const rates = "[{ symbol: (ETHUSDT), takerFeeRate: $0.0006, makerFeeRate: $-0.0001 }]"
    const decode = Schema.decodeUnknownSync(Account.feeRate.result)
    expect(shown(decode({ list }))).toBe(`{ category: -, list: ${rates} }`)
    expect(shown(decode({ category: "spot", list }))).toBe(`{ category: (spot), list: ${rates} }`)
  })
})

describe("the response of a batch", () => {
  const { result, retExtInfo } = fixture("successes/orders.createBatch.json") as Readonly<Record<string, unknown>>
  const wire = { result, extInfo: retExtInfo }

  it("merges two parallel lists to an outcome per order, and is split into them again", () => {
    const slots = Schema.decodeUnknownSync(Orders.CreateBatchResult)(wire)
    expect(slots.map(shown)).toEqual([
      "{ code: #0, msg: OK, category: (linear), symbol: (BTCUSDT), orderId: (o-1), orderLinkId: (l-1), createAt: (@1700000000001) }",
      "{ code: #110007, msg: available balance is not enough, category: (linear), symbol: (BTCUSDT), orderId: -, orderLinkId: -, createAt: - }"
    ])
    const written = Schema.encodeSync(Orders.CreateBatchResult)(slots)
    expect(written.extInfo).toStrictEqual(wire.extInfo)
    expect(Schema.decodeSync(Orders.CreateBatchResult)(written).map(shown)).toEqual(slots.map(shown))
  })

  it.each([
    [{ list: [{ code: 0, msg: "OK" }] }, "extInfo.list: must have as many entries as result.list: 2, not 1"],
    [{}, "extInfo.list: is missing"],
    [{ list: [{ msg: "" }, { code: 0, msg: "" }] }, "extInfo.list.0.code: is missing"]
  ])("is refused with the outcomes %j", (extInfo, reason) => {
    expect(mismatches(Orders.BatchResult, { ...wire, extInfo })).toStrictEqual([reason])
  })
})
