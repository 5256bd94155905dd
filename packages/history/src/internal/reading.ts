import type * as Failure from "@effect-venue/transport/Failure"
import type * as Transport from "@effect-venue/transport/Transport"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Windows from "@effect-venue/transport/Windows"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Dataset from "../Dataset.js"
import type * as Manifest from "../Manifest.js"
import type * as Part from "../Part.js"
import type * as Spool from "../Spool.js"
import * as Sorting from "./sorting.js"
import { sumOf, walk } from "./walk.js"

/** A row on its way. What it says is kept as `value` alone, so that memory holds it once. */
export interface Entry<out V> {
  /** What makes it unique in its part: of equal records without id, the first and the second are told apart. */
  readonly key: string
  readonly value: V
  readonly mismatch: Dataset.Mismatch | undefined
  /** The version of it that an earlier export has. */
  readonly replaces: string | undefined
}

/** What is kept of a row. */
export type Keep<A, V> = (row: Dataset.Row, text: string, decoded: Either.Either<A, Dataset.Mismatch>) => V

/** What one window gave, as it came. */
interface Given<E> {
  readonly window: Windows.Window
  readonly rows: Sorting.Sorted<E>
  /** What was no record at all. */
  readonly strays: ReadonlyArray<Stray>
  readonly pages: number
  readonly anomalies: ReadonlyMap<string, number>
  readonly missing: ReadonlyArray<Manifest.Missing>
  readonly rereads: number
  readonly retries: number
  /** When reading it began, by the service's clock: what had exceeded the retention then cannot have been read. */
  readonly begunAt: number
  /** Forgets the rows. */
  readonly close: Effect.Effect<void>
}

interface Stray {
  readonly problem: string
  readonly row: unknown
}

/** A window as it is exported. */
export interface Content<out V, out E> {
  /** Oldest first, each once, some at a time; to be read once, and after those of the window before. */
  readonly pieces: Stream.Stream<ReadonlyArray<Entry<V>>, E>
  /** What there is to say of it, once its rows were read. */
  readonly end: Effect.Effect<End>
}

export interface End {
  readonly coverage: Manifest.Window
  readonly strays: ReadonlyArray<Stray>
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

export interface Options<A, V, E> {
  readonly part: Part.Part<A>
  readonly windows: ReadonlyArray<Windows.Window>
  readonly keep: Keep<A, V>
  /** Windows already done. */
  readonly skip: number
  readonly state: State
  /** When the export began: what is later cannot have been read. */
  readonly startedAt: number
  readonly concurrency: number
  readonly spool: Spool.Spool<E>
  readonly onPage: (rows: number) => Effect.Effect<void>
}

const unitMillis = { ms: 1, s: 1000 } as const

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

/** Instants that lie no further apart than this are read in one window. */
const neighbours = Duration.toMillis("1 minute")

/** Windows around instants, oldest first. */
export const around = (
  dataset: Dataset.Dataset<never, unknown>,
  instants: ReadonlyArray<number>
): ReadonlyArray<Windows.Window> => {
  const unit = unitMillis[dataset.windows.unit]
  const stretches: Array<Windows.Window> = []
  for (const at of instants.toSorted((one, other) => one - other)) {
    const from = Math.floor(at / unit) * unit
    const last = stretches.at(-1)
    if (last !== undefined && from - last.to <= neighbours)
      stretches.splice(-1, 1, { from: last.from, to: from + unit })
    else stretches.push({ from, to: from + unit })
  }
  return stretches.flatMap((stretch) => windowsOf(dataset, stretch))
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

/** Reads windows of one part. */
const reader = <A, V, E>({ onPage, part, spool }: Options<A, V, E>, scope: Scope.Scope) => {
  const { dataset } = part

  return (window: Windows.Window): Effect.Effect<Given<E>, Failure.ReadFailure | E, Transport.Transport> =>
    Effect.gen(function* () {
      const anomalies = new Map<string, number>()
      const count = (anomaly: string) => {
        anomalies.set(anomaly, (anomalies.get(anomaly) ?? 0) + 1)
      }
      let requests = 0
      let rereads = 0
      let retries = 0
      const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
      const begun = yield* Clock.currentTimeMillis

      /** Takes rows as they come; what is no record goes aside. */
      const collecting = Effect.gen(function* () {
        const strays: Array<Stray> = []
        const place = yield* Scope.extend(spool.open, own)
        const sorter = Sorting.make({ place, newestFirst: dataset.newestFirst, otherwise: window.from })
        const prepare = (rows: ReadonlyArray<unknown>): ReadonlyArray<Sorting.Raw> =>
          rows.flatMap((row) => {
            if (Predicate.isRecord(row)) return [{ at: Dataset.instant(dataset, row), text: JSON.stringify(row) }]
            count("noRecord")
            strays.push({ problem: "is no record", row })
            return []
          })
        return { strays, sorter, prepare, take: sorter.take }
      })

      const pages = <P>(
        asked: Windows.Window,
        {
          prepare,
          take
        }: {
          readonly prepare: (rows: ReadonlyArray<unknown>) => P
          readonly take: (prepared: P) => Effect.Effect<void, E>
        }
      ) =>
        Effect.tap(
          walk({
            page: (cursor) => part.page({ ...ask(dataset, asked), cursor }),
            prepare,
            take: (prepared, rows) => Effect.zipRight(take(prepared), onPage(rows)),
            count
          }),
          (walked) =>
            Effect.sync(() => {
              requests += walked.requests
              rereads += walked.rereads
            })
        )

      const listed = Effect.gen(function* () {
        const one = yield* collecting
        const first = yield* pages(window, one)
        // Records without id: is it the same one again, because the list has shifted meanwhile, or an equal one? Equal ones stay.
        const isUnclear = first.problem === undefined && first.overlaps > 0 && dataset.key === "content"
        if (isUnclear) count("overlappingPage")
        if (first.problem === undefined && !isUnclear) return { ...one, missing: [] }
        // Once more from the start: what went wrong may have been the cursor's fault.
        rereads++
        const two = yield* collecting
        const second = yield* pages(window, two)
        const [best, { problem }] =
          second.rows >= first.rows || second.problem === undefined ? [two, second] : [one, first]
        return { ...best, missing: problem === undefined ? [] : [{ ...window, because: reasons[problem] ?? problem }] }
      })

      /** Without pages: a window that is full may hold more, and is read in halves. */
      const halved = (limit: number) =>
        Effect.gen(function* () {
          const all = yield* collecting
          const missing: Array<Manifest.Missing> = []
          const unit = unitMillis[dataset.windows.unit]
          const read = (half: Windows.Window): Effect.Effect<void, Failure.ReadFailure | E, Transport.Transport> =>
            Effect.gen(function* () {
              let rows: ReadonlyArray<unknown> = []
              const { problem } = yield* pages(half, {
                prepare: (given) => given,
                take: (given) => Effect.sync(() => void (rows = given))
              })
              if (problem !== undefined) missing.push({ ...half, because: reasons[problem] ?? problem })
              const middle = Math.floor((half.from + (half.to - half.from) / 2) / unit) * unit
              if (rows.length >= limit && middle > half.from && middle < half.to) {
                // Newest first, as the rows of a page are.
                yield* read({ from: middle, to: half.to })
                return yield* read({ from: half.from, to: middle })
              }
              if (rows.length >= limit) {
                missing.push({ ...half, because: `${limit} rows at once, and the service gives no more` })
              }
              const isIts = (row: unknown): boolean => {
                const at = Predicate.isRecord(row) ? Dataset.instant(dataset, row) : undefined
                return at === undefined || at < window.from || at >= window.to || (at >= half.from && at < half.to)
              }
              yield* all.take(all.prepare(rows.filter(isIts)))
            })
          yield* read(window)
          return { ...all, missing: missing.toSorted((one, other) => one.from - other.from) }
        })

      const { missing, sorter, strays } = yield* Effect.provideService(
        Option.match(dataset.windows.halved, { onNone: () => listed, onSome: halved }),
        CallOptions.OnRetry,
        () =>
          Effect.sync(() => {
            retries++
          })
      )
      // Only its answers say what the service's clock is, so that it is asked for now and set back by what has passed since.
      const elapsed = (yield* Clock.currentTimeMillis) - begun
      const begunAt = Math.floor((yield* part.serverTime) - elapsed)
      return {
        window,
        begunAt,
        rows: sorter.sorted,
        strays,
        pages: requests,
        anomalies,
        missing,
        rereads,
        retries,
        close: Scope.close(own, Exit.void)
      }
    })
}

const reasons: Readonly<Record<string, string>> = {
  unreadableAnswer: "an answer could not be read",
  missingCursor: "a page did not say whether another one follows",
  repeatedCursor: "a page pointed back to one that was given before",
  repeatedPage: "a page was given in the place of another one"
}

/** What of a window cannot have been read, whatever was given. */
const unreadable = (
  dataset: Dataset.Dataset<never, unknown>,
  { begunAt, window }: Pick<Given<unknown>, "begunAt" | "window">,
  startedAt: number
): ReadonlyArray<Manifest.Missing> => {
  const reach = Option.map(dataset.windows.reachBack, Duration.toMillis)
  const oldest = Option.match(reach, { onNone: () => Number.NEGATIVE_INFINITY, onSome: (millis) => begunAt - millis })
  return [
    ...(window.from < oldest
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

/** A row of the instant that is looked at. */
interface Candidate {
  readonly at: number | undefined
  readonly row: Dataset.Row
  readonly text: string
  readonly key: string
}

/** Judges the rows of a window in time order, and counts. */
const judge = <A, V, E>(
  { keep, part, startedAt }: Options<A, V, E>,
  drift: (row: Dataset.Row) => ReadonlyArray<string>,
  state: State,
  given: Given<E>
) => {
  const { dataset } = part
  const { window } = given
  const isDated = Option.isSome(dataset.instant)
  const sent = ask(dataset, window)
  const isInside = (at: number): boolean => at >= window.from && at < window.to
  const isMargin = (at: number): boolean => at >= sent.from && at <= sent.to
  const tail = new Set(state.tail)
  const known = new Map(Object.entries(state.known))
  const anomalies = new Map(given.anomalies)
  const count = (anomaly: string) => {
    anomalies.set(anomaly, (anomalies.get(anomaly) ?? 0) + 1)
  }
  const strays = [...given.strays]
  const next: Array<string> = []
  const unsettled: Array<number> = []
  const counts = { rows: 0, duplicates: 0, known: 0, changed: 0, unsettled: 0, rejected: 0 }
  let first: number | undefined
  let last: number | undefined

  /** Rows of one instant, the first that came first: each once. */
  const distinct = (rows: ReadonlyArray<Sorting.Row>): ReadonlyArray<Candidate> => {
    const seen = new Map<string, number>()
    return rows.flatMap(({ at, text }) => {
      // Only records come this far, each as its own text.
      const row = JSON.parse(text) as Dataset.Row
      const base = Dataset.key(dataset, row)
      const before = seen.get(base)
      if (dataset.key === "content") {
        const occurrence = (before ?? 0) + 1
        seen.set(base, occurrence)
        return [{ at, row, text, key: occurrence === 1 ? base : `${base}#${occurrence}` }]
      }
      if (before === undefined) {
        seen.set(base, sumOf(text))
        // A sum is one over a stretch of time: the same of another stretch is another row.
        return [{ at, row, text, key: isDated ? base : `${new Date(window.from).toISOString()} ${base}` }]
      }
      if (before === sumOf(text)) {
        counts.duplicates++
      } else {
        count("conflictingRow")
        strays.push({ problem: "has the key of another row", row })
      }
      return []
    })
  }

  /** What an earlier export has of these: left out where it is the same, told where it is an earlier version. */
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
      const decoded = dataset.decode(row)
      const mismatch = Either.isLeft(decoded) ? decoded.left : undefined
      counts.rows++
      if (mismatch !== undefined) counts.rejected++
      if (at !== undefined) {
        first ??= at
        last = at
      }
      return { key, replaces, value: keep(row, text, decoded), mismatch }
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
      pages: given.pages,
      first: first ?? null,
      last: last ?? null,
      anomalies: Object.fromEntries([...anomalies].sort(([one], [other]) => (one < other ? -1 : 1))),
      missing: [...given.missing, ...unreadable(dataset, given, startedAt)]
    },
    strays,
    rereads: given.rereads,
    retries: given.retries,
    state: {
      tail: next,
      known: Object.fromEntries([...known].filter(([, versions]) => versions.length > 0)),
      unsettled: [...state.unsettled, ...unsettled]
    }
  })

  return { piece, end }
}

/** The windows of a part, one after the other. Some are read ahead; they are judged as their rows are taken. */
export const read = <A, V, E>(
  options: Options<A, V, E>
): Stream.Stream<Content<V, E>, Failure.ReadFailure | E, Transport.Transport> =>
  Stream.unwrapScoped(
    Effect.map(Effect.scope, (scope) => {
      const drift = driftOf(options.part.dataset)
      let state = options.state
      return Stream.fromIterable(options.windows.slice(options.skip)).pipe(
        Stream.mapEffect(reader(options, scope), { concurrency: options.concurrency }),
        Stream.map((given): Content<V, E> => {
          let judged: ReturnType<typeof judge<A, V, E>> | undefined
          const begin = () => (judged ??= judge(options, drift, state, given))
          return {
            pieces: Stream.map(given.rows, (rows) => begin().piece(rows)),
            end: Effect.zipLeft(
              Effect.sync(() => {
                const end = begin().end()
                state = end.state
                return end
              }),
              given.close
            )
          }
        })
      )
    })
  )

/** What goes to the side file: rows that do not fit, each with where and why. */
export const asides = (entries: ReadonlyArray<Entry<string>>): ReadonlyArray<string> =>
  entries.flatMap(({ mismatch, value }) =>
    mismatch === undefined
      ? []
      : [`{"path":${JSON.stringify(mismatch.path)},"problem":${JSON.stringify(mismatch.expected)},"row":${value}}`]
  )

/** The same, of what is no row. */
export const strayAsides = ({ strays }: End): ReadonlyArray<string> =>
  strays.map(({ problem, row }) => JSON.stringify({ path: "", problem, row }))
