/**
 * The clients of others, loaded by their path: they are installed for the long tests and the checks, not for `npm test`.
 *
 * @since 0.1.0
 */
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

// The package that bench installs them in.
const folder = new URL("../../bench/peers/", import.meta.url)

const require = createRequire(new URL("package.json", folder))

/** What an answer of theirs holds is looked at as it is. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- no types of theirs are relied on
export type Json = any

/** All of their methods that are called here. */
export type Methods = Readonly<Record<string, (...args: ReadonlyArray<unknown>) => Promise<Json>>>

export interface Account {
  readonly url: string
  readonly key: string
  readonly secret: string
}

const load = (name: string): Promise<unknown> => import(pathToFileURL(require.resolve(name)).href)

/** Of bybit-api: its client for REST. */
export const bybit = async ({ key, secret, url }: Account): Promise<Methods> => {
  const module = await load("bybit-api")
  const { RestClientV5 } = module as { readonly RestClientV5: new (options: object) => Methods } // as its types say
  return new RestClientV5({ key, secret, baseUrl: url })
}

interface Ccxt {
  readonly urls: { api: unknown }
  readonly options: object
}

/** Of ccxt: its exchange, paced by its own weights, a tenth slower than by default: ten calls a second by its clock are eleven by the sandbox's. */
export const ccxt = async ({ key, secret, url }: Account): Promise<Methods> => {
  // Resolved by name, its CommonJS bundle would be found: the module is what programs import.
  const module: unknown = await import(new URL("node_modules/ccxt/js/ccxt.js", folder).href)
  const { bybit: Exchange } = module as { readonly bybit: new (options: object) => Ccxt & Methods } // as its types say
  const exchange = new Exchange({ apiKey: key, secret, enableRateLimit: true, rateLimit: 22 })
  exchange.urls.api = { spot: url, futures: url, v2: url, public: url, private: url }
  Object.assign(exchange.options, {
    // What it would otherwise ask the service for, at paths that the document does not have.
    enableUnifiedMargin: false,
    enableUnifiedAccount: true,
    unifiedMarginStatus: 6,
    // The document has no options.
    fetchMarkets: { types: ["spot", "linear", "inverse"] }
  })
  return exchange
}
