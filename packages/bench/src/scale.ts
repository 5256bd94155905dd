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
import * as Processor from "./processor.js"
import * as Rounds from "./rounds.js"
import * as Row from "./row.js"

const calls = 2_000

const empty = JSON.stringify({
  retCode: 0,
  retMsg: "OK",
  result: { category: "linear", list: [], nextPageCursor: "" },
  retExtInfo: {},
  time: 1_700_000_000_000
})

/** Responds immediately, to measure the cost of an account instead of a connection. */
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

/** Accounts in one process with shared state. */
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
    /** Microseconds of processor time per call, rotating over the accounts, 16 calls at a time. */
    run: Effect.map(
      Processor.micros(
        Effect.promise(() =>
          runtime.runPromise(
            Effect.forEach(
              Array.from({ length: calls }, (_, index) => index),
              call,
              { concurrency: 16, discard: true }
            )
          )
        )
      ),
      (taken) => taken / calls
    ),
    close: Effect.promise(() => runtime.dispose())
  }
}

/** Opens accounts until the scope closes. */
const opened = (count: number) =>
  Effect.acquireRelease(
    Effect.promise(() => open(count)),
    ({ close }) => close
  )

/** The memory of an account after its first call, in KiB. */
const weight = Effect.gen(function* () {
  const before = yield* used
  const [few, many] = [yield* opened(100), yield* opened(1_100)]
  yield* few.run
  yield* many.run
  const after = yield* used
  return ((after.heap - before.heap) * 1024) / 1_200
}).pipe(Effect.scoped)

const cost = (count: number, target?: Row.Target) =>
  Effect.gen(function* () {
    const [many, single] = [yield* opened(count), yield* opened(1)]
    const pairs = yield* Rounds.pairs({ count: 17, warmUp: 3 }, many.run, single.run)
    const name = `scale.accounts.${count}`
    return Row.ofPairs({ name, target, baselineName: "1 account", unit: "us of processor a call" }, pairs)
  }).pipe(Effect.scoped)

/** The cost of a call with many accounts in the process, and the memory of an account after its first call. */
export const scale: Effect.Effect<ReadonlyArray<Row.Row>> = Effect.gen(function* () {
  const costs = [yield* cost(10), yield* cost(100), yield* cost(1_000, { atMost: 1.2 })]
  const text = Effect.succeed(Buffer.byteLength(empty) / 1024)
  const weights = yield* Rounds.pairs({ count: 6 }, weight, text)
  return [
    ...costs,
    Row.ofPairs(
      { name: "scale.accounts.memory", baselineName: "the text of one empty page", unit: "KiB an account" },
      weights
    )
  ]
})
