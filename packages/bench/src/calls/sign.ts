import * as Endpoints from "@effect-venue/schemas/Assets"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { createHmac } from "node:crypto"
import * as Page from "./clients/page.js"
import { bybitSign } from "./clients/peers.js"
import * as Cost from "../measure/cost.js"
import * as Rounds from "../measure/rounds.js"
import * as Row from "../measure/row.js"

const signatures = 4_000

const apiKey = "k".repeat(18)
const secret = "s".repeat(36)
const timestamp = 1_700_000_000_000
const recvWindow = "5000"

const hmac = (text: string): Effect.Effect<number> =>
  Cost.rate(
    signatures,
    Cost.repeat(signatures, () => createHmac("sha256", secret).update(text).digest("hex"))
  )

/**
 * Signing whole requests, from parameters to the final text, compared with the bare HMAC of the same signed text and with the peer's
 * signing of it.
 */
export const sign = (): Stream.Stream<Row.Row> =>
  Effect.gen(function* () {
    const signer = Signer.make(
      Credentials.make({ baseUrl: "http://127.0.0.1", apiKey, apiSecret: Redacted.make(secret), recvWindow: 5_000 })
    )
    const byHeader = { endpoint: Page.endpoint, parameters: { ...Page.request, limit: "100" }, timestamp }
    const byParameter = { endpoint: Endpoints.deposits, parameters: { coin: "USDT", limit: "50" }, timestamp }
    const signing = (request: Signer.Unsigned): Effect.Effect<number> => {
      const signAll = Effect.gen(function* () {
        for (let index = 0; index < signatures; index++) yield* signer.sign(request)
      })
      return Cost.rate(signatures, signAll)
    }
    const { query } = yield* signer.sign(byHeader)
    const headerText = Signer.headerText(String(timestamp), apiKey, recvWindow, query)
    const parameterText = Signer.parameterText({
      ...byParameter.parameters,
      api_key: apiKey,
      timestamp,
      recv_window: recvWindow
    })
    const peerSign = yield* Effect.promise(bybitSign)
    const peerSignAll = Effect.promise(async () => {
      for (let index = 0; index < signatures; index++) await peerSign(headerText, secret, "hex")
    })
    const unit = "signatures/s"
    const bare = { unit, baselineName: "node:crypto's HMAC of the same text" }
    const options = { count: 25, warmUp: 3 }
    const header = yield* Rounds.pairs(options, signing(byHeader), hmac(headerText))
    const parameter = yield* Rounds.pairs(options, signing(byParameter), hmac(parameterText))
    // Measured last, so that its garbage does not affect the others. One of its measurements takes a second.
    const peer = yield* Rounds.pairs({ count: 12, warmUp: 1 }, signing(byHeader), Cost.rate(signatures, peerSignAll))
    return [
      Row.ofPairs({ ...bare, name: "sign.header" }, header),
      Row.ofPairs({ ...bare, name: "sign.parameter" }, parameter),
      Row.ofPairs(
        {
          name: "sign.header.bybit-api",
          unit,
          baselineName: "bybit-api's signing of the same text",
          target: { atLeast: 20 }
        },
        peer
      )
    ]
  }).pipe(Effect.orDie, Stream.fromIterableEffect)
