import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { order } from "./utils/examples.js"
import { ago, exchange, launched, linesOf, nowhere, venue } from "./utils/venue.js"

// Most tests run the command in their own process. Here it is seen to be the same in a process of its own.

let world: Awaited<ReturnType<typeof exchange>>

beforeAll(async () => {
  world = await exchange()
})

describe("the process of venue", () => {
  const open = ["call", "orders.open", "category=linear", "symbol=BTCUSDT"]
  for (const [title, code, args, env] of [
    ["a rule that is broken", 2, [...open, "limit=51"], () => nowhere],
    ["a read of the service", 0, ["call", "instruments.list", "category=spot", "symbol=BTCUSDT"], () => world.variables]
  ] as const) {
    it(`exits with ${code} and prints the output of the command (${title})`, async () => {
      const { progress = "", ...here } = await venue(args, env())
      expect(here.code).toBe(code)
      expect(await launched(args, env())).toEqual({ ...here, err: progress + here.err })
    })
  }

  it.each([
    ["export", "deposits", "transfers", "--from", ago(60), "--out", "pipes"],
    ["doctor", "--days", "1"]
  ])("prints nothing that moves to pipes, and one line of progress: %s", async (...args) => {
    // Answers take so long that a line would be redrawn.
    await Effect.runPromise(world.sandbox.faults.set([{ fault: { kind: "delay", millis: 20, executed: "atOnce" } }]))
    const { code, err, out } = await launched(args, { ...world.variables, FORCE_COLOR: "1" })
    await Effect.runPromise(world.sandbox.faults.clear)
    expect({ code, lines: linesOf(err) }).toEqual({
      code: 0,
      lines: [expect.stringMatching(/^\d+\/\d+ (windows|operations)/)]
    })
    // eslint-disable-next-line no-control-regex -- these are what is looked for
    expect(out + err).not.toMatch(/[\r\u001b]/)
  })

  it("exits with 3 if the outcome of a write is unknown", async () => {
    await Effect.runPromise(world.sandbox.faults.set([{ fault: { kind: "dropAfter" }, operations: ["orders.create"] }]))
    const args = ["call", "orders.create", ...order, "orderLinkId=cli-process", "--yes"]
    expect(await launched(args, world.variables)).toMatchObject({
      code: 3,
      err: expect.stringMatching(/^Buy 0\.01 BTCUSDT .*\nvenue: OutcomeUnknown: orders\.create: /)
    })
  })
})
