import * as Server from "@effect-venue/sandbox/Server"
import type * as Credentials from "@effect-venue/signing/Credentials"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createHmac } from "node:crypto"
import * as net from "node:net"

/**
 * A client written from the service's pages alone, without a line of this library: what it has in common with the sandbox is
 * the specification. In all that it leaves open it differs from the tests' usual one (utils/raw.ts): names of headers, the
 * order of parameters, how values are escaped, blanks in JSON, who makes the HTTP message.
 */
interface Account {
  readonly url: string
  readonly key: string
  readonly secret: string
}

interface Reply {
  readonly status: number
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what an answer holds is looked at as it is
  readonly json: any
}

type Values = Readonly<Record<string, string | number>>

interface Client {
  readonly headerGet: (account: Account, path: string, values: Values) => Promise<Reply>
  readonly headerPost: (account: Account, path: string, values: Values) => Promise<Reply>
  readonly parameterGet: (account: Account, path: string, values: Values) => Promise<Reply>
  readonly parameterPost: (account: Account, path: string, values: Values) => Promise<Reply>
}

const hmac = (secret: string, text: string) => createHmac("sha256", secret).update(text, "utf8").digest("hex")

/** Over a bare socket: keys in any order, commas unescaped, blanks as plus signs, airy JSON, no window, numbers as text. */
const client: Client = (() => {
  const send = (account: Account, lines: ReadonlyArray<string>, body = "") =>
    new Promise<Reply>((resolve, reject) => {
      const { hostname, port } = new URL(account.url)
      const head = [
        ...lines,
        `host: ${hostname}:${port}`,
        "connection: close",
        `content-length: ${Buffer.byteLength(body)}`
      ]
      const socket = net.connect(Number(port), hostname, () => socket.write(`${head.join("\r\n")}\r\n\r\n${body}`))
      let text = ""
      socket.setEncoding("utf8")
      socket.on("error", reject)
      socket.on("data", (chunk: string) => (text += chunk))
      socket.on("close", () => {
        const end = text.indexOf("\r\n\r\n")
        resolve({ status: Number(text.split(" ", 2)[1]), json: JSON.parse(text.slice(end + 4)) })
      })
    })
  const query = (values: Values) =>
    Object.entries(values)
      .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2C", ",").replaceAll("%20", "+")}`)
      .join("&")
  const lines = (account: Account, at: string, sign: string) => [
    `x-bapi-api-key: ${account.key}`,
    `x-bapi-timestamp: ${at}`,
    `x-bapi-sign: ${sign}`
  ]
  const byHeader = (account: Account, payload: string) => {
    const at = Date.now().toString()
    return lines(account, at, hmac(account.secret, at + account.key + payload))
  }
  const byParameter = (account: Account, values: Values) => {
    const at = Date.now().toString()
    const all: Values = { timestamp: at, ...values, api_key: account.key }
    const names = Object.keys(all).sort()
    const sign = hmac(account.secret, names.map((name) => `${name}=${all[name]}`).join("&"))
    return { all: { sign, ...all }, lines: lines(account, at, sign) }
  }
  return {
    headerGet: (account, path, values) =>
      send(account, [`GET ${path}?${query(values)} HTTP/1.1`, ...byHeader(account, query(values))]),
    headerPost: (account, path, values) => {
      const body = JSON.stringify(values, undefined, 3)
      return send(account, [`POST ${path} HTTP/1.1`, ...byHeader(account, body)], body)
    },
    parameterGet: (account, path, values) => {
      const { all, lines } = byParameter(account, values)
      return send(account, [`GET ${path}?${query(all)} HTTP/1.1`, ...lines])
    },
    parameterPost: (account, path, values) => {
      const { all, lines } = byParameter(account, values)
      return send(account, [`POST ${path} HTTP/1.1`, ...lines], JSON.stringify(all, undefined, 1))
    }
  }
})()

const accountOf = ({ apiKey, apiSecret, baseUrl }: Credentials.Credentials.Shape): Account => ({
  url: baseUrl,
  key: Redacted.value(apiKey),
  secret: Redacted.value(apiSecret)
})

const wallet = "/cloud/trade/v3/account/wallet-balance"
const riskLimit = "/cloud/trade/v3/position/set-risk-limit"
const transfer = "/private/v1/asset/transfer/single-account-transfer"
const transfers = "/private/v1/asset/transfer/list"

describe("a client that shares no code with the sandbox", () => {
  it.scopedLive("reads and writes with both signing methods", () =>
    Effect.gen(function* () {
      const account = accountOf((yield* Server.Server).credentials.main)
      const coins = yield* Effect.promise(() =>
        client.headerGet(account, wallet, { coin: "USDT,BTC", accountType: "UNIFIED" })
      )
      expect(coins.json.retCode).toBe(0)
      expect(coins.json.result.list[0].coin.map(({ coin }: { readonly coin: string }) => coin)).toEqual(["USDT", "BTC"])

      const limit = yield* Effect.promise(() =>
        client.headerPost(account, riskLimit, { category: "linear", symbol: "SOLUSDT", riskId: 2, positionIdx: 0 })
      )
      expect(limit.json).toMatchObject({ retCode: 0, result: { category: "linear", riskId: 2 } })

      const moved = yield* Effect.promise(() =>
        client.parameterPost(account, transfer, {
          requestId: "42c0cfb0-6bca-c242-bc76-4e6df6cbcb16",
          coin: "USDT",
          amount: "1.25",
          fromAccountType: "FUND",
          toAccountType: "UNIFIED"
        })
      )
      expect(moved.json).toMatchObject({ ret_code: 0 })

      const list = yield* Effect.promise(() => client.parameterGet(account, transfers, { coin: "USDT", limit: 1 }))
      expect(list.json).toMatchObject({ retCode: 0, result: { list: [{ amount: "1.25", status: "SUCCESS" }] } })
    }).pipe(Effect.provide(Server.layer({ seed: 5 })))
  )

  it.scopedLive("is refused with a wrong secret by both signing methods", () =>
    Effect.gen(function* () {
      const account = { ...accountOf((yield* Server.Server).credentials.main), secret: "another" }
      const refused = yield* Effect.promise(() =>
        Promise.all([
          client.headerGet(account, wallet, { accountType: "UNIFIED" }),
          client.headerPost(account, riskLimit, { category: "linear" }),
          client.parameterGet(account, transfers, {}),
          client.parameterPost(account, transfer, {})
        ])
      )
      expect(refused.map(({ json, status }) => [status, json.retCode ?? json.ret_code])).toEqual(
        Array.from({ length: 4 }, () => [200, 10004])
      )
    }).pipe(Effect.provide(Server.layer({ seed: 5 })))
  )
})
