import * as Either from "effect/Either"
import * as Exchange from "../state/Exchange.js"
import * as Refusal from "./refusal.js"

/** Returns the listing of a request, or the refusal of the service behind the gateway. */
export const findListing = (
  state: Exchange.State,
  category: Exchange.Category,
  symbol: string
): Either.Either<Exchange.Listing, Refusal.Refusal> => {
  const listing = Exchange.listing(state, category, symbol)
  return listing === undefined ? Refusal.parameter("symbol invalid") : Either.right(listing)
}

/**
 * Returns the listing for an operation on contracts. `spot` is accepted as a category and then refused.
 * (docs/reference/contradictions.md#positions-of-spot)
 */
export const contract = (
  state: Exchange.State,
  category: Exchange.Category,
  symbol: string
): Either.Either<Exchange.Listing & { readonly category: Exchange.Contract }, Refusal.Refusal> =>
  category === "spot"
    ? Refusal.parameter("category only supports linear or inverse")
    : Either.map(findListing(state, category, symbol), (listing) => ({ ...listing, category }))

/** Returns the contract of a symbol in either category, for operations that ignore the category. (docs/reference/positions/setRiskLimit.md) */
export const contractOf = (
  state: Exchange.State,
  category: Exchange.Category,
  symbol: string
): Either.Either<Exchange.Listing & { readonly category: Exchange.Contract }, Refusal.Refusal> => {
  const otherContract = category === "linear" ? ("inverse" as const) : ("linear" as const)
  return Either.orElse(contract(state, category, symbol), (refusal) =>
    category === "spot" ? Either.left(refusal) : contract(state, otherContract, symbol)
  )
}
