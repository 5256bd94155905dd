/**
 * Creates sandboxes that each return a page of executions and a wallet balance, in a separate process started by `sandboxes.ts`, and
 * reports their cost.
 */
import type * as Edge from "@effect-venue/sandbox/siblings/Edge"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createHmac } from "node:crypto"
import { heapUsed } from "../measure/cost.js"
import { median } from "../measure/rounds.js"

const further = 200

const recvWindow = "5000"

/** Signs a GET of the main account. */
const signRequest = ({ credentials }: Sandbox.Sandbox.Shape, path: string, query: string): Edge.Request => {
  const apiKey = Redacted.value(credentials.main.apiKey)
  const timestamp = String(Date.now())
  const mac = createHmac("sha256", Redacted.value(credentials.main.apiSecret))
  return {
    method: "GET",
    target: `${path}?${query}`,
    headers: {
      "x-bapi-api-key": apiKey,
      "x-bapi-timestamp": timestamp,
      "x-bapi-recv-window": recvWindow,
      "x-bapi-sign": mac.update(timestamp + apiKey + recvWindow + query).digest("hex")
    },
    body: new Uint8Array(0)
  }
}

const requests = [
  ["/cloud/trade/v3/execution/list", "category=linear&limit=100"],
  ["/cloud/trade/v3/account/wallet-balance", "accountType=UNIFIED"]
] as const

/** A sandbox that has served its requests. */
const makeSandbox = (seed: number) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.make({ seed })
    for (const [path, query] of requests) {
      const { body, status } = yield* sandbox.handle(signRequest(sandbox, path, query))
      if (status !== 200 || !body.startsWith('{"retCode":0')) return yield* Effect.dieMessage(body)
    }
    return sandbox
  })

/** Each sandbox gets a different instant, as with a running clock. Those of one second share a world. */
const laterInstant = (since: number): void => {
  while (Date.now() <= since) {
    // Nothing else runs in this process.
  }
}

/** The median of the processor times in milliseconds, and the sandboxes, which stay in memory. */
const timeSeeds = (seeds: ReadonlyArray<number>) =>
  Effect.map(
    Effect.forEach(seeds, (seed) =>
      Effect.gen(function* () {
        laterInstant(Date.now())
        const start = process.cpuUsage()
        const sandbox = yield* makeSandbox(seed)
        const { system, user } = process.cpuUsage(start)
        return { sandbox, millis: (system + user) / 1000 }
      })
    ),
    (all) => ({ sandboxes: all.map(({ sandbox }) => sandbox), millis: median(all.map(({ millis }) => millis)) })
  )

const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index)

const measured = Effect.gen(function* () {
  yield* timeSeeds(range(100, 5))
  const fresh = yield* timeSeeds(range(1, 9))
  const before = yield* heapUsed
  const next = yield* timeSeeds(Array.from({ length: further }, () => 1))
  const memory = ((yield* heapUsed) - before) / next.sandboxes.length
  return { fresh: fresh.millis, next: next.millis, memory }
})

process.send?.(await Effect.runPromise(measured))
process.disconnect()
