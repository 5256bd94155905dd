import * as Either from "effect/Either"
import * as State from "../../State.js"
import * as Refusal from "../edge/refusal.js"

/** The listing that a request names, or the refusal of behind the gateway. */
export const known = (
  state: State.State,
  category: State.Category,
  symbol: string
): Either.Either<State.Listing, Refusal.Refusal> => {
  const listing = State.listing(state, category, symbol)
  return listing === undefined ? Refusal.parameter("symbol invalid") : Either.right(listing)
}

/**
 * The same for what only contracts have. `spot` is accepted as a category and then refused.
 * (docs/reference/contradictions.md#positions-of-spot)
 */
export const contract = (
  state: State.State,
  category: State.Category,
  symbol: string
): Either.Either<State.Listing & { readonly category: State.Contract }, Refusal.Refusal> =>
  category === "spot"
    ? Refusal.parameter("category only supports linear or inverse")
    : Either.map(known(state, category, symbol), (listing) => ({ ...listing, category }))

/**
 * The same where the category is not involved: the contract of a symbol, whichever of the two it is.
 * (docs/reference/positions.md#setrisklimit)
 */
export const contractOf = (
  state: State.State,
  category: State.Category,
  symbol: string
): Either.Either<State.Listing & { readonly category: State.Contract }, Refusal.Refusal> => {
  const other = category === "linear" ? ("inverse" as const) : ("linear" as const)
  return Either.orElse(contract(state, category, symbol), (refusal) =>
    category === "spot" ? Either.left(refusal) : contract(state, other, symbol)
  )
}
