import { addEqualityTesters, describe, expect, it } from "@effect/vitest"
import { Option } from "effect"
import * as ReturnCodes from "../src/endpoint/ReturnCodes.js"
import * as ReturnCode from "../src/endpoint/ReturnCode.js"
import { fixture } from "./helpers.js"

addEqualityTesters()

const documented = fixture("return-codes.json") as ReadonlyArray<{ readonly code: number; readonly family: string }>

const rows = [...ReturnCodes.table.values()]

const get = (code: number) => Option.getOrThrow(Option.fromNullable(ReturnCodes.rules.get(code)))

describe("the return-code table", () => {
  it("contains every documented code with its family, and no others", () => {
    expect(documented).toHaveLength(434)
    expect(
      rows.map(({ code, family }) => ({ code, family })).sort((one, other) => one.code - other.code)
    ).toStrictEqual([...documented].sort((one, other) => one.code - other.code))
  })

  it("contains a meaning for every code, under its number", () => {
    for (const row of rows) {
      expect(row.meaning).not.toBe("")
      expect(row.scope).not.toBe("")
      expect(ReturnCodes.table.get(row.code)).toBe(row)
      expect(row).toMatchObject(get(row.code))
    }
  })

  it("does not contain success", () => {
    expect(ReturnCode.success).toBe(0)
    expect(ReturnCodes.rules.has(0)).toBe(false)
    expect(ReturnCodes.rules.has(424242)).toBe(false)
  })

  it("treats a refusal with a reason as proof that nothing was executed", () => {
    const proving = new Set<ReturnCodes.Family>([
      "auth",
      "duplicate",
      "insufficientBalance",
      "invalidRequest",
      "ipBan",
      "notFound",
      "orderState",
      "permission",
      "positionState",
      "rateLimit",
      "riskLimit",
      "timestamp"
    ])
    // "Withdrawal in progress" is a state, and may be the doing of the request itself.
    expect(get(90040)).toMatchObject({ family: "orderState", executed: "unknown" })
    for (const row of rows.filter(({ code }) => code !== 90040)) {
      if (proving.has(row.family)) expect([row.code, row.executed]).toStrictEqual([row.code, "no"])
    }
    for (const code of [10001, 10002, 10003, 10004, 10005, 10006, 10010, 110001, 110007, 110072, 131212, 170213]) {
      expect(get(code).executed).toBe("no")
    }
  })

  it("treats an unknown code as a refusal if nine in ten neighbouring codes refuse", () => {
    const families = [34, 110, 131, 170, 181, 182, 3400, 3500]
    for (const family of families) {
      const first = family * 1000
      const neighbours = rows.filter(({ code }) => code >= first && code < first + 1000)
      const refusing = neighbours.filter(({ executed }) => executed === "no")
      expect(neighbours.length).toBeGreaterThan(0)
      expect(refusing.length / neighbours.length).toBeGreaterThanOrEqual(0.9)
      for (const code of [first, first + 999]) expect(ReturnCode.isRefusingFamily(code)).toBe(true)
    }
    for (const code of [7, 10999, 33999, 35000, 90040, 90999, 109999, 111000, 169999, 171000, 987654, 3500999 + 1]) {
      expect(ReturnCode.isRefusingFamily(code)).toBe(false)
    }
  })

  it("does not treat a timeout, an internal error or an unfinished task as proof", () => {
    for (const code of [
      10000, 10016, 429, 5004, 131003, 131230, 170001, 170007, 170032, 170035, 170146, 170147, 170310, 38000
    ]) {
      expect([code, get(code).executed]).toStrictEqual([code, "unknown"])
    }
  })

  it("treats a closed or disabled feature as proof, although it is unavailable", () => {
    for (const code of [90033, 90034, 131097, 170227]) {
      expect(get(code)).toMatchObject({ family: "unavailable", executed: "no" })
    }
  })

  it("marks the codes for a requested state that was already in force", () => {
    expect(rows.filter(({ noChange }) => noChange).map(({ code }) => code)).toStrictEqual([
      34040, 110025, 110026, 110027, 110043, 110075
    ])
  })
})

describe("ReturnCodes.extend", () => {
  const own: ReturnCodes.ReturnCode = {
    code: 424242,
    family: "riskLimit",
    executed: "no",
    onServicePage: false,
    scope: "own",
    meaning: "seen once",
    noChange: false
  }

  it("adds codes and keeps the existing ones", () => {
    const table = ReturnCodes.extend(ReturnCodes.rules, [own])
    expect(table.get(424242)).toStrictEqual(own)
    expect(table.size).toBe(435)
    expect(ReturnCodes.rules.size).toBe(434)
  })

  it("replaces the family of a known code", () => {
    const table = ReturnCodes.extend(ReturnCodes.rules, [{ ...get(10001), family: "riskLimit" }])
    expect(table.get(10001)?.family).toBe("riskLimit")
    expect(get(10001).family).toBe("invalidRequest")
  })
})
