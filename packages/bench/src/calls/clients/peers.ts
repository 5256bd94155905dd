import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

// The peers are installed in a separate package, and not for `npm test`, so only the used part of their types is declared here.

const require = createRequire(new URL("../../peers/package.json", import.meta.url))

const load = async (file: string): Promise<Readonly<Record<string, unknown>>> => {
  const module: unknown = await import(pathToFileURL(require.resolve(file)).href)
  // A module is a record of its exports.
  return module as Readonly<Record<string, unknown>>
}

/** The REST client of bybit-api. */
export interface BybitClient {
  readonly getExecutionList: (
    request: object
  ) => Promise<{ readonly result: { readonly list: ReadonlyArray<unknown> } }>
}

/** The exchange of ccxt. */
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

export const folder = new URL("../../peers/", import.meta.url)

export const bybit = async (options: object, network: object): Promise<BybitClient> => {
  const { RestClientV5 } = await load("bybit-api")
  // according to its types
  return new (RestClientV5 as new (options: object, network: object) => BybitClient)(options, network)
}

export const ccxt = async (options: object): Promise<CcxtExchange> => {
  // Resolving it here would find the CommonJS bundle, but programs import the module.
  const module: unknown = await import(new URL("node_modules/ccxt/js/ccxt.js", folder).href)
  const { bybit: Exchange } = module as { readonly bybit: new (options: object) => CcxtExchange } // according to its types
  return new Exchange(options)
}
