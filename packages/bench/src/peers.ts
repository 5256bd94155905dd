import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

// The peers are installed in a package of their own, and not for `npm test`: here they are known by what is used of them.

const require = createRequire(new URL("../peers/package.json", import.meta.url))

const load = async (file: string): Promise<Readonly<Record<string, unknown>>> => {
  const module: unknown = await import(pathToFileURL(require.resolve(file)).href)
  // A module is a record of what it exports.
  return module as Readonly<Record<string, unknown>>
}

/** Of bybit-api: its client for REST. */
export interface BybitClient {
  readonly getExecutionList: (
    request: object
  ) => Promise<{ readonly result: { readonly list: ReadonlyArray<unknown> } }>
}

/** Of ccxt: its exchange. */
export interface CcxtExchange {
  readonly urls: { api: unknown }
  readonly options: Record<string, unknown>
  readonly setMarkets: (markets: ReadonlyArray<object>) => unknown
  readonly privateGetV5ExecutionList: (
    request: object
  ) => Promise<{ readonly result: { readonly list: ReadonlyArray<unknown> } }>
  readonly fetchMyTrades: (symbol: string, since: undefined, limit: number) => Promise<ReadonlyArray<unknown>>
  readonly fetchPaginatedCallCursor?: unknown
}

/** What signs for bybit-api. */
export type BybitSign = (message: string, secret: string, method: "hex") => Promise<string>

/** How the peers are imported, for those who measure the import. */
export const files = { "bybit-api": "bybit-api", ccxt: "ccxt" } as const

export const folder = new URL("../peers/", import.meta.url)

export const bybit = async (options: object, network: object): Promise<BybitClient> => {
  const { RestClientV5 } = await load("bybit-api")
  // As its types say.
  return new (RestClientV5 as new (options: object, network: object) => BybitClient)(options, network)
}

export const bybitSign = async (): Promise<BybitSign> => {
  const { signMessage } = await load("bybit-api/lib/util/webCryptoAPI.js")
  return signMessage as BybitSign // as its types say
}

export const ccxt = async (options: object): Promise<CcxtExchange> => {
  // Resolved here, its CommonJS bundle would be found: the module is what programs import.
  const module: unknown = await import(new URL("node_modules/ccxt/js/ccxt.js", folder).href)
  const { bybit: Exchange } = module as { readonly bybit: new (options: object) => CcxtExchange } // as its types say
  return new Exchange(options)
}
