import * as Server from "@effect-venue/sandbox/Server"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { networkInterfaces } from "node:os"
import { fileURLToPath } from "node:url"

const bot = fileURLToPath(new URL("../python/bot.py", import.meta.url))
const hasPython = spawnSync("python3", ["--version"]).status === 0
const token = "a token of this test"

/** An address of this machine by which others reach it; its own where it has none. */
const address =
  Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1"

const run = (env: Readonly<Record<string, string>>) =>
  Effect.async<{ readonly code: number | null; readonly out: string }>((resume) => {
    const child = spawn("python3", [bot], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env }
    })
    let out = ""
    child.stdout.on("data", (chunk) => (out += String(chunk)))
    child.stderr.on("data", (chunk) => (out += String(chunk)))
    child.on("close", (code) => resume(Effect.succeed({ code, out })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

describe("a bot in Python", () => {
  const title = "trades, is filled, survives a lost answer and is funded, from another address with the control token"
  it.scopedLive.skipIf(!hasPython)(hasPython ? title : `${title} (install Python: apt-get install python3)`, () =>
    Effect.gen(function* () {
      const { credentials, url } = yield* Server.Server
      const { code, out } = yield* run({
        VENUE_BASE_URL: url.replace("0.0.0.0", address),
        VENUE_API_KEY: Redacted.value(credentials.main.apiKey),
        VENUE_API_SECRET: Redacted.value(credentials.main.apiSecret),
        VENUE_CONTROL_TOKEN: token
      })
      expect(out.trim().split("\n")).toEqual([
        "the order is Filled",
        "the answer was lost, and the order is there",
        "funded: True"
      ])
      expect(code).toBe(0)
      const page = readFileSync(new URL("../../../docs/bot-in-python.md", import.meta.url), "utf8")
      expect(page).toContain(`\`\`\`python\n${readFileSync(bot, "utf8")}\`\`\``)
      expect(page).toContain(`\`\`\`text\n${out}\`\`\``)
    }).pipe(
      Effect.provide(Server.layer({ seed: 5, host: "0.0.0.0", exposed: true, controlToken: Redacted.make(token) }))
    )
  )
})
