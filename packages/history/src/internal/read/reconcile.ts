import type * as Failure from "@effect-venue/transport/Failure"
import * as Lists from "@effect-venue/transport/Lists"
import * as Priority from "@effect-venue/transport/Priority"
import type * as Windows from "@effect-venue/transport/Windows"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Checkpoint from "../../Checkpoint.js"
import * as Dataset from "../../Dataset.js"
import type * as Manifest from "../../Manifest.js"
import type * as Part from "../../Part.js"
import type * as Spool from "../../Spool.js"
import type * as Sorting from "./sorting.js"
import { fetchWindow, type FetchedWindow, type NonRecord, reasons } from "./fetchWindow.js"
import * as Verbatim from "../model/verbatim.js"
import { ask } from "../model/datasetWindows.js"
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

/** Some rows of a window. */
export interface Piece<out V> {
  /** Oldest first, each once. */
  readonly entries: ReadonlyArray<Entry<V>>
  /** What the answers had and is not exported. */
  readonly aside: ReadonlyArray<NonRecord>
}

/** A window as it is exported. */
export interface Content<A, out V, out E, R> {
  readonly part: Part.Part<A, R>
  /** The number of its unit. */
  readonly index: number
  /** To be read once, and after those of the window before. */
  readonly pieces: Stream.Stream<Piece<V>, E>
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

/** State carried from one window to the next. */
export interface State {
  /** Keys of rows that the next window may give again. */
  readonly tail: ReadonlyArray<string>
  /** Versions of records that an earlier export has, where both overlap. */
  readonly known: Checkpoint.Versions
  /** Instants of rows that may still change. */
  readonly unsettled: ReadonlyArray<number>
}

export const start: State = { tail: [], known: [], unsettled: [] }

/** A part that is read. */
export interface Unit<A, R> {
  readonly part: Part.Part<A, R>
  /** The windows to read, oldest first. */
  readonly windows: ReadonlyArray<Windows.Window>
  readonly state: State
  /** Ids of rows that are there already; those that are read are added. */
  readonly ids: ReturnType<typeof Lists.ids>
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

/** Conflicts of a window that its manifest lists. */
const mostConflicts = 100

/** What is noticed while the rows of a window are reconciled. */
const makeNotes = (fetched: FetchedWindow<unknown>) => {
  const anomalies = new Map(fetched.anomalies)
  const conflicts: Array<Manifest.Conflict> = []
  let aside: Array<NonRecord> = []
  let filedElsewhere = false
  const count = (anomaly: string) => {
    anomalies.set(anomaly, (anomalies.get(anomaly) ?? 0) + 1)
  }
  return {
    count,
    conflict: (id: string, at: number | undefined) => {
      count("conflictingRow")
      if (conflicts.length < mostConflicts) conflicts.push({ id, at: at ?? null })
    },
    setAside: (problem: string, text: string) => {
      aside.push({ problem, text })
    },
    fileElsewhere: () => {
      filedElsewhere = true
    },
    takeAside: (): ReadonlyArray<NonRecord> => {
      const taken = aside
      aside = []
      return taken
    },
    conflicts,
    anomalies,
    /** Why rows of the window may be missing or wrong. */
    reasons: (dataset: Dataset.Dataset<never, unknown>): ReadonlyArray<string> => [
      ...(anomalies.has("outsideWindow") ? [reasons.outsideRows] : []),
      ...(filedElsewhere && Option.isSome(dataset.filedBy)
        ? [`the service files these records by ${dataset.filedBy.value.name}: some of here may be in other windows`]
        : []),
      ...(conflicts.length > 0 ? [conflicting(conflicts, anomalies.get("conflictingRow") ?? 0)] : [])
    ]
  }
}

const shownConflicts = 3

const conflicting = (conflicts: ReadonlyArray<Manifest.Conflict>, all: number): string => {
  const shown = conflicts.slice(0, shownConflicts).map(({ id }) => JSON.stringify(id.slice(0, 64)))
  const more = all > shown.length ? ` and ${all - shown.length} more` : ""
  return `${reasons.conflictingRows}: ${shown.join(", ")}${more}`
}

type Notes = ReturnType<typeof makeNotes>

/** Returns those rows that belong to a window. The margins were requested to be sure of its borders; rows beyond them are set aside. */
const belonging = (part: Part.Part<unknown, unknown>, window: Windows.Window, notes: Notes) => {
  const { dataset } = part
  const sent = ask(dataset, window)
  const isInside = (at: number): boolean => at >= window.from && at < window.to
  const isRequested = (at: number): boolean => at >= sent.from && at <= sent.to
  return ({ at, text }: Sorting.Row): boolean => {
    if (at === undefined || isInside(at)) return true
    const instants = Option.isNone(dataset.filedBy) ? [at] : Dataset.instants(dataset, Verbatim.line(text).row)
    if (instants.some(isInside)) {
      if (!isRequested(at)) notes.fileElsewhere()
      return true
    }
    if (!instants.some(isRequested)) {
      notes.count("outsideWindow")
      notes.setAside("lies outside of the window", text)
    }
    return false
  }
}

/** Rows of one instant, in the order of their arrival: each once. */
const distinct = (
  { dataset }: Part.Part<unknown, unknown>,
  window: Windows.Window,
  notes: Notes,
  onDuplicate: () => void
) => {
  const isDated = Option.isSome(dataset.instant)
  return (rows: ReadonlyArray<Sorting.Row>): ReadonlyArray<Candidate> => {
    const numbered = Lists.numbered()
    const texts = new Map<string, string>()
    return rows.flatMap(({ at, text }) => {
      const { row } = Verbatim.line(text)
      const base = Dataset.key(dataset, row)
      if (dataset.key === "content") return [{ at, row, text, key: numbered(base) }]
      const before = texts.get(base)
      if (before === undefined) {
        texts.set(base, text)
        // A sum is one over a stretch of time: the same of another stretch is another row.
        return [{ at, row, text, key: isDated ? base : `${new Date(window.from).toISOString()} ${base}` }]
      }
      if (Verbatim.isSameValue(before, text)) onDuplicate()
      else {
        notes.conflict(Dataset.idOfKey(base), at)
        notes.setAside("has the key of another row", text)
      }
      return []
    })
  }
}

/**
 * Leaves out rows that are there already, whatever window they were read in: rows without an instant, and those that the service may
 * file by two instants. A record whose id is there at another instant is kept, and is a conflict.
 */
const unseen = ({ dataset }: Part.Part<unknown, unknown>, ids: Unit<unknown, unknown>["ids"], notes: Notes) => {
  const isDated = Option.isSome(dataset.instant)
  const hasId = dataset.key !== "content"
  return ({ at, key }: Candidate): boolean => {
    if (!isDated || (!hasId && at !== undefined && Option.isNone(dataset.filedBy))) return true
    if (!ids.add(hasId ? Dataset.idOfKey(key) : key)) return true
    if (!hasId || at === undefined) return false
    notes.conflict(Dataset.idOfKey(key), at)
    return true
  }
}

/** Versions of records that an earlier export has. */
const makeKnown = (dataset: Dataset.Dataset<never, unknown>, versions: Checkpoint.Versions) => {
  const known = new Map(versions)
  let met = 0
  return {
    /** Whether an earlier export has this row. */
    takes: ({ row }: Candidate): boolean => {
      if (known.size === 0) return false
      const [identity, version] = Dataset.version(dataset, row)
      const there = known.get(identity) ?? []
      if (!there.includes(version)) return false
      known.set(identity, there.toSpliced(there.indexOf(version), 1))
      met++
      return true
    },
    /** The key of the row that this one replaces, if an earlier export has its record in another version. */
    replacedBy: ({ key, row }: Candidate): string | undefined => {
      if (known.size === 0) return undefined
      const [identity] = Dataset.version(dataset, row)
      const [earlier, ...more] = known.get(identity) ?? []
      if (earlier === undefined) return undefined
      known.set(identity, more)
      met++
      return dataset.key === "content" ? earlier : key
    },
    // The same value where nothing was met, so that a checkpoint need not contain it again.
    left: (): Checkpoint.Versions => (met === 0 ? versions : [...known].filter(([, versions]) => versions.length > 0))
  }
}

/** Rows up to this long before the end of a window may be in the next one too. */
const border = 2000

/** Reconciles the rows of a window in time order, and counts. */
const reconcile = <A, V, E>(
  { ids, part }: Pick<Unit<A, unknown>, "ids" | "part">,
  keep: Keep<A, V>,
  drift: (row: Dataset.Row) => ReadonlyArray<string>,
  state: State,
  fetched: FetchedWindow<E>
) => {
  const { dataset } = part
  const { window } = fetched
  const isDated = Option.isSome(dataset.instant)
  const notes = makeNotes(fetched)
  const counts = { rows: 0, duplicates: 0, known: 0, changed: 0, unsettled: 0, rejected: 0 }
  const onDuplicate = () => {
    counts.duplicates++
  }
  const belongs = belonging(part, window, notes)
  const each = distinct(part, window, notes, onDuplicate)
  const isNew = unseen(part, ids, notes)
  const known = makeKnown(dataset, state.known)
  const tail = new Set(state.tail)
  const next: Array<string> = []
  const unsettled: Array<number> = []
  let first: number | undefined
  let last: number | undefined

  const entryOf = ({ at, key, row, text }: Candidate, replaces: string | undefined): Entry<V> => {
    if (isDated) {
      if (at === undefined) notes.count("noInstant")
      if (Dataset.instants(dataset, row).some((instant) => instant >= window.to - border)) next.push(key)
    }
    for (const one of drift(row)) notes.count(one)
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
  }

  const group = (rows: ReadonlyArray<Sorting.Row>): ReadonlyArray<Entry<V>> => {
    const own = isDated ? rows.filter(belongs) : rows
    const arrived = dataset.newestFirst ? own.toReversed() : own
    const candidates = each(arrived).filter(({ key }) => {
      if (!tail.has(key)) return true
      onDuplicate()
      return false
    })
    // Those that an earlier export has too are still to be asked for again.
    for (const { at, row } of candidates) if (at !== undefined && dataset.settling.isPending(row)) unsettled.push(at)
    const others = candidates.filter((candidate) => {
      if (!known.takes(candidate)) return true
      counts.known++
      return false
    })
    const kept = others.flatMap((candidate) => {
      const replaces = known.replacedBy(candidate)
      if (replaces !== undefined) counts.changed++
      else if (!isNew(candidate)) {
        onDuplicate()
        return []
      }
      return [entryOf(candidate, replaces)]
    })
    // The service gives the newest first: turned round, rows of one instant stand in the order in which they came about.
    return dataset.newestFirst ? kept.reverse() : kept
  }

  const piece = (rows: ReadonlyArray<Sorting.Row>): Piece<V> => {
    const entries: Array<Entry<V>> = []
    for (let from = 0; from < rows.length;) {
      const by = rows[from]?.by
      let to = from + 1
      while (to < rows.length && rows[to]?.by === by) to++
      entries.push(...group(rows.slice(from, to)))
      from = to
    }
    return { entries, aside: notes.takeAside() }
  }

  const end = (): End => ({
    coverage: {
      ...window,
      ...counts,
      pages: fetched.pages,
      first: first ?? null,
      last: last ?? null,
      anomalies: Object.fromEntries([...notes.anomalies].sort(([one], [other]) => (one < other ? -1 : 1))),
      conflicts: notes.conflicts,
      missing: [
        ...fetched.missing,
        ...notes.reasons(dataset).map((because) => ({ ...window, because })),
        ...unreadable(dataset, fetched)
      ]
    },
    nonRecords: fetched.nonRecords,
    rereads: fetched.rereads,
    retries: fetched.retries,
    state: { tail: next, known: known.left(), unsettled: [...state.unsettled, ...unsettled] }
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
        return { index, unit, window, by: reached }
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
      const contentOf = (unit: Unit<A, R>, index: number, fetched: FetchedWindow<E>): Content<A, V, E, R> => {
        let reconciled: ReturnType<typeof reconcile<A, V, E>> | undefined
        let ended: End | undefined
        const begin = () =>
          (reconciled ??= reconcile(unit, keep, drifts[index] ?? (() => []), states[index] ?? start, fetched))
        const end = () => {
          if (ended === undefined) {
            ended = begin().end()
            states[index] = ended.state
          }
          return ended
        }
        return {
          part: unit.part,
          index,
          pieces: Stream.map(fetched.rows, (rows) => begin().piece(rows)),
          end: Effect.zipLeft(Effect.sync(end), fetched.close)
        }
      }
      return readAhead(
        inTurn(units),
        ({ index, unit, window }, turn) =>
          // Windows that progressed alike would end together, and all be reconciled and stored after the last page.
          (fetchers[index]?.(window) ?? Effect.dieMessage("a unit without windows")).pipe(
            Effect.map((fetched) => contentOf(unit, index, fetched)),
            Effect.provideService(Priority.Turn, turn)
          ),
        concurrency
      )
    })
  )

const sideLine = ({ problem, text }: NonRecord, path = ""): string =>
  `{"path":${JSON.stringify(path)},"problem":${JSON.stringify(problem)},"row":${text}}`

/** Lines of the side file: rows that do not fit, each with the place and the reason, and those that are not exported. */
export const rejectedRows = ({ aside, entries }: Piece<string>): ReadonlyArray<string> => [
  ...entries.flatMap(({ mismatch, value }) =>
    mismatch === undefined ? [] : [sideLine({ problem: mismatch.expected, text: value }, mismatch.path)]
  ),
  ...aside.map((one) => sideLine(one))
]

/** The same, of items that are no record. */
export const nonRecordLines = ({ nonRecords }: End): ReadonlyArray<string> => nonRecords.map((one) => sideLine(one))
