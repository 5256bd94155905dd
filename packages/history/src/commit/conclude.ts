import * as Arr from "effect/Array"
import * as Option from "effect/Option"
import type * as Checkpoint from "../model/Checkpoint.js"
import type * as Dataset from "../model/Dataset.js"
import * as DatasetWindows from "../model/datasetWindows.js"
import * as Gaps from "../model/gaps.js"
import * as Manifest from "../model/Manifest.js"
import * as Part from "../model/Part.js"
import * as Rows from "../formats/Rows.js"
import { inOrder } from "../read/partRange.js"
import { type Planned, toField } from "./plan.js"

type Windows = ReadonlyArray<Manifest.Window>

/** Whether a reading found neither a row nor a conflict that is not there. */
const isIdle = (window: Manifest.Window): boolean => window.rows === 0 && Manifest.conflictsOf([window]) === 0

/** A window whose gaps have the reasons of a later reading that left them. */
const renewReasons =
  ({ missing: later }: Manifest.Window) =>
  (window: Manifest.Window): Manifest.Window => {
    const missing = window.missing.map((gap) => {
      const again = later.find(({ from, lost, to }) => lost === gap.lost && from < gap.to && to > gap.from)
      return again === undefined ? gap : { ...gap, because: again.because }
    })
    return { ...window, missing }
  }

/** The last window that an idle one after it can be joined with: one request covers both, and the gaps are those that the idle window left. */
const joinIdle = (
  dataset: Dataset.Dataset<never, unknown>,
  earlier: Windows,
  rest: Windows,
  window: Manifest.Window,
  gaps: ReadonlyArray<Gaps.Gap>
): Windows | undefined => {
  for (const [index, each] of [...earlier.entries()].reverse()) {
    if (each.to < window.from || each.from > window.to) continue
    const joined = Manifest.joinWindow(each, window)
    if (DatasetWindows.windowsOf(dataset, joined).length !== 1) continue
    const all = earlier.with(index, joined)
    if (Gaps.isSameRanges(Gaps.ofWindows([...all, ...rest]), gaps)) return all
  }
  return undefined
}

/**
 * The windows of a part after a run that continues it. A reading without new rows adds none if an earlier window can have its range, so that a manifest
 * does not grow with every run; one that leaves each gap as it was adds its reason alone.
 */
export const continueWindows = (dataset: Dataset.Dataset<never, unknown>, before: Windows, added: Windows): Windows => {
  if (before.length === 0) return added
  let earlier = before
  const rest: Array<Manifest.Window> = []
  let gaps = Gaps.ofWindows(before)
  let end = before.reduce((last, { to }) => Math.max(last, to), 0)
  for (const window of added) {
    const left = Gaps.afterWindow(gaps, window)
    const isAsItWas = isIdle(window) && window.to <= end && Gaps.isSameRanges(gaps, left)
    const joined = isAsItWas
      ? earlier.map(renewReasons(window))
      : isIdle(window)
        ? joinIdle(dataset, earlier, rest, window, left)
        : undefined
    if (joined === undefined) rest.push(window)
    else earlier = joined
    gaps = left
    end = Math.max(end, window.to)
  }
  return [...earlier, ...rest]
}

/** The manifest of an export whose windows are all read. */
export const conclude = (
  { continued, plan, whole }: Pick<Planned, "continued" | "plan" | "whole">,
  parts: ReadonlyArray<Part.Part<unknown, unknown>>,
  checkpoint: Checkpoint.Checkpoint,
  { endedAt, wallets }: { readonly endedAt: number; readonly wallets: ReadonlyArray<Manifest.Wallet> }
): Manifest.Manifest => {
  const made = Arr.zip(parts, checkpoint.parts).map(([part, { identity, unsettled, windows }], index) => {
    const before = Option.getOrUndefined(Option.flatMapNullable(continued, ({ parts }) => parts[index]))
    return Manifest.part(Part.subject(part), continueWindows(part.dataset, before?.windows ?? [], windows), {
      columns: part.dataset.columns,
      recordKey: Rows.recordKey(part.dataset),
      identity,
      caveat: Option.getOrNull(part.dataset.caveat),
      unsettled: inOrder(unsettled),
      files: before?.files ?? [],
      rejected: before?.rejected ?? []
    })
  })
  const { rereads, retries, startedAt, starts } = checkpoint
  const missing = Manifest.missingOf(made)
  const missingBefore = Option.match(continued, { onNone: () => [], onSome: ({ missing }) => missing })
  const manifest = Manifest.make(whole, plan.format, made, {
    startedAt,
    endedAt,
    starts,
    rereads,
    retries,
    lost: made.flatMap(({ name }) => {
      const ofPart = <A extends Manifest.MissingOfPart>(gaps: ReadonlyArray<A>) =>
        gaps.filter(({ part }) => part === name)
      return Gaps.newlyLost(ofPart(missingBefore), ofPart(missing))
    }),
    conflicts: checkpoint.parts.reduce((sum, { windows }) => sum + Manifest.conflictsOf(windows), 0),
    walletsAtStart: Option.match(continued, {
      onNone: () => checkpoint.wallets,
      onSome: ({ run }) => run.walletsAtStart
    }),
    walletsAtEnd: wallets,
    listings: Option.match(continued, { onNone: () => [], onSome: ({ run }) => run.listings })
  })
  return { ...manifest, ...toField(plan.partition) }
}
