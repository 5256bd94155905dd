import type * as Failure from "@effect-venue/transport/Failure"
import type * as Windows from "@effect-venue/transport/Windows"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Checkpoint from "../Checkpoint.js"
import type * as Part from "../Part.js"
import * as Spool from "../Spool.js"
import type * as Store from "../Store.js"
import { type AccountFailed, namingAccounts, type SinkFailure } from "./failures.js"
import { forEach } from "./forEach.js"
import * as Reconcile from "./reconcile.js"

/** How far an export has come; see `History.Progress`. */
interface Progress {
  readonly part: string
  readonly rows: number
  readonly pages: number
  readonly windowsDone: number
  readonly windows: number
  readonly windowsLeft: Readonly<Record<string, number>>
}

interface Options<R> {
  readonly parts: ReadonlyArray<Part.Part<unknown, R>>
  /** All windows of each part. */
  readonly windows: ReadonlyArray<ReadonlyArray<Windows.Window>>
  readonly store: Store.Store
  /** What was done before. */
  readonly checkpoint: Checkpoint.Checkpoint
  readonly concurrency: number
  readonly report: (progress: Progress) => Effect.Effect<void>
}

const doneOf = (checkpoint: Checkpoint.Checkpoint, index: number): number =>
  checkpoint.parts[index]?.windows.length ?? 0

const counter = <R>({ checkpoint, parts, report, windows }: Options<R>) => {
  const all = windows.reduce((sum, each) => sum + each.length, 0)
  const left = new Map(
    parts.map(({ name }, index) => [name, (windows[index]?.length ?? 0) - doneOf(checkpoint, index)])
  )
  let rows = 0
  let pages = 0
  let windowsDone = parts.reduce((sum, _, index) => sum + doneOf(checkpoint, index), 0)
  const reported = (part: string) =>
    Effect.suspend(() =>
      report({ part, rows, pages, windowsDone, windows: all, windowsLeft: Object.fromEntries(left) })
    )
  return {
    page: ({ name }: Part.Part<unknown, R>, more: number) =>
      Effect.suspend(() => {
        rows += more
        pages++
        return reported(name)
      }),
    window: ({ name }: Part.Part<unknown, R>) =>
      Effect.suspend(() => {
        windowsDone++
        left.set(name, (left.get(name) ?? 0) - 1)
        return reported(name)
      })
  }
}

/** The checkpoint after a window. */
const after = (
  checkpoint: Checkpoint.Checkpoint,
  index: number,
  { coverage, rereads, retries, state }: Reconcile.End
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

/** Reads the windows that are left, oldest first, and commits each with the checkpoint after it. Returns the last checkpoint. */
export const execute = <R>(
  options: Options<R>
): Effect.Effect<Checkpoint.Checkpoint, Failure.ReadFailure | AccountFailed | SinkFailure, R> =>
  Effect.suspend(() => {
    const { concurrency, parts, store, windows } = options
    let { checkpoint } = options
    const counts = counter(options)
    const read = Reconcile.read<unknown, string, SinkFailure, R, Failure.ReadFailure | AccountFailed>({
      units: parts.map((part, index) => ({
        part,
        windows: (windows[index] ?? []).slice(doneOf(checkpoint, index)),
        state: checkpoint.parts[index] ?? Reconcile.start
      })),
      keep: ({ text }) => text,
      concurrency,
      spool: store.spool ?? Spool.memory,
      failed: namingAccounts(parts),
      onPage: counts.page
    })
    return forEach(read, ({ end, index, part, pieces }) =>
      Effect.gen(function* () {
        let following: Checkpoint.Checkpoint | undefined
        const reached = Effect.map(end, (end) => (following ??= after(checkpoint, index, end)))
        const rows = Stream.map(pieces, (entries): Store.Piece => ({
          rows: entries.map(({ key, replaces, value }) => ({ key, replaces, text: value })),
          rejectedRows: Reconcile.rejectedRows(entries)
        }))
        const nonRecords = Effect.map(end, (end): Store.Piece => ({
          rows: [],
          rejectedRows: Reconcile.nonRecordLines(end)
        }))
        yield* store.commit({
          part,
          pieces: Stream.concat(rows, Stream.fromEffect(nonRecords)),
          checkpoint: reached
        })
        checkpoint = yield* reached
        yield* counts.window(part)
      })
    ).pipe(Effect.map(() => checkpoint))
  })
