/** Instruments. (docs/reference/instruments/list.md) */
import type * as Endpoints from "@effect-venue/schemas/Instruments"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Handler from "../handling/handler.js"
import * as Paging from "../handling/paging.js"
import type * as Exchange from "../state/Exchange.js"

/** For contracts the filter only finds the status Trading. (docs/reference/instruments/list.md; docs/reference/responses.md#http-statuses) */
const hasStatus = (category: Exchange.Category, status: string | undefined, listing: Exchange.Listing): boolean =>
  status === undefined || (listing.instrument.status === status && (category === "spot" || status === "Trading"))

const key = (listing: Exchange.Listing) => `${listing.instrument.symbol} ${listing.category}`

/** Ordered by symbol. The edge has checked category and symbol, as the gateway does. */
export const list: Handler.Handler<typeof Endpoints.list, Handler.Public> = (request, context) => {
  const { category, limit, status, symbol } = request
  const baseCoin = "baseCoin" in request ? request.baseCoin : undefined
  const wanted = context.state.listings
    .filter((listing) => {
      const { category: listed, instrument } = listing
      return (
        // With a base coin, both kinds of contract are returned in every category.
        (baseCoin === undefined ? listed === category : listed !== "spot" && instrument.baseCoin === baseCoin) &&
        (symbol === undefined || instrument.symbol === symbol) &&
        hasStatus(category, status, listing)
      )
    })
    .sort((a, b) => (key(a) < key(b) ? -1 : 1))
  return Either.flatMap(
    Paging.page(context, request, {
      name: "instruments",
      items: wanted,
      key,
      order: "ascending",
      size: limit ?? 500
    }),
    (page) =>
      Handler.read(context, {
        category: Option.some(category),
        list: page.items.map(({ instrument }) => instrument),
        nextPageCursor: page.next
      })
  )
}
