import * as Executions from "@effect-venue/schemas/Executions"

/** Rows per page, the maximum of the service. */
export const rows = 100

// Always generates the same page, with values like those of the service.
const generator = () => {
  let state = 12345
  return (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return state % below
  }
}

const row = (next: (below: number) => number, index: number) => {
  const id = () =>
    [8, 4, 4, 4, 12].map((length) => Array.from({ length }, () => next(16).toString(16)).join("")).join("-")
  const price = 60_000 + next(20_000) / 10
  const qty = (1 + next(5_000)) / 1_000
  return {
    symbol: "BTCUSDT",
    orderId: id(),
    side: index % 2 === 0 ? "Buy" : "Sell",
    orderPrice: price.toFixed(1),
    orderQty: qty.toFixed(3),
    leavesQty: "0",
    createType: "CreateByUser",
    orderType: "Limit",
    stopOrderType: "",
    execFee: (price * qty * 0.00055).toFixed(8),
    execId: id(),
    execPrice: price.toFixed(1),
    execQty: qty.toFixed(3),
    execType: "Trade",
    execValue: (price * qty).toFixed(4),
    execTime: String(time + index * 61_234),
    isMaker: index % 3 === 0,
    feeRate: "0.00055",
    markPrice: (price + 1).toFixed(2),
    closedSize: index % 4 === 0 ? "0.010" : "",
    seq: 4_688_002_127 + index
  }
}

/** The time of each response, which servers replace. */
export const time = 1_700_000_000_000

/** The text of a response with a page of executions. */
export const text: string = (() => {
  const next = generator()
  return JSON.stringify({
    retCode: 0,
    retMsg: "OK",
    result: {
      category: "linear",
      list: Array.from({ length: rows }, (_, index) => row(next, index)),
      nextPageCursor: "132766%3A2%2C132766%3A2"
    },
    retExtInfo: {},
    time
  })
})()

export const endpoint = Executions.list

/** The request of every client. */
export const request = { category: "linear", symbol: "BTCUSDT", limit: rows } as const
