/**
 * Cursor pages as a `Stream`.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as Failure from "./Failure.js"
import * as Lists from "./Lists.js"

/**
 * How to walk a list.
 *
 * @since 0.1.0
 * @category models
 */
export interface Walk<Row, E, R> {
  /** The operation, for the failure of a list that cannot be right. */
  readonly operation: string
  /** Where to begin: a cursor kept from an earlier walk. Defaults to the first page. */
  readonly from?: string | undefined
  /** Asks for the page at a cursor. */
  readonly page: (cursor: string | undefined) => Effect.Effect<Lists.Page<Row>, E, R>
}

/**
 * The rows of the pages of a list, until a page has no cursor. A page with fewer rows than asked for, or with none, is not taken for the
 * last.
 *
 * A page that cannot be right is asked for again, twice. The stream then fails: with the `UnexpectedResponse` of an answer that could not
 * be read, or with one that says what was expected where a page has no cursor, points back to an earlier one, has the rows of an earlier
 * one, or follows a hundred pages without rows and has none either.
 *
 * A list that shifts while it is read gives rows a second time. `Windows.read` leaves them out.
 *
 * @since 0.1.0
 * @category streams
 */
export const stream = <Row, E, R>({
  from,
  operation,
  page
}: Walk<Row, E, R>): Stream.Stream<ReadonlyArray<Row>, E | Failure.UnexpectedResponse, R> =>
  Lists.stream(operation, {
    from,
    page,
    text: (row) => JSON.stringify(row),
    comparesRows: false,
    prepare: ({ rows }: Lists.Page<Row>) => rows
  })
