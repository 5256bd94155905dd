import * as Page from "./page.js"
import { ccxt } from "./peers.js"
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
export const raw = async (url: string): Promise<Client> => {
  const exchange = await make(url)
  return ofPromise(async () => (await exchange.privateGetV5ExecutionList(Page.request)).result.list)
}

/** The unified call: each row is converted to a trade with numbers. */
export const makeUnified = async (url: string): Promise<Client> => {
  const exchange = await make(url)
  return ofPromise(() => exchange.fetchMyTrades(market.symbol, undefined, Page.rows))
}
