import * as Server from "@effect-venue/sandbox/Server"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath, pathToFileURL } from "node:url"
import { otherMachine } from "./utils/otherMachine.js"

const hasPython = spawnSync("python3", ["--version"]).status === 0
const python = (title: string) => (hasPython ? title : `${title} (install Python: apt-get install python3)`)
const token = "a token of this test"

const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href
const fileOf = (name: string) => fileURLToPath(new URL(`./bots/${name}`, import.meta.url))

/** Runs a program on another machine, with the variables that a bot needs. */
const run = (...command: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { credentials, url } = yield* Server.Server
    const machine = yield* otherMachine
    return yield* machine.run(command, {
      VENUE_BASE_URL: url.replace("127.0.0.1", machine.host),
      VENUE_API_KEY: Redacted.value(credentials.main.apiKey),
      VENUE_API_SECRET: Redacted.value(credentials.main.apiSecret),
      VENUE_CONTROL_TOKEN: token
    })
  })

const server = Server.layer({ seed: 5, host: "0.0.0.0", exposed: true, controlToken: Redacted.make(token) })

describe("a bot on another machine", () => {
  const bots = [
    { language: "python", page: "bot-in-python.md", file: "bot.py", command: ["python3"], yes: "True" },
    {
      language: "ts",
      page: "bot-in-typescript.md",
      file: "bot.ts",
      command: [process.execPath, "--import", tsx],
      yes: "true"
    }
  ]
  for (const { command, file, language, page, yes } of bots) {
    const title = `trades, is filled, survives a lost answer and is funded, in ${language}`
    const isSkipped = language === "python" && !hasPython
    it.scopedLive.skipIf(isSkipped)(isSkipped ? python(title) : title, () =>
      Effect.gen(function* () {
        const { code, out } = yield* run(...command, fileOf(file))
        expect(out.trim().split("\n")).toEqual([
          "the order is Filled",
          "the answer was lost, and the order is there",
          `funded: ${yes}`
        ])
        expect(code).toBe(0)
        const text = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), "utf8")
        expect(text).toContain(`\`\`\`${language}\n${readFileSync(fileOf(file), "utf8")}\`\`\``)
        expect(text).toContain(`\`\`\`text\n${out}\`\`\``)
      }).pipe(Effect.provide(server))
    )
  }
})

describe("a program on another machine", () => {
  const title = "drives clock, prices, faults and a liquidation with the control token, and is refused without it"
  it.scopedLive.skipIf(!hasPython)(python(title), () =>
    Effect.gen(function* () {
      const { code, out } = yield* run("python3", fileOf("control.py"))
      expect(out.trim().split("\n")).toEqual([
        "refused without the token",
        "the clock stands eight hours later",
        "the price is held",
        "a request failed, and the log has it",
        "the position is liquidated"
      ])
      expect(code).toBe(0)
    }).pipe(Effect.provide(server))
  )
})
