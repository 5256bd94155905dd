/** Finds the client methods that use a mapped path, from the source text of the methods. */
import type { Methods } from "./peers.js"
import { places } from "./pathMap.js"

/** The name of ccxt's implicit method for a path: `/v5/order/cancel-all` is `V5OrderCancelAll`. */
const implicit = (path: string): string =>
  path
    .split(/[/-]/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("")

const spellings = [...places.keys()].flatMap((path) => [`'${path}'`, `${implicit(path)}(`])

/** Returns the methods of a client, without base classes, whose text contains a mapped path. */
export const findMappedMethods = (client: Methods): ReadonlyArray<string> => {
  const prototype: unknown = Object.getPrototypeOf(client)
  return Object.entries(Object.getOwnPropertyDescriptors(prototype))
    .filter(([, { value }]) => {
      const text = typeof value === "function" ? String(value) : ""
      return spellings.some((spelling) => text.includes(spelling))
    })
    .map(([name]) => name)
    .toSorted()
}
