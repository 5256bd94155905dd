import { listen } from "@effect-venue/testing/Listening"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { spawn } from "node:child_process"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"

it.scopedLive("a bot that cancels its orders in a finalizer ends on SIGINT while the service hangs", () =>
  Effect.gen(function* () {
    const called = yield* Deferred.make<void>()
    const requests: Array<string> = []
    const server = createServer(({ url = "" }) => {
      requests.push(url)
      Deferred.unsafeDone(called, Effect.void)
    })
    const { url } = yield* listen(server)
    const bot = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, ["--import", "tsx", "test/utils/hungBot.ts"], {
          cwd: fileURLToPath(new URL("..", import.meta.url)),
          stdio: "ignore",
          env: {
            PATH: process.env.PATH,
            VENUE_BASE_URL: url,
            VENUE_API_KEY: "EXAMPLEKEY0001",
            VENUE_API_SECRET: "example-secret-0001"
          }
        })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    yield* Deferred.await(called)
    const ended = yield* Effect.fork(
      Effect.async<NodeJS.Signals | null>(
        (resume) => void bot.on("exit", (_, signal) => resume(Effect.succeed(signal)))
      )
    )
    yield* Effect.yieldNow()
    bot.kill("SIGINT")
    // It ends by itself: not by the signal, and not by the end of this test.
    expect(yield* ended).toBe(null)
    expect(requests.some((url) => url.includes("cancel-all"))).toBe(true)
  })
)
