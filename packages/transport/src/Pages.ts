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
 * How to read a list.
 *
 * @since 0.1.0
 * @category models
 */
export interface Walk<Row, E, R> {
  /** The operation, for the failure of a list that cannot be right. */
  readonly operation: string
  /** The first cursor, kept from an earlier read. Defaults to the first page. */
  readonly from?: string | undefined
  /** Requests the page at a cursor. */
  readonly page: (cursor: string | undefined) => Effect.Effect<Lists.Page<Row>, E, R>
}

/**
 * The rows of the pages of a list, until a page has no cursor. A page with fewer rows than requested, or with none, is not taken for the
 * last.
 *
 * A malformed page is requested twice more. The stream then fails with `UnexpectedResponse`: that of a response that could not be read,
 * or one that says what was expected where a page has no cursor, points back to an earlier one, has the rows of an earlier one, or is
 * without rows after a hundred such pages.
 *
 * A list that shifts while it is read repeats rows. `Windows.read` leaves them out.
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
