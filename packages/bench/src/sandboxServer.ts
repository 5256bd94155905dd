import * as Effect from "effect/Effect"
import * as Processes from "./processes.js"
import * as Rounds from "./rounds.js"
import * as Row from "./row.js"
import type { Address } from "./sandboxServerProcess.js"

const connections = 16
const warmUp = 4_000

/** The number of calls per measurement. */
const calls = 1_600

const pairCount = 17

const isAddress = (message: unknown): message is Address =>
  typeof message === "object" && message !== null && "url" in message && "apiKey" in message && "secret" in message

const measured = (client: Processes.RemoteClient) =>
  Effect.map(
    Effect.promise(() => client.run({ calls, lines: connections })),
    ({ p50, p99, wall }) => ({ rate: (calls * 1e6) / wall, p50, p99 })
  )

/**
 * The sandbox's server over loopback, compared with a bare `node:http` server that returns the same body: signed wallet-balance requests on
 * 16 connections, each server and client in a separate process.
 */
export const server: Effect.Effect<ReadonlyArray<Row.Row>> = Effect.gen(function* () {
  const sandbox = yield* Processes.started("./sandboxServerProcess.ts", [], (child) => child.disconnect())
  const address = yield* Effect.promise(() => Processes.said(sandbox))
  if (!isAddress(address)) return yield* Effect.dieMessage("the server has no address")
  const { apiKey, secret, url } = address
  const clientOf = (of: string) => Processes.remote("./signedCalls.ts", [of, apiKey, secret])
  const ours = yield* clientOf(url)
  const body = yield* Effect.promise(() => ours.ask("body"))
  const echo = yield* Processes.started("./echoProcess.ts", [], (child) => child.disconnect())
  const echoUrl = yield* Effect.promise(() => {
    const answer = Processes.said(echo)
    echo.send(String(body))
    return answer
  })
  const baseline = yield* clientOf(String(echoUrl))
  for (const client of [ours, baseline]) {
    yield* Effect.promise(() => client.run({ calls: warmUp, lines: connections }))
  }
  const pairs = yield* Rounds.pairs({ count: pairCount, warmUp: 1 }, measured(ours), measured(baseline))
  const row = (part: "rate" | "p50" | "p99", suffix: string, unit: string) =>
    Row.ofPairs(
      { name: `sandbox.server.c16${suffix}`, baselineName: "a bare node:http server with the same body", unit },
      Rounds.figures(pairs, part)
    )
  return [
    row("rate", "", "calls/s"),
    row("p50", ".p50", "us, half of the calls"),
    row("p99", ".p99", "us, 99 of 100 calls")
  ]
}).pipe(Effect.scoped)
