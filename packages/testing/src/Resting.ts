/**
 * Limit orders that rest in the market. Their prices follow the mark price, so that a new rule of the exchange about prices far from the
 * market breaks no test of anything else.
 */
import * as Effect from "effect/Effect"

/** A market without positions of seeded accounts: nobody is liquidated when its price is held. */
export const market = { category: "linear", symbol: "LTCUSDT" } as const

/** The price of an order to buy that rests once `hold` has run. */
export const price = "20"

/** Holds the market a little above `price`. */
export const hold = (control: {
  readonly setPrice: (options: typeof market & { readonly price: string }) => Effect.Effect<void, unknown>
}): Effect.Effect<void> => Effect.orDie(control.setPrice({ ...market, price: "21" }))

/** Returns a price below a mark price: by default five percent below. */
export const below = (mark: string | number, percent = 5): string =>
  String(Number((Number(mark) * (1 - percent / 100)).toPrecision(3)))

/** Returns a request with its prices at `price`. The example of an endpoint spells a price, but the market moves. */
export const withPrice = (request: unknown, price: string): unknown => {
  if (Array.isArray(request)) return request.map((item: unknown) => withPrice(item, price))
  if (typeof request !== "object" || request === null) return request
  return Object.fromEntries(
    Object.entries(request).map(([name, value]) => [name, name === "price" ? price : withPrice(value, price)])
  )
}
