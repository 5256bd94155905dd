import { describe, expect } from "@effect/vitest"
import { Effect, Redacted, TestClock } from "effect"
import { createHmac } from "node:crypto"
import * as Raw from "../utils/raw.js"
import * as Rules from "./utils.js"

// One operation of each way to sign, each with a request that is taken.
const wallet = Rules.routeOf("account.walletBalance").path
const coins = Rules.routeOf("assets.coins").path
const funding = Rules.routeOf("assets.fundingAssets").path
const transfer = Rules.routeOf("assets.transfer").path
const unified = { accountType: "UNIFIED" }
const body = {
  requestId: "42c0cfb0-6bca-c242-bc76-4e6df6cbcb16",
  coin: "USDT",
  amount: "1",
  fromAccountType: "FUND",
  toAccountType: "UNIFIED"
}

const signed = (path: string, parameters: Rules.Parameters = {}, method: "GET" | "POST" = "GET") =>
  Effect.map(Rules.sandbox, ({ credentials }) =>
    Raw.request({ path, parameters, method, credentials: credentials.main, timestamp: 0 })
  )

const without = (headers: Readonly<Record<string, string | undefined>>, name: string) =>
  Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name))

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (encoded: Uint8Array) => new TextDecoder().decode(encoded)

/** The signature over a text, with the main account's secret. */
const signature = (signedText: string) =>
  Effect.map(Rules.sandbox, ({ credentials }) =>
    createHmac("sha256", Redacted.value(credentials.main.apiSecret)).update(signedText).digest("hex")
  )

describe("1. headers", () => {
  for (const [title, name] of [
    ["[auth/1.api-key] X-BAPI-API-KEY must be present and known", "x-bapi-api-key"],
    ["[auth/1.timestamp] X-BAPI-TIMESTAMP must be present, in milliseconds", "x-bapi-timestamp"],
    ["[auth/1.sign] X-BAPI-SIGN must be present and valid", "x-bapi-sign"]
  ] as const) {
    Rules.rule(title, function* () {
      for (const [path, parameters] of [
        [wallet, unified],
        [coins, {}]
      ] as const) {
        const sent = yield* signed(path, parameters)
        expect((yield* Raw.bare(sent)).code).toBe(0)
        expect((yield* Raw.bare({ ...sent, headers: without(sent.headers, name) })).status).toBe(401)
        const other = yield* Raw.bare({ ...sent, headers: { ...sent.headers, [name]: "other" } })
        expect([10002, 10003, 10004]).toContain(other.code)
      }
    })
  }

  Rules.rule("[auth/1.sign] lower-case hex of HMAC-SHA256 with the secret", function* () {
    const sent = yield* signed(wallet, unified)
    const sign = sent.headers["x-bapi-sign"]!
    expect(sign).toMatch(/^[0-9a-f]{64}$/)
    const { credentials } = yield* Rules.sandbox
    const key = Redacted.value(credentials.main.apiKey)
    expect(sign).toBe(yield* signature(`0${key}5000accountType=UNIFIED`))
    const upper = { ...sent.headers, "x-bapi-sign": sign.toUpperCase() }
    expect((yield* Raw.bare({ ...sent, headers: upper })).code).toBe(10004)
    expect((yield* Raw.call(wallet, unified, { secret: "another" })).code).toBe(10004)
  })

  Rules.rule("[instruments.list/public] market data needs none of them", function* () {
    const answer = yield* Raw.bare({ target: `${Rules.routeOf("instruments.list").path}?category=linear` })
    expect(answer.code).toBe(0)
    expect(answer.json.result.list.length).toBeGreaterThan(0)
    expect((yield* Raw.bare({ target: `${wallet}?accountType=UNIFIED` })).status).toBe(401)
  })
})

describe("1. receive window", () => {
  Rules.rule(
    "[auth/1.recv-window, auth/1.timestamp] is the number of milliseconds for which a request is valid",
    function* () {
      yield* TestClock.setTime(50_000_000)
      for (const [path, parameters] of [
        [wallet, unified],
        [coins, {}]
      ] as const) {
        const code = (skew: number, recvWindow: string) =>
          Effect.map(Raw.call(path, parameters, { skew, recvWindow }), (answer) => answer.code)
        expect([yield* code(-5000, "5000"), yield* code(-5001, "5000")]).toEqual([0, 10002])
        expect([yield* code(-1_000_000, "1000000"), yield* code(-1_000_001, "1000000")]).toEqual([0, 10002])
        // Nor may it come from the future.
        expect([yield* code(999, "5000"), yield* code(1000, "5000")]).toEqual([0, 10002])
      }
      expect((yield* Raw.call(wallet, unified, { recvWindow: "soon" })).code).toBe(10002)
    }
  )
})

const isParameterSigned = (path: string) => path.startsWith("/private/v1/") || path === funding

describe("2. the parameter method", () => {
  Rules.rule("[auth/2.scope, versioning/funding] is used by /private/v1 and the funding account only", function* () {
    const { credentials } = yield* Rules.sandbox
    const key = Redacted.value(credentials.main.apiKey)
    for (const { method, path } of Rules.names.map(Rules.routeOf)) {
      if (path === Rules.routeOf("instruments.list").path) continue
      // The same request, signed over its parameters and signed over its bytes.
      const overParameters = yield* signature(`api_key=${key}&recv_window=5000&timestamp=0`)
      const all = { api_key: key, recv_window: 5000, timestamp: 0, sign: overParameters }
      const query = Object.entries(all)
        .map(([name, value]) => `${name}=${value}`)
        .join("&")
      const send = (sign: string, payload: string) =>
        Raw.bare({
          method,
          target: method === "GET" ? `${path}?${payload}` : path,
          headers: Raw.headersOf(key, "0", "5000", sign),
          body: bytes(method === "GET" ? "" : payload)
        })
      const parameterised = yield* send(overParameters, method === "GET" ? query : JSON.stringify(all))
      const payload = method === "GET" ? "" : "{}"
      const plain = yield* send(Raw.sign(credentials.main, 0, "5000", payload), payload)
      const [fits, other] = isParameterSigned(path) ? [parameterised, plain] : [plain, parameterised]
      // Who asks is known; what is asked for may still be wrong.
      expect(fits.text, path).not.toMatch(/sign/)
      expect(other.text, path).toMatch(/error sign|openapi sign params/)
    }
  })

  Rules.rule("[auth/2.signed] all parameters with key, time and window are signed, and sign is not", function* () {
    const { credentials } = yield* Rules.sandbox
    const key = Redacted.value(credentials.main.apiKey)
    const query = (sign: string, coin = "BTC") =>
      `${coins}?api_key=${key}&coin=${coin}&recv_window=5000&timestamp=0&sign=${sign}`
    const send = (signedText: string, coin?: string) =>
      Effect.gen(function* () {
        const sign = yield* signature(signedText)
        const headers = Raw.headersOf(key, "0", "5000", sign)
        return (yield* Raw.bare({ target: query(sign, coin), headers })).code
      })
    const whole = `api_key=${key}&coin=BTC&recv_window=5000&timestamp=0`
    expect(yield* send(whole)).toBe(0)
    expect(yield* send(whole, "ETH")).toBe(10004)
    for (const left of [`api_key=${key}&`, "coin=BTC&", "recv_window=5000&", "&timestamp=0"]) {
      expect(yield* send(whole.replace(left, ""))).toBe(10004)
    }
    expect(yield* send(`${whole}&sign=`)).toBe(10004)
  })

  Rules.rule("[auth/2.sorted] sorted by name and joined, for any order of sending", function* () {
    const sent = yield* signed(coins, { coin: "BTC" })
    const [path = "", query = ""] = sent.target.split("?")
    // And escaped or not: what is signed is what they say.
    const turned = query.split("&").toReversed().join("&").replace("BTC", "%42TC")
    expect(turned).not.toBe(query)
    const answer = yield* Raw.bare({ ...sent, target: `${path}?${turned}` })
    expect([answer.code, answer.json.result.rows.length]).toEqual([0, 1])
    // In another order they make another signature.
    const { credentials } = yield* Rules.sandbox
    const key = Redacted.value(credentials.main.apiKey)
    const sign = yield* signature(`timestamp=0&recv_window=5000&coin=BTC&api_key=${key}`)
    const unsorted = { headers: Raw.headersOf(key, "0", "5000", sign) }
    const target = `${coins}?api_key=${key}&coin=BTC&recv_window=5000&timestamp=0&sign=${sign}`
    expect((yield* Raw.bare({ ...unsorted, target })).code).toBe(10004)
  })

  Rules.rule("[auth/2.get] a GET sends them in the query too", function* () {
    const sent = yield* signed(coins, { coin: "BTC" })
    expect((yield* Raw.bare(sent)).code).toBe(0)
    for (const name of ["api_key", "timestamp", "sign"]) {
      const target = sent.target.replace(new RegExp(`${name}=[^&]*&?`), "")
      expect(target).not.toBe(sent.target)
      expect((yield* Raw.bare({ ...sent, target })).code).toBe(10001)
    }
    const target = sent.target.replace(/recv_window=[^&]*&?/, "")
    expect((yield* Raw.bare({ ...sent, target })).code).not.toBe(0)
  })
})

describe("2. the parameter method, writing", () => {
  Rules.rule("[auth/2.post] a POST sends them in the JSON body too", function* () {
    const sent = yield* signed(transfer, body, "POST")
    const whole: Rules.Row = JSON.parse(text(sent.body))
    for (const name of ["api_key", "timestamp", "recv_window", "sign"]) {
      const left = Object.fromEntries(Object.entries(whole).filter(([one]) => one !== name))
      const answer = yield* Raw.bare({ ...sent, body: bytes(JSON.stringify(left)) })
      expect([10001, 10004], name).toContain(answer.code)
    }
    expect((yield* Raw.bare(sent)).code).toBe(0)
  })
})
