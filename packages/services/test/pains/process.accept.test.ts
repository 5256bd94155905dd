import * as Server from "@effect-venue/sandbox/Server"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

describe("a process", () => {
  it.scopedLive("ends by itself when its program has ended: nothing of ours keeps it alive", () =>
    Effect.gen(function* () {
      const { credentials } = yield* Server.Server
      const { apiKey, apiSecret, baseUrl } = credentials.main
      const child = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(
            process.execPath,
            ["--import", "tsx", fileURLToPath(new URL("../fixtures/program.ts", import.meta.url))],
            {
              cwd: fileURLToPath(new URL("../..", import.meta.url)),
              env: {
                PATH: process.env.PATH,
                VENUE_BASE_URL: baseUrl,
                VENUE_API_KEY: Redacted.value(apiKey),
                VENUE_API_SECRET: Redacted.value(apiSecret)
              }
            }
          )
        ),
        // One that does not end is not left behind.
        (process) => Effect.sync(() => process.kill("SIGKILL"))
      )
      const ended = yield* Effect.async<object>((resume) => {
        let out = ""
        child.stdout.on("data", (chunk) => (out += String(chunk)))
        child.stderr.on("data", (chunk) => (out += String(chunk)))
        child.on("close", (code, signal) => resume(Effect.succeed({ code, signal, out })))
      })
      expect(ended).toEqual({ code: 0, signal: null, out: "12 calls, 3 banned\n" })
    }).pipe(Effect.provide(Server.layer({ seed: 5 })))
  )
})
