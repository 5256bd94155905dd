import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import type * as Dataset from "../model/Dataset.js"
import * as Gaps from "../model/gaps.js"
import type * as Manifest from "../model/Manifest.js"
import type { FetchedWindow } from "../read/fetchWindow.js"
import * as Rows from "../formats/Rows.js"
import type * as Sink from "../store/Sink.js"
import { type Arrival, instantsOf } from "../read/arrivals.js"
import { lostGap, openGap, reasons } from "../read/missing.js"
import { sideLine } from "../read/collect.js"
import { mostListed } from "./conflicts.js"
import { EarlierVersions } from "./earlierVersions.js"
import { belonging, distinct, unseen } from "./filters.js"
import type { ReconcileState, Unit, WindowSummary } from "./models.js"
import { Notes } from "./notes.js"

/** Rows up to this long before the end of a window, in milliseconds, can be in the next one too. */
const border = 2000

/**
 * The parts of a window that cannot have been read, by the service's clock: those older than its retention at the end of the reading, and
 * those in the future at its beginning.
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
      const range = { from: window.from, to: Math.min(window.to, oldest) }
      return [lostGap(range, reasons.forgotten(reach))]
    }
  })
  return window.to <= begunAt
    ? forgotten
    : [...forgotten, openGap({ from: Math.max(window.from, begunAt), to: window.to }, reasons.future)]
}

type ArrivedRow = Sink.RowChunk["rows"][number] & Pick<Arrival, "mismatch">

/** Reconciles the rows of a window, in time order, with each other, the window before and an earlier export, and counts them. It has no effects. */
export class Reconciliation<E> {
  readonly #counts = { rows: 0, duplicates: 0, known: 0, changed: 0, unsettled: 0, rejected: 0 }
  readonly #notes: Notes
  readonly #earlier: EarlierVersions
  readonly #belongs: (row: Arrival) => boolean
  readonly #distinct: (rows: ReadonlyArray<Arrival>) => ReadonlyArray<Arrival>
  readonly #isNew: (arrival: Arrival, instants: ReadonlyArray<number>) => boolean
  readonly #tail: ReadonlySet<string>
  readonly #nextTail: Array<string> = []
  readonly #unsettled: Array<Manifest.Unsettled> = []
  readonly #isDated: boolean
  /** Whether records of the dataset can change. The first version of any other record counts. */
  readonly #changes: boolean
  readonly #missing: ReadonlyArray<Manifest.Missing>
  /** Sums over a range that was not read to its end: they are read again, and not exported before. */
  readonly #isIncompleteSum: boolean
  #first: number | undefined
  #last: number | undefined

  constructor(
    private readonly unit: Pick<Unit<unknown>, "conflicts" | "ids" | "part" | "shortened">,
    private readonly state: ReconcileState,
    private readonly fetched: FetchedWindow<E>
  ) {
    const { part } = unit
    this.#notes = new Notes(fetched.anomalies, unit.conflicts)
    this.#earlier = new EarlierVersions(part.dataset, state.known, unit.shortened)
    this.#belongs = belonging(part, fetched.window, this.#notes)
    this.#distinct = distinct(part, fetched.window, this.#notes, () => this.#counts.duplicates++)
    this.#isNew = unseen(unit, fetched.window, this.#notes)
    this.#tail = new Set(state.tail)
    this.#isDated = Option.isSome(part.dataset.instant)
    this.#changes = part.dataset.key === "content" || Rows.recordKey(part.dataset).length > 0
    this.#missing = [...fetched.missing, ...unreadable(part.dataset, fetched)]
    this.#isIncompleteSum = !this.#isDated && Gaps.open(this.#missing).length > 0
  }

  /** The entries of some rows. Rows of one instant are always in one call. */
  chunk(rows: ReadonlyArray<Arrival>): Sink.RowChunk {
    const entries: Array<ArrivedRow> = []
    if (this.#isIncompleteSum) return { rows: [], rejectedRows: [] }
    for (let from = 0; from < rows.length;) {
      const at = rows[from]?.at ?? this.fetched.window.from
      const together: Array<Arrival> = []
      for (let row = rows[from]; row !== undefined && (row.at ?? this.fetched.window.from) === at; row = rows[++from]) {
        together.push(row)
      }
      this.#instant(together, entries)
    }
    const unfit = entries.flatMap(({ mismatch, text }) =>
      mismatch === undefined ? [] : [sideLine(mismatch.expected, text, mismatch.path)]
    )
    return { rows: entries, rejectedRows: [...unfit, ...this.#notes.takeAside()] }
  }

  /** Run this after the last chunk. */
  summary(): WindowSummary {
    const { fetched, state } = this
    const { dataset } = this.unit.part
    const { window } = fetched
    return {
      coverage: {
        ...window,
        ...this.#counts,
        pages: fetched.pages,
        first: this.#first ?? null,
        last: this.#last ?? null,
        anomalies: this.#notes.anomalies,
        conflicts: this.#notes.conflicts.slice(0, mostListed),
        missing: this.#isIncompleteSum
          ? Gaps.open(this.#missing).map((gap) => ({ ...gap, ...window }))
          : [...this.#missing, ...this.#notes.missing(dataset, window)]
      },
      conflicts: this.#notes.conflicts,
      rejectedRows: fetched.rejectedRows,
      rereads: fetched.rereads,
      retries: fetched.retries,
      state: { tail: this.#nextTail, known: this.#earlier.left, unsettled: [...state.unsettled, ...this.#unsettled] }
    }
  }

  /** Adds the entries of the rows of one instant. */
  #instant(rows: ReadonlyArray<Arrival>, entries: Array<ArrivedRow>): void {
    const { newestFirst } = this.unit.part.dataset
    const belonging = this.#isDated ? rows.filter(this.#belongs) : rows
    // All versions that are unchanged are taken first, so that a changed row does not replace one of them.
    const changed: Array<Arrival> = []
    for (const row of this.#distinct(newestFirst ? belonging.toReversed() : belonging)) {
      if (this.#isChanged(row)) changed.push(row)
    }
    const found: Array<ArrivedRow> = []
    for (const row of changed) {
      const entry = this.#entry(row)
      if (entry !== undefined) found.push(entry)
    }
    // The service returns the newest first: reversed, rows of one instant are in the order in which they happened.
    entries.push(...(newestFirst ? found.reverse() : found))
  }

  /** Whether neither the window before nor an earlier export has a row as it is. */
  #isChanged(row: Arrival): boolean {
    if (this.#tail.has(row.key)) {
      this.#counts.duplicates++
      return false
    }
    // Rows that an earlier export has are included: they have to be read again as well.
    if (row.at !== undefined && row.isPending) this.#unsettled.push({ at: row.at, kind: "inProgress" })
    if (!this.#earlier.takes(row)) return true
    this.#counts.known++
    return false
  }

  /** The entry of a row, unless another window has it. */
  #entry(row: Arrival): ArrivedRow | undefined {
    const replaces = this.#earlier.replacedBy(row)
    const instants = this.#isDated ? instantsOf(this.unit.part.dataset, row) : []
    if (replaces !== undefined && !this.#changes) {
      this.#notes.conflict(row, "differs")
      return undefined
    }
    if (replaces !== undefined) this.#counts.changed++
    else if (!this.#isNew(row, instants)) {
      this.#counts.duplicates++
      return undefined
    }
    const { key, mismatch, text } = row
    this.#count(row, instants)
    return { key, replaces, text, mismatch }
  }

  #count({ at, drift, isPending, key, mismatch }: Arrival, instants: ReadonlyArray<number>): void {
    if (this.#isDated) {
      if (at === undefined) this.#notes.count("noInstant")
      const { to } = this.fetched.window
      if (instants.some((instant) => instant >= to - border)) this.#nextTail.push(key)
    }
    for (const anomaly of drift) this.#notes.count(anomaly)
    if (isPending) this.#counts.unsettled++
    this.#counts.rows++
    if (mismatch !== undefined) this.#counts.rejected++
    if (at !== undefined) {
      this.#first ??= at
      this.#last = at
    }
  }
}
