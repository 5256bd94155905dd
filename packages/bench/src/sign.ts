import * as Endpoints from "@effect-venue/schemas/Assets"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createHmac } from "node:crypto"
import * as Page from "./page.js"
import { bybitSign } from "./peers.js"
import { interleaved } from "./rounds.js"
import * as Row from "./row.js"

const rounds = 15
const perRound = 4_000

const apiKey = "k".repeat(18)
const secret = "s".repeat(36)
const timestamp = 1_700_000_000_000
const recvWindow = "5000"

/** A second's worth of `count` that took as much processor time as was used since `start`. */
const rate = (count: number, start: NodeJS.CpuUsage): number => {
  const { system, user } = process.cpuUsage(start)
  return (count * 1e6) / (user + system)
}

const hmac = (text: string) => () => {
  const start = process.cpuUsage()
  for (let index = 0; index < perRound; index++) createHmac("sha256", secret).update(text).digest("hex")
  return rate(perRound, start)
}

const times = <A>(effect: Effect.Effect<A>): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (let index = 0; index < perRound; index++) yield* effect
  })

/**
 * Whole requests signed, from their parameters to the text to be sent, beside the bare HMAC of the very text that is signed in
 * them, and beside what the peer signs that text with.
 */
export const sign: Effect.Effect<ReadonlyArray<Row.Row>> = Effect.promise(async () => {
  const signer = Signer.make(
    Credentials.make({ baseUrl: "http://127.0.0.1", apiKey, apiSecret: Redacted.make(secret), recvWindow: 5_000 })
  )
  const signing = (request: Signer.Unsigned) => async () => {
    const start = process.cpuUsage()
    await Effect.runPromise(times(signer.sign(request)))
    return rate(perRound, start)
  }
  const byHeader = { endpoint: Page.endpoint, parameters: { ...Page.request, limit: "100" }, timestamp }
  const byParameter = { endpoint: Endpoints.deposits, parameters: { coin: "USDT", limit: "50" }, timestamp }
  const { query } = await Effect.runPromise(signer.sign(byHeader))
  const headerText = Signer.headerText(String(timestamp), apiKey, recvWindow, query)
  const parameterText = Signer.parameterText({
    ...byParameter.parameters,
    api_key: apiKey,
    timestamp,
    recv_window: recvWindow
  })
  const peerSign = await bybitSign()
  const header = signing(byHeader)
  const contenders = {
    header,
    headerHmac: hmac(headerText),
    parameter: signing(byParameter),
    parameterHmac: hmac(parameterText)
  }
  await interleaved(3, contenders)
  const figures = await interleaved(rounds, contenders)
  // Apart from the others, on whom its garbage would fall.
  const peer = async () => {
    const start = process.cpuUsage()
    for (let index = 0; index < perRound; index++) await peerSign(headerText, secret, "hex")
    return rate(perRound, start)
  }
  const beside = await interleaved(rounds, { header, peer })
  const bare = { baselineName: "node:crypto's HMAC of the same text", unit: "signatures/s", target: ">= 0.8" }
  return [
    Row.ofRounds({ ...bare, name: "sign.header" }, figures.header, figures.headerHmac),
    Row.ofRounds({ ...bare, name: "sign.parameter" }, figures.parameter, figures.parameterHmac),
    Row.ofRounds(
      {
        name: "sign.header.bybit-api",
        baselineName: "bybit-api's signing of the same text",
        unit: "signatures/s",
        target: ">= 20"
      },
      beside.header,
      beside.peer
    )
  ]
})
