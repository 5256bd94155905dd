import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

/** Runs an example as a reader would, and gives its exit code and what it printed. */
const run = (name: string) =>
  Effect.async<{ readonly code: number | null; readonly out: string }>((resume) => {
    const child = spawn(process.execPath, ["--import", "tsx", `src/${name}.ts`], {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
      env: { PATH: process.env.PATH, NO_COLOR: "1" }
    })
    let out = ""
    child.stdout.on("data", (chunk) => (out += String(chunk)))
    child.stderr.on("data", (chunk) => (out += String(chunk)))
    child.on("close", (code) => resume(Effect.succeed({ code, out })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const programs = [
  ["portfolio", /^equity \d+(\.\d+)? USD$/m],
  ["transfer", /_tag: 'done', by: 'look-up'/],
  ["brokerVolume", /^\w+: \d+(\.\d+)? traded by \d+ customers, \d+(\.\d+)? in fees$/m],
  ["parquet", /^\d{3,} rows$/m],
  ["openTelemetry", /name: 'venue_calls_total'/]
] as const

// Side by side: they mostly wait for rate limits.
describe.concurrent("run as a program", () => {
  it.live.each(programs)("%s", ([name, says]) =>
    Effect.gen(function* () {
      const { code, out } = yield* run(name)
      expect(out).toMatch(says)
      expect(code).toBe(0)
    })
  )
})
