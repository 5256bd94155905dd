import * as Credentials from "@effect-venue/signing/Credentials"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import * as Signer from "@effect-venue/signing/Signer"
import * as Transport from "@effect-venue/transport/Transport"
import { HttpClient, HttpClientError, HttpClientResponse } from "@effect/platform"
import { Clock, Effect, Layer, Redacted, TestClock } from "effect"

/** What arrived at the far end. */
export interface Arrived {
  readonly at: number
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Answer =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body: string }
  | { readonly fail: unknown }
  | "hang"

/** Far ends that no sandbox can be: ones that answer nonsense, break off, or do not answer at all. */
export type Script = (arrived: Arrived, index: number) => Answer | Effect.Effect<Answer>

export const canarySecret = "canary-secret-5f1e8c"
export const canaryKey = "CANARYKEY0001"

export const credentials = Credentials.make({
  baseUrl: "http://venue.test",
  apiKey: canaryKey,
  apiSecret: Redacted.make(canarySecret)
})

// In the place of a time that a script does not set: the instant at which the answer leaves.
const now = "now"

export const ok = (result: unknown, time: number | typeof now = now): Answer => ({
  body: JSON.stringify({ retCode: 0, retMsg: "OK", result, retExtInfo: {}, time })
})

export const refused = (retCode: number, retMsg = "no", time: number | typeof now = now): Answer => ({
  body: JSON.stringify({ retCode, retMsg, result: null, retExtInfo: null, time })
})

/**
 * Between two steps the test clock waits three milliseconds for what may go on in the machine. Here nothing does: a turn of the event
 * loop is enough, and the steps of a test are thousands.
 */
export const quickSteps = Layer.effectDiscard(
  Effect.map(TestClock.testClock(), (clock) => {
    const turn = Effect.async<void>((resume) => {
      const immediate = setImmediate(() => resume(Effect.void))
      return Effect.sync(() => clearImmediate(immediate))
    })
    if ("yieldTimer" in clock) Object.assign(clock, { yieldTimer: turn })
  })
)

export const make = (script: Script) => {
  const arrived: Array<Arrived> = []
  const client = HttpClient.make((request, url, signal) =>
    Effect.gen(function* () {
      const body = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
      const one: Arrived = {
        at: yield* Clock.currentTimeMillis,
        method: request.method,
        url: url.href,
        headers: { ...request.headers },
        body
      }
      arrived.push(one)
      signal.throwIfAborted()
      const scripted = script(one, arrived.length - 1)
      const answer = Effect.isEffect(scripted) ? yield* scripted : scripted
      if (answer === "hang") return yield* Effect.never
      if ("fail" in answer) {
        return yield* new HttpClientError.RequestError({ request, reason: "Transport", cause: answer.fail })
      }
      const time = Math.floor(yield* Clock.currentTimeMillis)
      return HttpClientResponse.fromWeb(
        request,
        new Response(answer.body.replace(`"time":"${now}"`, `"time":${time}`), {
          status: answer.status ?? 200,
          headers: answer.headers ?? {}
        })
      )
    })
  )
  const shared = Layer.mergeAll(RateLimiter.layerMemory, BanGate.layer, ServerClock.layer)
  const layer = Layer.merge(Transport.layer, quickSteps).pipe(
    Layer.provideMerge(Layer.mergeAll(Signer.layer, shared)),
    Layer.provideMerge(
      Layer.mergeAll(Layer.succeed(Credentials.Credentials, credentials), Layer.succeed(HttpClient.HttpClient, client))
    )
  )
  return { arrived, client, layer }
}
