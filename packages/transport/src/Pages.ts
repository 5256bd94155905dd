/**
 * Cursor pages as a `Stream`.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Failure from "./Failure.js"
import { excerpt, scrubber } from "./internal/scrub.js"

/**
 * How to walk a list.
 *
 * @since 0.1.0
 * @category models
 */
export interface Walk<Page, E, R> {
  /** The operation, for the failure of a list that does not end. */
  readonly operation: string
  /** Where to begin: a cursor kept from an earlier walk, or nothing. */
  readonly from?: string | undefined
  /** Asks for the page at a cursor. */
  readonly page: (cursor: string | undefined) => Effect.Effect<Page, E, R>
  /** The cursor of the page after this one; `none` on the last. */
  readonly next: (page: Page) => Option.Option<string>
}

/**
 * The pages of a list, until a page has no cursor. A page with fewer rows than asked for, or with none, is not taken for the
 * last. A cursor that comes a second time would go round forever: it ends the stream with `UnexpectedResponse`.
 *
 * @since 0.1.0
 * @category streams
 */
export const stream = <Page, E, R>(walk: Walk<Page, E, R>): Stream.Stream<Page, E | Failure.UnexpectedResponse, R> =>
  Stream.suspend(() => {
    const seen = new Set<string>(walk.from === undefined ? [] : [walk.from])
    return Stream.paginateEffect(walk.from, (cursor) =>
      Effect.flatMap(walk.page(cursor), (page) => {
        const next = walk.next(page)
        if (Option.isNone(next)) return Effect.succeed([page, Option.none()] as const)
        if (seen.has(next.value)) return Effect.fail(repeatedCursor(walk.operation, next.value))
        seen.add(next.value)
        return Effect.succeed([page, Option.some<string | undefined>(next.value)] as const)
      })
    )
  })

const repeatedCursor = (operation: string, cursor: string): Failure.UnexpectedResponse =>
  new Failure.UnexpectedResponse({
    operation,
    attempts: [],
    status: 200,
    path: "result.cursor",
    expected: "expected a cursor that was not given before",
    body: excerpt(scrubber([]), cursor)
  })
