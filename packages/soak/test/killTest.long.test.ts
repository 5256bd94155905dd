import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as KillTest from "../src/KillTest.js"

const main = fileURLToPath(new URL("../src/killTestMain.ts", import.meta.url))

/** Every buyer becomes a seller, in what was kept of a folder's rows. */
const forge = (folder: string): void => {
  const own = path.join(folder, ".venue")
  for (const name of fs.existsSync(own) ? fs.readdirSync(own) : []) {
    if (!name.endsWith(".journal.ndjson")) continue
    const file = path.join(own, name)
    fs.writeFileSync(file, fs.readFileSync(file, "utf8").replaceAll('"side":"Buy"', '"side":"BUY"'))
  }
}

describe("kill-test", () => {
  it.live("10 exports, killed at random instants, end as if they had not been", () =>
    Effect.gen(function* () {
      const report = yield* KillTest.killTest({ runs: 10, seed: 5 })
      expect(report.examples).toEqual([])
      expect(report.mismatches).toBe(0)
      expect(report.runs).toBe(10)
      expect(report.kills).toBeGreaterThan(5)
      const sum = (counts: Readonly<Record<string, number>>) =>
        Object.values(counts).reduce((all, count) => all + count, 0)
      expect(sum(report.killsPerFormat)).toBe(report.kills)
      expect(sum(report.killsPerPhase)).toBe(report.kills)
      // Some at least in the midst of it.
      expect(report.killsPerPhase.reading + report.killsPerPhase.finishing).toBeGreaterThan(0)
    })
  )

  it.live("one of two processes has the folder, the other one is refused, and what they leave is the same", () =>
    Effect.gen(function* () {
      const report = yield* KillTest.killTest({ runs: 10, seed: 7, processes: 2 })
      expect(report.examples).toEqual([])
      expect(report.mismatches).toBe(0)
      expect(report.refused).toBeGreaterThan(0)
      expect(report.kills).toBeGreaterThan(0)
    })
  )

  it.live("finds out that something else has happened to a folder in between", () =>
    Effect.gen(function* () {
      const report = yield* KillTest.killTest({ runs: 10, seed: 6, formats: ["csv"], meddle: forge })
      expect(report.killsPerPhase.reading + report.killsPerPhase.finishing).toBeGreaterThan(0)
      expect(report.mismatches).toBeGreaterThan(0)
      expect(report.examples[0]).toMatch(
        /^run \d+, csv, killed \d+ times: Differs: files differ: \d+: executions-\w+\.csv/
      )
    })
  )

  it.live("says in one line what it does not understand", () =>
    Effect.gen(function* () {
      for (const args of [
        ["--runs", "none"],
        ["--runs", "0"],
        ["--calls", "9"]
      ]) {
        const bad = yield* Effect.async<{ readonly code: number | null; readonly err: string }>((resume) => {
          const child = spawn(process.execPath, ["--import", "tsx", main, ...args], {
            cwd: fileURLToPath(new URL("..", import.meta.url))
          })
          let err = ""
          child.stderr.on("data", (chunk) => (err += String(chunk)))
          child.on("close", (code) => resume(Effect.succeed({ code, err })))
        })
        expect(bad.code).toBe(2)
        expect(bad.err).toMatch(/^kill-test: [^\n]+\n$/)
      }
    })
  )
})
