import * as Assets from "@effect-venue/schemas/Assets"
import * as Executions from "@effect-venue/schemas/Executions"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as Transport from "@effect-venue/transport/Transport"
import { listen } from "@effect-venue/testing/Listening"
import { FetchHttpClient, type HttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, FastCheck, Layer, Redacted } from "effect"
import { createHmac } from "node:crypto"
import * as http from "node:http"

const apiKey = "EXAMPLEKEY0001"
const apiSecret = "example-secret-not-real-0001"

interface Arrived {
  readonly method: string
  readonly path: string
  readonly rawQuery: string
  readonly headers: http.IncomingHttpHeaders
  readonly rawBody: string
}

/** A server that keeps the bytes of the last request verbatim, and answers what the endpoint expects. */
class FarEnd extends Context.Tag("test/FarEnd")<FarEnd, { readonly url: string; readonly last: () => Arrived }>() {
  static readonly layer = Layer.scoped(
    FarEnd,
    Effect.gen(function* () {
      let last: Arrived | undefined
      const server = http.createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const [path = "", rawQuery = ""] = (request.url ?? "").split(/\?(.*)/s)
          last = {
            method: request.method ?? "",
            path,
            rawQuery,
            headers: request.headers,
            rawBody: Buffer.concat(chunks).toString("utf8")
          }
          const envelopeB = path.startsWith("/private/v1/asset/deposit")
          const result = path.endsWith("amend")
            ? { orderId: (JSON.parse(last.rawBody) as { readonly orderId: string }).orderId }
            : path.endsWith("inner-create")
              ? { withdraw_id: "w" }
              : { category: "linear", list: [], rows: [], nextPageCursor: "", cursor: "" }
          response.setHeader("content-type", "application/json")
          response.end(
            JSON.stringify(
              envelopeB
                ? { ret_code: 0, ret_msg: "OK", ext_code: "", result, ext_info: null, time_now: Date.now() }
                : { retCode: 0, retMsg: "OK", result, retExtInfo: {}, time: Date.now() }
            )
          )
        })
      })
      const { url } = yield* listen(server)
      return {
        url,
        last: () => {
          if (last === undefined) throw new Error("nothing arrived")
          return last
        }
      }
    })
  )
}

const hmac = (text: string): string => createHmac("sha256", apiSecret).update(text, "utf8").digest("hex")

/** Percent-decoding by hand, so that it is not the client's own idea of it. */
const decode = (text: string): string => {
  const bytes: Array<number> = []
  for (let index = 0; index < text.length; index++) {
    if (text[index] === "%") {
      bytes.push(Number.parseInt(text.slice(index + 1, index + 3), 16))
      index += 2
    } else bytes.push(text.charCodeAt(index))
  }
  return Buffer.from(bytes).toString("utf8")
}

const parse = (rawQuery: string): ReadonlyMap<string, string> =>
  new Map(
    rawQuery.split("&").map((pair) => {
      const [name = "", value = ""] = pair.split("=")
      return [decode(name), decode(value)]
    })
  )

const parameterText = (parameters: ReadonlyMap<string, string>): string =>
  [...parameters]
    .filter(([name]) => name !== "sign")
    .sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    .map(([name, value]) => `${name}=${value}`)
    .join("&")

// What has broken other clients: escapes, separators, quotes, spaces, plus signs, text past ASCII.
const hostile = FastCheck.oneof(
  FastCheck.constantFrom(
    "page_token%3D39380%26",
    "a=b&c=d",
    "%",
    "%zz",
    "%25",
    "BTC,USDT",
    "1+1",
    "a b",
    "'\"<>`",
    "é漢😀",
    "#?/\\"
  ),
  FastCheck.stringMatching(/^[ -~]{1,40}$/),
  FastCheck.string({ unit: "binary", minLength: 1, maxLength: 20 })
)

const suite = (name: string, client: Layer.Layer<HttpClient.HttpClient>) => {
  const live = Transport.layerStandalone.pipe(
    Layer.provide(
      Layer.effect(
        Credentials.Credentials,
        Effect.map(FarEnd, ({ url }) => Credentials.make({ baseUrl: url, apiKey, apiSecret: Redacted.make(apiSecret) }))
      )
    ),
    Layer.provide(client),
    Layer.provideMerge(FarEnd.layer)
  )

  describe(`what arrives at a server through ${name}`, () => {
    layer(live, { excludeTestServices: true })((it) => {
      // One call each, with the limits of the service in force: a few runs of each property, and the rate limits out of the way.
      const property = { fastCheck: { numRuns: 9 } }
      type Run = Effect.Effect<void, unknown, Transport.Transport | FarEnd>

      it.effect.prop(
        "GET, header method: the query as it stands on the request line is what was signed",
        { symbol: hostile, cursor: hostile },
        ({ cursor, symbol }): Run =>
          Effect.gen(function* () {
            const transport = yield* Transport.Transport
            yield* transport.call(Executions.list, { category: "linear", symbol, cursor })
            const { headers, rawBody, rawQuery } = (yield* FarEnd).last()
            expect(headers["x-bapi-sign"]).toBe(
              hmac(`${String(headers["x-bapi-timestamp"])}${apiKey}${String(headers["x-bapi-recv-window"])}${rawQuery}`)
            )
            expect(parse(rawQuery)).toEqual(
              new Map([
                ["category", "linear"],
                ["symbol", symbol],
                ["cursor", cursor]
              ])
            )
            expect(rawBody).toBe("")
            expect(headers["content-type"]).toBeUndefined()
          }),
        property
      )

      it.effect.prop(
        "POST, header method: the body's bytes are what was signed",
        { symbol: hostile, orderId: hostile },
        ({ orderId, symbol }): Run =>
          Effect.gen(function* () {
            const transport = yield* Transport.Transport
            yield* transport.call(Orders.amend, { category: "linear", symbol, orderId, price: "1.50" })
            const { headers, rawBody, rawQuery } = (yield* FarEnd).last()
            expect(headers["x-bapi-sign"]).toBe(
              hmac(`${String(headers["x-bapi-timestamp"])}${apiKey}${String(headers["x-bapi-recv-window"])}${rawBody}`)
            )
            expect(JSON.parse(rawBody)).toEqual({ category: "linear", symbol, orderId, price: "1.50" })
            expect(rawQuery).toBe("")
            expect(headers["content-type"]).toMatch(/^application\/json/)
          }),
        property
      )

      it.effect.prop(
        "GET, parameter method: the decoded, sorted parameters are what was signed",
        { coin: hostile, cursor: hostile },
        ({ coin, cursor }): Run =>
          Effect.gen(function* () {
            const transport = yield* Transport.Transport
            yield* transport.call(Assets.deposits, { coin, cursor })
            const { headers, rawBody, rawQuery } = (yield* FarEnd).last()
            const parameters = parse(rawQuery)
            expect(parameters.get("sign")).toBe(hmac(parameterText(parameters)))
            expect(parameters.get("coin")).toBe(coin)
            expect(parameters.get("cursor")).toBe(cursor)
            expect(parameters.get("api_key")).toBe(apiKey)
            expect(headers["x-bapi-sign"]).toBe(parameters.get("sign"))
            expect(headers["x-bapi-timestamp"]).toBe(parameters.get("timestamp"))
            expect(headers["x-bapi-recv-window"]).toBe(parameters.get("recv_window"))
            expect(rawBody).toBe("")
          }),
        property
      )

      it.effect.prop(
        "POST, parameter method: the members of the body are what was signed",
        { address: hostile },
        ({ address }): Run =>
          Effect.gen(function* () {
            const transport = yield* Transport.Transport
            yield* transport.call(Assets.withdrawInternal, {
              requestId: "a1",
              coin: "USDT",
              addressType: 3,
              address,
              amount: "1"
            })
            const { headers, rawBody } = (yield* FarEnd).last()
            const members = JSON.parse(rawBody) as Record<string, string | number>
            const parameters = new Map(Object.entries(members).map(([name, value]) => [name, String(value)]))
            expect(parameters.get("sign")).toBe(hmac(parameterText(parameters)))
            expect(members).toMatchObject({ addressType: 3, address, api_key: apiKey })
            expect(headers["x-bapi-sign"]).toBe(parameters.get("sign"))
          }),
        { fastCheck: { numRuns: 4 } }
      )

      it.effect("sends no trace headers", () =>
        Effect.gen(function* () {
          const transport = yield* Transport.Transport
          yield* Effect.withSpan(transport.call(Executions.list, { category: "inverse" }), "an application's")
          const { headers } = (yield* FarEnd).last()
          expect(Object.keys(headers)).not.toContain("traceparent")
          expect(Object.keys(headers)).not.toContain("b3")
        })
      )
    })
  })
}

suite("fetch", FetchHttpClient.layer)
suite("undici", NodeHttpClient.layerUndici)
suite("connections for Node", NodeConnections.layer)
suite("node:http", NodeHttpClient.layer)
