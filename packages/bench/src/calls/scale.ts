import * as Executions from "@effect-venue/schemas/Executions"
import * as Venue from "@effect-venue/services/Venue"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Limits from "@effect-venue/transport/Limits"
import * as Transport from "@effect-venue/transport/Transport"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Array from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Cost from "../measure/cost.js"
import * as Rounds from "../measure/rounds.js"
import * as Row from "../measure/row.js"
import { unreached } from "./clients/ours.js"

const calls = 2_000

const empty = JSON.stringify({
  retCode: 0,
  retMsg: "OK",
  result: { category: "linear", list: [], nextPageCursor: "" },
  retExtInfo: {},
  // Not a time: the client does not know it.
  time: 0
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

const process = Layer.mergeAll(
  Venue.layerShared,
  Layer.succeed(HttpClient.HttpClient, client),
  Layer.succeed(Limits.Limits, unreached)
)

const account = (index: number) =>
  Venue.account(
    Credentials.make({
      baseUrl: "http://127.0.0.1",
      apiKey: `key-${index}`,
      apiSecret: Redacted.make(`secret-of-account-${index}`),
      uid: String(index)
    })
  )

/** Opens accounts with shared state. Returns the microseconds of processor time per call, rotating over the accounts, 16 calls at a time. */
const prepareCalls = (count: number) =>
  Effect.gen(function* () {
    const shared = yield* Layer.build(process)
    const contexts = yield* Effect.forEach(Array.range(1, count), account).pipe(Effect.provide(shared))
    const one = (index: number) =>
      Effect.flatMap(Effect.fromNullable(contexts[index % count]), (context) =>
        Context.get(context, Transport.Transport).callWire(Executions.list, { category: "linear", symbol: "BTCUSDT" })
      )
    const all = Effect.forEach(Array.range(1, calls), one, { concurrency: 16, discard: true })
    return Effect.map(Cost.micros(Effect.provide(all, shared)), (taken) => taken / calls)
  })

/** The cost of a call with a thousand accounts in the process. */
export const scale = (): Stream.Stream<Row.Row> =>
  Effect.gen(function* () {
    const [many, single] = [yield* prepareCalls(1_000), yield* prepareCalls(1)]
    const pairs = yield* Rounds.pairs({ count: 17, warmUp: 3 }, many, single)
    const description = { baselineName: "1 account", unit: "us of processor a call", target: { atMost: 1.2 } }
    return Row.ofPairs({ ...description, name: "scale.accounts.1000" }, pairs)
  }).pipe(Effect.scoped, Effect.orDie, Stream.fromEffect)
