import type * as Failure from "@effect-venue/transport/Failure"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Chunk from "effect/Chunk"
import * as Checkpoint from "../model/Checkpoint.js"
import type * as Dataset from "../model/Dataset.js"
import * as Rows from "../formats/Rows.js"
import type * as Manifest from "../model/Manifest.js"
import type * as History from "./History.js"
import * as Part from "../model/Part.js"
import { reportedConflicts } from "../reconcile/conflicts.js"
import { idsOf } from "../reconcile/existingIds.js"
import { Refused } from "../model/ExportFailure.js"
import { checkRange, inOrder, pendingIn } from "../read/partRange.js"
import { serviceNow } from "../read/serviceNow.js"
import type * as Sink from "../store/Sink.js"
import { readPart } from "../reconcile/readWindows.js"
import * as Verbatim from "../model/verbatim.js"
import * as DatasetWindows from "../model/datasetWindows.js"
import * as Gaps from "../model/gaps.js"
import * as Ranges from "../model/ranges.js"
import type * as SeenIds from "../model/seenIds.js"
import * as Identity from "./identity.js"

type Options = Omit<History.CommitOptions, "to">

type KeyedRow = Sink.RowChunk["rows"][number]

/** A row with the identity of its record, its version, and the instants by which the service can file it. */
interface Kept extends KeyedRow {
  readonly row: Dataset.Row
  readonly instants: ReadonlyArray<number>
  readonly identity: string
  readonly version: string
}

const readKept =
  (dataset: Dataset.Dataset<never, unknown>) =>
  (entry: KeyedRow): Kept => {
    const { row } = Verbatim.line(entry.text)
    const [identity, version] = Rows.version(dataset, row)
    const shortened = Rows.asSums(dataset).identity(identity)
    return { ...entry, row, instants: Rows.instants(dataset, row), identity: shortened, version }
  }

type Recent = History.Checkpoint["recent"]

const refuse = (part: Part.Part<unknown, unknown>, reason: Refused["reason"], detail: string) =>
  new Refused({ location: part.name, reason, detail })

/** Whose rows they are from now on. */
const identityOf = <R>(part: Part.Part<unknown, R>, { after, sameAccount }: Options) =>
  Effect.gen(function* () {
    const current = yield* part.identity
    const { host, key, uid } = current
    const before = after?.identity
    if (before === undefined) return Identity.firstIdentity(current)
    if (before.host !== host) {
      return yield* refuse(part, "OtherExport", `the checkpoint is of the host ${before.host}, not ${host}`)
    }
    if (before.uid !== null && uid !== undefined && before.uid !== uid) {
      return yield* refuse(part, "OtherAccount", `the checkpoint is of the UID ${before.uid}, not ${uid}`)
    }
    if (before.keys.some(({ digest }) => digest === key)) return Identity.addUid(before, current)
    if (sameAccount !== true) {
      const detail = "the checkpoint has no rows that could show whether this API key is of the same account"
      return yield* refuse(part, "UnknownKey", detail)
    }
    return { ...before, keys: [...before.keys, { digest: key, accepted: "declared" as const }] }
  })

/** A window for each instant that is not settled: rows between them can be beyond the retention. Gaps are read again as they are. */
const windowsOf = (part: Part.Part<unknown, unknown>, { again, from, gaps, to }: History.Checkpoint) => [
  ...DatasetWindows.again(part.dataset, { from, gaps, unsettled: again }, 0),
  ...DatasetWindows.windowsOf(part.dataset, { from, to })
]

const isWithin =
  (windows: ReadonlyArray<Dataset.Window>) =>
  (at: number): boolean =>
    windows.some(({ from, to }) => at >= from && at < to)

/** Rows that can be read again: those with an instant in a window that is read again, and those without an instant. */
const repeatable = (recent: Recent, isReadAgain: (at: number) => boolean): Recent =>
  recent.filter(([, , instants]) => instants.length === 0 || instants.some(isReadAgain))

const versionsOf = (recent: Recent): Checkpoint.Versions =>
  Checkpoint.versionsOf(recent.map(([identity, version]) => [identity, version] as const))

/** The checkpoint with which a range begins. */
const first = <R>(part: Part.Part<unknown, R>, identity: Manifest.Identity, range: Dataset.Window) =>
  Effect.map(pendingIn(part, range), (unsettled): History.Checkpoint => ({
    version: 1,
    part: Part.subject(part),
    identity,
    begin: range.from,
    ...range,
    done: 0,
    since: null,
    again: [],
    gaps: [],
    missing: [],
    tail: [],
    known: [],
    conflicts: [],
    unsettled,
    recentFrom: range.from,
    recent: []
  }))

/** The checkpoint at the start of the next range, which continues where the last one ended. */
const next = <R>(part: Part.Part<unknown, R>, before: History.Checkpoint, to: number, overlap: number) =>
  Effect.gen(function* () {
    const isDated = Option.isSome(part.dataset.instant)
    // A sum over a stretch of time would hold the overlap twice. Rows of before `recentFrom` would not be recognised.
    const from = isDated ? Math.max(before.begin, before.recentFrom, before.to - overlap) : before.to
    const again = before.unsettled.flatMap(({ at }) => (at < from ? [at] : []))
    const gaps = Gaps.before(Gaps.open(before.missing), from).map(({ from, to }) => ({ from, to }))
    const range = { ...before, from, to, since: before.to, again, gaps, done: 0, tail: [] }
    const isRequested = isWithin(windowsOf(part, range))
    // Requested before the first window is read: records that settle meanwhile are requested again.
    const unsettled = yield* pendingIn(part, { from: before.begin, to })
    const known = versionsOf(repeatable(before.recent, isRequested))
    return { ...range, known, unsettled } satisfies History.Checkpoint
  })

/** The rows that can be read again after a window. */
const recentAfter = (
  part: Part.Part<unknown, unknown>,
  before: Recent,
  rows: ReadonlyArray<Kept>,
  keeps: (at: number) => boolean
): Recent => {
  const recent = [...before]
  for (const row of rows) {
    if (row.replaces !== undefined) {
      const isReplaced = ([identity, version]: Recent[number]) =>
        identity === row.identity &&
        (part.dataset.key === "content" ? version === row.replaces : version !== row.version)
      const index = recent.findIndex(isReplaced)
      if (index !== -1) recent.splice(index, 1)
    }
    recent.push([row.identity, row.version, row.instants])
  }
  return repeatable(recent, keeps)
}

/** How the ranges of one stream are read. */
interface RangeOptions {
  readonly overlap: number
  readonly concurrency: number
  /** Ids of the rows that were emitted. */
  readonly ids: SeenIds.SeenIds
}

const readingOf = ({ dataset }: Part.Part<unknown, unknown>, options: Options): RangeOptions => ({
  overlap: Duration.toMillis(options.overlap ?? Duration.hours(1)),
  concurrency: options.concurrency ?? 4,
  ids: idsOf(dataset, versionsOf(options.after?.recent ?? []))
})

/** The commits of the windows of a range that are not committed. */
const ofRange = <R>(
  part: Part.Part<unknown, R>,
  begun: History.Checkpoint,
  { concurrency, ids, overlap }: RangeOptions
): Stream.Stream<History.Commit, Failure.ReadFailure, R> => {
  const { dataset } = part
  const recentFrom = Math.max(begun.recentFrom, begun.to - overlap)
  const windows = readPart(
    {
      part,
      windows: windowsOf(part, begun).slice(begun.done),
      gaps: begun.gaps,
      state: begun,
      shortened: Rows.asSums(dataset),
      ids,
      conflicts: reportedConflicts(begun.conflicts)
    },
    concurrency
  )
  return Stream.mapAccumEffect(windows, begun, (before, { rows, summary }) =>
    Effect.gen(function* () {
      const kept = Chunk.toReadonlyArray(yield* Stream.runCollect(rows)).flatMap((chunk) =>
        chunk.rows.map(readKept(dataset))
      )
      const { conflicts, coverage, state } = yield* summary
      const missing = Gaps.afterWindow(before.missing, coverage)
      const isUnsettled = isWithin(
        DatasetWindows.around(
          dataset,
          state.unsettled.map(({ at }) => at),
          0
        )
      )
      const isInGap = isWithin(Gaps.open(missing))
      const keeps = (at: number) => at >= recentFrom || isUnsettled(at) || isInGap(at)
      const checkpoint: History.Checkpoint = {
        ...before,
        ...state,
        done: before.done + 1,
        missing,
        unsettled: inOrder(state.unsettled),
        conflicts: [...before.conflicts, ...conflicts].filter(({ at }) => at === null || keeps(at)),
        recentFrom,
        recent: recentAfter(part, before.recent, kept, keeps)
      }
      const committed = kept.map(({ key, replaces, row, text }) => ({ key, row, text, replaces }))
      const { missing: gaps } = coverage
      const covered = { window: coverage, checkpoint }
      const commit: History.Commit =
        gaps.length === 0 && conflicts.length === 0
          ? { _tag: "Complete", rows: committed, ...covered }
          : { _tag: "Incomplete", partialRows: committed, missing: gaps, conflicts, ...covered }
      return [checkpoint, commit] as const
    })
  )
}

/**
 * The commits up to an instant: those that are left of the range of `after`, then those of one more range. The end value is the last
 * checkpoint.
 */
const upTo = <R>(
  part: Part.Part<unknown, R>,
  options: Options,
  reading: RangeOptions,
  to: Effect.Effect<number, Failure.ReadFailure, R>
): Stream.Stream<History.Commit, Failure.ReadFailure | Refused, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { after } = options
      const { name } = part.dataset.endpoint
      const differs = after !== undefined && JSON.stringify(after.part) !== JSON.stringify(Part.subject(part))
      if (differs) return yield* refuse(part, "OtherExport", `the checkpoint is of the part ${after.part.name}`)
      const identity = yield* identityOf(part, options)
      if (after === undefined) {
        const range = yield* Ranges.make(name, { from: options.from, to: yield* to })
        yield* checkRange(part, range)
        return ofRange(part, yield* first(part, identity, range), reading)
      }
      // A stream has no end value, and the range after this one begins at its last checkpoint, also if it has no window left.
      let last: History.Checkpoint = { ...after, identity }
      const rest = Stream.tap(ofRange(part, last, reading), ({ checkpoint }) =>
        Effect.sync(() => void (last = checkpoint))
      )
      const more = Stream.unwrap(
        Effect.gen(function* () {
          const end = yield* to
          if (end <= last.to && Gaps.open(last.missing).length === 0) return Stream.empty
          return ofRange(part, yield* next(part, last, Math.max(end, last.to), reading.overlap), reading)
        })
      )
      return Stream.concat(rest, more)
    })
  )

export const commits = <R>(
  part: Part.Part<unknown, R>,
  options: History.CommitOptions
): Stream.Stream<History.Commit, Failure.ReadFailure | Refused, R> =>
  Stream.suspend(() =>
    upTo(
      part,
      options,
      readingOf(part, options),
      options.to === undefined
        ? serviceNow([part])
        : Effect.map(
            // Only the end is used: the start can be the instant of a checkpoint.
            Ranges.make(part.dataset.endpoint.name, { from: 0, to: options.to }),
            ({ to }) => to
          )
    )
  )

export const follow = <R>(
  part: Part.Part<unknown, R>,
  options: History.FollowOptions
): Stream.Stream<History.Commit, Failure.ReadFailure | Refused, R> =>
  Stream.suspend(() => {
    const pause = Effect.sleep(options.every ?? Duration.minutes(1))
    const reading = readingOf(part, options)
    let after = options.after
    const round = Stream.suspend(() => upTo(part, { ...options, after }, reading, serviceNow([part]))).pipe(
      Stream.tap(({ checkpoint }) => Effect.sync(() => void (after = checkpoint)))
    )
    const rounds: Stream.Stream<History.Commit, Failure.ReadFailure | Refused, R> = Stream.concat(
      round,
      Stream.concat(
        Stream.drain(Stream.fromEffect(pause)),
        Stream.suspend(() => rounds)
      )
    )
    return rounds
  })
