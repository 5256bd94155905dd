import type * as Failure from "@effect-venue/transport/Failure"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Checkpoint from "../model/Checkpoint.js"
import type { Progress } from "./History.js"
import type * as Part from "../model/Part.js"
import type * as Sink from "../store/Sink.js"
import type { AccountFailed, SinkFailure } from "../model/ExportFailure.js"
import { namingAccounts } from "./identity.js"
import { existingIds, idsOf } from "../reconcile/existingIds.js"
import { forEach } from "../platform/forEach.js"
import type * as Manifest from "../model/Manifest.js"
import * as Plan from "./plan.js"
import * as Conflicts from "../reconcile/conflicts.js"
import * as Rows from "../formats/Rows.js"
import { start, type WindowSummary } from "../reconcile/models.js"
import { isAside } from "../read/collect.js"
import { readWindows } from "../reconcile/readWindows.js"

interface Options<R> {
  readonly parts: ReadonlyArray<Part.Part<unknown, R>>
  readonly planned: Plan.Planned
  readonly store: Sink.Store
  /** Windows of earlier runs. */
  readonly checkpoint: Checkpoint.Checkpoint
  readonly concurrency: number
  readonly report: (progress: Progress) => Effect.Effect<void>
}

const doneOf = (checkpoint: Checkpoint.Checkpoint, index: number): number =>
  checkpoint.parts[index]?.windows.length ?? 0

const counter = <R>({ checkpoint, parts, planned: { windows }, report }: Options<R>) => {
  const all = windows.reduce((sum, each) => sum + each.length, 0)
  const left = new Map(
    parts.map(({ name }, index) => [name, (windows[index]?.length ?? 0) - doneOf(checkpoint, index)])
  )
  let rows = 0
  let pages = 0
  let windowsDone = parts.reduce((sum, _, index) => sum + doneOf(checkpoint, index), 0)
  const reportProgress = (part: string) =>
    Effect.suspend(() =>
      report({ part, rows, pages, windowsDone, windows: all, windowsLeft: Object.fromEntries(left) })
    )
  return {
    page: ({ name }: Part.Part<unknown, R>, more: number) =>
      Effect.suspend(() => {
        rows += more
        pages++
        return reportProgress(name)
      }),
    window: ({ name }: Part.Part<unknown, R>) =>
      Effect.suspend(() => {
        windowsDone++
        left.set(name, (left.get(name) ?? 0) - 1)
        return reportProgress(name)
      })
  }
}

/** The checkpoint after a window. */
const after = (
  checkpoint: Checkpoint.Checkpoint,
  index: number,
  { coverage, rereads, retries, state }: WindowSummary
): Checkpoint.Checkpoint => {
  const before = checkpoint.parts[index]
  return before === undefined
    ? checkpoint
    : {
        ...checkpoint,
        rereads: checkpoint.rereads + rereads,
        retries: checkpoint.retries + retries,
        parts: checkpoint.parts.with(index, { ...before, windows: [...before.windows, coverage], ...state })
      }
}

/** The parts with the windows that are left, and the ids of the rows that are there in windows that were read or will be read again. */
const unitsOf = <R>({ checkpoint, parts, planned, store }: Options<R>, aside: ReadonlyArray<ReadonlySet<string>>) =>
  Effect.forEach(parts, (part, index) => {
    const windows = planned.windows[index] ?? []
    const done = doneOf(checkpoint, index)
    const state = checkpoint.parts[index] ?? start
    // Before the first window the checkpoint has the versions of all of them.
    const ids =
      done === 0
        ? Effect.sync(() => idsOf(part.dataset, state.known))
        : existingIds(part, store, [...windows.slice(0, done), ...Plan.again(planned, index)])
    return Effect.map(ids, (ids) => ({
      part,
      windows: windows.slice(done),
      gaps: planned.gaps[index] ?? [],
      state,
      shortened: Rows.inFull,
      ids,
      conflicts: Conflicts.reportedConflicts(
        Conflicts.conflictsOf(part.dataset, windowsBefore(planned, index), aside[index] ?? [])
      )
    }))
  })

/** The windows of a part in the export that is continued. */
const windowsBefore = ({ continued }: Plan.Planned, index: number): ReadonlyArray<Manifest.Window> =>
  Option.match(continued, { onNone: () => [], onSome: ({ parts }) => parts[index]?.windows ?? [] })

/** Anomalies of windows whose rows were set aside. */
const setAside = ["conflictingRow", "noRecord", "outsideWindow"]

/**
 * The lines of a side file about rows that were set aside and not exported: a row that is read again is set aside once. Side files of other
 * rows are not read.
 */
const linesAside = <R>({ planned, store }: Options<R>, part: Part.Part<unknown, R>, index: number) => {
  const hasSome = windowsBefore(planned, index).some(({ anomalies }) =>
    setAside.some((name) => anomalies[name] !== undefined)
  )
  return hasSome
    ? Stream.runFold(store.rejectedLines(part), new Set<string>(), (lines, line) =>
        isAside(line) ? lines.add(line) : lines
      )
    : Effect.succeed(new Set<string>())
}

/** Reads the windows that are left, oldest first, and commits each with the checkpoint after it. Returns the last checkpoint. */
export const execute = <R>(
  options: Options<R>
): Effect.Effect<Checkpoint.Checkpoint, Failure.ReadFailure | AccountFailed | SinkFailure, R> =>
  Effect.gen(function* () {
    const { concurrency, parts, store } = options
    let { checkpoint } = options
    const counts = counter(options)
    const aside = yield* Effect.forEach(parts, (part, index) => linesAside(options, part, index))
    const units = yield* unitsOf(options, aside)
    const windows = readWindows<SinkFailure, R, Failure.ReadFailure | AccountFailed>({
      units,
      concurrency,
      spool: store.spool,
      failed: namingAccounts(parts),
      onPage: counts.page
    })
    yield* forEach(windows, ({ index, part, rows, summary }) =>
      Effect.gen(function* () {
        let following: Checkpoint.Checkpoint | undefined
        const reached = Effect.map(summary, (end) => (following ??= after(checkpoint, index, end)))
        const rest = Effect.map(summary, ({ rejectedRows }): Sink.RowChunk => ({ rows: [], rejectedRows }))
        const chunks = Stream.map(Stream.concat(rows, Stream.fromEffect(rest)), ({ rejectedRows, rows }) => ({
          rows,
          rejectedRows: rejectedRows.filter((line) => aside[index]?.has(line) !== true)
        }))
        yield* store.append({ part, chunks, checkpoint: reached })
        checkpoint = yield* reached
        yield* counts.window(part)
      })
    )
    return checkpoint
  })
