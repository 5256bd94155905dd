/**
 * Which methods of the clients lead to a place in the path map, from the text of the methods themselves.
 *
 * @since 0.1.0
 */
import type { Methods } from "./peers.js"
import { places } from "./pathMap.js"

/** A path as ccxt names its implicit methods: `/v5/order/cancel-all` is `V5OrderCancelAll`. */
const implicit = (path: string): string =>
  path
    .split(/[/-]/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("")

const spellings = [...places.keys()].flatMap((path) => [`'${path}'`, `${implicit(path)}(`])

/** The methods of a client, its base classes left out, whose text names a mapped path. */
export const mappedMethods = (client: Methods): ReadonlyArray<string> => {
  const prototype: unknown = Object.getPrototypeOf(client)
  return Object.entries(Object.getOwnPropertyDescriptors(prototype))
    .filter(([, { value }]) => {
      const text = typeof value === "function" ? String(value) : ""
      return spellings.some((spelling) => text.includes(spelling))
    })
    .map(([name]) => name)
    .toSorted()
}
