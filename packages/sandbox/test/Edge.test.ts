import * as Edge from "@effect-venue/sandbox/siblings/Edge"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Seed from "@effect-venue/sandbox/siblings/Seed"
import type * as Exchange from "@effect-venue/sandbox/siblings/Exchange"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option, Redacted, Ref, TestClock } from "effect"
import { readFileSync } from "node:fs"
import * as Raw from "./utils/raw.js"
import { testsIn } from "./utils/tests.js"

const wallet = "/cloud/trade/v3/account/wallet-balance"
const executions = "/cloud/trade/v3/execution/list"
const amend = "/cloud/trade/v3/order/amend"
const coins = "/private/v1/asset/coin/query-info"
const transfer = "/private/v1/asset/transfer/single-account-transfer"
const subTransfers = "/private/v1/asset/sub-member/transfer/list"
const instruments = "/cloud/trade/v3/market/instruments-info"
const unified = { accountType: "UNIFIED" }

const test = testsIn(Sandbox.layer({ seed: 3 }))
const unlimited = Sandbox.layer({ seed: 3, limits: "off" })
const testUnlimited = testsIn(unlimited)
const text = (value: string) => new TextEncoder().encode(value)

interface Vector {
  readonly name: string
  readonly scheme: "v3-header" | "v1-param"
  readonly method?: "GET" | "POST"
  readonly apiKey: string
  readonly apiSecret: string
  readonly timestamp: string
  readonly recvWindow: string
  readonly payload: string
  readonly params: Readonly<Record<string, unknown>>
  readonly wireQuery: string
  readonly sign: string
}

const vectors: ReadonlyArray<Vector> = JSON.parse(
  readFileSync(new URL("./fixtures/signing-vectors.json", import.meta.url), "utf8")
)
const vectorTime = 1_700_000_000_000
const world = Seed.make({ seed: 3, now: vectorTime }).state

const rawOf = (vector: Vector, sign: string): Edge.Request => {
  if (vector.scheme === "v3-header") {
    const isPost = vector.payload.startsWith("{")
    return {
      method: isPost ? "POST" : "GET",
      target: isPost || vector.payload === "" ? (isPost ? amend : wallet) : `${executions}?${vector.payload}`,
      headers: Raw.headersOf(vector.apiKey, vector.timestamp, vector.recvWindow || undefined, sign),
      body: text(isPost ? vector.payload : "")
    }
  }
  const headers = Raw.headersOf(vector.apiKey, String(vector.params.timestamp), String(vector.params.recv_window), sign)
  return vector.method === "GET"
    ? { method: "GET", target: `${coins}?${vector.wireQuery.replace(vector.sign, sign)}`, headers, body: text("") }
    : { method: "POST", target: transfer, headers, body: text(JSON.stringify({ ...vector.params, sign })) }
}

describe("signatures", () => {
  const withVectorKey = (vector: Vector) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(vectorTime + 500)
      const key: Exchange.Key = {
        apiKey: vector.apiKey,
        apiSecret: Redacted.make(vector.apiSecret),
        uid: Seed.uids.main,
        readOnly: false,
        expiresAt: Option.none()
      }
      const state = yield* Ref.make<Exchange.State>({ ...world, keys: new Map([[key.apiKey, key]]) })
      return Edge.make({ state, limits: "off" })
    })

  for (const vector of vectors) {
    it.effect(`accepts ${vector.scheme} ${vector.name}, and rejects any change of it`, () =>
      Effect.gen(function* () {
        const edge = yield* withVectorKey(vector)
        const taken = Raw.read(yield* edge.handle(rawOf(vector, vector.sign)))
        expect(taken.status).toBe(200)
        // What it asks for may be refused: by who it is from, it is not.
        expect([10002, 10003, 10004, 33004]).not.toContain(taken.code)
        expect(taken.text).not.toMatch(/error sign|empty value|API key/)
        const last = vector.sign.endsWith("0") ? "1" : "0"
        const near = Raw.read(yield* edge.handle(rawOf(vector, vector.sign.slice(0, -1) + last)))
        expect(near.code).toBe(10004)
      })
    )
  }

  test("cover the exact bytes: another order, escape or space is another text", function* () {
    const { credentials } = yield* Sandbox.Sandbox
    const sent = Raw.request({
      path: executions,
      parameters: { category: "linear", limit: 1 },
      credentials: credentials.main,
      timestamp: 0
    })
    const handle = (target: string) => Raw.bare({ ...sent, target })
    expect((yield* handle(sent.target)).code).toBe(0)
    expect((yield* handle(`${executions}?limit=1&category=linear`)).code).toBe(10004)
    expect((yield* handle(`${executions}?category=%6Cinear&limit=1`)).code).toBe(10004)
    const body = Raw.request({
      path: amend,
      method: "POST",
      parameters: { category: "linear" },
      credentials: credentials.main,
      timestamp: 0
    })
    expect((yield* Raw.bare(body)).code).toBe(10001)
    expect((yield* Raw.bare({ ...body, body: text('{"category": "linear"}') })).code).toBe(10004)
  })
})

describe("authentication", () => {
  const cases = [
    [wallet, unified, "retCode", "retMsg"],
    [coins, {}, "ret_code", "ret_msg"],
    [subTransfers, {}, "ret_code", "ret_msg"]
  ] as const

  for (const [path, parameters, code, message] of cases) {
    testUnlimited(`failures are reported with their reason in the envelope of ${path}`, function* () {
      const { credentials } = yield* Sandbox.Sandbox
      const unknown = { ...credentials.main, apiKey: Redacted.make("unknown") }
      for (const [expected, words, attempt] of [
        [10003, /API key is invalid/, Raw.call(path, parameters, { credentials: unknown })],
        [10004, /^error sign! origin_string\[/, Raw.call(path, parameters, { secret: "wrong" })],
        [10002, /server_timestamp/, Raw.call(path, parameters, { skew: -5001 })],
        [33004, /expired/, Raw.call(path, parameters, { role: "expired" })]
      ] as const) {
        const { headers, json, status } = yield* attempt
        expect([status, headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"])
        expect([json[code], json[message]]).toEqual([expected, expect.stringMatching(words)])
      }
    })
  }

  test("by the parameter method fails if a copied header differs from its parameter", function* () {
    const { credentials } = yield* Sandbox.Sandbox
    const sent = Raw.request({ path: coins, credentials: credentials.main, timestamp: 0 })
    const headers = { ...sent.headers, "x-bapi-timestamp": "1" }
    expect((yield* Raw.bare({ ...sent, headers })).code).toBe(10004)
    expect((yield* Raw.bare({ ...sent, target: coins })).text).toContain("apiSignature[]")
  })
})

describe("the gateway", () => {
  test("accepts only GET and POST, and only known paths", function* () {
    expect((yield* Raw.bare({ target: wallet, method: "PUT" })).status).toBe(400)
    expect((yield* Raw.bare({ target: wallet, method: "get" })).status).toBe(400)
    const lost = yield* Raw.bare({ target: "/cloud/trade/v3/nowhere" })
    expect([lost.status, lost.headers["content-type"], lost.text]).toEqual([
      404,
      "text/plain; charset=utf-8",
      "404 page not found"
    ])
    expect((yield* Raw.bare({ target: wallet, method: "POST" })).status).toBe(404)
    expect((yield* Raw.bare({ target: wallet, body: text("{}") })).status).toBe(403)
  })

  test("checks category and symbol of market calls", function* () {
    const get = (query: string) =>
      Effect.map(Raw.bare({ target: `${instruments}?${query}` }), (one) => [one.status, one.text])
    expect(yield* get("")).toEqual([400, "must input category"])
    expect(yield* get("category=option")).toEqual([400, "We don't support the category, plz check."])
    expect(yield* get("category=spot&symbol=BTCUSD")).toEqual([400, "we don't support this symbol, plz check."])
    const found = yield* Raw.bare({ target: `${instruments}?category=inverse&symbol=BTCUSD` })
    expect(found.json.result.list).toHaveLength(1)
    // Public answers say nothing of limits.
    expect(Object.keys(found.headers).filter((name) => /limit/i.test(name))).toEqual([])
    expect(found.headers.traceid).toMatch(/^[0-9a-f]{32}$/)
  })

  testUnlimited(
    "answers invalid parameters with 10001 and the field, and accepts null, empty and unknown ones",
    function* () {
      const bad = yield* Raw.call(executions, { category: "linear", limit: 101 })
      expect([bad.status, bad.code, bad.json.result]).toEqual([200, 10001, null])
      expect(bad.json.retMsg).toMatch(/^params error: limit /)
      const range = yield* Raw.call(executions, { category: "linear", startTime: 0, endTime: 7 * 86_400_000 + 1 })
      expect(range.json.retMsg).toMatch(/^params error: endTime /)
      const nothing = yield* Raw.call(executions, { category: "linear", symbol: "", limit: "", surprise: "1" })
      expect(nothing.code).toBe(0)
      const body = yield* Raw.post(amend, {
        category: "linear",
        symbol: "BTCUSDT",
        orderId: "none",
        orderLinkId: null,
        price: ""
      })
      expect(body.code).toBe(110001)
      const broken = yield* Raw.bare({ target: `${executions}?category=%E0%A4%A` })
      expect(broken.code).toBe(10001)
    }
  )
})
