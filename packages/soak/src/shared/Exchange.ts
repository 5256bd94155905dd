import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

type Request = Parameters<Sandbox.Sandbox.Shape["handle"]>[0]

/** A sandbox behind sockets that counts the requests which arrive. */
export const make = Effect.fnUntraced(function* (
  options: Sandbox.Options,
  isCounted: (request: Request) => boolean = () => true
) {
  const sandbox = yield* Sandbox.make({ limits: "off", prices: "still", ...options })
  let arrived = 0
  let lastAt = 0
  const awaited = new Map<number, Deferred.Deferred<void>>()
  const counting: Sandbox.Sandbox.Shape = {
    ...sandbox,
    handle: (request) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (isCounted(request)) {
          lastAt = now
          const reached = awaited.get(++arrived)
          if (reached !== undefined) Deferred.unsafeDone(reached, Effect.void)
        }
        return sandbox.handle(request)
      })
  }
  const server = yield* Effect.orDie(Effect.provideService(Server.serve(), Sandbox.Sandbox, counting))
  const { apiKey, apiSecret, baseUrl } = server.credentials.main
  return {
    sandbox,
    url: server.url,
    /** The environment of a process that calls as the main account. */
    env: {
      VENUE_BASE_URL: baseUrl,
      VENUE_API_KEY: Redacted.value(apiKey),
      VENUE_API_SECRET: Redacted.value(apiSecret)
    },
    /** How many requests have arrived since `restart`. */
    arrived: () => arrived,
    /** When the last of them arrived, in milliseconds. */
    lastAt: () => lastAt,
    restart: Effect.sync(() => {
      arrived = 0
      awaited.clear()
    }),
    /** Waits for the request with this number since `restart`. */
    reached: (number: number) =>
      Effect.gen(function* () {
        if (arrived >= number) return
        const reached = awaited.get(number) ?? (yield* Deferred.make<void>())
        awaited.set(number, reached)
        yield* Deferred.await(reached)
      })
  }
})

export type Exchange = Effect.Effect.Success<ReturnType<typeof make>>
