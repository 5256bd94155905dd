import { addEqualityTesters, describe, expect, it } from "@effect/vitest"
import { FastCheck as fc, Schema } from "effect"
import * as Enumeration from "../src/scalars/enumeration.js"
import * as Enumerations from "../src/scalars/Enumerations.js"
import { mismatches } from "./helpers.js"

addEqualityTesters()

const texts = Object.entries(Enumerations).flatMap(([name, value]) =>
  "known" in value ? [[name, value] as const] : []
)

describe("an open enumeration", () => {
  it.each(texts)("%s has unique known values and recognises them", (_, enumeration) => {
    expect(enumeration.known.length).toBeGreaterThan(0)
    expect(new Set<string | number>(enumeration.known).size).toBe(enumeration.known.length)
    for (const value of enumeration.known) {
      expect(enumeration.isKnown(value)).toBe(true)
      expect(Schema.decodeUnknownSync<unknown, unknown>(enumeration as Schema.Schema.AnyNoContext)(value)).toBe(value)
    }
  })

  it.prop("accepts an unknown value and does not recognise it", [fc.string()], ([value]) => {
    const schema = Enumeration.open("Colour", ["Red", "Green"])
    expect(Schema.decodeSync(schema)(value)).toBe(value)
    expect(Schema.encodeSync(schema)(schema.make(value))).toBe(value)
    expect(schema.isKnown(value)).toBe(["Red", "Green"].includes(value))
  })

  it("accepts only text", () => {
    for (const value of [1, null, undefined, true, {}]) {
      expect(mismatches(Enumerations.OrderStatus, value)).toHaveLength(1)
    }
  })

  it("does not recognise the names of object methods", () => {
    for (const value of ["constructor", "toString", "__proto__"]) {
      expect(Enumerations.OrderStatus.isKnown(value)).toBe(false)
    }
  })
})

describe("an open enumeration of whole numbers", () => {
  it.prop("accepts any whole number", [fc.integer()], ([value]) => {
    expect(Schema.decodeSync(Enumerations.PositionIdx)(value)).toBe(value)
    expect(Schema.encodeSync(Enumerations.PositionIdx)(Enumerations.PositionIdx.make(value))).toBe(value)
  })

  it("accepts a number as text and writes it as a number", () => {
    expect(Schema.decodeSync(Enumerations.PositionIdx)("1")).toBe(1)
    expect(Schema.encodeSync(Enumerations.PositionIdx)(1)).toBe(1)
  })

  it("refuses everything else", () => {
    for (const value of ["", "x", "0.5", 0.5, Number.NaN, null]) {
      expect(mismatches(Enumerations.PositionIdx, value)).toHaveLength(1)
    }
  })
})

describe("the enumerations of the service's document", () => {
  it.each([
    ["OrderStatus", ["New", "PartiallyFilled", "Cancelled", "Rejected", "Filled"]],
    ["Category", ["spot", "linear", "inverse"]],
    ["Side", ["Buy", "Sell"]],
    ["OrderType", ["Market", "Limit"]],
    ["PositionStatus", ["Normal", "Liq", "Adl"]],
    ["TpslMode", ["Full", "Partial"]],
    ["MarketUnit", ["baseCoin", "quoteCoin"]],
    ["TriggerBy", ["MarkPrice", "IndexPrice", "LastPrice"]],
    ["OrderFilter", ["Order", "StopOrder", "tpslOrder"]],
    ["ClosedPnlExecType", ["Trade", "BustTrade", "SessionSettlePnL", "Settle"]],
    ["ContractType", ["LinearPerpetual", "InversePerpetual", "LinearFutures", "InverseFutures"]],
    ["InstrumentStatus", ["Trading"]],
    ["AccountType", ["SPOT", "UNIFIED", "CONTRACT", "FUND"]],
    ["TransferStatus", ["SUCCESS"]],
    ["SubAccountTransferType", ["IN"]],
    ["AssetAccountStatus", ["ACCOUNT_STATUS_NORMAL", "ACCOUNT_STATUS_UNSPECIFIED"]],
    ["DepositType", ["0", "1"]],
    ["DepositStatus", ["0", "1", "2"]],
    ["ProductType", ["ALL", "SPOT", "DERIVATIVES"]],
    ["BizType", ["SPOT", "DERIVATIVES"]]
  ])("%s has all values of the document", (name, values) => {
    const enumeration = texts.find(([known]) => known === name)?.[1]
    expect(enumeration?.known).toEqual(expect.arrayContaining(values))
  })
})
