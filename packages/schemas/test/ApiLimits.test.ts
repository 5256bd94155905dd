import { addEqualityTesters, describe, expect, it } from "@effect/vitest"
import * as ApiLimits from "../src/ApiLimits.js"
import { answer, refuses, sent } from "./helpers.js"

addEqualityTesters()

describe("setting API limits", () => {
  const entry = { uids: ["100001", "100002"], bizType: "DERIVATIVES", rate: 20 } as const

  it("needs a list with at least one entry", () => {
    refuses(ApiLimits.set, {}, "list: is missing")
    refuses(ApiLimits.set, { list: [] }, "list: must have at least one entry")
    expect(sent(ApiLimits.set, { list: [entry] })).toStrictEqual({
      list: [{ uids: "100001,100002", bizType: "DERIVATIVES", rate: 20 }]
    })
  })

  it("needs UIDs, a business type and a rate in every entry, and says which entry lacks one", () => {
    refuses(
      ApiLimits.set,
      { list: [entry, {}] },
      "list.1.uids: is missing",
      "list.1.bizType: is missing",
      "list.1.rate: is missing"
    )
    refuses(ApiLimits.set, { list: [{ ...entry, uids: [] }] }, "list.0.uids: must name at least one")
    for (const uid of ["", "1,2"]) {
      refuses(
        ApiLimits.set,
        { list: [{ ...entry, uids: ["1", uid] }] },
        "list.0.uids: [1] must not be empty or contain a comma"
      )
    }
    refuses(ApiLimits.set, { list: [{ ...entry, bizType: "" }] }, "list.0.bizType: must not be empty")
    for (const rate of [0, 1.5, "20", -1]) {
      refuses(ApiLimits.set, { list: [{ ...entry, rate }] }, "list.0.rate: must be a whole number of at least 1")
    }
    expect(sent(ApiLimits.set, { list: [{ ...entry, rate: 1, bizType: "EQUITIES" }] })).toStrictEqual({
      list: [{ uids: "100001,100002", bizType: "EQUITIES", rate: 1 }]
    })
  })

  it("is answered entry by entry", () => {
    expect(answer(ApiLimits.set, "apiLimits.set")).toStrictEqual({
      list: [
        {
          uids: ["100001", "100002"],
          bizType: "DERIVATIVES",
          rate: 20,
          success: true,
          msg: "API limit updated successfully"
        },
        {
          uids: ["100003"],
          bizType: "SPOT",
          rate: 9999,
          success: false,
          msg: "Requested limit exceeds maximum allowed per user"
        }
      ]
    })
  })
})

describe("asking for API limits", () => {
  it("needs UIDs, which are sent in one parameter", () => {
    refuses(ApiLimits.query, {}, "uids: is missing")
    refuses(ApiLimits.query, { uids: [] }, "uids: must name at least one")
    refuses(ApiLimits.query, { uids: ["1", "2,3"] }, "uids: [1] must not be empty or contain a comma")
    expect(sent(ApiLimits.query, { uids: ["100001"] })).toStrictEqual({ uids: "100001" })
    expect(sent(ApiLimits.query, { uids: ["100001", "100002"] })).toStrictEqual({ uids: "100001,100002" })
  })

  it("is answered with limits", () => {
    expect(answer(ApiLimits.query, "apiLimits.query")).toStrictEqual({
      list: [{ uids: ["100001"], bizType: "SPOT", rate: 20 }]
    })
  })
})
