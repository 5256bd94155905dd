import * as Breadth from "@effect-venue/testing/Breadth"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import * as Recording from "@effect-venue/transport/Recording"
import * as Recorder from "@effect-venue/transport/siblings/Recorder"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect, FastCheck, Redacted } from "effect"
import { requestOf } from "../src/connections/exchange.js"
import { replay } from "../src/recording/replay.js"

const runs = Breadth.repeats(2000, 10)

const list = { method: "GET", path: "/v5/order/realtime", signing: "header" } as const
const amend = { method: "POST", path: "/v5/order/amend", signing: "header" } as const
const records = { method: "GET", path: "/asset/v1/private/deposit/record/query", signing: "parameter" } as const
const transfer = { method: "POST", path: "/asset/v1/private/transfer", signing: "parameter" } as const

const signedBy = (
  { apiKey, apiSecret }: { readonly apiKey: string; readonly apiSecret: string },
  endpoint: Signer.Unsigned["endpoint"],
  parameters: Signer.Parameters
) =>
  Signer.make(Credentials.make({ baseUrl: "https://api.test", apiKey, apiSecret: Redacted.make(apiSecret) }))
    .sign({ endpoint, parameters, timestamp: 1_700_000_000_000 })
    .pipe(Effect.map((signed) => requestOf("https://api.test", signed)))

const answering = (answer: (request: HttpClientRequest.HttpClientRequest) => Response | Error): HttpClient.HttpClient =>
  HttpClient.make((request) => {
    const response = answer(request)
    return response instanceof Error
      ? Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause: response }))
      : Effect.succeed(HttpClientResponse.fromWeb(request, response))
  })

const replaying = (recording: Recording.Recording, { ignore }: Recording.ReplayOptions = {}): HttpClient.HttpClient =>
  replay(recording, new Set(ignore), (details) => new Recording.NotRecorded(details))

/** Records the requests, one after the other, and gives the recording as its file has it. */
const recorded = (
  client: HttpClient.HttpClient,
  requests: ReadonlyArray<HttpClientRequest.HttpClientRequest>,
  options?: Recording.Options
) =>
  Effect.gen(function* () {
    const exchanges: Array<Recording.Exchange> = []
    const recorder = yield* Recorder.make(
      { put: (exchange) => Effect.sync(() => void exchanges.push(exchange)) },
      options
    )
    const recording = recorder(client)
    for (const request of requests) yield* Effect.ignore(recording.execute(request))
    return Recording.print({ version: 1, exchanges })
  })

// Every way in which text may hide: written without looking at how the recording finds it.
const readings = (text: string): ReadonlyArray<string> => {
  const percent = (input: string) =>
    Buffer.from(
      input.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
      "latin1"
    ).toString("utf8")
  const json = text.replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  const bare = json.replace(/\\+(["\\/])/g, "$1")
  const base64 = (text.match(/[A-Za-z0-9+/_-]{8,}/g) ?? []).flatMap((run) =>
    [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), "base64").toString("latin1"))
  )
  const hex = (text.match(/[0-9a-f]{8,}/gi) ?? []).flatMap((run) =>
    [0, 1].map((from) => Buffer.from(run.slice(from), "hex").toString("latin1"))
  )
  return [text, json, bare, percent(text), percent(percent(text)), ...base64, ...hex]
}

const leaks = (text: string, secrets: ReadonlyArray<string>): ReadonlyArray<string> => {
  const all = readings(text)
  return secrets.filter((secret) => all.some((reading) => reading.includes(secret)))
}

const escapes = (text: string) =>
  Array.from(text, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")

/** A secret as a careless server might repeat it, with text directly around it. */
const echoes: ReadonlyArray<(secret: string, around: string) => string> = [
  (secret, around) => JSON.stringify({ retCode: 10004, retMsg: `${around}${secret}${around}` }),
  (secret, around) => `${around}${secret}${around}`,
  (secret, around) => `url=/v5?api_key=${encodeURIComponent(around + secret)}`,
  (secret, around) => encodeURIComponent(encodeURIComponent(around + secret + around)),
  (secret, around) => `{"retMsg":"${escapes(secret)}${around}"}`,
  (secret, around) => JSON.stringify({ token: Buffer.from(around + secret + around).toString("base64") }),
  (secret, around) => Buffer.from(around + secret).toString("base64url"),
  (secret, around) => `0x${Buffer.from(around + secret).toString("hex")}`,
  (secret, around) => JSON.stringify(JSON.stringify({ inside: JSON.stringify({ secret: around + secret }) }))
]

const text = FastCheck.stringMatching(/^[!-~]{12,40}$/)
const around = FastCheck.stringMatching(/^[a-z]{0,5}$/)

describe("a recording", () => {
  it.effect("contains no key, secret or signature of either method, even if a response repeats them", () =>
    Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(
          text,
          text,
          around,
          FastCheck.nat(echoes.length - 1),
          FastCheck.boolean(),
          (apiKey, apiSecret, around, index, fails) =>
            Effect.gen(function* () {
              const secrets: Array<string> = [apiKey, apiSecret]
              const client = answering((request) => {
                const signature = request.headers["x-bapi-sign"] ?? ""
                secrets.push(signature)
                const body = [apiKey, apiSecret, signature].map((secret) => echoes[index]?.(secret, around)).join(" ")
                return fails
                  ? new Error(body)
                  : new Response(body, { headers: { "x-bapi-limit": apiKey, "x-trace": signature } })
              })
              const requests = yield* Effect.forEach([list, amend, records, transfer], (endpoint) =>
                signedBy({ apiKey, apiSecret }, endpoint, {
                  symbol: "BTCUSDT",
                  note: `${around}${apiKey}`,
                  hint: apiSecret
                })
              )
              const file = yield* recorded(client, requests, { secrets: [Redacted.make(apiSecret)] })
              expect(secrets).toHaveLength(6)
              expect(leaks(file, secrets)).toEqual([])
              expect(file).not.toContain("1700000000000")
            }).pipe(Effect.runPromise)
        ),
        { numRuns: runs, seed: 18 }
      )
    )
  )

  it("would contain them without removal (the test detects a leak)", () => {
    for (const echo of echoes) {
      for (const around of ["", "a", "ab", "abc"]) {
        expect(leaks(echo('8dWa%2F+9/q"Zk&l-', around), ['8dWa%2F+9/q"Zk&l-']).length).toBe(1)
      }
    }
  })

  it.effect("keeps a response exactly, as JSON if that gives the same text", () =>
    Effect.gen(function* () {
      const bodies = [
        '{"retCode":0,"result":{"seq":9007199254740993}}',
        '{"retCode":0}',
        '{ "retCode": 0 }',
        "",
        "<html>",
        '"text"',
        "null"
      ]
      const request = yield* signedBy({ apiKey: "a-key-of-a-test", apiSecret: "a-secret" }, list, { category: "spot" })
      let call = 0
      const client = answering(() => new Response(bodies[call++] ?? ""))
      const recording = yield* Recording.parse(
        yield* recorded(
          client,
          bodies.map(() => request)
        )
      )
      expect(recording.exchanges[1]?.answer?.body).toEqual({ retCode: 0 })
      const replay = replaying(recording)
      const given = yield* Effect.forEach(bodies, () => Effect.flatMap(replay.execute(request), ({ text }) => text))
      expect(given).toEqual(bodies)
    })
  )

  it.effect("replaces equal UIDs and addresses by equal pseudonyms", () =>
    Effect.gen(function* () {
      const body = {
        result: { rows: [{ uid: "4711" }, { subUserId: 4711, address: "bc1q" }, { memberIds: ["4712"] }] }
      }
      const client = answering(() => Response.json(body))
      const request = yield* signedBy({ apiKey: "a-key-of-a-test", apiSecret: "a-secret" }, list, { uids: "4711,4712" })
      const options = { transform: Recording.pseudonyms() }
      const { exchanges } = yield* Recording.parse(yield* recorded(client, [request], options))
      expect(exchanges[0]).toMatchObject({
        request: { query: { uids: "900000001,900000002" } },
        answer: {
          body: {
            result: {
              rows: [{ uid: "900000001" }, { subUserId: 900000001, address: "address-1" }, { memberIds: ["900000002"] }]
            }
          }
        }
      })
    })
  )
})

const exchange = (query: Readonly<Record<string, string>>, body: unknown, path = "/v5/order/realtime") => ({
  at: DateTime.unsafeMake("2026-06-15T12:00:00Z"),
  request: { method: "GET", path, query },
  answer: { status: 200, headers: {}, body }
})

const recording: Recording.Recording = {
  version: 1,
  exchanges: [
    exchange({ category: "linear", symbol: "BTCUSDT" }, "first"),
    exchange({ category: "linear", symbol: "ETHUSDT" }, "other"),
    exchange({ symbol: "BTCUSDT", category: "linear" }, "second"),
    exchange({}, "orders", "/v5/order/history")
  ]
}

const credentials = { apiKey: "a-key-of-a-test", apiSecret: "a-secret" }

const ask = (
  client: HttpClient.HttpClient,
  parameters: Signer.Parameters,
  endpoint: Signer.Unsigned["endpoint"] = list
) =>
  signedBy(credentials, endpoint, parameters).pipe(
    Effect.flatMap(client.execute),
    Effect.flatMap(({ text }) => text),
    Effect.catchTag("RequestError", ({ cause, reason }) =>
      Effect.succeed(cause instanceof Recording.NotRecorded ? cause.message : reason)
    )
  )

describe("a replay", () => {
  it.effect("answers in any order of requests, and the same request in the order of recording", () =>
    Effect.gen(function* () {
      const client = replaying(recording)
      expect(yield* ask(client, { category: "linear", symbol: "ETHUSDT" })).toBe("other")
      expect(yield* ask(client, { category: "linear", symbol: "BTCUSDT" })).toBe("first")
      expect(yield* ask(client, { symbol: "BTCUSDT", category: "linear" })).toBe("second")
      expect(yield* ask(client, { symbol: "BTCUSDT", category: "linear" })).toBe(
        "GET /v5/order/realtime was recorded 2 times with these parameters, and is sent once more"
      )
    })
  )

  it.effect("names the nearest recorded request and the differing parameters", () =>
    Effect.gen(function* () {
      const client = replaying(recording)
      expect(yield* ask(client, { category: "linear", symbol: "ETHUSDT", limit: "5" })).toBe(
        'GET /v5/order/realtime is not recorded; the nearest is GET /v5/order/realtime, which differs in limit (recorded without, sent "5")'
      )
      expect(yield* ask(client, {}, { ...list, path: "/v5/order/histories" })).toBe(
        "GET /v5/order/histories is not recorded; the nearest is GET /v5/order/history"
      )
      const empty = replaying({ version: 1, exchanges: [] })
      expect(yield* ask(empty, {})).toBe("GET /v5/order/realtime is not recorded: the recording is empty")
    })
  )

  it.effect("does not compare ignored parameters", () =>
    Effect.gen(function* () {
      const client = replaying(recording, { ignore: ["symbol"] })
      expect(yield* ask(client, { category: "linear", symbol: "XRPUSDT" })).toBe("first")
      expect(yield* ask(client, { category: "linear" })).toBe("other")
    })
  )

  it.effect("refuses a file that is not a recording, with the position of the mistake", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(Recording.parse('{"version":2,"exchanges":[]}'))
      expect(refused.message).toContain('["version"]')
    })
  )
})
