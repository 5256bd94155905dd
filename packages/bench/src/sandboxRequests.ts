import type * as Edge from "@effect-venue/sandbox/shared/Edge"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createHmac } from "node:crypto"

/** Long enough for a run, so that requests can be signed in advance. */
const recvWindow = "3600000"

/** The target of a GET. */
interface Target {
  readonly path: string
  readonly query: string
}

export const wallet: Target = { path: "/cloud/trade/v3/account/wallet-balance", query: "accountType=UNIFIED" }
export const executions: Target = { path: "/cloud/trade/v3/execution/list", query: "category=linear&limit=100" }

/** Signs requests of the main account. */
export const ofMain = (
  { credentials }: Sandbox.Sandbox.Shape,
  targets: ReadonlyArray<Target>
): Effect.Effect<ReadonlyArray<Edge.Request>> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const apiKey = Redacted.value(credentials.main.apiKey)
    const secret = Redacted.value(credentials.main.apiSecret)
    return targets.map(({ path, query }, index) => {
      const timestamp = String(now - index)
      return {
        method: "GET",
        target: `${path}?${query}`,
        headers: {
          "x-bapi-api-key": apiKey,
          "x-bapi-timestamp": timestamp,
          "x-bapi-recv-window": recvWindow,
          "x-bapi-sign": createHmac("sha256", secret)
            .update(timestamp + apiKey + recvWindow + query)
            .digest("hex")
        },
        body: new Uint8Array(0)
      }
    })
  })

/** Creates a sandbox without limits, with signed wallet-balance requests of its main account. */
export const prepare = Effect.gen(function* () {
  const sandbox = yield* Sandbox.make({ seed: 1, limits: "off" })
  const requests = yield* ofMain(sandbox, Array<Target>(64).fill(wallet))
  return { sandbox, secret: Redacted.value(sandbox.credentials.main.apiSecret), requests }
})

/** Sends `count` requests in sequence, and runs `before` ahead of each. Dies if one fails. */
export const send = (
  sandbox: Sandbox.Sandbox.Shape,
  requests: ReadonlyArray<Edge.Request>,
  count: number,
  before: Effect.Effect<unknown> = Effect.void
): Effect.Effect<Edge.Response> =>
  Effect.gen(function* () {
    let last: Edge.Response = { status: 0, headers: {}, body: "" }
    for (let index = 0; index < count; index++) {
      const request = requests[index % requests.length]
      if (request === undefined) continue
      yield* before
      last = yield* sandbox.handle(request)
      if (last.status !== 200 || !last.body.startsWith('{"retCode":0')) return yield* Effect.dieMessage(last.body)
    }
    return last
  }).pipe(Effect.orDie)
