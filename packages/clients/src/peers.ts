/** Third-party clients, loaded by path: they are installed for the long tests and the checks, not for `npm test`. */
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

// The package in which bench installs them.
const folder = new URL("../../bench/peers/", import.meta.url)

const require = createRequire(new URL("package.json", folder))

/** Their answers are untyped JSON. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- no types of theirs are relied on
export type Json = any

/** The methods of a client. */
export type Methods = Readonly<Record<string, (...args: ReadonlyArray<unknown>) => Promise<Json>>>

export interface Account {
  readonly url: string
  readonly key: string
  readonly secret: string
}

const load = (name: string): Promise<unknown> => import(pathToFileURL(require.resolve(name)).href)

/** The REST client of bybit-api. */
export const bybit = async ({ key, secret, url }: Account): Promise<Methods> => {
  const module = await load("bybit-api")
  const { RestClientV5 } = module as { readonly RestClientV5: new (options: object) => Methods } // according to its types
  return new RestClientV5({ key, secret, baseUrl: url })
}

interface Ccxt {
  readonly urls: { api: unknown }
  readonly options: object
}

/**
 * The exchange of ccxt, limited by its weights, a tenth slower than by default, because ten calls per second by its clock are eleven by the
 * sandbox's.
 */
export const ccxt = async ({ key, secret, url }: Account): Promise<Methods> => {
  // Resolving by name would find the CommonJS bundle, but programs import the module.
  const module: unknown = await import(new URL("node_modules/ccxt/js/ccxt.js", folder).href)
  const { bybit: Exchange } = module as { readonly bybit: new (options: object) => Ccxt & Methods } // according to its types
  const exchange = new Exchange({ apiKey: key, secret, enableRateLimit: true, rateLimit: 22 })
  exchange.urls.api = { spot: url, futures: url, v2: url, public: url, private: url }
  Object.assign(exchange.options, {
    // Settings that it would otherwise request at undocumented paths.
    enableUnifiedMargin: false,
    enableUnifiedAccount: true,
    unifiedMarginStatus: 6,
    // The document has no options.
    fetchMarkets: { types: ["spot", "linear", "inverse"] }
  })
  return exchange
}
