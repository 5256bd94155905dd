import { addEqualityTesters, describe, expect, it } from "@effect/vitest"
import * as Broker from "../src/Broker.js"
import { answer, dec, refuses, sent, some } from "./helpers.js"

addEqualityTesters()

const from = 1_700_000_000_000

describe("the direct customers", () => {
  it("are answered as UIDs", () => {
    expect(answer(Broker.customers, "broker.customers")).toStrictEqual({ userList: ["100001", "100002"] })
  })

  it("are asked for without bounds or with whole seconds", () => {
    expect(sent(Broker.customers, {})).toStrictEqual({})
    expect(sent(Broker.customers, { begin: from, end: from + 1000 })).toStrictEqual({
      begin: "1700000000",
      end: "1700000001"
    })
    expect(sent(Broker.customers, { end: "2023-11-14T22:13:20Z" })).toStrictEqual({ end: "1700000000" })
    for (const field of ["begin", "end"]) {
      for (const value of [from + 1, "never"]) {
        refuses(
          Broker.customers,
          { [field]: value },
          `${field}: must be an instant on a whole second (DateTime, Date, ISO text or milliseconds)`
        )
      }
    }
  })

  it("are asked for with the end not before the start", () => {
    refuses(Broker.customers, { begin: from, end: from - 1000 }, "end: must not be before begin")
    expect(sent(Broker.customers, { begin: from, end: from })).toStrictEqual({ begin: "1700000000", end: "1700000000" })
  })
})

describe("the trade volume", () => {
  it("is answered per customer and coin", () => {
    expect(answer(Broker.tradeVolume, "broker.tradeVolume")).toStrictEqual({
      list: [
        {
          userId: "100001",
          coins: [
            { coin: "BTC", tradeVolume: dec("12.5"), fee: dec("0") },
            { coin: "USDT", tradeVolume: dec("1000"), fee: dec("0.6") }
          ]
        }
      ],
      nextCursor: some("100001")
    })
  })

  it("is asked for in milliseconds, over any span, with the end not before the start", () => {
    expect(sent(Broker.tradeVolume, {})).toStrictEqual({})
    expect(sent(Broker.tradeVolume, { from: 0, to: from + 1 })).toStrictEqual({ from: "0", to: "1700000000001" })
    refuses(Broker.tradeVolume, { from, to: from - 1 }, "to: must not be before from")
    for (const field of ["from", "to"]) {
      refuses(
        Broker.tradeVolume,
        { [field]: "x" },
        `${field}: must be an instant (DateTime, Date, ISO text or milliseconds)`
      )
    }
  })

  it("is asked for with a limit from 1 to 50", () => {
    for (const limit of [0, 51]) {
      refuses(Broker.tradeVolume, { limit }, "limit: must be a whole number from 1 to 50")
    }
    expect(sent(Broker.tradeVolume, { limit: 1 })).toStrictEqual({ limit: "1" })
    expect(sent(Broker.tradeVolume, { limit: 50 })).toStrictEqual({ limit: "50" })
  })

  it("is asked for by product type ALL, SPOT or DERIVATIVES", () => {
    refuses(Broker.tradeVolume, { productType: "OPTIONS" }, "productType: must be ALL, SPOT or DERIVATIVES")
    for (const productType of ["ALL", "SPOT", "DERIVATIVES"] as const) {
      expect(sent(Broker.tradeVolume, { productType })).toStrictEqual({ productType })
    }
  })

  it("is asked for by contract type where contracts are asked for", () => {
    refuses(
      Broker.tradeVolume,
      { productType: "SPOT", contractType: "LinearPerpetual" },
      "contractType: only with contract trades, not with productType=SPOT"
    )
    refuses(
      Broker.tradeVolume,
      { contractType: 1 },
      "contractType: must be one of InversePerpetual, LinearPerpetual, LinearFutures, InverseFutures"
    )
    expect(sent(Broker.tradeVolume, { productType: "DERIVATIVES", contractType: "InverseFutures" })).toStrictEqual({
      productType: "DERIVATIVES",
      contractType: "InverseFutures"
    })
    expect(sent(Broker.tradeVolume, { contractType: "LinearPerpetual" })).toStrictEqual({
      contractType: "LinearPerpetual"
    })
  })

  it("is asked for by customer and coin that are not empty, and any cursor", () => {
    for (const field of ["uid", "coin"]) {
      refuses(Broker.tradeVolume, { [field]: "" }, `${field}: must not be empty`)
    }
    expect(sent(Broker.tradeVolume, { uid: "100001", coin: "USDT", cursor: "100000" })).toStrictEqual({
      uid: "100001",
      coin: "USDT",
      cursor: "100000"
    })
  })
})
