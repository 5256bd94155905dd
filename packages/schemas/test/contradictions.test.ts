/** Results that belong to another request: which writes recognise them, and by which fields. */
import { describe, expect, it } from "@effect/vitest"
import * as Endpoints from "../src/document/Endpoints.js"
import { sent } from "./helpers.js"

interface Write {
  readonly request: object
  readonly result: object
  /** Other values for every field of the result that repeats a parameter. */
  readonly others: object
}

const market = { category: "linear", symbol: "BTCUSDT" }
const transferId = "42c0cfb0-6bca-4242-bc76-4e6df6cbcb16"
const transfer = { coin: "USDT", amount: "1", fromAccountType: "UNIFIED", toAccountType: "FUND" }
const order = { ...market, side: "Buy", orderType: "Limit", qty: "1", price: "20" }
const limit = { uids: "1,2", bizType: "SPOT", rate: 20, success: true, msg: "" }

/** The writes whose result repeats what was sent. */
const writes: Readonly<Record<string, Write>> = {
  "orders.create": {
    request: { ...order, orderLinkId: "link-1" },
    result: { orderId: "o-1", orderLinkId: "link-1" },
    others: { orderLinkId: "link-2" }
  },
  "orders.amend": {
    request: { ...market, orderLinkId: "link-1", price: "1" },
    result: { orderId: "o-1", orderLinkId: "link-1" },
    others: { orderLinkId: "link-2" }
  },
  "orders.cancel": {
    request: { ...market, orderId: "o-1" },
    result: { orderId: "o-1", orderLinkId: "link-1" },
    others: { orderId: "o-2" }
  },
  "positions.addMargin": {
    request: { ...market, margin: "1", positionIdx: 1 },
    result: { ...market, positionIdx: 1, riskId: 1, size: "1" },
    others: { symbol: "ETHUSDT", positionIdx: 2 }
  },
  "positions.setRiskLimit": {
    request: { ...market, riskId: 2 },
    result: { category: "linear", riskId: 2, riskLimitValue: "1" },
    others: { riskId: 3 }
  },
  "positions.setTpslMode": {
    request: { ...market, tpSlMode: "Full" },
    result: { tpSlMode: "Full" },
    others: { tpSlMode: "Partial" }
  },
  "assets.transfer": {
    request: { ...transfer, requestId: transferId },
    result: { transferId: transferId.toUpperCase() },
    others: { transferId: "52c0cfb0-6bca-4242-bc76-4e6df6cbcb16" }
  },
  "apiLimits.set": {
    request: { list: [{ uids: ["1", "2"], bizType: "SPOT", rate: 20 }] },
    result: { result: [limit] },
    others: {
      result: [{ ...limit, uids: "1,3" }],
      list: [{ ...limit, bizType: "DERIVATIVES" }]
    }
  }
}

/** Writes whose result has nothing that was sent. The slots of a batch are compared one by one (services/test/batchAnswers.test.ts). */
const withoutRepetition = [
  ...["orders.cancelAll", "positions.setTradingStop", "positions.setLeverage", "positions.confirmNewRiskLimit"],
  ...["assets.withdrawInternal", "orders.createBatch", "orders.amendBatch", "orders.cancelBatch"]
]

describe("the result of a write", () => {
  it("is compared with the request for every write whose result repeats a parameter", () => {
    const all = Endpoints.all.flatMap(({ name, safety }) => (safety === "read" ? [] : [name]))
    expect([...Object.keys(writes), ...withoutRepetition].sort()).toEqual([...all].sort())
  })

  it.each(Object.entries(writes))("of %s contradicts it with a value that was not sent", (name, write) => {
    const endpoint = Endpoints.all.find((one) => one.name === name)!
    const parameters = sent(endpoint, write.request) as Readonly<Record<string, unknown>>
    const contradicts = (result: object) => endpoint.contradicts?.(parameters, { ...result })
    expect(contradicts(write.result)).toBeUndefined()
    for (const [field, other] of Object.entries(write.others)) {
      const result = field === "list" ? { list: other } : { ...write.result, [field]: other }
      expect([field, contradicts(result)]).toEqual([field, expect.objectContaining({ field: expect.any(String) })])
    }
  })
})
