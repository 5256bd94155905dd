import type * as Id from "@effect-venue/schemas/Id"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import * as Ids from "../trading/ids.js"
import * as Random from "../state/random.js"
import * as Refusal from "./refusal.js"
import type { Records } from "../state/recordList.js"

/**
 * A list in response order. `key` is unique per item and sorts like the list. A page continues after the last key of the previous page, so
 * items that are added or removed in the meantime do not shift it.
 */
export interface Listed<A> {
  readonly items: Iterable<A>
  readonly key: (item: A) => string
  readonly order: "ascending" | "descending"
  /** Identifies the list. A cursor is only valid for its list. */
  readonly of: ReadonlyArray<unknown>
  readonly size: number
  readonly cursor: string | undefined
}

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly next: Option.Option<Id.Cursor>
}

const seal = (key: string, of: ReadonlyArray<unknown>): string =>
  Random.hash32(`${key} ${JSON.stringify(of)}`)
    .toString(36)
    .padStart(7, "0")

// Cursors have the format of the service: already percent-encoded in the JSON. (docs/reference/listed-operations.md#ordershistory)
const write = (key: string, of: ReadonlyArray<unknown>): Id.Cursor =>
  Ids.Cursor(`page_token%3D${Encoding.encodeBase64Url(key)}${seal(key, of)}%26`)

const read = (cursor: string, of: ReadonlyArray<unknown>): Either.Either<string, Refusal.Refusal> => {
  // If the caller does not encode the cursor again, the query decodes it to the same token.
  const token = /^page_token(?:%3D|=)([\w-]*)([0-9a-z]{7})(?:%26|&)$/.exec(cursor)
  const key = Either.getOrElse(Encoding.decodeBase64UrlString(token?.[1] ?? ""), () => "")
  return token !== null && seal(key, of) === token[2] ? Either.right(key) : Refusal.parameter("cursor invalid")
}

/** Returns one page of a list. The last page has no cursor. */
export const page = <A>(list: Listed<A>): Either.Either<Page<A>, Refusal.Refusal> =>
  Either.map(list.cursor === undefined ? Either.right(undefined) : read(list.cursor, list.of), (after) => {
    const taken: Array<A> = []
    let last = ""
    for (const item of list.items) {
      const key = list.key(item)
      const seen = after !== undefined && (list.order === "ascending" ? key <= after : key >= after)
      if (seen) continue
      if (taken.length === list.size) return { items: taken, next: Option.some(write(last, list.of)) }
      taken.push(item)
      last = key
    }
    return { items: taken, next: Option.none() }
  })

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
