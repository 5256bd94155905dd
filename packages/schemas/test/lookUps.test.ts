/** What is found out about a write whose answer never came, by the records that would show it. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type * as Endpoint from "../src/Endpoint.js"
import * as Orders from "../src/Orders.js"
import * as Positions from "../src/Positions.js"
import { answer } from "./helpers.js"

type Request = Readonly<Record<string, unknown>>

const executed = (endpoint: Endpoint.Properties, request: Request, read: Endpoint.ReadCall<never>): string =>
  endpoint.lookUp === undefined
    ? "no look-up"
    : Effect.runSync(Effect.map(endpoint.lookUp(request, read), (finding) => finding.executed))

// What is asked for decides what is given, which a function of every endpoint cannot say.
const giving = (page: (name: string) => object): Endpoint.ReadCall<never> => {
  return ({ name }) => Effect.succeed(page(name) as never)
}

describe("the look-up of an order", () => {
  const page = answer(Orders.history, "orders.history")
  const of = (change: object | undefined) => ({
    ...page,
    list: change === undefined ? [] : page.list.map((order) => ({ ...order, ...change }))
  })
  /** With an order on the book or in the history, changed so. */
  const find = (endpoint: Endpoint.Properties, request: Request, found: { open?: object; history?: object }) =>
    executed(
      endpoint,
      request,
      giving((name) => of(name === "orders.open" ? found.open : found.history))
    )

  const [category, symbol] = ["linear", "ETHUSDT"]
  const ordered = { symbol, side: "Sell", orderType: "Limit", price: "1187.05", qty: "0.1", orderLinkId: "YLxaWKMiHU" }
  const placed = { category, ...ordered }
  const named = { symbol, orderId: "14bad3a1-6454-43d8-bcf2-5345896cf74d" }
  const batch = (...request: ReadonlyArray<object>) => ({ category, request })

  it.each([
    ["an order of its name is open", placed, { open: {} }, "yes"],
    ["one is in the history", placed, { history: {} }, "yes"],
    ["that one was rejected", placed, { history: { orderStatus: "Rejected" } }, "no"],
    ["there is none", placed, {}, "undetermined"],
    ["it has no name", { ...placed, orderLinkId: undefined }, { open: {} }, "undetermined"],
    ...[{ side: "Buy" }, { orderType: "Market" }, { price: "1187.06" }, { qty: "0.2" }, { triggerPrice: "1" }].map(
      (change) =>
        [
          `that of its name is not ${JSON.stringify(change)}`,
          { ...placed, ...change },
          { open: {} },
          "undetermined"
        ] as const
    )
  ] as const)("that was placed, if %s", (_, request, found, outcome) => {
    expect(find(Orders.create, request, found)).toBe(outcome)
  })

  it.each([
    ...["Cancelled", "Deactivated", "PartiallyFilledCanceled"].map((status) => [status, "yes"] as const),
    ...["Filled", "Rejected"].map((status) => [status, "no"] as const),
    ...["New", "PartiallyFilled", "Triggered"].map((status) => [status, "undetermined"] as const)
  ])("that was cancelled returns, for the status %s, %s", (orderStatus, outcome) => {
    expect(find(Orders.cancel, { category, ...named }, { open: { orderStatus } })).toBe(outcome)
  })

  it("that was cancelled also searches the history", () => {
    expect(find(Orders.cancel, { category, ...named }, { history: {} })).toBe("yes")
    expect(find(Orders.cancel, { category, ...named }, {})).toBe("undetermined")
  })

  it("of a batch is decided only if all orders agree", () => {
    expect(find(Orders.createBatch, batch(ordered, ordered), { open: {} })).toBe("yes")
    expect(find(Orders.createBatch, batch(ordered), { open: { orderStatus: "Rejected" } })).toBe("no")
    expect(find(Orders.createBatch, batch(ordered, { ...ordered, side: "Buy" }), { open: {} })).toBe("undetermined")
    expect(find(Orders.cancelBatch, batch(named), { open: {} })).toBe("yes")
    expect(Orders.amendBatch.lookUp).toBeDefined()
  })
})

describe("the look-up of a setting", () => {
  const page = answer(Positions.list, "positions.list")
  const pair = page.list.slice(0, 2)
  const all = (change: Partial<Positions.Position>) => pair.map((position) => ({ ...position, ...change }))
  const btc = { category: "linear", symbol: "BTCUSDT" }
  const leverage = (buyLeverage: string, sellLeverage: string) => ({ ...btc, buyLeverage, sellLeverage })
  const full = { ...btc, tpSlMode: "Full" }

  it.each([
    ["the leverage of each side", Positions.setLeverage, leverage("10", "10.0"), pair, "yes"],
    ["another of one side", Positions.setLeverage, leverage("10", "12"), pair, "undetermined"],
    ["another of the other side", Positions.setLeverage, leverage("12", "10"), pair, "undetermined"],
    ["no position", Positions.setLeverage, leverage("10", "10"), [], "undetermined"],
    ["the mode of stops", Positions.setTpslMode, full, all({ tpslMode: Option.some("Full") }), "yes"],
    ["another mode", Positions.setTpslMode, full, all({ tpslMode: Option.some("Partial") }), "undetermined"],
    ["no mode", Positions.setTpslMode, full, all({ tpslMode: Option.none() }), "undetermined"],
    ["no mark", Positions.confirmNewRiskLimit, btc, all({ isReduceOnly: false }), "yes"],
    ["a mark on both", Positions.confirmNewRiskLimit, btc, all({ isReduceOnly: true }), "undetermined"],
    ["a mark on one", Positions.confirmNewRiskLimit, btc, pair, "undetermined"]
  ] as const)("finds %s", (_, endpoint, request, list, outcome) => {
    expect(pair.map(({ positionIdx }) => positionIdx)).toStrictEqual([1, 2])
    expect(
      executed(
        endpoint,
        request,
        giving(() => ({ ...page, list }))
      )
    ).toBe(outcome)
  })
})
