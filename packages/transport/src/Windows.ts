/**
 * Time ranges split into windows that the service accepts. All ranges are half-open: `from` belongs to them, `to` does not.
 *
 * @since 0.1.0
 */
import * as Instant from "@effect-venue/schemas/Instant"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Failure from "./Failure.js"
import * as Lists from "./Lists.js"

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
 * A range of a history that the service keeps for a limited time only.
 *
 * @since 0.1.0
 * @category models
 */
export interface HistoryRange {
  /** The first instant that belongs to the range, or `"earliest"`: the oldest instant that the service keeps when the read begins. */
  readonly from: Instant.Input
  /** The first instant that no longer does. */
  readonly to: Instant.Input
  /**
   * What happens to a `from` that exceeds the retention. `fail`: the read fails with `BeyondRetention` before the first row. `clamp`: it
   * begins at the oldest instant that the service keeps, and has no rows where all of the range is older. Defaults to `fail`.
   */
  readonly beyondRetention?: "fail" | "clamp" | undefined
}

const refused = (operation: string, field: string, rule: string) =>
  new Failure.InvalidRequest({ operation, field, rule, issues: [{ field, rule }] })

const instant = (operation: string, field: string, input: Instant.Input) =>
  Either.mapLeft(Instant.parse(input), (rule) => refused(operation, field, rule))

/**
 * Checks a range: both ends are instants, and `from` is before `to`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (operation: string, range: Range): Either.Either<Window, Failure.InvalidRequest> =>
  Either.gen(function* () {
    const from = yield* instant(operation, "from", range.from)
    const to = yield* instant(operation, "to", range.to)
    return from < to ? { from, to } : yield* Either.left(refused(operation, "from", "must be before to"))
  })

/**
 * How long the service keeps the records of an operation, and its clock in milliseconds. `keeps` is `none` where that is not documented.
 *
 * @since 0.1.0
 * @category models
 */
export interface Retention {
  readonly keeps: Option.Option<Duration.Duration>
  readonly now: number
}

const earliestOf = ({ keeps, now }: Retention): Option.Option<number> =>
  Option.map(keeps, (retention) => now - Duration.toMillis(retention))

/**
 * The failure of a range that begins at `from`, where that exceeds the retention.
 *
 * @since 0.1.0
 * @category combinators
 */
export const beyondRetention = (
  operation: string,
  from: number,
  retention: Retention
): Option.Option<Failure.BeyondRetention> =>
  Option.map(
    Option.filter(Option.all([retention.keeps, earliestOf(retention)]), ([, earliest]) => from < earliest),
    ([keeps, earliest]) =>
      new Failure.BeyondRetention({
        operation,
        from: DateTime.unsafeMake(from),
        earliest: DateTime.unsafeMake(earliest),
        retention: keeps
      })
  )

/**
 * Checks a range as `make` does, and its start against the retention. `"earliest"` is refused where the retention is not documented.
 * A clamped range may be empty: `from` equals `to`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const within = (
  operation: string,
  range: HistoryRange,
  retention: Retention
): Either.Either<Window, Failure.InvalidRequest | Failure.BeyondRetention> =>
  Either.gen(function* () {
    const earliest = earliestOf(retention)
    if (range.from === "earliest") {
      const from = yield* Either.fromOption(earliest, () =>
        refused(operation, "from", "must be an instant: the service documents no retention for this operation")
      )
      const to = yield* instant(operation, "to", range.to)
      const rule = `must be after ${DateTime.formatIso(DateTime.unsafeMake(from))}, the earliest instant that the service keeps`
      return from < to ? { from, to } : yield* Either.left(refused(operation, "to", rule))
    }
    const { from, to } = yield* make(operation, range)
    const beyond = beyondRetention(operation, from, retention)
    if (Option.isNone(beyond)) return { from, to }
    if (range.beyondRetention !== "clamp") return yield* Either.left(beyond.value)
    return { from: Math.min(to, beyond.value.earliest.epochMillis), to }
  })

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
  /** The operation, for the failure of a list that cannot be right. */
  readonly operation: string
  readonly range: Window
  /** The longest window that the service accepts. */
  readonly span: Duration.Duration
  /** How many windows are read at a time; the rate limits bound the gain. Defaults to 4. */
  readonly concurrency?: number | undefined
  /** Requests the page of a window at a cursor. Whether both ends of the window are included is up to the service. */
  readonly page: (window: Window, cursor: string | undefined) => Effect.Effect<Lists.Page<Row>, E, R>
  /** What rows are compared by. */
  readonly key: (row: Row) => string
  /**
   * Whether the key is an `id`, so that rows of one key are one record, or all of the `content` of records that have no id: several of
   * them may be equal. Defaults to `id`.
   */
  readonly keyIs?: "id" | "content" | undefined
  /** The instant of a row, in milliseconds. */
  readonly at: (row: Row) => number
  /** Another instant by which the service may file a row, in milliseconds. */
  readonly filedAt?: ((row: Row) => number) | undefined
}

/**
 * The content of one window: its rows, oldest first, each once.
 *
 * @since 0.1.0
 * @category models
 */
export interface Content<Row> {
  readonly window: Window
  readonly rows: ReadonlyArray<Row>
  readonly pages: number
  /** Rows that were left out because they were there already. */
  readonly duplicates: number
}

/**
 * Reads a range window by window, oldest first. Neighbouring windows share a border, so that no reading of the service's bounds
 * can lose a row; a row that both give is kept once, and a row at the very end of the range, which does not belong to it, is
 * left out. Memory holds as many windows as are read side by side; one that is read again counts twice.
 *
 * A page that is malformed (see `Lists.Kind`) is requested twice more, and then its window is read again from its start, once. If
 * that does not help, the stream fails with `UnexpectedResponse`. It fails so too at a window whose answer has rows outside of it, and at
 * a row whose id another one has with other contents or another instant.
 *
 * Of records without id, equal ones are all kept; of those at a common border as many as the window with more of them has. A window whose
 * pages have rows of the page before is read again, since its list may have shifted meanwhile; until two readings agree, or the stream
 * ends with `UnexpectedResponse`.
 *
 * @since 0.1.0
 * @category streams
 */
export const read = <Row, E, R>(
  options: Read<Row, E, R>
): Stream.Stream<Content<Row>, E | Failure.UnexpectedResponse, R> => {
  const contents = Stream.fromIterable(split(options.range, options.span)).pipe(
    Stream.mapEffect(readWindow(options), { concurrency: options.concurrency ?? 4 })
  )
  // Each run of the stream begins anew: the rows of another one do not count.
  return Stream.suspend(() => {
    const distinct = withoutDoubles(options)
    return Stream.mapEffect(contents, ({ pages, rows, window }) =>
      Either.match(distinct(rows), {
        onLeft: (problem) => Effect.fail(Lists.failure(options.operation, problem)),
        onRight: (kept): Effect.Effect<Content<Row>> => {
          // The service gives the newest first: turned round, rows of one instant stand in the order in which they came about.
          const ordered = kept.toReversed().sort((row, other) => options.at(row) - options.at(other))
          return Effect.succeed({ window, rows: ordered, pages, duplicates: rows.length - kept.length })
        }
      })
    )
  })
}

/** The rows of one window that belong to the range, as its pages have them. Fails at rows that the range of the request does not contain. */
const readOnce = <Row, E, R>(options: Read<Row, E, R>, window: Window) =>
  Effect.suspend(() => {
    const { at, filedAt, key, page, range } = options
    const content: Array<Row> = []
    let outside: Row | undefined
    const list = {
      page: (cursor: string | undefined) => page(window, cursor),
      text: key,
      comparesRows: true,
      prepare: ({ rows }: Lists.Page<Row>) => rows
    }
    const isRequested = (instant: number): boolean => instant >= window.from && instant <= window.to
    const take = (rows: ReadonlyArray<Row>) =>
      Effect.sync(() => {
        for (const row of rows) {
          const instants = (filedAt === undefined ? [at(row)] : [at(row), filedAt(row)]).filter(isRequested)
          if (instants.length === 0) outside ??= row
          else if (instants.some((instant) => instant < range.to)) content.push(row)
        }
      })
    return Effect.map(Lists.walk(list, take), (walked) => ({ content: { rows: content, outside }, walked }))
  })

/** A row as text. Money has its value there, whatever its spelling. */
const print = (row: unknown): string =>
  JSON.stringify(row, (_name, value: unknown) => (typeof value === "bigint" ? String(value) : value))

const problemAt = (kind: Lists.Kind, row: unknown): Lists.Problem<never> => ({ kind, shown: print(row) })

const readWindow =
  <Row, E, R>(options: Read<Row, E, R>) =>
  (window: Window) =>
    Effect.flatMap(Lists.untilClear(readOnce(options, window)), ({ content: { outside, rows }, problem, walked }) => {
      const wrong = problem ?? (outside === undefined ? undefined : problemAt("outsideRows", outside))
      return wrong === undefined
        ? Effect.succeed({ window, rows, pages: walked.requests - walked.rereads })
        : Effect.fail(Lists.failure(options.operation, wrong))
    })

/**
 * Leaves out rows that the window or the one before has had. Of records without id, the first and the second of equal ones are two; rows
 * of one id that differ are a problem.
 */
const withoutDoubles = <Row, E, R>({ filedAt, key, keyIs }: Read<Row, E, R>) => {
  const isId = keyIs !== "content"
  const ids = Lists.ids()
  let before: ReadonlyMap<string, Row> = new Map()
  return (rows: ReadonlyArray<Row>): Either.Either<ReadonlyArray<Row>, Lists.Problem<never>> => {
    const seen = new Map<string, Row>()
    const keyOf = isId ? (id: string) => id : Lists.numbered()
    const kept: Array<Row> = []
    for (const row of rows) {
      const id = keyOf(key(row))
      const earlier = seen.get(id) ?? before.get(id)
      const isNew = !seen.has(id)
      if (isNew) seen.set(id, row)
      if (earlier !== undefined) {
        if (isId && print(earlier) !== print(row)) return Either.left(problemAt("conflictingRows", row))
        continue
      }
      // A record that may be filed by another instant may be in the answers of two windows.
      if ((isId || filedAt !== undefined) && ids.add(id)) {
        if (isId) return Either.left(problemAt("conflictingRows", row))
        continue
      }
      kept.push(row)
    }
    before = seen
    return Either.right(kept)
  }
}
