/**
 * Lists that are read page by page, so that no row is missing without a trace. One implementation for the services' streams
 * (`Pages`, `Windows`) and for exports.
 *
 * A malformed page is requested twice more, and then it is the `Problem` that the walk ends with. A list with a problem, or
 * whose rows may have moved from page to page, is read again from its start: `untilClear`.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as Failure from "./Failure.js"
import { excerpt, scrubber } from "./internal/response/secretsInText.js"
import * as Ids from "./internal/lists/ids.js"
import * as pageJudge from "./internal/lists/pageJudge.js"

/**
 * The content of one page.
 *
 * @since 0.1.0
 * @category models
 */
export interface Page<out Row> {
  readonly rows: ReadonlyArray<Row>
  /**
   * The cursor of the next page. On the last page `""` or `null`. Anything else, such as `undefined` where the response has no cursor, does
   * not say whether there are more.
   */
  readonly next: unknown
}

/**
 * Why a list was not read to its end, or may be wrong.
 *
 * - `unreadableAnswer`: a request failed with `UnexpectedResponse`, or has rows that are nested deeper than this process can read.
 * - `missingCursor`: a response does not say whether another page follows.
 * - `repeatedCursor`: a page points back to one that was read.
 * - `repeatedPage`: a page has the rows of an earlier one, so that its own are missing.
 * - `emptyPages`: more than a hundred pages without rows follow each other.
 * - `endlessList`: more than 100,000 pages follow each other.
 * - `changingList`: records moved from page to page in every reading.
 * - `outsideRows`: an answer has rows that do not lie in the range of the request.
 * - `conflictingRows`: rows of one id differ in their contents or their instants.
 *
 * @since 0.1.0
 * @category models
 */
export type Kind =
  | "unreadableAnswer"
  | "missingCursor"
  | "repeatedCursor"
  | "repeatedPage"
  | "emptyPages"
  | "endlessList"
  | "changingList"
  | "outsideRows"
  | "conflictingRows"

/**
 * A problem of a list.
 *
 * @since 0.1.0
 * @category models
 */
export interface Problem<out E> {
  readonly kind: Kind
  /** The repeated cursor or rows; `""` where there is nothing to show. */
  readonly shown: string
  /** The failure of the request, where there is one. */
  readonly failure?: E | undefined
}

/**
 * How to read a list. `P` is a page, `A` the result of one.
 *
 * @since 0.1.0
 * @category models
 */
export interface Walk<Row, P extends Page<Row>, out A, out E, out R> {
  /** The first cursor, kept from an earlier walk. Defaults to the first page. */
  readonly from?: string | undefined
  /** Requests the page at a cursor. */
  readonly page: (cursor: string | undefined) => Effect.Effect<P, E, R>
  /** What rows are compared by. */
  readonly text: (row: Row) => string
  /** Whether rows are compared with those of the page before: of records without id, a row that comes twice may be one record. */
  readonly comparesRows: boolean
  /** The result of a page, once it has no problem. */
  readonly prepare: (page: P) => A
  /** Called for every page that was requested again, or that the walk ended with. */
  readonly onProblem?: ((kind: Kind) => void) | undefined
}

/**
 * Statistics of a walk.
 *
 * @since 0.1.0
 * @category models
 */
export interface Walked<out E> {
  readonly rows: number
  readonly requests: number
  /** Requests whose pages were discarded. */
  readonly rereads: number
  /** Pages that have a row of the page before. */
  readonly overlaps: number
  /** Equal for readings that have the same rows, in any order. 0 where rows are not compared. */
  readonly digest: number
  /** Why the walk ended before the last page. */
  readonly problem: Problem<E> | undefined
}

/** How often one page is requested again. */
const pageRereads = 2

/** Requests the pages of one walk, in turn. Returns the result of each, or the problem that it still has after all requests. */
const makeWalker = <Row, P extends Page<Row>, A, E, R>(options: Walk<Row, P, A, E, R>) => {
  const judge = pageJudge.make(options)
  const { total } = judge
  type Step = pageJudge.Seen<A> | Problem<E>

  const step = (cursor: string | undefined, attempt = 0): Effect.Effect<Step, E, R> =>
    options.page(cursor).pipe(
      Effect.map((page): Step => judge.look(page)),
      Effect.catchAll((failure) =>
        Predicate.isTagged(failure, "UnexpectedResponse")
          ? Effect.succeed<Step>({ kind: "unreadableAnswer", shown: "", failure })
          : Effect.fail(failure)
      ),
      Effect.flatMap((answer) => {
        total.requests++
        if (answer.kind === "page") {
          judge.note(answer)
          return Effect.succeed(answer)
        }
        options.onProblem?.(answer.kind)
        total.rereads++
        return attempt < pageRereads ? step(cursor, attempt + 1) : Effect.succeed(answer)
      })
    )

  return { step, walked: (problem?: Problem<E>): Walked<E> => ({ ...total, problem }) }
}

/**
 * From the first page of a list to the last, or to one with a problem. `take` is called with the result of each page, and the number of
 * its rows.
 *
 * @since 0.1.0
 * @category combinators
 */
export const walk = <Row, P extends Page<Row>, A, E, R, E2, R2>(
  options: Walk<Row, P, A, E, R>,
  take: (content: A, rows: number) => Effect.Effect<void, E2, R2>
): Effect.Effect<Walked<E>, E | E2, R | R2> =>
  Effect.suspend(() => {
    const { step, walked } = makeWalker(options)
    const from = (cursor: string | undefined): Effect.Effect<Walked<E>, E | E2, R | R2> =>
      Effect.flatMap(step(cursor), (page) => {
        if (page.kind !== "page") return Effect.succeed(walked(page))
        const { content, count, next } = page
        return Effect.flatMap(take(content, count), () => (next === "" ? Effect.succeed(walked()) : from(next)))
      })
    return from(options.from)
  })

/**
 * The results of the pages of a list, until the last. It fails with `failure` at a page with a problem.
 *
 * @since 0.1.0
 * @category streams
 */
export const stream = <Row, P extends Page<Row>, A, E, R>(
  operation: string,
  options: Walk<Row, P, A, E, R>
): Stream.Stream<A, E | Failure.UnexpectedResponse, R> =>
  Stream.suspend(() => {
    const { step } = makeWalker(options)
    return Stream.paginateEffect(options.from, (cursor) =>
      Effect.flatMap(step(cursor), (page) =>
        page.kind === "page"
          ? Effect.succeed([
              page.content,
              page.next === "" ? Option.none<string>() : Option.some<string | undefined>(page.next)
            ] as const)
          : Effect.fail(failure(operation, page))
      )
    )
  })

/**
 * One reading of a list.
 *
 * @since 0.1.0
 * @category models
 */
export interface Reading<out A, out E> {
  readonly content: A
  readonly walked: Walked<E>
}

/**
 * The best reading of a list, and its problem, if any.
 *
 * @since 0.1.0
 * @category models
 */
export interface Settled<out A, out E> extends Reading<A, E> {
  /** Why rows may be missing, or be there twice. */
  readonly problem: Problem<E> | undefined
  /** How often the list was read. */
  readonly readings: number
}

/** How often a list is read whose rows cannot be distinguished. */
const maxReadings = 4

const changing: Problem<never> = { kind: "changingList", shown: "" }

/**
 * Reads a list until a reading is clear. One that has a problem is read once more, since the cursor of an earlier page may be the cause; of
 * two with problems the longer one counts. One of records without id that has rows of the page before is read up to four times, until a
 * reading has no such rows or two readings agree: the list may have shifted meanwhile, or the rows are equal records. While a list is
 * read again, the reading before is kept.
 *
 * @since 0.1.0
 * @category combinators
 */
export const untilClear = <A, E, E2, R>(
  read: Effect.Effect<Reading<A, E>, E2, R>,
  /** Called for every reading that is not clear although it has no problem. */
  onOverlap: () => void = () => undefined
): Effect.Effect<Settled<A, E>, E2, R> =>
  Effect.gen(function* () {
    let before: Reading<A, E> | undefined
    for (let readings = 1; ; readings++) {
      const reading: Reading<A, E> = yield* read
      const { digest, overlaps, problem, rows } = reading.walked
      const earlier = before?.walked
      if (problem === undefined) {
        const agrees = earlier?.problem === undefined && earlier?.digest === digest
        if (overlaps === 0 || agrees) return { ...reading, problem, readings }
        onOverlap()
        if (readings === maxReadings) return { ...reading, problem: changing, readings }
      } else if (before === undefined && problem.kind === "endlessList") {
        return { ...reading, problem, readings }
      } else if (before !== undefined) {
        const isBetter = earlier?.problem !== undefined && rows >= earlier.rows
        return { ...(isBetter ? reading : before), problem, readings }
      }
      before = reading
    }
  })

const expectations: Readonly<Record<Kind, string>> = {
  unreadableAnswer: "rows less deep",
  missingCursor: "a cursor, or an empty one",
  repeatedCursor: "a cursor that was not given before",
  repeatedPage: "rows that were not given before",
  emptyPages: "rows after 100 empty pages",
  endlessList: "a last page among 100,000",
  changingList: "a list that does not change while it is read",
  outsideRows: "rows within the range of the request",
  conflictingRows: "one record for each id"
}

/**
 * The failure of a read that ends with a problem: that of the request, or `UnexpectedResponse` with what was expected.
 *
 * @since 0.1.0
 * @category getters
 */
export const failure = <E>(operation: string, { failure, kind, shown }: Problem<E>): E | Failure.UnexpectedResponse =>
  failure ??
  new Failure.UnexpectedResponse({
    operation,
    attempts: [],
    status: 200,
    path: kind.endsWith("Cursor") ? "result.cursor" : "result.list",
    expected: `expected ${expectations[kind]}`,
    body: excerpt(scrubber([]), shown)
  })

/**
 * Keys of records without id: of equal ones, the first has its content as its key, and the second has `#2` after it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const numbered = (): ((content: string) => string) => {
  const counts = new Map<string, number>()
  return (content) => {
    const count = (counts.get(content) ?? 0) + 1
    counts.set(content, count)
    return count === 1 ? content : `${content}#${count}`
  }
}

/**
 * Ids that were seen: `add` returns whether an id was there before. Keeps checksums of 64 bits, eight bytes for an id, of about the last
 * two million ids and at least the last million.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ids = (): { readonly add: (id: string) => boolean } => Ids.make()
