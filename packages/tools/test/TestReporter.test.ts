import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { after, before, describe, it } from "node:test"
import { fileURLToPath } from "node:url"

const tools = fileURLToPath(new URL("..", import.meta.url))
const vitest = path.join(tools, "..", "..", "node_modules", "vitest", "vitest.mjs")

const source = (name: string): string => JSON.stringify(path.join(tools, "src", name))

const config = `export default {
  test: {
    isolate: false,
    testTimeout: 60_000,
    maxWorkers: 1,
    minWorkers: 1,
    setupFiles: [${source("testSetup.ts")}],
    reporters: [${source("TestReporter.ts")}]
  }
}`

/** Without a record of earlier runs, vitest begins with the largest file. */
const first = `// ${"first ".repeat(2000)}\n`

const files = {
  "vitest.config.mjs": config,
  // Leaves its clock and an equality behind, unless they are taken back.
  "layer.test.ts": `${first}
import { addEqualityTesters, expect, layer } from "@effect/vitest"
import { BigDecimal, Effect, Layer, TestClock } from "effect"
addEqualityTesters()
layer(Layer.empty)((it) => {
  it.effect("moves the clock of its layer", () => TestClock.adjust("1 hour"))
  it("compares by value", () => expect(BigDecimal.make(10n, 1)).toEqual(BigDecimal.make(1n, 0)))
})`,
  "quiet.test.ts": `
import { expect, it } from "@effect/vitest"
import { BigDecimal, Clock, Effect } from "effect"
it.effect("has a clock of its own", () =>
  Effect.map(Clock.currentTimeMillis, (now) => expect(now).toBe(0)))
it("compares by structure", () => expect(BigDecimal.make(10n, 1)).not.toEqual(BigDecimal.make(1n, 0)))`,
  "busy.test.ts": `
import { it } from "vitest"
it("computes", () => {
  const start = process.cpuUsage()
  while (process.cpuUsage(start).user < 1_200_000) Math.sqrt(2)
})`,
  "waiting.test.ts": `
import { it } from "vitest"
it("waits", () => new Promise((resolve) => setTimeout(resolve, 1500)))`,
  "parent.test.ts": `
import { spawnSync } from "node:child_process"
import { it } from "vitest"
it("starts a process", () => {
  const code = "const start = process.cpuUsage(); while (process.cpuUsage(start).user < 300_000) Math.sqrt(2)"
  spawnSync(process.execPath, ["--eval", code])
})`,
  "turns.test.ts": `
import { it } from "@effect/vitest"
import { FastCheck } from "effect"
const compute = async () => {
  const start = process.cpuUsage()
  while (process.cpuUsage(start).user < 60_000) Math.sqrt(2)
}
it("computes without a turn", async () => {
  for (let i = 0; i < 8; i++) await compute()
})
it("computes examples of a property", () =>
  FastCheck.assert(FastCheck.asyncProperty(FastCheck.nat(), compute), { numRuns: 9 }))`,
  "failing.test.ts": `
import { expect, it } from "vitest"
it("fails", () => expect("this").toBe("that"))`
}

describe("the report of the tests", () => {
  // In the repository, where vitest and effect are found.
  const folder = path.join(tools, "build", `test-reporter-${process.pid}`)
  let output = ""
  let status: number | null = null

  before(() => {
    fs.mkdirSync(folder, { recursive: true })
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text)
    const run = spawnSync(process.execPath, [vitest, "run", "--root", folder], {
      encoding: "utf8",
      env: { ...process.env, NO_COLOR: "1", VITEST: undefined }
    })
    status = run.status
    output = run.stdout + run.stderr
  })

  after(() => {
    fs.rmSync(folder, { recursive: true, force: true })
  })

  /** The rows of a table: processor time, that of children, clock, longest turn, name. */
  const rows = (
    title: string
  ): ReadonlyArray<readonly [processor: number, children: number, clock: number, turn: number, name: string]> => {
    const lines = output.split("\n")
    const start = lines.findIndex((line) => line.startsWith(title)) + 2
    const end = lines.indexOf("", start)
    return lines.slice(start, end).map((line) => {
      const [processor, children, clock, turn, ...name] = line.trim().split(/\s+/)
      return [Number(processor), Number(children), Number(clock), Number(turn), name.join(" ")]
    })
  }

  it("has a failure in full, and the totals", () => {
    assert.equal(status, 1)
    assert.match(output, /FAIL {2}failing\.test\.ts > fails\nAssertionError: expected 'this' to be 'that'/)
    assert.match(output, /Test Files {2}1 failed \| 6 passed \(7\)\n +Tests {2}1 failed \| 9 passed \(10\)/)
  })

  it("is a page: of tests that pass only the slowest are listed", () => {
    assert.ok(output.split("\n").length < 80, output)
    assert.doesNotMatch(output, /✓/)
  })

  it("lists files and tests by processor time, not by the clock", () => {
    const slowest = rows("Slowest files by processor time")
    const names = slowest.map(([, , , , name]) => name)
    assert.ok(names.indexOf("busy.test.ts") < names.indexOf("waiting.test.ts"), output)
    const [, , clock] = slowest.find(([, , , , name]) => name === "waiting.test.ts") ?? []
    assert.ok(clock !== undefined && clock >= 1.5, output)
    const [test] = rows("Slowest tests by processor time")
    assert.equal(test?.[4], "busy.test.ts > computes")
    assert.ok(test[0] >= 1.2, output)
  })

  it("says how long a test keeps the event loop from turning, which properties do not", () => {
    const tests = rows("Slowest tests by processor time").filter(([, , , , name]) => name.startsWith("turns.test.ts"))
    const parts = new Map(tests.map(([processor, , , turn, name]) => [name.split(" > ")[1], turn / processor]))
    assert.ok((parts.get("computes without a turn") ?? 0) > 0.8, output)
    assert.ok((parts.get("computes examples of a property") ?? 1) < 0.5, output)
  })

  it("counts the processes that a file started", { skip: process.platform !== "linux" }, () => {
    const [, children] =
      rows("Slowest files by processor time").find(([, , , , name]) => name === "parent.test.ts") ?? []
    assert.ok(children !== undefined && children >= 0.3, output)
  })
})
