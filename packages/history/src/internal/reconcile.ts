import type * as Failure from "@effect-venue/transport/Failure"
import * as Lists from "@effect-venue/transport/Lists"
import * as Priority from "@effect-venue/transport/Priority"
import type * as Windows from "@effect-venue/transport/Windows"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Dataset from "../Dataset.js"
import type * as Manifest from "../Manifest.js"
import type * as Part from "../Part.js"
import type * as Spool from "../Spool.js"
import type * as Sorting from "./sorting.js"
import { fetchWindow, type FetchedWindow, type NonRecord } from "./fetchWindow.js"
import * as Verbatim from "./verbatim.js"
import { ask } from "./datasetWindows.js"
import { readAhead } from "./readAhead.js"

/** A row on its way. What it says is kept as `value` alone, so that memory holds it once. */
export interface Entry<out V> {
  /** What makes it unique in its part: equal records without id are numbered. */
  readonly key: string
  readonly value: V
  readonly mismatch: Dataset.Mismatch | undefined
  /** The version of it that an earlier export has. */
  readonly replaces: string | undefined
}

/** What is kept of a row. */
export type Keep<A, V> = (line: Verbatim.Line, decoded: Either.Either<A, Dataset.Mismatch>) => V

/** A window as it is exported. */
export interface Content<A, out V, out E, R> {
  readonly part: Part.Part<A, R>
  /** The number of its unit. */
  readonly index: number
  /** Oldest first, each once, some at a time; to be read once, and after those of the window before. */
  readonly pieces: Stream.Stream<ReadonlyArray<Entry<V>>, E>
  /** What there is to say of it, once its rows were read; the same however often it is asked for. */
  readonly end: Effect.Effect<End>
}

export interface End {
  readonly coverage: Manifest.Window
  readonly nonRecords: ReadonlyArray<NonRecord>
  readonly rereads: number
  readonly retries: number
  readonly state: State
}

/** What one window leaves behind for the next. */
export interface State {
  /** Keys of rows that the next window may give again. */
  readonly tail: ReadonlyArray<string>
  /** Versions of records that an earlier export has, where both overlap. */
  readonly known: Readonly<Record<string, ReadonlyArray<string>>>
  /** Instants of rows that may still change. */
  readonly unsettled: ReadonlyArray<number>
}

export const start: State = { tail: [], known: {}, unsettled: [] }

/** A part that is read. */
export interface Unit<A, R> {
  readonly part: Part.Part<A, R>
  /** The windows to read, oldest first. */
  readonly windows: ReadonlyArray<Windows.Window>
  readonly state: State
}

export interface Options<A, V, E, R, F> {
  readonly units: ReadonlyArray<Unit<A, R>>
  readonly keep: Keep<A, V>
  readonly concurrency: number
  readonly spool: Spool.Spool<E>
  /** Says more of a failure that ends the reading. */
  readonly failed: (part: Part.Part<A, R>, failure: Failure.ReadFailure) => F
  readonly onPage: (part: Part.Part<A, R>, rows: number) => Effect.Effect<void>
}

const hours = (millis: number): string => {
  const days = millis / Duration.toMillis("1 day")
  return days >= 2 ? `${Math.round(days)} days` : `${Math.round(millis / Duration.toMillis("1 hour"))} hours`
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

/**
 * What of a window cannot have been read, by the service's clock: what it had forgotten by the end of the reading, and what had not
 * passed at its beginning.
 */
const unreadable = (
  dataset: Dataset.Dataset<never, unknown>,
  { begunAt, endedAt, window }: Pick<FetchedWindow<unknown>, "begunAt" | "endedAt" | "window">
): ReadonlyArray<Manifest.Missing> => {
  const forgotten = Option.match(dataset.windows.reachBack, {
    onNone: () => [],
    onSome: (retention) => {
      const reach = Duration.toMillis(retention)
      const oldest = endedAt - reach
      if (window.from >= oldest) return []
      return [{ from: window.from, to: Math.min(window.to, oldest), because: `the service remembers ${hours(reach)}` }]
    }
  })
  return window.to <= begunAt
    ? forgotten
    : [
        ...forgotten,
        { from: Math.max(window.from, begunAt), to: window.to, because: "it was in the future when it was read" }
      ]
}

/** A row of the instant that is looked at. */
interface Candidate extends Verbatim.Line {
  readonly at: number | undefined
  readonly key: string
}

/** Reconciles the rows of a window in time order, and counts. */
const reconcile = <A, V, E>(
  part: Part.Part<A, unknown>,
  keep: Keep<A, V>,
  drift: (row: Dataset.Row) => ReadonlyArray<string>,
  state: State,
  fetched: FetchedWindow<E>
) => {
  const { dataset } = part
  const { window } = fetched
  const isDated = Option.isSome(dataset.instant)
  const sent = ask(dataset, window)
  const isInside = (at: number): boolean => at >= window.from && at < window.to
  const isMargin = (at: number): boolean => at >= sent.from && at <= sent.to
  const tail = new Set(state.tail)
  const known = new Map(Object.entries(state.known))
  const anomalies = new Map(fetched.anomalies)
  const count = (anomaly: string) => {
    anomalies.set(anomaly, (anomalies.get(anomaly) ?? 0) + 1)
  }
  const nonRecords = [...fetched.nonRecords]
  const next: Array<string> = []
  const unsettled: Array<number> = []
  const counts = { rows: 0, duplicates: 0, known: 0, changed: 0, unsettled: 0, rejected: 0 }
  let first: number | undefined
  let last: number | undefined
  let outside = 0
  let within = 0

  /** Rows of one instant, the first that came first: each once. */
  const distinct = (rows: ReadonlyArray<Sorting.Row>): ReadonlyArray<Candidate> => {
    const numbered = Lists.numbered()
    const texts = new Map<string, string>()
    return rows.flatMap(({ at, text }) => {
      const { row } = Verbatim.line(text)
      const base = Dataset.key(dataset, row)
      if (dataset.key === "content") {
        return [{ at, row, text, key: numbered(base) }]
      }
      const before = texts.get(base)
      if (before === undefined) {
        texts.set(base, text)
        // A sum is one over a stretch of time: the same of another stretch is another row.
        return [{ at, row, text, key: isDated ? base : `${new Date(window.from).toISOString()} ${base}` }]
      }
      if (Verbatim.isSameValue(before, text)) {
        counts.duplicates++
      } else {
        count("conflictingRow")
        nonRecords.push({ problem: "has the key of another row", text })
      }
      return []
    })
  }

  /** The rows that an earlier export does not have: equal ones are left out, later versions name the row that they replace. */
  const fresh = (candidates: ReadonlyArray<Candidate>): ReadonlyArray<Candidate & Pick<Entry<V>, "replaces">> => {
    if (known.size === 0) return candidates.map((one) => ({ ...one, replaces: undefined }))
    const others = candidates.filter(({ row }) => {
      const [identity, version] = Dataset.version(dataset, row)
      const versions = known.get(identity) ?? []
      if (!versions.includes(version)) return true
      known.set(identity, versions.toSpliced(versions.indexOf(version), 1))
      counts.known++
      return false
    })
    return others.map((one) => {
      const [identity] = Dataset.version(dataset, one.row)
      const [earlier, ...more] = known.get(identity) ?? []
      if (earlier === undefined) return { ...one, replaces: undefined }
      known.set(identity, more)
      counts.changed++
      return { ...one, replaces: dataset.key === "content" ? earlier : one.key }
    })
  }

  const group = (rows: ReadonlyArray<Sorting.Row>): ReadonlyArray<Entry<V>> => {
    // What was only asked for to be sure of the borders.
    const asked = isDated ? rows.filter(({ at }) => at === undefined || isInside(at) || !isMargin(at)) : rows
    if (isDated) {
      for (const { at } of rows) {
        if (at === undefined || isMargin(at)) within++
        else outside++
      }
    }
    const arrived = dataset.newestFirst ? asked.toReversed() : asked
    const candidates = distinct(arrived).filter(({ key }) => {
      if (!tail.has(key)) return true
      counts.duplicates++
      return false
    })
    // Those that an earlier export has too are still to be asked for again.
    for (const { at, row } of candidates) if (at !== undefined && dataset.settling.isPending(row)) unsettled.push(at)
    const kept = fresh(candidates).map(({ at, key, replaces, row, text }): Entry<V> => {
      if (isDated) {
        if (at === undefined) count("noInstant")
        else if (!isInside(at)) count("outsideWindow")
        if (at === undefined || !isInside(at) || at >= window.to - 2000) next.push(key)
      }
      for (const one of drift(row)) count(one)
      if (dataset.settling.isPending(row)) counts.unsettled++
      const decoded = dataset.decode(Verbatim.valueOf({ row, text }))
      const mismatch = Either.isLeft(decoded) ? decoded.left : undefined
      counts.rows++
      if (mismatch !== undefined) counts.rejected++
      if (at !== undefined) {
        first ??= at
        last = at
      }
      return { key, replaces, value: keep({ row, text }, decoded), mismatch }
    })
    // The service gives the newest first: turned round, rows of one instant stand in the order in which they came about.
    return dataset.newestFirst ? kept.reverse() : kept
  }

  const piece = (rows: ReadonlyArray<Sorting.Row>): ReadonlyArray<Entry<V>> => {
    const entries: Array<Entry<V>> = []
    for (let from = 0; from < rows.length;) {
      const by = rows[from]?.by
      let to = from + 1
      while (to < rows.length && rows[to]?.by === by) to++
      entries.push(...group(rows.slice(from, to)))
      from = to
    }
    return entries
  }

  const end = (): End => ({
    coverage: {
      ...window,
      ...counts,
      pages: fetched.pages,
      first: first ?? null,
      last: last ?? null,
      anomalies: Object.fromEntries([...anomalies].sort(([one], [other]) => (one < other ? -1 : 1))),
      missing: [
        ...fetched.missing,
        ...(outside > 0 && within === 0
          ? [{ ...window, because: "the rows that came all lie outside of what was asked for" }]
          : []),
        ...unreadable(dataset, fetched)
      ]
    },
    nonRecords,
    rereads: fetched.rereads,
    retries: fetched.retries,
    state: {
      tail: next,
      // The same object where nothing was met, so that a checkpoint need not say it again.
      known:
        counts.known + counts.changed === 0
          ? state.known
          : Object.fromEntries([...known].filter(([, versions]) => versions.length > 0)),
      unsettled: [...state.unsettled, ...unsettled]
    }
  })

  return { piece, end }
}

/** The windows of all units in the order in which they are read: what the service forgets first comes first. */
const inTurn = <A, R>(units: ReadonlyArray<Unit<A, R>>) =>
  units
    .flatMap((unit, index) => {
      // Windows of one unit stay in their order.
      let reached = Number.NEGATIVE_INFINITY
      return unit.windows.map((window) => {
        reached = Math.max(reached, window.from)
        return { index, part: unit.part, window, by: reached }
      })
    })
    .sort((one, other) => one.by - other.by || one.index - other.index)

/**
 * The windows of all units, oldest first. Some are read ahead; they are reconciled as their rows are taken, each with what the window of
 * its unit before left behind.
 */
export const read = <A, V, E, R, F>(
  options: Options<A, V, E, R, F>
): Stream.Stream<Content<A, V, E, R>, Failure.ReadFailure | E | F, R> =>
  Stream.unwrapScoped(
    Effect.map(Effect.scope, (scope) => {
      const { concurrency, failed, keep, onPage, spool, units } = options
      const states = units.map(({ state }) => state)
      const drifts = units.map(({ part }) => driftOf(part.dataset))
      const fetchers = units.map(({ part }) =>
        fetchWindow(
          { part, spool, failed: (failure) => failed(part, failure), onPage: (rows) => onPage(part, rows) },
          scope
        )
      )
      const contentOf = (part: Part.Part<A, R>, index: number, fetched: FetchedWindow<E>): Content<A, V, E, R> => {
        let reconciled: ReturnType<typeof reconcile<A, V, E>> | undefined
        let ended: End | undefined
        const begin = () =>
          (reconciled ??= reconcile(part, keep, drifts[index] ?? (() => []), states[index] ?? start, fetched))
        const end = () => {
          if (ended === undefined) {
            ended = begin().end()
            states[index] = ended.state
          }
          return ended
        }
        return {
          part,
          index,
          pieces: Stream.map(fetched.rows, (rows) => begin().piece(rows)),
          end: Effect.zipLeft(Effect.sync(end), fetched.close)
        }
      }
      return readAhead(
        inTurn(units),
        ({ index, part, window }, turn) =>
          // Windows that progressed alike would end together, and all be reconciled and stored after the last page.
          (fetchers[index]?.(window) ?? Effect.dieMessage("a unit without windows")).pipe(
            Effect.map((fetched) => contentOf(part, index, fetched)),
            Effect.provideService(Priority.Turn, turn)
          ),
        concurrency
      )
    })
  )

/** What goes to the side file: rows that do not fit, each with where and why. */
export const rejectedRows = (entries: ReadonlyArray<Entry<string>>): ReadonlyArray<string> =>
  entries.flatMap(({ mismatch, value }) =>
    mismatch === undefined
      ? []
      : [`{"path":${JSON.stringify(mismatch.path)},"problem":${JSON.stringify(mismatch.expected)},"row":${value}}`]
  )

/** The same, of what is no row. */
export const nonRecordLines = ({ nonRecords }: End): ReadonlyArray<string> =>
  nonRecords.map(({ problem, text }) => `{"path":"","problem":${JSON.stringify(problem)},"row":${text}}`)
