/**
 * A client written from the service's document, with only `fetch` and `node:crypto`. It uses nothing of this repository and no Effect:
 * its clock and timers are those of Node. It has the operations whose records are checked field by field.
 */
import { createHmac } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import type { Account, Json } from "./peers.js"

type Values = Readonly<Record<string, unknown>>

const encodeValues = (values: Values): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join("&")

/** The result of a request. Code 0 is success in both envelopes. */
const send = async (url: string, headers: Record<string, string>, body?: string): Promise<Json> => {
  const response = await fetch(url, body === undefined ? { headers } : { method: "POST", headers, body })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${url}: HTTP ${response.status}: ${text}`)
  const answer: Json = JSON.parse(text)
  const code: unknown = answer.retCode ?? answer.ret_code
  if (code === 0) return answer.result
  throw new Error(`${url}: ${String(code)} ${String(answer.retMsg ?? answer.ret_msg)}`)
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
  /** Header signature: time, key, window, and the query or the body as sent. */
  const get = async (path: string, values: Values = {}): Promise<Json> => {
    await awaitTurn(path)
    const now = Date.now()
    const query = encodeValues(values)
    return send(`${url}${path}?${query}`, headers(now, 5000, hmac(`${now}${key}5000${query}`)))
  }
  const post = async (path: string, values: Values): Promise<Json> => {
    await awaitTurn(path)
    const now = Date.now()
    const body = JSON.stringify(values)
    return send(`${url}${path}`, headers(now, 5000, hmac(`${now}${key}5000${body}`)), body)
  }

  /** Parameter signature: all parameters with key, time and window, sorted by name. */
  const legacyGet = async (path: string, values: Values = {}): Promise<Json> => {
    await awaitTurn(path)
    const timestamp = Date.now()
    const all: Values = { ...values, api_key: key, timestamp, recv_window: 1_000_000 }
    const origin = Object.keys(all).sort()
    const sign = hmac(origin.map((name) => `${name}=${String(all[name])}`).join("&"))
    return send(`${url}${path}?${encodeValues({ ...all, sign })}`, headers(timestamp, 1_000_000, sign))
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
