/**
 * A client written from the service's document, with only `node:http` and `node:crypto`. It uses nothing of this repository and no Effect:
 * its clock and timers are those of Node. It has the operations whose records are checked field by field.
 */
import { createHmac } from "node:crypto"
import * as http from "node:http"
import { setTimeout } from "node:timers/promises"

export interface Account {
  readonly url: string
  readonly key: string
  readonly secret: string
}

/** Answers are untyped JSON. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the document gives names, not types
export type Json = any

type Values = Readonly<Record<string, unknown>>

interface Sent {
  readonly method: "GET" | "POST"
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const send = (url: string, { body, headers, method, target }: Sent): Promise<Json> =>
  new Promise((resolve, reject) => {
    const request = http.request(url + target, { method, headers }, (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (chunk: string) => (text += chunk))
      response.on("end", () => {
        if (response.statusCode === 200) resolve(JSON.parse(text))
        else reject(new Error(`${target}: HTTP ${String(response.statusCode)}: ${text}`))
      })
    })
    request.on("error", reject)
    request.end(body)
  })

const encodeValues = (values: Values): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join("&")

/** Code 0 is success in both envelopes. */
const resultOf = (target: string, answer: Json): Json => {
  const code: unknown = answer.retCode ?? answer.ret_code
  if (code === 0) return answer.result
  throw new Error(`${target}: ${String(code)} ${String(answer.retMsg ?? answer.ret_msg)}`)
}

const make = ({ key, secret, url }: Account) => {
  const hmac = (text: string) => createHmac("sha256", secret).update(text).digest("hex")
  const headers = (timestamp: number, window: number, sign: string) => ({
    "X-BAPI-API-KEY": key,
    "X-BAPI-TIMESTAMP": String(timestamp),
    "X-BAPI-RECV-WINDOW": String(window),
    "X-BAPI-SIGN": sign,
    "Content-Type": "application/json"
  })
  // Limits each operation to ten calls per second, with Node's clock and timers.
  const free = new Map<string, number>()
  const awaitTurn = async (path: string): Promise<void> => {
    const now = Date.now()
    const at = Math.max(free.get(path) ?? 0, now)
    free.set(path, at + 110)
    await setTimeout(at - now)
  }
  const sendRequest = async (sent: Sent): Promise<Json> => resultOf(sent.target, await send(url, sent))

  /** Header signature: time, key, window, and the query or the body as sent. */
  const get = async (path: string, values: Values = {}): Promise<Json> => {
    await awaitTurn(path)
    const now = Date.now()
    const query = encodeValues(values)
    const signed = headers(now, 5000, hmac(`${now}${key}5000${query}`))
    return sendRequest({ method: "GET", target: query === "" ? path : `${path}?${query}`, headers: signed })
  }
  const post = async (path: string, values: Values): Promise<Json> => {
    await awaitTurn(path)
    const now = Date.now()
    const body = JSON.stringify(values)
    return sendRequest({
      method: "POST",
      target: path,
      headers: headers(now, 5000, hmac(`${now}${key}5000${body}`)),
      body
    })
  }

  /** Parameter signature: all parameters with key, time and window, sorted by name. */
  const parameters = (values: Values) => {
    const timestamp = Date.now()
    const all: Values = { ...values, api_key: key, timestamp, recv_window: 1_000_000 }
    const origin = Object.keys(all).sort()
    const sign = hmac(origin.map((name) => `${name}=${String(all[name])}`).join("&"))
    return { all: { ...all, sign }, headers: headers(timestamp, 1_000_000, sign) }
  }
  const legacyGet = async (path: string, values: Values = {}): Promise<Json> => {
    await awaitTurn(path)
    const { all, headers } = parameters(values)
    return sendRequest({ method: "GET", target: `${path}?${encodeValues(all)}`, headers })
  }
  return { get, post, legacyGet }
}

type Call = (values?: Values) => Promise<Json>

/** The operations in the order of the document. */
export const open = (account: Account) => {
  const { get, legacyGet, post } = make(account)
  const on =
    (method: (path: string, values: Values) => Promise<Json>, path: string): Call =>
    (values = {}) =>
      method(path, values)
  return {
    openOrders: on(get, "/cloud/trade/v3/order/realtime"),
    deposits: on(legacyGet, "/private/v1/asset/deposit/query-record"),
    coins: on(legacyGet, "/private/v1/asset/coin/query-info"),
    bonusUsage: on(legacyGet, "/private/v1/asset/bonus/usage"),
    positions: on(get, "/cloud/trade/v3/position/list"),
    addMargin: on(post, "/cloud/trade/v3/position/add-margin"),
    transfers: on(legacyGet, "/private/v1/asset/transfer/list"),
    executions: on(get, "/cloud/trade/v3/execution/list"),
    preUpgradeExecutions: on(get, "/cloud/trade/v3/pre-upgrade/execution/list"),
    instruments: on(get, "/cloud/trade/v3/market/instruments-info"),
    preUpgradeClosedPnl: on(get, "/cloud/trade/v3/pre-upgrade/position/closed-pnl"),
    subAccountTransfers: on(legacyGet, "/private/v1/asset/sub-member/transfer/list"),
    fundingAssets: on(legacyGet, "/cloud/trade/v3/asset/transfer/query-asset-info"),
    apiLimits: on(get, "/cloud/trade/v3/apilimit/query"),
    tradeVolume: on(legacyGet, "/private/v1/broker/trade-volume"),
    walletBalance: on(get, "/cloud/trade/v3/account/wallet-balance"),
    closedPnl: on(get, "/cloud/trade/v3/position/closed-pnl")
  }
}

export type DocumentClient = ReturnType<typeof open>
