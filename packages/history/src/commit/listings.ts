import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Manifest from "../model/Manifest.js"
import type * as Part from "../model/Part.js"

const isName = (value: unknown): value is string => typeof value === "string" && /^\S+$/.test(value)

/** The line of an instrument; none if it does not name its coins. */
const lineOf = (category: string, record: unknown): ReadonlyArray<string> => {
  if (!Predicate.isRecord(record)) return []
  const { baseCoin, quoteCoin, settleCoin, symbol } = record
  const names = [symbol, baseCoin, quoteCoin, ...(category === "spot" ? [] : [settleCoin])]
  return names.every(isName) ? [names.join(" ")] : []
}

/** The instruments of each category of which an export has rows, or why they could not be read: that ends no export. */
export const read = <R>(
  parts: ReadonlyArray<Part.Part<unknown, R>>,
  manifest: Manifest.Manifest
): Effect.Effect<ReadonlyArray<Manifest.Listing>, never, R> =>
  Effect.gen(function* () {
    const before = new Map(manifest.run.listings.map((listing) => [listing.category, listing]))
    const listings = new Map(before)
    for (const [index, { parameters, rows }] of manifest.parts.entries()) {
      const { category } = parameters
      const part = parts[index]
      if (category === undefined || part === undefined || rows === 0) continue
      if (listings.get(category) !== before.get(category)) continue
      const known = before.get(category)?.list ?? []
      const answer = yield* Effect.either(part.instruments(category))
      const lines = answer._tag === "Right" ? answer.right.flatMap((record) => lineOf(category, record)) : []
      listings.set(category, {
        category,
        list: [...new Set([...known, ...lines])].sort(),
        because: answer._tag === "Right" ? null : answer.left.message
      })
    }
    return [...listings.values()]
  })
