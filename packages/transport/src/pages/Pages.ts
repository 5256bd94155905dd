/**
 * Reads lists of the service page by page, so that a missing row is always reported.
 *
 * Retries a malformed page twice, then ends the walk with its `Problem`.
 *
 * @sibling
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as Failure from "../model/Failure.js"
import * as pageJudge from "./pageJudge.js"
import { excerpt } from "@effect-venue/schemas/siblings/ShownText"
import { scrubber } from "../model/secretsInText.js"

/** The content of one page. */
export interface Page<out Row> {
  readonly rows: ReadonlyArray<Row>
  /**
   * The cursor of the next page. On the last page `""` or `null`. With any other value, such as `undefined` for a response without a cursor, it is unknown
   * whether more pages follow.
   */
  readonly next: unknown
}

/**
 * Why a list was not read to its end, or can be wrong.
 *
 * - `unreadableAnswer`: a request failed with `UnexpectedResponse`, or has rows that are nested deeper than this process can read.
 * - `missingCursor`: a response does not show whether another page follows.
 * - `repeatedCursor`: a page points back to one that was read.
 * - `repeatedPage`: a page repeats the rows of an earlier page, so its rows are missing.
 * - `emptyPages`: more than a hundred pages without rows follow each other.
 * - `endlessList`: more than 100,000 pages follow each other.
 */
export type Kind =
  "unreadableAnswer" | "missingCursor" | "repeatedCursor" | "repeatedPage" | "emptyPages" | "endlessList"

/** A problem of a list. */
export interface Problem<out E> {
  readonly kind: Kind
  /** The repeated cursor or rows, or `""`. */
  readonly shown: string
  /** The failure of the request, if it failed. */
  readonly failure?: E | undefined
}

/** How to read a list. `P` is the type of a page, `A` that of its result. */
export interface Walk<Row, P extends Page<Row>, out A, out E, out R> {
  /** The first cursor, kept from an earlier walk. Defaults to the first page. */
  readonly from?: string | undefined
  /** Requests the page at a cursor. */
  readonly page: (cursor: string | undefined) => Effect.Effect<P, E, R>
  /** The text by which rows are compared. */
  readonly text: (row: Row) => string
  /** Whether rows are compared with those of the previous page. Equal rows of records without an id can be the same record. */
  readonly comparesRows: boolean
  /** The result of a page, once it has no problem. */
  readonly prepare: (page: P) => A
  /** Called for every page that was requested again or ended the walk. */
  readonly onProblem?: ((kind: Kind) => void) | undefined
}

/** Statistics of a walk. */
export interface Walked<out E> {
  readonly rows: number
  readonly requests: number
  /** Requests whose pages were discarded. */
  readonly rereads: number
  /** Pages that repeat a row of the previous page. */
  readonly overlaps: number
  /** Equal for walks over the same rows, in any order. 0 if rows are not compared. */
  readonly digest: number
  /** Why the walk ended before the last page. */
  readonly problem: Problem<E> | undefined
}

/** How often a page is requested again. */
const pageRereads = 2

/** Requests the pages of a walk in turn. Returns the result of each page, or the problem that remains after all requests. */
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

/** Reads a list from the first page to the last, or to a page with a problem. Calls `take` with the result of each page and the number of its rows. */
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

/** How to read a list as a stream. */
export interface StreamOptions<Row, E, R> extends Pick<
  Walk<Row, Page<Row>, unknown, E, R>,
  "from" | "page" | "onProblem"
> {
  /** The operation, for the failure of the list. */
  readonly operation: string
}

/**
 * The rows of the pages of a list, until a page has no cursor. A page with few rows or none is not the last one if it has a cursor.
 *
 * The stream fails with `UnexpectedResponse` at a page with a problem (see `Kind`). A list that shifts while it is read repeats rows.
 */
export const stream = <Row, E, R>({
  operation,
  ...options
}: StreamOptions<Row, E, R>): Stream.Stream<ReadonlyArray<Row>, E | Failure.UnexpectedResponse, R> =>
  Stream.suspend(() => {
    const { step } = makeWalker({
      ...options,
      text: (row: Row) => JSON.stringify(row),
      comparesRows: false,
      prepare: ({ rows }: Page<Row>) => rows
    })
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

const expectations: Readonly<Record<Kind, string>> = {
  unreadableAnswer: "rows less deep",
  missingCursor: "a cursor, or an empty one",
  repeatedCursor: "a cursor that was not given before",
  repeatedPage: "rows that were not given before",
  emptyPages: "rows after 100 empty pages",
  endlessList: "a last page among 100,000"
}

/** The failure of a read that ends with a problem: that of the request, or `UnexpectedResponse` with the expected content. */
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
