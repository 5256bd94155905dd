import * as Breadth from "@effect-venue/testing/Breadth"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Redacted } from "effect"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import { readFileSync } from "node:fs"
import * as Credentials from "../src/Credentials.js"
import * as Hmac from "../src/Hmac.js"
import * as Signer from "../src/Signer.js"
import * as Signing from "../src/Signing.js"

type Value = string | number

interface HeaderVector {
  readonly name: string
  readonly scheme: "v3-header"
  readonly apiKey: string
  readonly apiSecret: string
  readonly timestamp: string
  readonly recvWindow: string
  readonly payload: string
  readonly stringToSign: string
  readonly sign: string
}

interface ParameterVector {
  readonly name: string
  readonly scheme: "v1-param"
  readonly method: "GET" | "POST"
  readonly apiKey: string
  readonly apiSecret: string
  readonly params: Readonly<Record<string, Value>> & { readonly timestamp: number; readonly recv_window: number }
  readonly stringToSign: string
  readonly sign: string
  readonly wireQuery?: string
}

const vectors: ReadonlyArray<HeaderVector | ParameterVector> = JSON.parse(
  readFileSync(new URL("fixtures/signing-vectors.json", import.meta.url), "utf8")
)
const headerVectors = vectors.filter((vector) => vector.scheme === "v3-header")
const parameterVectors = vectors.filter((vector) => vector.scheme === "v1-param")

const implementations = [
  ["the runtime's own hmac", Hmac.make()],
  ["the portable hmac", Hmac.makePortable()]
] as const
const { sha256Hex } = Hmac.make()

const signerOf = (
  vector: { apiKey: string; apiSecret: string },
  recvWindow: number,
  hmac?: Hmac.Hmac.Shape
): Signer.Signer.Shape =>
  Signer.make(
    Credentials.make({
      baseUrl: "https://venue.example",
      apiKey: vector.apiKey,
      apiSecret: Redacted.make(vector.apiSecret),
      recvWindow
    }),
    hmac
  )

const key = "EXAMPLEKEY0001"
const secret = "example-secret-not-real-0001"
const signer = signerOf({ apiKey: key, apiSecret: secret }, 5000)

const header = { method: "GET", path: "/cloud/trade/v3/execution/list", signing: "header" } as const
const headerPost = { method: "POST", path: "/cloud/trade/v3/order/amend", signing: "header" } as const
const parameter = { method: "GET", path: "/private/v1/asset/coin/query-info", signing: "parameter" } as const
const parameterPost = { method: "POST", path: "/private/v1/asset/withdraw/inner-create", signing: "parameter" } as const

/** The pairs of a query as a server reads them. */
const pairs = (query: string): ReadonlyArray<readonly [string, string]> => [...new URLSearchParams(query)]

describe.each(implementations)("the vectors by %s", (_, hmac) => {
  it("number twelve", () => {
    expect(headerVectors).toHaveLength(7)
    expect(parameterVectors).toHaveLength(5)
  })

  it.each(headerVectors)("$name: header method, by its parts", (vector) => {
    const text = Signer.headerText(vector.timestamp, vector.apiKey, vector.recvWindow, vector.payload)
    expect(text).toBe(vector.stringToSign)
    expect(hmac.sha256Hex(vector.apiSecret, text)).toBe(vector.sign)
  })

  // What a signer of texts can say: with a window, and in the compact JSON that it writes itself.
  const throughSigner = [
    ["get-with-query", header, { category: "linear", symbol: "BTCUSDT" }],
    ["get-empty-query", header, {}],
    ["get-query-order-kept", header, { symbol: "BTCUSDT", category: "linear" }],
    ["get-cursor-percent-encoded-as-on-wire", header, { category: "linear", cursor: "page_token%3D39380%26" }],
    [
      "post-compact-json",
      headerPost,
      { category: "linear", symbol: "BTCUSDT", orderId: "c6f055d9-7f21-4079-913d-e6523a9cfffa" }
    ]
  ] as const

  it.effect.each(throughSigner)("%s: header method, through the signer", ([name, endpoint, parameters]) =>
    Effect.gen(function* () {
      const vector = headerVectors.find((vector) => vector.name === name)
      if (vector === undefined) throw new Error(`no vector ${name}`)
      const signed = yield* signerOf(vector, Number(vector.recvWindow), hmac).sign({
        endpoint,
        parameters,
        timestamp: Number(vector.timestamp)
      })
      expect(signed).toStrictEqual({
        method: endpoint.method,
        path: endpoint.path,
        query: endpoint.method === "GET" ? vector.payload : "",
        body: endpoint.method === "GET" ? undefined : vector.payload,
        headers: {
          "X-BAPI-API-KEY": vector.apiKey,
          "X-BAPI-TIMESTAMP": vector.timestamp,
          "X-BAPI-RECV-WINDOW": vector.recvWindow,
          "X-BAPI-SIGN": vector.sign
        }
      })
    })
  )

  it.each(parameterVectors)("$name: parameter method, by its parts", (vector) => {
    expect(Signer.parameterText(vector.params)).toBe(vector.stringToSign)
    expect(hmac.sha256Hex(vector.apiSecret, vector.stringToSign)).toBe(vector.sign)
  })

  it.effect.each(parameterVectors)("$name: parameter method, through the signer", (vector) =>
    Effect.gen(function* () {
      const { api_key: _, recv_window, timestamp, ...parameters } = vector.params
      const endpoint = vector.method === "GET" ? parameter : parameterPost
      const signed = yield* signerOf(vector, recv_window, hmac).sign({ endpoint, parameters, timestamp })
      expect(signed.headers).toStrictEqual({
        "X-BAPI-API-KEY": vector.apiKey,
        "X-BAPI-TIMESTAMP": String(timestamp),
        "X-BAPI-RECV-WINDOW": String(recv_window),
        "X-BAPI-SIGN": vector.sign
      })
      if (vector.method === "GET") {
        expect(signed.body).toBeUndefined()
        // Any order will do.
        expect(signed.query.split("&").sort()).toStrictEqual(vector.wireQuery?.split("&").sort())
      } else {
        expect(signed.query).toBe("")
        expect(JSON.parse(signed.body ?? "")).toStrictEqual({ ...vector.params, sign: vector.sign })
      }
    })
  )
})

describe("signing", () => {
  it.effect("sends public operations without signature and key", () =>
    Effect.gen(function* () {
      const endpoint = { method: "GET", path: "/cloud/trade/v3/market/instruments-info", signing: "public" } as const
      expect(yield* signer.sign({ endpoint, parameters: { category: "spot" }, timestamp: 1 })).toStrictEqual({
        method: "GET",
        path: endpoint.path,
        query: "category=spot",
        body: undefined,
        headers: {}
      })
    })
  )

  it.effect("leaves out absent parameters", () =>
    Effect.gen(function* () {
      const parameters = { coin: "USDT", chain: undefined, txId: null, cursor: "" }
      const got = yield* signer.sign({ endpoint: header, parameters, timestamp: 1 })
      expect(got.query).toBe("coin=USDT&cursor=")
      const posted = yield* signer.sign({ endpoint: headerPost, parameters, timestamp: 1 })
      expect(posted.body).toBe('{"coin":"USDT","cursor":""}')
      expect(Signer.parameterText(parameters)).toBe("coin=USDT&cursor=")
    })
  )

  it("excludes the signature from the signed text, and sorts capitals before small letters", () => {
    expect(Signer.parameterText({ requestId: 1, request_id: 2, Zeta: 3, sign: "s", alpha: true })).toBe(
      "Zeta=3&alpha=true&requestId=1&request_id=2"
    )
  })

  it.effect("works for every operation", () =>
    Effect.gen(function* () {
      for (const endpoint of Endpoints.all) {
        const signed = yield* signer.sign({ endpoint, parameters: { a: "b c" }, timestamp: 1 })
        expect([signed.method, signed.path]).toStrictEqual([endpoint.method, endpoint.path])
        expect(Object.keys(signed.headers)).toHaveLength(endpoint.signing === "public" ? 0 : 4)
        expect(signed.query.includes("api_key=")).toBe(endpoint.signing === "parameter" && endpoint.method === "GET")
        expect(signed.body === undefined).toBe(endpoint.method === "GET")
      }
    })
  )

  it.effect("names its sensitive headers as they are sent", () =>
    Effect.gen(function* () {
      const signed = yield* signer.sign({ endpoint: header, parameters: {}, timestamp: 1 })
      const sent = Object.keys(signed.headers).map((name) => name.toLowerCase())
      for (const name of Signing.sensitiveHeaders) expect(sent).toContain(name)
      expect(Signing.sensitiveHeaders).toStrictEqual(["x-bapi-api-key", "x-bapi-sign"])
    })
  )
})

const hostileTexts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.stringMatching(/^[ %+,&=#?/\\'"!*()~;:@$<>^`{|}[\]\t\r\n-]{0,20}$/),
  fc.constantFrom(
    "page_token%3D39380%26",
    "eyJtaW5JRCI6MX0=",
    "a=b&c=d",
    "100%",
    "%",
    "%zz",
    "BTC,USDT",
    "a+b c",
    "it's",
    '"quoted"',
    "é€😀",
    "..",
    "#fragment?query",
    "\u0000",
    "\ud7ff\ue000"
  )
)
const names = fc.stringMatching(/^[a-zA-Z][a-zA-Z_]{0,12}$/).filter((name) => name !== "sign")
const hostile = fc.dictionary(names, hostileTexts, { maxKeys: 6, noNullPrototype: true })

const base = "https://venue.example/prefix"

describe("the text of a parameter", () => {
  it("is JSON unless it is a text, number or boolean", () => {
    const parameters = { list: [{ rate: 1 }], on: true, count: 2 }
    expect(Signer.query({ ...parameters, none: null })).toBe("list=%5B%7B%22rate%22%3A1%7D%5D&on=true&count=2")
    expect(Signer.parameterText(parameters)).toBe('count=2&list=[{"rate":1}]&on=true')
  })

  it("is escaped in capitals, even if a URL allows it unescaped", () => {
    expect(Signer.query({ "a*b": "!'()*~-._ /é" })).toBe("a%2Ab=%21%27%28%29%2A~-._%20%2F%C3%A9")
  })
})

/** The long tier tries more of them. */
const fastCheck = { numRuns: Breadth.repeats(100, 12) }

describe("hostile values", () => {
  it.prop(
    "survive a URL parser, and a server decodes the original values",
    [hostile],
    ([parameters]) => {
      const query = Signer.query(parameters)
      const url = new URL(`${base}${header.path}?${query}`)
      expect(url.search.slice(1)).toBe(query)
      expect(url.hash).toBe("")
      expect(pairs(query)).toStrictEqual(Object.entries(parameters))
      expect(query).toMatch(/^[A-Za-z0-9%=&._~-]*$/)
    },
    { fastCheck }
  )

  it.effect.prop(
    "are signed as sent by the header method",
    [hostile],
    ([parameters]) =>
      Effect.gen(function* () {
        const signed = yield* signer.sign({ endpoint: header, parameters, timestamp: 42 })
        const received = new URL(`${base}${signed.path}?${signed.query}`).search.slice(1)
        expect(signed.headers["X-BAPI-SIGN"]).toBe(sha256Hex(secret, `42${key}5000${received}`))

        const posted = yield* signer.sign({ endpoint: headerPost, parameters, timestamp: 42 })
        expect(posted.headers["X-BAPI-SIGN"]).toBe(sha256Hex(secret, `42${key}5000${posted.body ?? ""}`))
        expect(JSON.parse(posted.body ?? "")).toStrictEqual(parameters)
      }),
    { fastCheck }
  )

  it.effect.prop(
    "are signed decoded by the parameter method, in a query and in a body",
    [hostile],
    ([parameters]) =>
      Effect.gen(function* () {
        // What a server recomputes from what it received, without this package's help.
        const recomputed = (received: ReadonlyArray<readonly [string, unknown]>) =>
          sha256Hex(
            secret,
            received
              .filter(([name]) => name !== "sign")
              .sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
              .map(([name, value]) => `${name}=${String(value)}`)
              .join("&")
          )
        const signed = yield* signer.sign({ endpoint: parameter, parameters, timestamp: 42 })
        const received = pairs(new URL(`${base}${signed.path}?${signed.query}`).search.slice(1))
        expect(new Map(received).get("sign")).toBe(recomputed(received))

        const posted = yield* signer.sign({ endpoint: parameterPost, parameters, timestamp: 42 })
        const body: Record<string, unknown> = JSON.parse(posted.body ?? "")
        expect(body.sign).toBe(recomputed(Object.entries(body)))
      }),
    { fastCheck }
  )

  it("are well-formed only if they have a UTF-8 encoding", () => {
    for (const text of ["\ud800", "a\udc00b", "\udc00\ud800"]) expect(Signing.isWellFormed(text)).toBe(false)
    for (const text of ["", "a", "😀", "\ud7ff\ue000"]) expect(Signing.isWellFormed(text)).toBe(true)
  })
})
