import type * as Id from "@effect-venue/schemas/Id"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import * as Ids from "../records/ids.js"
import * as Random from "../state/random.js"
import * as Refusal from "../edge/refusal.js"

/**
 * A list in the order in which it is answered. `key` is different for every item, and sorts as the list does: a page goes on
 * after the key of the page before, so that what is added or taken away meanwhile does not shift it.
 */
export interface Listed<A> {
  readonly items: Iterable<A>
  readonly key: (item: A) => string
  readonly order: "ascending" | "descending"
  /** What the list is of: a cursor of one list is unknown to every other. */
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

// As the service writes them: already percent-encoded inside the JSON. (docs/reference/listed-operations.md#ordershistory)
const write = (key: string, of: ReadonlyArray<unknown>): Id.Cursor =>
  Ids.Cursor(`page_token%3D${Encoding.encodeBase64Url(key)}${seal(key, of)}%26`)

const read = (cursor: string, of: ReadonlyArray<unknown>): Either.Either<string, Refusal.Refusal> => {
  // A caller that passes it on without encoding it once more sends the same token, which the query then decodes.
  const token = /^page_token(?:%3D|=)([\w-]*)([0-9a-z]{7})(?:%26|&)$/.exec(cursor)
  const key = Either.getOrElse(Encoding.decodeBase64UrlString(token?.[1] ?? ""), () => "")
  return token !== null && seal(key, of) === token[2] ? Either.right(key) : Refusal.parameter("cursor invalid")
}

/** One page of a list. The last one has no cursor. */
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

/** A stretch of an array, last first, as far as it is asked for. */
export function* backwards<A>(
  items: ReadonlyArray<A>,
  start = 0,
  end = items.length,
  keep: (item: A) => boolean = () => true
): Iterable<A> {
  for (let index = end - 1; index >= start; index--) {
    const item = items[index]
    if (item !== undefined && keep(item)) yield item
  }
}

/** Filters an iterable as far as it is asked for. */
export function* where<A>(items: Iterable<A>, keep: (item: A) => boolean): Iterable<A> {
  for (const item of items) if (keep(item)) yield item
}
