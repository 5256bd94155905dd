import { Redacted } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { folder, sharedExchange, venue } from "./utils/venue.js"

const { current } = sharedExchange()

/** Writes a guard into the config file. Returns the arguments that place an order of 20 USDT for each LTC. */
const ordering = (guard: object, qty: string): ReadonlyArray<string> => {
  const { credentials, variables } = current()
  const { apiKey, apiSecret } = credentials.main
  const main = { apiKey: Redacted.value(apiKey), apiSecret: Redacted.value(apiSecret) }
  const content = { baseUrl: variables.VENUE_BASE_URL, guard, accounts: { main } }
  fs.writeFileSync(path.join(folder(), "venue.config.json"), JSON.stringify(content), { mode: 0o600 })
  const words = ["category=linear", "symbol=LTCUSDT", "side=Buy", "orderType=Limit", "price=20", `qty=${qty}`]
  return ["call", "orders.create", ...words, "--yes"]
}

/** Places the order. Returns the exit code and the one line of an error. */
const order = async (guard: object, qty: string) => {
  const { code, err } = await venue(ordering(guard, qty))
  return [code, err.trim()]
}

describe("the guard of a config file", () => {
  it("refuses a write over the cap of a day, which includes writes of other processes", async () => {
    const guard = { orders: { USDT: { perDay: "50" } }, journal: "journal" }
    expect(await order(guard, "2")).toEqual([0, ""])
    expect(await order(guard, "1")).toEqual([
      1,
      "venue: Blocked: orders.create: blocked by the guard (perDay), 20 USDT would exceed the cap of 50 USDT per day, of which 40 USDT are used"
    ])
  })

  it("stops writes while its file exists", async () => {
    fs.writeFileSync(path.join(folder(), "STOP"), "")
    expect(await order({ stopFile: "STOP" }, "1")).toEqual([
      1,
      "venue: Blocked: orders.create: blocked by the guard (stopped), the kill switch is on"
    ])
  })

  const mistakes: ReadonlyArray<readonly [string, object, string]> = [
    [
      "a total without a journal",
      { orders: { USDT: { perHour: "1" } } },
      "guard needs journal, a folder, for perHour and perDay, because each command is a separate process"
    ],
    [
      "a cap that is no decimal text",
      { orders: { USDT: { largest: "much" } } },
      "guard.orders.USDT.largest must be decimal text"
    ],
    [
      "an operation that does not exist",
      { operations: ["orders.buy"] },
      "guard.operations.0 must be an operation, as `venue operations` lists them"
    ],
    ["a rule that does not exist", { simbols: ["BTCUSDT"] }, "guard.simbols"]
  ]
  it.each(mistakes)("names %s", async (_, guard, message) => {
    const [code, err] = await order(guard, "1")
    expect(code).not.toBe(0)
    expect(err).toContain(message)
  })
})
