import * as Samples from "@effect-venue/testing/Samples"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import { NodeContext } from "@effect/platform-node"
import { Effect, Schema } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { preview } from "../src/call/preview.js"
import { read } from "../src/call/request.js"
import { order, words } from "./utils/examples.js"
import { folder, launch, linesOf, nowhere, sharedExchange, venue } from "./utils/venue.js"

const { current, faults } = sharedExchange()

const call = (...args: ReadonlyArray<string>) => venue(["call", ...args], current().variables)

/** The requests of an operation that the sandbox has had. */
const requests = async (operation: string): Promise<number> =>
  (await Effect.runPromise(current().sandbox.faults.log)).filter((one) => one.operation === operation).length

describe("the summary of a write", () => {
  const cases: ReadonlyArray<readonly [operation: string, request: Readonly<Record<string, unknown>>, words: string]> =
    [
      [
        "orders.create",
        { category: "linear", symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "0.01", price: "20000" },
        "Buy 0.01 BTCUSDT linear, limit 20000"
      ],
      [
        "orders.create",
        { category: "spot", symbol: "ETHUSDT", side: "Sell", orderType: "Market", qty: "2", marketUnit: "baseCoin" },
        "Sell 2 ETHUSDT spot, market, marketUnit baseCoin"
      ],
      [
        "orders.createBatch",
        {
          category: "linear",
          request: [
            { symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "1", price: "2" },
            { symbol: "ETHUSDT", side: "Sell", orderType: "Market", qty: "3" }
          ]
        },
        "orders.createBatch of 2: Buy 1 BTCUSDT linear, limit 2; Sell 3 ETHUSDT linear, market"
      ],
      ["orders.cancel", { category: "spot", orderId: "7" }, "orders.cancel: category spot, orderId 7"],
      ["assets.transfer", { coin: "USDT", amount: "1.50" }, "assets.transfer: coin USDT, amount 1.50"]
    ]
  for (const [name, request, words] of cases) {
    it(words, () => {
      const endpoint = Endpoints.all.find((endpoint) => endpoint.name === name) ?? expect.fail(name)
      expect(preview(endpoint, request)).toBe(words)
    })
  }
})

describe("the words of a call", () => {
  it.each(Samples.all)("are the request of $name", async ({ endpoint, name, wire }) => {
    const request = await Effect.runPromise(Effect.provide(read(endpoint, words(name), []), NodeContext.layer))
    expect(Schema.encodeUnknownSync(endpoint.request)(request)).toEqual(wire)
  })
})

describe("venue call", () => {
  it("sends a write with --yes and prints its result as JSON", async () => {
    const ended = await call("assets.transfer", ...words("assets.transfer"), "--yes", "--json")
    expect(ended).toMatchObject({ code: 0, err: "" })
    expect(JSON.parse(ended.out)).toEqual({ transferId: Samples.requests["assets.transfer"].requestId })
  })

  it("shows records as rows, with the other fields below", async () => {
    const { code, err, out } = await call("executions.list", "category=linear", "limit=2")
    expect({ code, err }).toEqual({ code: 0, err: "" })
    const lines = linesOf(out)
    expect(lines[0]).toMatch(/^symbol +orderId +side /)
    expect(lines[2]).toMatch(/ \d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} UTC/)
    expect(lines[3]).toBe("in every row:")
    expect(lines.at(-1)).toMatch(/^nextPageCursor {2}page_token/)
  })

  it("needs no key for public operations", async () => {
    const { VENUE_BASE_URL = "" } = current().variables
    const ended = await venue(["call", "instruments.list", "category=spot", "symbol=BTCUSDT"], { VENUE_BASE_URL })
    expect(ended).toMatchObject({ code: 0, err: "" })
    expect(ended.out).toContain("BTCUSDT")
  })

  it("reads nested values from a file, and reports the refused part of a batch", async () => {
    const one = { symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "0.01", price: "9000" }
    fs.writeFileSync(path.join(folder(), "orders.json"), JSON.stringify([one, { ...one, symbol: "NOPE" }]))
    const ended = await call("orders.createBatch", "category=linear", "request=@orders.json", "--yes")
    expect(ended.code).toBe(1)
    expect(ended.err).toMatch(/^venue: orders\.createBatch: 1 part of 2 not done: 2: Rejected, code 10001: .*\n$/)
    expect(linesOf(ended.out)).toHaveLength(3)
  })

  it("sends a write without confirmation only with --sandbox or --yes", async () => {
    const before = await requests("orders.create")
    const ended = await call("orders.create", ...order)
    expect(ended).toMatchObject({
      code: 2,
      out: "",
      err: "venue: orders.create is a write: add --yes to send it\n"
    })
    expect(await requests("orders.create")).toBe(before)
    expect(await venue(["call", "orders.create", ...order, "--sandbox", "--account", "main"])).toMatchObject({
      code: 0,
      err: "",
      progress: expect.stringMatching(
        /^Buy 0\.01 BTCUSDT linear, limit 9000, orderLinkId [0-9a-f-]{36}, account main, to http:/
      )
    })
  })

  it("looks up a write whose response was lost, and prints its ids", async () => {
    await faults({ fault: { kind: "dropAfter" }, operations: ["orders.create"] })
    const made = await call("orders.create", ...order, "orderLinkId=cli-made", "--yes")
    expect(made.code).toBe(3)
    expect(linesOf(made.err)).toHaveLength(1)
    expect(made.err).toMatch(
      /^venue: OutcomeUnknown: orders\.create: .*looked up: it was executed; look for category=linear symbol=BTCUSDT orderLinkId=cli-made before/
    )
    await faults({ fault: { kind: "dropBefore" }, operations: ["orders.create"] })
    const lost = await call("orders.create", ...order, "orderLinkId=cli-lost", "--yes")
    expect(lost.code).toBe(3)
    expect(lost.err).toMatch(/looked up: not known yet/)
  })

  /** A write that is stopped as soon as the service has it, and the answer of which is late. */
  const stopped = async (millis: number, link: string, onOutput?: Parameters<typeof launch>[2]) => {
    await faults({ fault: { kind: "delay", millis, executed: "afterwards" }, operations: ["orders.create"] })
    const before = await requests("orders.create")
    const args = ["call", "orders.create", ...order, `orderLinkId=${link}`, "--yes"]
    const { ended, kill } = launch(args, current().variables, onOutput)
    while ((await requests("orders.create")) === before) await Effect.runPromise(Effect.sleep("20 millis"))
    kill()
    return ended
  }

  const waiting = "venue: it may have been sent: waiting for the answer"

  it("waits for the response of a write after Ctrl-C, and reports its outcome", async () => {
    const ended = await stopped(2000, "cli-stopped")
    expect(ended).toMatchObject({ code: 0, err: expect.stringContaining(waiting) })
    expect(ended.out).toMatch(/^orderId +\S+\n/m)
  })

  it("exits at once at the second Ctrl-C", async () => {
    let isStopped = false
    const ended = await stopped(600_000, "cli-twice", (output, kill) => {
      if (isStopped || !output.includes(waiting)) return
      isStopped = true
      kill()
    })
    expect(ended).toMatchObject({ code: null, signal: "SIGINT", out: "" })
  })

  const cases: ReadonlyArray<
    readonly [what: string, args: ReadonlyArray<string>, code: number, line: RegExp, env?: Record<string, string>]
  > = [
    ["an unknown operation", ["orders.buy"], 2, /orders\.open/],
    ["a word that is no parameter", ["orders.open", "linear"], 2, /^venue: "linear" is not a parameter such as/],
    [
      "a parameter that is given twice",
      ["orders.open", "limit=1", "limit=2"],
      2,
      /^venue: limit occurs twice: pass it once$/
    ],
    [
      "a file that is not there",
      ["orders.open", "category=@none"],
      2,
      /^venue: category: none does not exist, or cannot be read$/
    ],
    [
      "a rule that is broken",
      ["orders.open", "category=linear", "symbol=BTCUSDT", "limit=51"],
      2,
      /^venue: InvalidRequest: orders\.open: limit must be a whole number from 1 to 50, not 51$/,
      nowhere
    ],
    [
      "a parameter that the category does not have",
      ["orders.open", "category=spot", "settleCoin=USDT"],
      2,
      /^venue: InvalidRequest: orders\.open: settleCoin is not a parameter for category spot$/,
      nowhere
    ],
    [
      "a date that does not exist",
      ["executions.list", "category=linear", "startTime=2026-02-31"],
      2,
      /^venue: InvalidRequest: executions\.list: startTime must be a date such as .*, not "2026-02-31": there is no such day$/,
      nowhere
    ],
    ["no credentials", ["orders.open", "category=spot"], 2, /^venue: no account is configured: set VENUE_BASE_URL/],
    [
      "an address of http on another machine",
      ["orders.open", "category=spot"],
      2,
      /^venue: VENUE_BASE_URL http:\/\/192\.0\.2\.1 is not https: .* VENUE_ALLOW_INSECURE=1 allows it$/,
      { ...nowhere, VENUE_BASE_URL: "http://192.0.2.1" }
    ],
    [
      "an address of http on another machine, without a key",
      ["instruments.list", "category=spot"],
      2,
      /^venue: VENUE_BASE_URL http:\/\/192\.0\.2\.1 is not https/,
      { VENUE_BASE_URL: "http://192.0.2.1" }
    ],
    [
      "a service that is not there",
      ["orders.open", "category=spot"],
      1,
      /^venue: ConnectionFailed: orders\.open: cannot connect: nothing listens at 127\.0\.0\.1:9/,
      nowhere
    ],
    [
      "a service that is not there, which proves that a write was not executed",
      ["orders.cancel", "category=spot", "symbol=BTCUSDT", "orderId=1", "--yes"],
      1,
      /^venue: ConnectionFailed: orders\.cancel: cannot connect: nothing listens at 127\.0\.0\.1:9/,
      nowhere
    ]
  ]
  for (const [what, args, code, line, env] of cases) {
    it(`because of ${what} exits with ${code} and prints one line`, async () => {
      const ended = await venue(["call", ...args], env)
      expect(linesOf(ended.err)).toHaveLength(1)
      expect(ended.err.trimEnd()).toMatch(line)
      expect(ended.code).toBe(code)
      expect(ended.err + ended.out).not.toContain("example-secret-0001")
    })
  }
})
