/**
 * Time ranges cut into windows that the service takes. All ranges are half-open: `from` belongs to them, `to` does not.
 *
 * @since 0.1.0
 */
import * as Instant from "@effect-venue/schemas/Instant"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Failure from "./Failure.js"
import { excerpt, scrubber } from "./internal/scrub.js"

/**
 * A half-open range, in milliseconds since 1970.
 *
 * @since 0.1.0
 * @category models
 */
export interface Window {
  readonly from: number
  readonly to: number
}

/**
 * A range as an application gives it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Range {
  /** The first instant that belongs to the range. */
  readonly from: Instant.Input
  /** The first instant that no longer does. */
  readonly to: Instant.Input
}

/**
 * Checks a range: both ends are instants, and `from` lies before `to`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (operation: string, range: Range): Either.Either<Window, Failure.InvalidRequest> => {
  const refuse = (field: string, rule: string) =>
    Either.left(new Failure.InvalidRequest({ operation, field, rule, issues: [{ field, rule }] }))
  const from = Instant.millis(range.from)
  const to = Instant.millis(range.to)
  if (Option.isNone(from)) return refuse("from", "must be an instant")
  if (Option.isNone(to)) return refuse("to", "must be an instant")
  return from.value < to.value ? Either.right({ from: from.value, to: to.value }) : refuse("from", "must be before to")
}

/**
 * Cuts a range into windows no longer than `span`, oldest first, without gap or overlap.
 *
 * @since 0.1.0
 * @category combinators
 */
export const split = (range: Window, span: Duration.Duration): ReadonlyArray<Window> => {
  const step = Duration.toMillis(span)
  const windows: Array<Window> = []
  for (let from = range.from; from < range.to; from += step) {
    windows.push({ from, to: Math.min(from + step, range.to) })
  }
  return windows
}

/**
 * How to read a range window by window.
 *
 * @since 0.1.0
 * @category models
 */
export interface Read<Row, E, R> {
  /** The operation, for the failure of a list that repeats itself. */
  readonly operation: string
  readonly range: Window
  /** The longest window that the service takes. */
  readonly span: Duration.Duration
  /** How many windows are read side by side; the budgets bound what that brings. 4 unless told. */
  readonly concurrency?: number | undefined
  /** The pages of one window, in any order, both of its ends included or not as the service likes. */
  readonly pages: (window: Window) => Stream.Stream<ReadonlyArray<Row>, E, R>
  /** What makes a row unique. */
  readonly key: (row: Row) => string
  /** The instant of a row, in milliseconds. */
  readonly at: (row: Row) => number
}

/**
 * What one window held: its rows, oldest first, each once.
 *
 * @since 0.1.0
 * @category models
 */
export interface Content<Row> {
  readonly window: Window
  readonly rows: ReadonlyArray<Row>
  readonly pages: number
  /** Rows that were left out because they had been given already. */
  readonly duplicates: number
}

/**
 * Reads a range window by window, oldest first. Neighbouring windows share a border, so that no reading of the service's bounds
 * can lose a row; a row that both give is kept once, and a row at the very end of the range, which does not belong to it, is
 * left out. Memory holds as many windows as are read side by side.
 *
 * A page that comes a second time within its window stands in the place of another one, whose rows would be missing without a
 * trace: it ends the stream with `UnexpectedResponse`.
 *
 * @since 0.1.0
 * @category streams
 */
export const read = <Row, E, R>(
  options: Read<Row, E, R>
): Stream.Stream<Content<Row>, E | Failure.UnexpectedResponse, R> => {
  const one = (window: Window) =>
    Effect.suspend(() => {
      const given = new Set<string>()
      return Stream.runFoldEffect(
        options.pages(window),
        { window, rows: Array.of<Row>(), pages: 0 },
        (content, page) => {
          const keys = JSON.stringify(page.map(options.key))
          if (page.length > 0 && given.has(keys)) return Effect.fail(repeatedPage(options.operation, keys))
          given.add(keys)
          for (const row of page) if (options.at(row) !== options.range.to) content.rows.push(row)
          return Effect.succeed({ ...content, pages: content.pages + 1 })
        }
      )
    })
  return Stream.fromIterable(split(options.range, options.span)).pipe(
    Stream.mapEffect(one, { concurrency: options.concurrency ?? 4 }),
    Stream.mapAccum(new Set<string>(), (before, { pages, rows, window }): [Set<string>, Content<Row>] => {
      const seen = new Set<string>()
      const kept = rows.filter((row) => {
        const key = options.key(row)
        if (seen.has(key) || before.has(key)) return false
        seen.add(key)
        return true
      })
      // The service gives the newest first: turned round, rows of one instant stand in the order in which they came about.
      const ordered = kept.reverse().sort((row, other) => options.at(row) - options.at(other))
      return [seen, { window, rows: ordered, pages, duplicates: rows.length - kept.length }]
    })
  )
}

const repeatedPage = (operation: string, keys: string): Failure.UnexpectedResponse =>
  new Failure.UnexpectedResponse({
    operation,
    attempts: [],
    status: 200,
    path: "result.list",
    expected: "expected rows that were not given before",
    body: excerpt(scrubber([]), keys)
  })
