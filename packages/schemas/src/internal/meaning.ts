/** What something on the wire means, and how that is looked up. */

/** `unit` is what a number counts. `alias`: it is a second spelling of another. */
export interface Meaning {
  readonly meaning: string
  readonly unit?: string
  readonly alias?: string
}

/** By the name in the domain, or by the way to it: `list.rate`. */
export interface Meanings {
  readonly [name: string]: Meaning
}

export const of = (meaning: string, unit?: string): Meaning => ({ meaning, ...(unit === undefined ? {} : { unit }) })

export const settle = "settle coin"
export const quote = "quote coin"
export const base = "base coin; of inverse contracts USD"
export const price = "quote coin per base coin"
export const share = "fraction; 0.0006 is 0.06 %"

/** The domain spelling of a name on the wire: `tx_id` and `TxId` are `txId`. */
export const domainName = (wireName: string): string =>
  (wireName.charAt(0).toLowerCase() + wireName.slice(1)).replaceAll(/_([a-z])/g, (_, letter: string) =>
    letter.toUpperCase()
  )

/** The meaning of what lies at a path, whose last name is its own, in the messages of an operation. */
export type LookUp = (
  endpoint: { readonly domain: string; readonly name: string },
  path: ReadonlyArray<string>
) => Meaning | undefined

/** Meanings of operations go before those of their domains, and these before common ones. */
export const lookUp =
  (
    operations: { readonly [operation: string]: Meanings },
    domains: { readonly [domain: string]: Meanings },
    common: Meanings
  ): LookUp =>
  ({ domain, name }, path) => {
    const own = path.at(-1) ?? ""
    const full = path.join(".")
    for (const meanings of [operations[name], domains[domain], common]) {
      const found = meanings?.[full] ?? meanings?.[own]
      if (found !== undefined) return found
    }
    return undefined
  }
