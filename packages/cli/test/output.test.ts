import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { beforeAll, describe, expect, inject, it } from "vitest"
import { order as restingOrder, words } from "./utils/examples.js"
import { exchange, folder, linesOf, venue } from "./utils/venue.js"

let world: Awaited<ReturnType<typeof exchange>>

beforeAll(async () => {
  world = await exchange()
})

/** What happens to the command's output: it is read, its reader has gone, or the disk is full. */
type Target = "read" | "closed" | "full"

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const full = () => fs.openSync("/dev/full", "w")

/** The command with its output and its messages going somewhere. */
const call = (args: ReadonlyArray<string>, stdout: Target, stderr: Target = "read"): Promise<Ended> =>
  new Promise((resolve) => {
    const [one, two] = [stdout, stderr].map((target) => (target === "full" ? full() : "pipe"))
    const child = spawn(process.execPath, [inject("venue"), "call", ...args], {
      cwd: folder(),
      env: { PATH: process.env.PATH ?? "", NO_COLOR: "1", ...world.variables },
      stdio: ["ignore", one, two]
    })
    let [out, err] = ["", ""]
    child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()))
    child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()))
    if (stdout === "closed") child.stdout?.destroy()
    if (stderr === "closed") child.stderr?.destroy()
    for (const file of [one, two]) if (typeof file === "number") fs.closeSync(file)
    child.on("close", (code) => resolve({ code, out, err }))
  })

const reasons = { closed: /EPIPE/, full: /ENOSPC/ } as const

const failures = ["closed", "full"] as const

/** A write of each kind: one whose result has ids, a batch of which a part is refused, one without a result, and one that moves funds. */
const writes = ["orders.create", "orders.createBatch", "positions.setTradingStop", "assets.transfer"] as const

/** The same in the process of the tests. */
const callHere = (args: ReadonlyArray<string>, failure?: (typeof failures)[number]) =>
  venue(
    ["call", ...args],
    world.variables,
    failure === undefined ? undefined : new Error({ closed: "write EPIPE", full: "ENOSPC: no space left" }[failure])
  )

describe("venue call, whose output cannot be written", () => {
  for (const name of writes) {
    it(`exits with the same code for ${name} as with a working output`, async () => {
      const args = [name, ...words(name), "--yes"]
      // Sent twice: what it says of itself is the same from the second time on.
      await callHere(args)
      const plain = await callHere(args)
      expect([0, 1]).toContain(plain.code)
      for (const failure of failures) {
        const ended = await callHere(args, failure)
        // Beside what was sent, which a process says there too.
        const [first = "", ...others] = linesOf(ended.err).filter((line) => line.startsWith("venue: "))
        if (plain.out === "") {
          // There was nothing to print.
          expect(ended.code).toBe(plain.code)
          expect(first.split(":")[1]).toBe(plain.err.split(":")[1])
          continue
        }
        expect(first).toContain(`venue: ${name}: the service has answered, but the result could not be printed`)
        expect(first).toMatch(reasons[failure])
        expect(others).toHaveLength(plain.code === 0 ? 0 : 1)
        expect(ended.code).toBe(plain.code === 0 ? 4 : plain.code)
      }
    })
  }

  for (const failure of failures) {
    it(`prints the ids of a placed order to standard error when the output is ${failure}`, async () => {
      const link = `unprinted-${failure}`
      const ended = await call(["orders.create", ...restingOrder, `orderLinkId=${link}`, "--yes"], failure)
      expect(ended.code).toBe(4)
      const [said = "", ...others] = linesOf(ended.err).filter((line) => line.startsWith("venue: "))
      expect(said).toContain("venue: orders.create: the service has answered, but the result could not be printed")
      expect(said).toMatch(reasons[failure])
      expect(others).toEqual([])
      const open = await callHere(["orders.open", "category=linear", "symbol=BTCUSDT", `orderLinkId=${link}`, "--json"])
      const [order] = (JSON.parse(open.out) as { readonly list: ReadonlyArray<{ readonly OrderId: string }> }).list
      expect(order?.OrderId).toMatch(/./)
      expect(ended.err).toContain(`"orderId":"${order?.OrderId}"`)
      expect(ended.err).toContain(`"orderLinkId":"${link}"`)
    })

    it(`exits with 1 for a read when the output is ${failure}`, async () => {
      const ended = await callHere(["orders.open", "category=linear", "symbol=BTCUSDT"], failure)
      expect(ended.code).toBe(1)
      // The reader of a pipe that is closed, such as `head`, has gone.
      if (failure === "closed") {
        expect(ended.err).toBe("")
        return
      }
      expect(linesOf(ended.err)).toHaveLength(1)
      expect(ended.err).toMatch(/^venue: cannot write to standard output: /)
      expect(ended.err).toMatch(reasons[failure])
    })
  }

  it("exits with the same code with --json, and if only standard error fails", async () => {
    const args = ["orders.create", ...restingOrder, "--yes", "--json"]
    expect((await call(args, "full", "full")).code).toBe(4)
    expect((await call(args, "read", "full")).code).toBe(0)
  })
})
