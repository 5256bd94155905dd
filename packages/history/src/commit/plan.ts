import * as Failure from "@effect-venue/transport/Failure"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Checkpoint from "../model/Checkpoint.js"
import type * as Manifest from "../model/Manifest.js"
import * as Part from "../model/Part.js"
import type * as Sink from "../store/Sink.js"
import * as Gaps from "../model/gaps.js"
import * as DatasetWindows from "../model/datasetWindows.js"
import type * as Dataset from "../model/Dataset.js"

type AnyPart = Part.Part<unknown, unknown>

/** The request of a caller. */
export interface Asked {
  readonly format: string
  readonly partition: Checkpoint.Plan["partition"]
  readonly parts: ReadonlyArray<AnyPart>
  readonly range: Dataset.Window
  readonly overwrite: boolean
  /** The overlap with the continued export, in milliseconds; none if no export is continued. */
  readonly overlap: Option.Option<number>
}

/** The existing export of the location. */
export type Found = Pick<Sink.Store, "checkpoint" | "manifest">

/** The work of an export. */
export interface Planned {
  readonly plan: Checkpoint.Plan
  /** All windows of each part, oldest first. */
  readonly windows: ReadonlyArray<ReadonlyArray<Dataset.Window>>
  /** The gaps of each part that are read again. */
  readonly gaps: ReadonlyArray<ReadonlyArray<Dataset.Window>>
  /** The range of the manifest. */
  readonly whole: Dataset.Window
  /** The finished export that this one continues. */
  readonly continued: Option.Option<Manifest.Manifest>
  /** The checkpoint of an earlier run. */
  readonly pending: Option.Option<Checkpoint.Checkpoint>
  /** The manifest, if the export is finished and nothing is read. */
  readonly finished: Option.Option<Manifest.Manifest>
}

const hasOpenGaps = ({ missing }: Manifest.Manifest): boolean => Gaps.open(missing).length > 0

/**
 * Whether the export that a checkpoint is of was finished: one that continues another is not begun twice. A first one is resumed by a run for the
 * same range, which finishes it again; a run that is to continue it, or to fill its gaps, finds it finished.
 */
export const isBehind = ({ checkpoint, manifest }: Found, overlap: Option.Option<number>): boolean =>
  Option.exists(checkpoint, ({ plan, startedAt }) =>
    Option.exists(
      manifest,
      (finished) =>
        finished.to === plan.to &&
        finished.run.startedAt === startedAt &&
        (plan.since !== null || Option.isSome(overlap) || hasOpenGaps(finished))
    )
  )

/** The plan of an unfinished export. */
export const begunOf = (
  found: Found,
  overlap: Option.Option<number> = Option.none()
): Option.Option<Checkpoint.Plan> =>
  isBehind(found, overlap) ? Option.none() : Option.map(found.checkpoint, ({ plan }) => plan)

/** The field of a plan or a manifest. */
export const toField = (partition: Checkpoint.Plan["partition"]): Pick<Checkpoint.Plan, "partition"> =>
  partition === undefined ? {} : { partition }

const planOf = (manifest: Manifest.Manifest): Checkpoint.Plan => ({
  format: manifest.format,
  ...toField(manifest.partition),
  from: manifest.from,
  to: manifest.to,
  parts: manifest.parts.map(({ account, dataset, name, parameters }) => ({ account, dataset, name, parameters })),
  since: null
})

/** The gaps of a part that are read again. */
const gapsOf = (before: Manifest.Part | undefined): ReadonlyArray<Dataset.Window> =>
  Gaps.open(Gaps.ofWindows(before?.windows ?? []))

/** The windows of a continued export: gaps and unsettled instants, then the overlap and what is new. */
const windowsOf = (
  { dataset }: AnyPart,
  { from, partition, since, to }: Checkpoint.Plan,
  before: Manifest.Part | undefined
): ReadonlyArray<Dataset.Window> => {
  const isDated = Option.isSome(dataset.instant)
  // A sum over a stretch of time would hold the overlap twice, and belongs to no month.
  const range = { from: isDated ? from : (since ?? from), to }
  const windows = [
    ...DatasetWindows.again(dataset, {
      from: range.from,
      gaps: gapsOf(before),
      unsettled: (before?.unsettled ?? []).map(({ at }) => at)
    }),
    ...DatasetWindows.windowsOf(dataset, range)
  ]
  return partition === undefined || !isDated ? windows : windows.flatMap(DatasetWindows.splitAtMonths)
}

/** The windows of a part that an export which is continued has, too. */
export const again = ({ continued, windows }: Planned, index: number): ReadonlyArray<Dataset.Window> =>
  Option.match(continued, {
    onNone: () => [],
    onSome: ({ to }) => (windows[index] ?? []).filter(({ from }) => from < to)
  })

const refusal = (
  differs: ReturnType<typeof Checkpoint.difference>,
  sentence: (name: string, there: string, requested: string) => string
): Either.Either<void, string> => (differs === undefined ? Either.void : Either.left(sentence(...differs)))

/** Refuses to resume an export of another plan. */
const refuseOtherPlan = (begun: Checkpoint.Plan, plan: Checkpoint.Plan): Either.Either<void, string> =>
  refusal(
    Checkpoint.difference(begun, plan),
    (name, there, requested) =>
      `an export was started here with ${name} ${there}, not ${requested}: finish it first, export elsewhere, or overwrite it`
  )

/** Refuses to continue, or to return, a finished export of another plan. */
const refuseOtherExport = (
  finished: Manifest.Manifest,
  plan: Checkpoint.Plan,
  { overlap, range }: Pick<Asked, "overlap" | "range">
): Either.Either<void, string> => {
  const there = planOf(finished)
  const { from, to } = Option.isSome(overlap) ? there : range
  return refusal(Checkpoint.difference(there, { ...plan, from, to, since: null }), (name, existing, requested) =>
    name === "to"
      ? `the export that is here is finished and ends at ${existing}, not at ${requested}: pass this \`to\` to return it, continue it with \`incremental\`, export elsewhere, or overwrite it`
      : `the export that is here has ${name} ${existing}, not ${requested}: export elsewhere, or overwrite it`
  )
}

/** The work of an export, or the reason of its refusal. */
export const make = (
  { format, overlap, overwrite, partition, parts, range }: Asked,
  found: Found
): Either.Either<Planned, string> =>
  Either.gen(function* () {
    const finished = overwrite ? Option.none() : found.manifest
    const pending = overwrite || isBehind(found, overlap) ? Option.none() : found.checkpoint
    const hasGaps = Option.exists(finished, hasOpenGaps)
    // The same call for a finished export reads its gaps, and nothing else.
    const reread = Option.isSome(overlap) ? overlap : hasGaps ? Option.some(0) : Option.none()
    const continued = Option.zipWith(finished, reread, (manifest, overlap) => ({ manifest, overlap }))
    const begun = Option.filter(pending, ({ plan }) =>
      Option.exists(continued, ({ manifest }) => plan.since === manifest.to)
    )
    const plan: Checkpoint.Plan = {
      format,
      ...toField(partition),
      from: Option.match(continued, {
        onNone: () => range.from,
        // A continuation that was begun keeps its overlap.
        onSome: ({ manifest, overlap }) =>
          Option.match(begun, { onNone: () => manifest.to - overlap, onSome: ({ plan }) => plan.from })
      }),
      to: Option.isSome(overlap)
        ? range.to
        : Option.match(continued, { onNone: () => range.to, onSome: ({ manifest }) => manifest.to }),
      parts: parts.map(Part.subject),
      since: Option.getOrNull(Option.map(continued, ({ manifest }) => manifest.to))
    }
    const before = Option.map(continued, ({ manifest }) => manifest)
    const partsBefore = parts.map((_, index) =>
      Option.getOrUndefined(Option.flatMapNullable(before, ({ parts }) => parts[index]))
    )
    const planned: Planned = {
      plan,
      windows: parts.map((part, index) => windowsOf(part, plan, partsBefore[index])),
      gaps: partsBefore.map(gapsOf),
      whole: { from: Option.match(before, { onNone: () => plan.from, onSome: ({ from }) => from }), to: plan.to },
      continued: before,
      pending,
      finished: Option.none()
    }
    if (Option.isSome(pending)) {
      yield* refuseOtherPlan(pending.value.plan, plan)
      return planned
    }
    if (Option.isNone(finished)) return planned
    yield* refuseOtherExport(finished.value, plan, { overlap, range })
    const isDone = !hasGaps && (Option.isNone(overlap) || plan.to <= finished.value.to)
    return { ...planned, finished: isDone ? finished : Option.none() }
  })

const ruleOf = (parts: ReadonlyArray<AnyPart>): string | undefined => {
  if (parts.length === 0) return "must not be empty"
  const names = new Map<string, string>()
  for (const { name } of parts) {
    const existing = names.get(name.toLowerCase())
    if (existing === name) return `must be different, ${name} occurs twice`
    if (existing !== undefined)
      return `must differ in more than upper and lower case: a file system can store ${existing} and ${name} as one file`
    names.set(name.toLowerCase(), name)
  }
  return undefined
}

/** Two parts of one name would be written into one file. */
export const distinct = (parts: ReadonlyArray<AnyPart>): Either.Either<void, Failure.InvalidRequest> => {
  const rule = ruleOf(parts)
  if (rule === undefined) return Either.void
  const issue = { field: "parts", rule }
  return Either.left(new Failure.InvalidRequest({ operation: "history", ...issue, issues: [issue] }))
}
