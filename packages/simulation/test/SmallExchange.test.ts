import { describe, expect, it } from "@effect/vitest"
import * as SmallExchange from "../src/SmallExchange.js"

const now = 1_000_000

const post = (target: string, body: unknown, timestamp = now) => ({
  method: "POST",
  target,
  headers: { "x-bapi-timestamp": String(timestamp), "x-bapi-recv-window": "5000" },
  body: new TextEncoder().encode(JSON.stringify(body))
})
const create = (orderLinkId: string, timestamp = now) =>
  post("/cloud/trade/v3/order/create", { orderLinkId }, timestamp)
const cancel = (orderLinkId: string) => post("/cloud/trade/v3/order/cancel", { orderLinkId })
const batch = (...links: ReadonlyArray<string>) =>
  post("/cloud/trade/v3/order/create-batch", { request: links.map((orderLinkId) => ({ orderLinkId })) })
const transfer = (requestId: string) => post("/private/v1/asset/transfer/single-account-transfer", { requestId })

const code = ({ body }: { readonly body: string }) => Number(/"ret_?[cC]ode":(\d+)/.exec(body)?.[1])

describe("the small exchange", () => {
  it("creates an order once, and cancels it once", () => {
    const { handle } = SmallExchange.make()
    expect(code(handle(cancel("a"), now))).toBe(110_001)
    expect(code(handle(create("a"), now))).toBe(0)
    expect(code(handle(create("a"), now))).toBe(110_072)
    expect(code(handle(cancel("a"), now))).toBe(0)
    expect(code(handle(cancel("a"), now))).toBe(110_008)
  })

  it("refuses timestamps outside of the receive window", () => {
    const { handle } = SmallExchange.make()
    expect(code(handle(create("a", now - 5_001), now))).toBe(10_002)
    expect(code(handle(create("b", now + 1_000), now))).toBe(10_002)
    expect(code(handle(create("c", now - 5_000), now))).toBe(0)
    expect(code(handle(create("d", now + 999), now))).toBe(0)
  })

  it("refuses what exceeds a limit in any second, and says when there is room", () => {
    const { handle } = SmallExchange.make()
    const [first, second] = [handle(transfer("a"), now), handle(transfer("b"), now + 999)]
    expect([first, second, handle(transfer("b"), now + 1_000)].map(code)).toEqual([0, 10_006, 0])
    expect(second.headers).toMatchObject({
      "X-Bapi-Limit": "1",
      "X-Bapi-Limit-Status": "0",
      "X-Bapi-Limit-Reset-Timestamp": String(now + 1_000)
    })
  })

  it("takes as many orders of a batch as the limit has room for", () => {
    const { handle } = SmallExchange.make()
    for (const name of ["a", "b", "c"]) handle(batch(`${name}1`, `${name}2`, `${name}3`), now)
    expect(handle(batch("d1", "d2"), now).body).toContain('"retExtInfo":{"list":[{"code":0,"msg":"OK"},{"code":10006,')
  })

  it("answers the orders of a batch in another order", () => {
    const { handle } = SmallExchange.make({ isShuffling: true })
    expect(handle(batch("a", "b"), now).body).toMatch(/"orderLinkId":"b".*"orderLinkId":"a"/)
  })

  it("takes another number of orders a second", () => {
    const { handle } = SmallExchange.make({ orderLimit: 1 })
    expect([handle(create("a"), now), handle(create("b"), now)].map(code)).toEqual([0, 10_006])
  })
})
