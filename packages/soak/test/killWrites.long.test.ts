import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as KillWrites from "../src/KillWrites.js"

/** Takes every second line out of a journal. */
const forget = (folder: string): void => {
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name)
    const lines = fs.readFileSync(file, "utf8").split("\n")
    fs.writeFileSync(file, lines.filter((line, index) => index % 2 === 0 || line === "").join("\n"))
  }
}

describe("kill-writes", () => {
  it.live("accounts for every write of 5 processes that are killed, and doubles none", () =>
    Effect.gen(function* () {
      const report = yield* KillWrites.killWrites({ runs: 5, seed: 5 })
      expect(report.examples).toEqual([])
      expect(report).toMatchObject({ kills: 5, violations: 0, wishes: 30 })
      expect(report.writes).toBeGreaterThanOrEqual(report.wishes)
      expect(report.inFlight).toBeGreaterThan(0)
      expect(report.foundExecuted).toBeGreaterThan(0)
    })
  )

  it.live("finds out that a journal has lost entries", () =>
    Effect.gen(function* () {
      const report = yield* KillWrites.killWrites({ runs: 2, seed: 6, meddle: forget })
      expect(report.violations).toBeGreaterThan(0)
    })
  )
})
