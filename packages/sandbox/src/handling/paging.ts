import type * as Id from "@effect-venue/schemas/Id"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import * as Ids from "../trading/ids.js"
import * as Random from "../state/random.js"
import * as Refusal from "./refusal.js"
import type * as Handler from "./handler.js"
import type { Records } from "../state/recordList.js"

/**
 * A list in response order. `key` is unique per item and sorts like the list. A page continues after the last key of the previous page, so
 * items that are added or removed in the meantime do not shift it.
 */
export interface Listed<A> {
  readonly items: Iterable<A>
  readonly key: (item: A) => string
  readonly order: "ascending" | "descending"
  /** The name of the list. */
  readonly name: string
  readonly size: number
}

interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly next: Option.Option<Id.Cursor>
}

interface PagedRequest {
  readonly cursor?: string | undefined
}

/** Identifies a list: a cursor is only valid for the same caller and parameters. Only the size of the page can change. */
const identify = (context: Handler.Public, request: PagedRequest, name: string): string => {
  const caller = "account" in context ? (context as Handler.Context).account.uid : "" // only a signed request has a caller
  const { cursor: _, ...parameters } = request
  const filters = Object.entries(parameters).filter(([field]) => field !== "limit" && field !== "pageSize")
  return JSON.stringify([caller, name, filters.sort(([a], [b]) => (a < b ? -1 : 1))])
}

const seal = (key: string, of: string): string => Random.hash32(`${key} ${of}`).toString(36).padStart(7, "0")

// Cursors have the format of the service: already percent-encoded in the JSON. (docs/reference/listed-operations.md#ordershistory)
const write = (key: string, of: string): Id.Cursor =>
  Ids.Cursor(`page_token%3D${Encoding.encodeBase64Url(key)}${seal(key, of)}%26`)

const read = (cursor: string, of: string): Either.Either<string, Refusal.Refusal> => {
  // If the caller does not encode the cursor again, the query decodes it to the same token.
  const token = /^page_token(?:%3D|=)([\w-]*)([0-9a-z]{7})(?:%26|&)$/.exec(cursor)
  const key = Either.getOrElse(Encoding.decodeBase64UrlString(token?.[1] ?? ""), () => "")
  return token !== null && seal(key, of) === token[2] ? Either.right(key) : Refusal.parameter("cursor invalid")
}

/** Returns the page that a request selects. The last page has no cursor. */
export const page = <A>(
  context: Handler.Public,
  request: PagedRequest,
  list: Listed<A>
): Either.Either<Page<A>, Refusal.Refusal> => {
  const of = identify(context, request, list.name)
  return Either.map(request.cursor === undefined ? Either.right(undefined) : read(request.cursor, of), (after) => {
    const taken: Array<A> = []
    let last = ""
    for (const item of list.items) {
      const key = list.key(item)
      const seen = after !== undefined && (list.order === "ascending" ? key <= after : key >= after)
      if (seen) continue
      if (taken.length === list.size) return { items: taken, next: Option.some(write(last, of)) }
      taken.push(item)
      last = key
    }
    return { items: taken, next: Option.none() }
  })
}

/** Returns the result that has a page of a list of a category. */
export const readPage = <A, C>(
  context: Handler.Public,
  request: PagedRequest & { readonly category: C },
  list: Listed<A>
) =>
  Either.map(page(context, request, list), ({ items, next }) => ({
    state: context.state,
    result: { category: Option.some(request.category), list: items, nextPageCursor: next }
  }))

/** Iterates over a range of an array from the end, lazily. */
export function* backwards<A>(
  items: Records<A>,
  start = 0,
  end = items.length,
  keep: (item: A) => boolean = () => true
): Iterable<A> {
  for (let index = end - 1; index >= start; index--) {
    const item = items.at(index)
    if (item !== undefined && keep(item)) yield item
  }
}
