/** The sandbox's server in a separate process. Its first message contains its address and an API key. */
import * as Server from "@effect-venue/sandbox/Server"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** The data that a client needs. */
export interface Address {
  readonly url: string
  readonly apiKey: string
  readonly secret: string
}

const ended = Effect.async<void>((resume) => {
  process.once("disconnect", () => resume(Effect.void))
})

const program = Effect.gen(function* () {
  const { credentials, url } = yield* Server.Server
  const { apiKey, apiSecret } = credentials.main
  const address: Address = { url, apiKey: Redacted.value(apiKey), secret: Redacted.value(apiSecret) }
  process.send?.(address)
  yield* ended
}).pipe(Effect.provide(Server.layer({ seed: 1, limits: "off", grace: 0 })))

NodeRuntime.runMain(program)
