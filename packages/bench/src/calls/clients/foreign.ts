import { Agent, request } from "undici"
import * as Page from "./page.js"
import { bybit, ccxt } from "./peers.js"
import type { CcxtExchange } from "./peers.js"
import { credentials, ofPromise } from "./client.js"
import type { Client } from "./client.js"

const market = {
  id: "BTCUSDT",
  symbol: "BTC/USDT:USDT",
  base: "BTC",
  quote: "USDT",
  settle: "USDT",
  type: "swap",
  swap: true,
  spot: false,
  contract: true,
  linear: true,
  inverse: false,
  active: true,
  precision: { amount: 0.001, price: 0.1 },
  limits: {}
}

const make = async (url: string): Promise<CcxtExchange> => {
  const exchange = await ccxt({ apiKey: credentials.apiKey, secret: credentials.secret, enableRateLimit: false })
  exchange.urls.api = { spot: url, futures: url, v2: url, public: url, private: url }
  // Avoids requests for these settings before the first call.
  Object.assign(exchange.options, { enableUnifiedMargin: false, enableUnifiedAccount: true, unifiedMarginStatus: 6 })
  exchange.setMarkets([market])
  return exchange
}

/** The raw call: signed, parsed, not checked. */
export const openCcxt = async (url: string): Promise<Client> => {
  const exchange = await make(url)
  return ofPromise(async () => (await exchange.privateGetV5ExecutionList(Page.request)).result.list)
}

/** The unified call: each row is converted to a trade with numbers. */
export const openUnifiedCcxt = async (url: string): Promise<Client> => {
  const exchange = await make(url)
  return ofPromise(() => exchange.fetchMyTrades(market.symbol, undefined, Page.rows))
}

/** Signed, not checked, nothing decoded. */
export const openBybit = async (url: string): Promise<Client> => {
  const client = await bybit({ key: credentials.apiKey, secret: credentials.secret, baseUrl: url, keepAlive: true }, {})
  return ofPromise(async () => (await client.getExecutionList(Page.request)).result.list)
}

/** The lower bound: a request and `JSON.parse`, without a signature or a check. */
export const openUndici = (url: string): Promise<Client> => {
  const dispatcher = new Agent()
  const { category, limit, symbol } = Page.request
  const target = `${url}${Page.endpoint.path}?category=${category}&symbol=${symbol}&limit=${limit}`
  const client = ofPromise(async () => {
    const { body } = await request(target, { dispatcher })
    const answer = JSON.parse(await body.text()) as { readonly result: { readonly list: ReadonlyArray<unknown> } } // the page
    return answer.result.list
  })
  return Promise.resolve(client)
}
