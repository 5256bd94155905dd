import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Soak from "../src/Soak.js"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

/** The program as a person runs it. */
const program = (...args: ReadonlyArray<string>) =>
  Effect.async<{ readonly code: number | null; readonly out: string; readonly err: string }>((resume) => {
    const child = spawn(process.execPath, ["--import", "tsx", main, ...args], {
      cwd: fileURLToPath(new URL("..", import.meta.url))
    })
    let out = ""
    let err = ""
    child.stdout.on("data", (chunk) => (out += String(chunk)))
    child.stderr.on("data", (chunk) => (err += String(chunk)))
    child.on("close", (code) => resume(Effect.succeed({ code, out, err })))
  })

describe("soak", () => {
  it.live("1,000 calls with faults: no outcome contradicts the exchange", () =>
    Effect.gen(function* () {
      const report = yield* Soak.soak({ calls: 1_000, seed: 7 })
      expect(report.examples).toEqual([])
      expect(report.violationsIn).toEqual({ reads: 0, outcomes: 0, orders: 0, books: 0, bans: 0, lookUps: 0 })
      expect(report.calls).toBe(1_000)
      expect(report.requests.hit).toBeGreaterThan(40)
      expect(Object.keys(report.requests.faults).length).toBeGreaterThan(10)
      expect(report.reads.compared).toBeGreaterThan(50)
      expect(report.writes.made).toBeGreaterThan(0)
      expect(report.writes.notMade).toBeGreaterThan(0)
      expect(report.bans.told).toBeGreaterThan(8)
      // Requests that are refused here reach nothing.
      expect(report.writes.refused.InvalidRequest ?? 0).toBeLessThan(report.writes.asked / 20)
      for (const operation of ["orders.create", "orders.cancel", "orders.createBatch", "orders.cancelBatch"]) {
        expect(report.writes.byOperation[operation]).toBeGreaterThan(0)
      }
    })
  )

  it.live("a client that sends every write again is found out", () =>
    Effect.gen(function* () {
      const report = yield* Soak.soak({ calls: 400, seed: 7, mayRepeat: () => true })
      expect(report.violationsIn.outcomes).toBeGreaterThan(0)
      // A transfer that is sent again with its id is still made once.
      expect(report.examples.filter((one) => one.includes("assets."))).toEqual([])
    })
  )

  it.live("prints one JSON object, and says in one line what it does not understand", () =>
    Effect.gen(function* () {
      const good = yield* program("--calls", "20", "--seed=3")
      const report: Soak.Report = JSON.parse(good.out)
      expect([report.calls, report.seed, good.err]).toEqual([20, 3, ""])
      expect(good.code).toBe(report.violations === 0 ? 0 : 1)
      for (const args of [["--calls", "none"], ["--calls"], ["--seed", "-1"], ["--speed", "9"], ["--calls", "0"]]) {
        const bad = yield* program(...args)
        expect([bad.code, bad.out]).toEqual([2, ""])
        expect(bad.err).toMatch(/^soak: [^\n]+\n$/)
      }
    })
  )
})
