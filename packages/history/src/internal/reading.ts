import type * as Failure from "@effect-venue/transport/Failure"
import type * as Transport from "@effect-venue/transport/Transport"
import * as Windows from "@effect-venue/transport/Windows"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as Dataset from "../Dataset.js"
import type * as Manifest from "../Manifest.js"
import type * as Part from "../Part.js"

/** A row on its way. What it says is kept as `value` alone, so that memory holds it once. */
export interface Entry<out V> {
  /** What makes it unique in its dataset; of records without id, equal for equal ones. */
  readonly base: string
  /** The same, counted: of equal records without id the first, the second. */
  readonly key: string
  readonly at: number | undefined
  readonly value: V
  /** Tells two rows of one key apart. */
  readonly sum: number
  readonly drift: ReadonlyArray<string>
  readonly mismatch: Dataset.Mismatch | undefined
}

/** What is kept of a row. */
export type Keep<A, V> = (row: Dataset.Row, text: string, decoded: Either.Either<A, Dataset.Mismatch>) => V

/** What one window gave, as it came. */
interface Given<V> {
  readonly window: Windows.Window
  readonly entries: ReadonlyArray<Entry<V>>
  /** What was no record at all, or has the key of another row. */
  readonly strays: ReadonlyArray<Stray>
  readonly pages: number
  readonly duplicates: number
  readonly anomalies: ReadonlyMap<string, number>
  readonly missing: ReadonlyArray<Manifest.Missing>
  readonly rereads: number
}

interface Stray {
  readonly problem: string
  readonly row: unknown
}

/** A window as it is exported. */
export interface Content<V> {
  readonly coverage: Manifest.Window
  /** Oldest first, each once. */
  readonly entries: ReadonlyArray<Entry<V>>
  readonly strays: ReadonlyArray<Stray>
  readonly rereads: number
}

/** What one window leaves behind for the next. */
export interface State {
  /** Keys of rows that the next window may give again. */
  readonly tail: ReadonlyArray<string>
  /** How often an earlier export has rows of a base, from the instant on at which both overlap. */
  readonly known: Readonly<Record<string, number>>
}

export const start: State = { tail: [], known: {} }

export interface Options<A, V> {
  readonly part: Part.Part<A>
  readonly range: Windows.Window
  readonly keep: Keep<A, V>
  /** Windows already done. */
  readonly skip: number
  readonly state: State
  /** Rows before this instant may be known to an earlier export. */
  readonly knownUntil: number
  /** When the export began: what lies beyond, or too far back, cannot have been read. */
  readonly startedAt: number
  readonly concurrency: number
  readonly onPage: (rows: number) => Effect.Effect<void>
}

const unitMillis = { ms: 1, s: 1000 } as const

/** How often one page is asked for again before its whole window is. */
const pageRereads = 2

/** The edge of what the service remembers moves while one reads. */
const grace = Duration.toMillis("1 hour")

/** Not a checksum for strangers, only for two rows of one key. */
const sumOf = (text: string): number => {
  let sum = 0x811c9dc5
  for (let index = 0; index < text.length; index++) sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193)
  return sum >>> 0
}

const hours = (millis: number): string => {
  const days = millis / Duration.toMillis("1 day")
  return days >= 2 ? `${Math.round(days)} days` : `${Math.round(millis / Duration.toMillis("1 hour"))} hours`
}

/**
 * The windows of a range. Each is asked for from one unit before its first instant up to its end, so that every reading of the
 * service's bounds gives all of it; what belongs to a neighbour is told by its instant.
 */
export const windowsOf = (
  dataset: Dataset.Dataset<never, unknown>,
  range: Windows.Window
): ReadonlyArray<Windows.Window> => {
  const { span, unit } = dataset.windows
  if (Option.isNone(dataset.instant) || !Duration.isFinite(span)) return [range]
  // A window on seconds is asked for from a whole second to a whole second.
  const margin = unit === "ms" ? 1 : 3000
  return Windows.split(range, Duration.millis(Duration.toMillis(span) - margin))
}

export const ask = (
  dataset: Dataset.Dataset<never, unknown>,
  { from, to }: Windows.Window
): Omit<Dataset.Ask, "cursor"> => {
  if (Option.isNone(dataset.instant)) return { from, to }
  const unit = unitMillis[dataset.windows.unit]
  return { from: Math.max(0, (Math.floor(from / unit) - 1) * unit), to: Math.ceil(to / unit) * unit }
}

const driftOf = (dataset: Dataset.Dataset<never, unknown>): ((row: Dataset.Row) => ReadonlyArray<string>) => {
  const columns = new Map(dataset.columns.map((column) => [column.name, column]))
  const none: ReadonlyArray<string> = []
  return (row) => {
    const found: Array<string> = []
    for (const [name, value] of Object.entries(row)) {
      const column = columns.get(name)
      if (column === undefined) found.push(`unknownField ${name}`)
      else if (column.isKnown !== undefined && value !== "" && value !== null && value !== undefined) {
        const text = typeof value === "string" || typeof value === "number" ? String(value) : undefined
        if (text !== undefined && !column.isKnown(text)) found.push(`unknownValue ${name}=${text.slice(0, 64)}`)
      }
    }
    return found.length === 0 ? none : found
  }
}

/** A page, and what is wrong with it. */
interface Step {
  readonly page: Dataset.Page
  readonly problem: string | undefined
}

/** Reads windows of one part. */
const reader = <A, V>({ keep, onPage, part }: Pick<Options<A, V>, "keep" | "onPage" | "part">) => {
  const { dataset } = part
  const drift = driftOf(dataset)

  const entryOf = (row: Dataset.Row, text: string): Omit<Entry<V>, "key"> => {
    const decoded = dataset.decode(row)
    return {
      base: Dataset.key(dataset, row),
      at: Dataset.instant(dataset, row),
      value: keep(row, text, decoded),
      sum: sumOf(text),
      drift: drift(row),
      mismatch: Either.isLeft(decoded) ? decoded.left : undefined
    }
  }

  /** From the first page to the last, or to one that cannot be. */
  const walk = (window: Windows.Window, count: (anomaly: string) => void) =>
    Effect.gen(function* () {
      const asked = ask(dataset, window)
      const pages: Array<ReadonlyArray<unknown>> = []
      const cursors = new Set<string>()
      const given = new Set<string>()
      let cursor: string | undefined
      let requests = 0
      let rereads = 0
      let overlaps = 0
      for (;;) {
        let step: Step | undefined
        for (let attempt = 0; attempt <= pageRereads; attempt++) {
          const answered = yield* Effect.either(part.page({ ...asked, cursor }))
          requests++
          if (Either.isLeft(answered)) {
            const failure = answered.left
            if (failure._tag !== "UnexpectedResponse") return yield* Effect.fail(failure)
            step = { page: { rows: [], next: "" }, problem: "unreadableAnswer" }
          } else {
            step = { page: answered.right, problem: problemOf(answered.right, cursor, cursors, given) }
          }
          if (step.problem === undefined) break
          count(step.problem)
          rereads++
        }
        if (step === undefined || step.problem !== undefined) {
          return { pages, requests, rereads, overlaps, problem: step?.problem }
        }
        if (isContinued(pages.at(-1), step.page.rows)) overlaps++
        pages.push(step.page.rows)
        given.add(signOf(step.page.rows))
        yield* onPage(step.page.rows.length)
        const { next } = step.page
        if (typeof next !== "string" || next === "") return { pages, requests, rereads, overlaps, problem: undefined }
        cursors.add(next)
        cursor = next
      }
    })

  const read = (window: Windows.Window): Effect.Effect<Given<V>, Failure.ReadFailure, Transport.Transport> =>
    Effect.gen(function* () {
      const anomalies = new Map<string, number>()
      const count = (anomaly: string) => {
        anomalies.set(anomaly, (anomalies.get(anomaly) ?? 0) + 1)
      }
      const one = yield* walk(window, count)
      // Records without id: is it the same one again, because the list has shifted meanwhile, or an equal one? Equal ones stay.
      const isUnclear = one.problem === undefined && one.overlaps > 0 && dataset.key === "content"
      if (isUnclear) count("overlappingPage")
      // Once more from the start: what went wrong may have been the cursor's fault.
      const two = one.problem === undefined && !isUnclear ? one : yield* walk(window, count)
      const best = rowsIn(two.pages) >= rowsIn(one.pages) || two.problem === undefined ? two : one
      const requests = one === two ? one.requests : one.requests + two.requests
      const missing: Array<Manifest.Missing> =
        best.problem === undefined ? [] : [{ ...window, because: reasons[best.problem] ?? best.problem }]
      return {
        ...collect(window, best.pages, count),
        pages: requests,
        anomalies,
        missing,
        rereads: one === two ? one.rereads : one.rereads + two.rereads + 1
      }
    })

  const collect = (
    window: Windows.Window,
    pages: ReadonlyArray<ReadonlyArray<unknown>>,
    count: (anomaly: string) => void
  ) => {
    const seen = new Map<string, number>()
    const entries: Array<Entry<V>> = []
    const strays: Array<Stray> = []
    let duplicates = 0
    for (const row of pages.flat()) {
      if (!Predicate.isRecord(row)) {
        count("noRecord")
        strays.push({ problem: "is no record", row })
        continue
      }
      const entry = entryOf(row, JSON.stringify(row))
      const before = seen.get(entry.base)
      if (dataset.key === "content") {
        const occurrence = (before ?? 0) + 1
        seen.set(entry.base, occurrence)
        entries.push({ ...entry, key: occurrence === 1 ? entry.base : `${entry.base}#${occurrence}` })
      } else if (before === undefined) {
        seen.set(entry.base, entry.sum)
        entries.push({ ...entry, key: entry.base })
      } else if (before === entry.sum) {
        duplicates++
      } else {
        count("conflictingRow")
        strays.push({ problem: "has the key of another row", row })
      }
    }
    // The service gives the newest first: turned round, rows of one instant stand in the order in which they came about.
    if (dataset.newestFirst) entries.reverse()
    return { window, entries, strays, duplicates }
  }

  /** Without pages: a window that is full may hold more, and is read in halves. */
  const halves = (
    window: Windows.Window,
    limit: number
  ): Effect.Effect<Given<V>, Failure.ReadFailure, Transport.Transport> =>
    Effect.gen(function* () {
      const given = yield* read(window)
      const unit = unitMillis[dataset.windows.unit]
      if (given.entries.length + given.duplicates + given.strays.length < limit) return given
      const middle = Math.floor((window.from + (window.to - window.from) / 2) / unit) * unit
      if (middle <= window.from || middle >= window.to) {
        const because = `${limit} rows at once, and the service gives no more`
        return { ...given, missing: [...given.missing, { ...window, because }] }
      }
      const older = yield* halves({ from: window.from, to: middle }, limit)
      const newer = yield* halves({ from: middle, to: window.to }, limit)
      const within =
        (half: Windows.Window) =>
        ({ at }: Entry<V>): boolean =>
          at === undefined || at < window.from || at >= window.to || (at >= half.from && at < half.to)
      const anomalies = new Map(older.anomalies)
      for (const [name, times] of [...newer.anomalies, ...given.anomalies])
        anomalies.set(name, (anomalies.get(name) ?? 0) + times)
      return {
        window,
        entries: [...older.entries.filter(within(older.window)), ...newer.entries.filter(within(newer.window))],
        strays: [...older.strays, ...newer.strays],
        pages: given.pages + older.pages + newer.pages,
        duplicates: older.duplicates + newer.duplicates,
        anomalies,
        missing: [...older.missing, ...newer.missing],
        rereads: given.rereads + older.rereads + newer.rereads
      }
    })

  return (window: Windows.Window) =>
    Option.match(dataset.windows.halved, { onNone: () => read(window), onSome: (limit) => halves(window, limit) })
}

const reasons: Readonly<Record<string, string>> = {
  unreadableAnswer: "an answer could not be read",
  missingCursor: "a page did not say whether another one follows",
  repeatedCursor: "a page pointed back to one that was given before",
  repeatedPage: "a page was given in the place of another one"
}

const rowsIn = (pages: ReadonlyArray<ReadonlyArray<unknown>>): number =>
  pages.reduce((rows, page) => rows + page.length, 0)

/** What a page is told by: its ends say enough, and all of it would be kept twice. */
const signOf = (rows: ReadonlyArray<unknown>): string =>
  rows.length === 0 ? "" : `${rows.length} ${JSON.stringify(rows[0])} ${JSON.stringify(rows.at(-1))}`

/** Whether a page begins with the row that the one before ended in. */
const isContinued = (before: ReadonlyArray<unknown> | undefined, rows: ReadonlyArray<unknown>): boolean =>
  before !== undefined &&
  before.length > 0 &&
  rows.length > 0 &&
  JSON.stringify(before.at(-1)) === JSON.stringify(rows[0])

const problemOf = (
  page: Dataset.Page,
  cursor: string | undefined,
  cursors: ReadonlySet<string>,
  given: ReadonlySet<string>
): string | undefined => {
  const { next } = page
  // Not there is not empty: it says nothing of whether there is more.
  if (next === undefined || (next !== null && typeof next !== "string")) return "missingCursor"
  if (next !== null && next !== "" && (cursors.has(next) || next === cursor)) return "repeatedCursor"
  // It stands in the place of another page, whose rows would be missing without a trace.
  return page.rows.length > 0 && given.has(signOf(page.rows)) ? "repeatedPage" : undefined
}

/** What of a window cannot have been read, whatever was given. */
const unreadable = (
  dataset: Dataset.Dataset<never, unknown>,
  window: Windows.Window,
  startedAt: number
): ReadonlyArray<Manifest.Missing> => {
  const reach = Option.map(dataset.windows.reachBack, Duration.toMillis)
  const oldest = Option.match(reach, { onNone: () => Number.NEGATIVE_INFINITY, onSome: (millis) => startedAt - millis })
  return [
    ...(window.from < oldest - grace
      ? [
          {
            from: window.from,
            to: Math.min(window.to, oldest),
            because: `the service remembers ${hours(Option.getOrElse(reach, () => 0))}`
          }
        ]
      : []),
    ...(window.to > startedAt
      ? [{ from: Math.max(window.from, startedAt), to: window.to, because: "it lay ahead when the export began" }]
      : [])
  ]
}

const assemble = <A, V>(
  { knownUntil, part, range, startedAt }: Options<A, V>,
  state: State,
  given: Given<V>
): readonly [State, Content<V>] => {
  const { dataset } = part
  const { window } = given
  const isDated = Option.isSome(dataset.instant)
  const asked = ask(dataset, window)
  const tail = new Set(state.tail)
  const known = { ...state.known }
  const anomalies = new Map(given.anomalies)
  const count = (anomaly: string) => {
    anomalies.set(anomaly, (anomalies.get(anomaly) ?? 0) + 1)
  }
  let duplicates = given.duplicates
  let knownRows = 0
  const next: Array<string> = []
  const kept = given.entries.filter((entry) => {
    const { at } = entry
    const isInside = at !== undefined && at >= window.from && at < window.to
    // What was only asked for to be sure of the borders.
    if (isDated && at !== undefined && !isInside && at >= asked.from && at <= asked.to) return false
    if (tail.has(entry.key)) {
      duplicates++
      return false
    }
    if (at !== undefined && at < knownUntil && (known[entry.base] ?? 0) > 0) {
      known[entry.base] = (known[entry.base] ?? 0) - 1
      knownRows++
      return false
    }
    if (isDated && at === undefined) count("noInstant")
    else if (isDated && !isInside) count("outsideWindow")
    for (const drift of entry.drift) count(drift)
    if (isDated && (!isInside || at >= window.to - 2000)) next.push(entry.key)
    return true
  })
  const ordered = isDated ? kept.sort((row, other) => (row.at ?? window.from) - (other.at ?? window.from)) : kept
  const instants = ordered.flatMap(({ at }) => (at === undefined ? [] : [at]))
  const missing = [...given.missing, ...unreadable(dataset, window, startedAt)]
  return [
    { tail: next, known: window.to >= Math.min(knownUntil, range.to) ? {} : known },
    {
      coverage: {
        ...window,
        rows: ordered.length,
        pages: given.pages,
        first: instants[0] ?? null,
        last: instants.at(-1) ?? null,
        duplicates,
        known: knownRows,
        rejected: ordered.filter(({ mismatch }) => mismatch !== undefined).length,
        anomalies: Object.fromEntries([...anomalies].sort(([one], [other]) => (one < other ? -1 : 1))),
        missing
      },
      entries: ordered,
      strays: given.strays,
      rereads: given.rereads
    }
  ]
}

/** The windows of a part, oldest first, each with the state after it. */
export const read = <A, V>(
  options: Options<A, V>
): Stream.Stream<readonly [Content<V>, State], Failure.ReadFailure, Transport.Transport> => {
  const one = reader(options)
  return Stream.fromIterable(windowsOf(options.part.dataset, options.range).slice(options.skip)).pipe(
    Stream.mapEffect(one, { concurrency: options.concurrency }),
    Stream.mapAccum(options.state, (state, given) => {
      const [after, content] = assemble(options, state, given)
      return [after, [content, after] as const]
    })
  )
}

/** What goes to the side file: rows that do not fit, each with where and why. */
export const asides = (content: Content<string>): ReadonlyArray<string> => [
  ...content.entries.flatMap(({ mismatch, value }) =>
    mismatch === undefined
      ? []
      : [`{"path":${JSON.stringify(mismatch.path)},"problem":${JSON.stringify(mismatch.expected)},"row":${value}}`]
  ),
  ...content.strays.map(({ problem, row }) => JSON.stringify({ path: "", problem, row }))
]
