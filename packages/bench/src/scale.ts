import * as Executions from "@effect-venue/schemas/Executions"
import * as Venue from "@effect-venue/services/Venue"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Limits from "@effect-venue/transport/Limits"
import * as Transport from "@effect-venue/transport/Transport"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { used } from "./heap.js"
import { interleaved } from "./rounds.js"
import * as Row from "./row.js"

const rounds = 9
const calls = 2_000
const counts = [1, 10, 100, 1_000] as const

const empty = JSON.stringify({
  retCode: 0,
  retMsg: "OK",
  result: { category: "linear", list: [], nextPageCursor: "" },
  retExtInfo: {},
  time: 1_700_000_000_000
})

/** Answers at once: what is measured is what an account costs, not what a connection does. */
const client = HttpClient.make((request) =>
  Effect.succeed(
    HttpClientResponse.fromWeb(
      request,
      new Response(empty, { headers: { "x-bapi-limit": "1000000", "x-bapi-limit-status": "999999" } })
    )
  )
)

const limits: Limits.Shape = {
  perUid: (endpoint) => Option.map(endpoint.rateLimit, (limit) => ({ ...limit, count: 1_000_000 })),
  perIp: Option.some({ count: 1_000_000, window: Duration.seconds(5) })
}

/** So many accounts in one process, which share what accounts share; and what takes them away again. */
const open = async (count: number) => {
  const runtime = ManagedRuntime.make(
    Layer.mergeAll(
      Venue.layerShared,
      Layer.succeed(HttpClient.HttpClient, client),
      Layer.succeed(Limits.Limits, limits)
    )
  )
  const scope = Effect.runSync(Scope.make())
  const account = (index: number) =>
    Venue.account(
      Credentials.make({
        baseUrl: "http://127.0.0.1",
        apiKey: `key-${index}`,
        apiSecret: Redacted.make(`secret-of-account-${index}`),
        uid: String(index)
      })
    ).pipe(Scope.extend(scope))
  const transports = await runtime.runPromise(
    Effect.map(
      Effect.forEach(
        Array.from({ length: count }, (_, index) => index),
        account
      ),
      (contexts) => contexts.map(Context.get(Transport.Transport))
    )
  )
  const call = (index: number) => {
    const transport = transports[index % count]
    return transport === undefined
      ? Effect.void
      : transport.callWire(Executions.list, { category: "linear", symbol: "BTCUSDT" })
  }
  return {
    /** Microseconds of processor time a call, the accounts taking turns, 16 calls at a time. */
    run: async (): Promise<number> => {
      const start = process.cpuUsage()
      await runtime.runPromise(
        Effect.forEach(
          Array.from({ length: calls }, (_, index) => index),
          call,
          { concurrency: 16, discard: true }
        )
      )
      const { system, user } = process.cpuUsage(start)
      return (user + system) / calls
    },
    close: () => runtime.dispose()
  }
}

/** What a call costs with so many accounts in the process, and what an account weighs once it has called. */
export const scale: Effect.Effect<ReadonlyArray<Row.Row>> = Effect.promise(async () => {
  const [one, ten, hundred, thousand] = await Promise.all(counts.map(open))
  if (one === undefined || ten === undefined || hundred === undefined || thousand === undefined) return []
  const contenders = { one: one.run, ten: ten.run, hundred: hundred.run, thousand: thousand.run }
  await interleaved(3, contenders)
  const figures = await interleaved(rounds, contenders)
  const row = (count: number, target: string) => ({
    name: `scale.accounts.${count}`,
    baselineName: "1 account",
    unit: "us of processor a call",
    target
  })
  await Promise.all([one, ten, hundred, thousand].map(({ close }) => close()))

  const before = Effect.runSync(used).heap
  const [few, many] = [await open(100), await open(1_100)]
  await few.run()
  await many.run()
  const after = Effect.runSync(used).heap
  await Promise.all([few.close(), many.close()])
  return [
    Row.ofRounds(row(10, ""), figures.ten, figures.one),
    Row.ofRounds(row(100, ""), figures.hundred, figures.one),
    Row.ofRounds(row(1_000, "<= 1.2"), figures.thousand, figures.one),
    Row.make({
      name: "scale.accounts.memory",
      ours: ((after - before) * 1024) / 1_200,
      baseline: Buffer.byteLength(empty) / 1024,
      baselineName: "the text of one empty page",
      unit: "KiB an account"
    })
  ]
})
