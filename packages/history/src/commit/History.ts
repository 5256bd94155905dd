/** Export of history: windows and cursors to rows, rows to a sink. An export is complete, or its manifest lists the missing ranges. */
import type * as Instant from "@effect-venue/schemas/Instant"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Trace from "@effect-venue/transport/siblings/Trace"
import type * as Transport from "@effect-venue/transport/Transport"
import * as Arr from "effect/Array"
import * as Channel from "effect/Channel"
import type * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ExportCheckpoint from "../model/Checkpoint.js"
import { At } from "../model/ranges.js"
import type * as Dataset from "../model/Dataset.js"
import { execute } from "./execute.js"
import { type AccountFailed, type BeyondRetention, Refused, type SinkFailure } from "../model/ExportFailure.js"
import { namingAccounts } from "./identity.js"
import * as Commits from "./commits.js"
import { conclude } from "./conclude.js"
import * as Identity from "./identity.js"
import * as Plan from "./plan.js"
import { streamRows } from "./streamRows.js"
import * as Conflicts from "../reconcile/conflicts.js"
import * as Ranges from "../model/ranges.js"
import { checkRange, pendingIn, rangeWithinRetention } from "../read/partRange.js"
import { existingRows } from "../reconcile/existingIds.js"
import * as Rows from "../formats/Rows.js"
import { start } from "../reconcile/models.js"
import { serviceNow, wholeMillis } from "../read/serviceNow.js"
import * as Listings from "./listings.js"
import * as WalletSnapshots from "./walletSnapshots.js"
import * as Manifest from "../model/Manifest.js"
import * as Part from "../model/Part.js"
import type * as Sink from "../store/Sink.js"

export * from "../requests/Datasets.js"

export type { RowOf } from "../model/Dataset.js"

/** Rows can be missing: the manifest lists the windows. All rows that were read were emitted. */
export class Incomplete extends Schema.TaggedError<Incomplete>()("Incomplete", { manifest: Manifest.Part }) {
  override get message(): string {
    const { name, windows } = this.manifest
    const [first, ...more] = Manifest.missingOf([this.manifest])
    if (first === undefined) return `${name} has ${Manifest.conflictsOf(windows)} rows with the id of another row`
    const range = `${new Date(first.from).toISOString()} to ${new Date(first.to).toISOString()}`
    return `${name} is incomplete: ${range}, because ${first.because}${more.length > 0 ? `, and ${more.length} more` : ""}`
  }
}

/** How far an export is. */
export interface Progress {
  /** The part that is being read. */
  readonly part: string
  /** Rows received in this run, including duplicates. */
  readonly rows: number
  readonly pages: number
  /** Of all parts, including those of earlier runs. */
  readonly windowsDone: number
  readonly windows: number
  /** How many windows of each part remain, by the part's name. */
  readonly windowsLeft: Readonly<Record<string, number>>
}

export interface ReadOptions {
  /** How many windows are read at a time. More of them gain nothing once the rate limits are full. Defaults to 4. */
  readonly concurrency?: number | undefined
}

export interface RunOptions extends ReadOptions {
  /** Called after every page and every window. Defaults to nothing. */
  readonly onProgress?: ((progress: Progress) => Effect.Effect<void>) | undefined
  /**
   * Continues where the finished export in the same place ended: `from` is then only for the first run. The last `overlap` (default: 1 hour) before
   * that end is read again, for late records; rows that exist already are left out. Defaults to `false`.
   */
  readonly incremental?: boolean | { readonly overlap?: Duration.DurationInput | undefined } | undefined
  /** Discards the existing export, also a damaged one; a finished export stays until the new one replaces it. Defaults to `false`. */
  readonly overwrite?: boolean | undefined
  /**
   * Declares that the API keys of this run belong to the accounts of the existing export. Needed for a new key if there are no rows to compare.
   * A key whose rows differ is refused all the same. Defaults to `false`.
   */
  readonly sameAccount?: boolean | undefined
}

/** Another export of the same accounts: its parts, and its sink. */
export interface Related<out R, out SinkR> {
  readonly parts: ReadonlyArray<Part.Part<unknown, R>>
  readonly sink: Sink.Sink<SinkR>
}

export interface RunAllOptions<out R, out SinkR> extends RunOptions {
  /** Other exports of the same accounts. If an API key is new and this export has no rows, theirs are read again under the key. Defaults to none. */
  readonly related?: ReadonlyArray<Related<R, SinkR>> | undefined
}

/** A range whose end defaults to the service's clock. */
export interface Range {
  /** The first instant that belongs to the range. */
  readonly from: Instant.Input
  /**
   * The first instant that no longer does. Defaults to the service's clock when the export is begun; an export that is resumed keeps its
   * end.
   */
  readonly to?: Instant.Input | undefined
}

export interface StreamOptions<S extends Dataset.Side> extends ReadOptions {
  /**
   * `domain`, the default: decoded; a row that cannot be decoded is counted in the manifest, and its window is then reported as
   * incomplete. `wire`: verbatim.
   */
  readonly side?: S | undefined
}

/** A range of a stream. The service keeps some records for a limited time only. */
export interface StreamRange {
  /** The first instant that belongs to the range, or `"earliest"`: the oldest instant that the service keeps when the stream is run. */
  readonly from: Instant.Input
  /** The first instant that no longer does. Defaults to the service's clock when the stream is run. */
  readonly to?: Instant.Input | undefined
  /**
   * What happens if `from` exceeds the retention. `fail`, the default: the stream fails with `BeyondRetention` before the first row.
   * `clamp`: it begins at the oldest instant that the service keeps, and has no rows if all of the range is older.
   */
  readonly beyondRetention?: "fail" | "clamp" | undefined
}

const subjectOnly = ({
  beyondRetention: _beyondRetention,
  from: _from,
  to: _to,
  ...query
}: StreamRange & object): object => query

const makePlan = <Query extends object, A>(
  dataset: Dataset.Dataset<Query, A>,
  query: Query & StreamRange
): Part.Part<A> =>
  // A query without its range is a query still; a type parameter cannot show that.
  Part.make(dataset, subjectOnly(query) as Query)

const rangeOf = <R>(
  parts: ReadonlyArray<Part.Part<unknown, R>>,
  { from, to }: Range,
  begunTo: Option.Option<number>
): Effect.Effect<Dataset.Window, Failure.ReadFailure, R> =>
  Effect.gen(function* () {
    const end = to ?? Option.getOrUndefined(begunTo) ?? (yield* serviceNow(parts))
    return yield* Ranges.make(parts[0]?.dataset.endpoint.name ?? "history", { from, to: end })
  })

const defaultConcurrency = 4

/**
 * The rows of a dataset, oldest first, each once, and its section of the manifest as the channel's end value: `Channel.mapOutEffect`
 * and `Channel.runDrain` return it. Ranges are half-open.
 *
 * @category streams
 */
export const channel = <Query extends object, A, S extends Dataset.Side = "domain">(
  dataset: Dataset.Dataset<Query, A>,
  query: NoInfer<Query> & Range,
  { concurrency = defaultConcurrency, side }: StreamOptions<S> = {}
): Channel.Channel<
  Chunk.Chunk<Dataset.RowOf<A, S>>,
  unknown,
  Failure.ReadFailure,
  unknown,
  Manifest.Part,
  unknown,
  Transport.Transport
> =>
  Channel.unwrap(
    Effect.gen(function* () {
      const part = makePlan(dataset, query)
      const range = yield* rangeOf([part], query, Option.none())
      yield* checkRange(part, range)
      const unsettled = yield* pendingIn(part, range)
      return streamRows(part, range, { concurrency, side, unsettled })
    })
  )

const streamDataset = <Query extends object, A, S extends Dataset.Side = "domain">(
  dataset: Dataset.Dataset<Query, A>,
  query: NoInfer<Query> & StreamRange,
  { concurrency = defaultConcurrency, side }: StreamOptions<S> = {}
): Stream.Stream<Dataset.RowOf<A, S>, StreamFailure, Transport.Transport> =>
  Stream.fromChannel(
    Channel.unwrap(
      Effect.gen(function* () {
        const part = makePlan(dataset, query)
        const range = yield* rangeWithinRetention(part, query)
        yield* checkRange(part, range)
        const isClamped = query.from === "earliest" || query.beyondRetention === "clamp"
        // The earliest instant moves on while a clamped range is read.
        const kept = isClamped ? { ...part, dataset: withoutRetention(part.dataset) } : part
        return Channel.flatMap(streamRows(kept, range, { concurrency, side, unsettled: [] }), (manifest) =>
          manifest.verdict === "complete" ? Channel.void : Channel.fail(new Incomplete({ manifest }))
        )
      })
    )
  )

/**
 * The rows of a dataset, oldest first, each once. A stream that ends without a failure is complete: if rows can be missing, it fails with
 * `Incomplete` at its end, after all rows that were read. If the range begins before the service's retention, it fails with
 * `BeyondRetention` before the first row, unless `beyondRetention` is `"clamp"`.
 *
 * A range that ends now is read to its end once that has passed for certain, up to 2 seconds later.
 *
 * @category streams
 */
export const stream = Trace.named("History.stream", streamDataset)

const withoutRetention = <Query, A>(dataset: Dataset.Dataset<Query, A>): Dataset.Dataset<Query, A> => ({
  ...dataset,
  windows: { ...dataset.windows, reachBack: Option.none() }
})

/**
 * Why a stream ended before the end of its range, or is incomplete.
 *
 * @category failures
 */
export type StreamFailure = Failure.ReadFailure | BeyondRetention | Incomplete

/**
 * The progress of a part: opaque, and JSON on its encoded side. It contains the keys of the rows that can be read again: those of the last
 * `overlap`, of instants that are not settled, and those without an instant.
 */
export const Checkpoint = Schema.Struct({
  version: Schema.Literal(1),
  part: Manifest.Subject,
  identity: Manifest.Identity,
  /** The start of the history. */
  begin: At,
  /** The range that is being read, or was read last, and how many of its windows are committed. */
  from: At,
  to: At,
  done: Schema.NonNegativeInt,
  /** The end of the range before; null in the first one. */
  since: Schema.NullOr(At),
  /** Instants before the range that are read again. */
  again: Schema.Array(At),
  /** Gaps before the range that are read again. */
  gaps: Schema.Array(Schema.Struct({ from: At, to: At })),
  /** The ranges that can still lack rows. The next reading begins with those that are not lost. */
  missing: Schema.Array(Manifest.Missing),
  tail: Schema.Array(Schema.String),
  known: ExportCheckpoint.Versions,
  /** Conflicts of rows that can be read again: each is reported once. */
  conflicts: Schema.Array(Manifest.Conflict),
  unsettled: Schema.Array(Manifest.Unsettled),
  /** The instant from which on `recent` has all rows. */
  recentFrom: At,
  /** Rows that can be read again: the identity of the record, its version, its instants (none if they cannot be read). Ids are sums. */
  recent: Schema.Array(Schema.Tuple(Schema.String, Schema.String, Schema.Array(Schema.Int)))
})

export type Checkpoint = typeof Checkpoint.Type

/** A row that was not committed before, or another version of one that was. */
export interface CommittedRow {
  /** Unique in its part. */
  readonly key: string
  /** The row, as in `Sink.rows`: a number that JavaScript would print differently is text. */
  readonly row: Dataset.Row
  /** The row in the service's spelling, on one line. */
  readonly text: string
  /** The key of the row that this one replaces, if the record was committed in another version. */
  readonly replaces: string | undefined
}

/** A window and the checkpoint after its rows. If the application writes both together, it has every row once. */
interface Covered {
  readonly window: Manifest.Window
  readonly checkpoint: Checkpoint
}

/** All rows of a window, oldest first. */
export interface CompleteCommit extends Covered {
  readonly _tag: "Complete"
  readonly rows: ReadonlyArray<CommittedRow>
}

/**
 * The rows of a window that could be read, oldest first. The checkpoint contains `missing`: the next reading begins with the ranges that are not
 * lost, and emits the rows that it finds in them.
 */
export interface IncompleteCommit extends Covered {
  readonly _tag: "Incomplete"
  readonly partialRows: ReadonlyArray<CommittedRow>
  /** The ranges of the window that can lack rows. Empty if rows only conflict. */
  readonly missing: ReadonlyArray<Manifest.Missing>
  /** Rows whose id another row has, with other contents or at another instant, each in the commit that found it alone. */
  readonly conflicts: ReadonlyArray<Manifest.Conflict>
}

/** The rows of a window. One that can lack rows has no `rows`, so that an application decides what it does about the missing ones. */
export type Commit = CompleteCommit | IncompleteCommit

export interface CommitOptions {
  /** The first instant that belongs to the range. Ignored beside `after`. */
  readonly from: Instant.Input
  /** The checkpoint of the last commit that was written. Defaults to none: the stream begins at `from`. */
  readonly after?: Checkpoint | undefined
  /** How much of the range before `after` is read again, for records that were late. Defaults to 1 hour. */
  readonly overlap?: Duration.DurationInput | undefined
  /** Declares that an API key which the checkpoint has not seen belongs to the same account. Defaults to `false`. */
  readonly sameAccount?: boolean | undefined
  /** Windows read side by side, each in memory. Defaults to 4. */
  readonly concurrency?: number | undefined
  /**
   * The first instant that no longer belongs to the range. Defaults to the service's clock when the stream is run. With `after` it can be
   * later than before, and the range continues.
   */
  readonly to?: Instant.Input | undefined
}

/**
 * The history of a part as commits, oldest first: the rows of a window, each with the checkpoint that covers them. An application that
 * writes both in one transaction, or sends both to one topic, and continues `after` its last checkpoint, processes every row exactly
 * once, whenever it is killed.
 *
 * A commit has all rows of a window in memory. Ranges that can lack rows are not a failure: their commit is `Incomplete`, and a stream that continues
 * `after` its checkpoint reads them again first. Fails with `Refused` if the checkpoint is of another part or account.
 *
 * @category streams
 */
export const commits = Trace.named("History.commits", Commits.commits)

export interface FollowOptions extends Omit<CommitOptions, "to"> {
  /** The pause between two readings. Defaults to 1 minute. */
  readonly every?: Duration.DurationInput | undefined
}

/**
 * The history of a part as `commits`, which does not end at the service's clock: after a pause it reads open gaps, new rows, the `overlap`, and the
 * instants that were not settled. A record that has changed since is emitted again, and `replaces` its earlier version. A reading
 * without new rows is a commit without rows. Ends with the first failure; to resume it, continue `after` the last checkpoint.
 *
 * @category streams
 */
export const follow = Trace.named("History.follow", Commits.follow)

const exportDataset = <Query extends object, A, SinkR>(
  dataset: Dataset.Dataset<Query, A>,
  query: NoInfer<Query> & Range,
  sink: Sink.Sink<SinkR>,
  options: RunOptions = {}
): Effect.Effect<Manifest.Manifest, RunFailure, Transport.Transport | SinkR> =>
  Effect.suspend(() => exportParts([makePlan(dataset, query)], query, sink, options))

/**
 * Exports a dataset to a sink, and returns the manifest. A killed run is resumed at the end of its last window, with the same result as an
 * undisturbed run. A finished export is not read again.
 *
 * An incomplete export is no failure: look at the manifest's `verdict`.
 */
export const run = Trace.named("History.run", exportDataset)

/**
 * Why an export ended before it was finished. Its rows are kept: the same call resumes it.
 *
 * @category failures
 */
export type RunFailure = Failure.ReadFailure | AccountFailed | SinkFailure | Refused

const exportParts = <SinkR, R = never, E = never, R2 = never>(
  parts: ReadonlyArray<Part.Part<unknown, R>>,
  asked: Range | ((standing: Standing) => Effect.Effect<Range, E, R2>),
  sink: Sink.Sink<SinkR>,
  options: RunAllOptions<R, SinkR> = {}
): Effect.Effect<Manifest.Manifest, RunFailure | E, SinkR | R | R2> =>
  Effect.gen(function* () {
    yield* Plan.distinct(parts)
    const isChecked = typeof asked !== "function" && asked.to !== undefined
    if (isChecked) yield* checkAll(parts, yield* rangeOf(parts, asked, Option.none()))
    const overwrite = options.overwrite === true
    const store = yield* sink.open(parts, { overwrite })
    const range = typeof asked === "function" ? yield* asked(standingOf(store)) : asked
    // It was cut short after its last step but one: all that is left to do is to forget how far it was.
    const overlap = overlapOf(options)
    if (!overwrite && Plan.isBehind(store, overlap)) yield* store.forget
    const begun = overwrite ? Option.none() : Plan.begunOf(store, overlap)
    const requestedRange = yield* rangeOf(
      parts,
      range,
      Option.map(begun, ({ to }) => to)
    )
    if (!isChecked) yield* checkAll(parts, requestedRange)
    const planned = yield* Either.mapLeft(
      Plan.make(
        { format: sink.format, partition: sink.partition, parts, range: requestedRange, overwrite, overlap },
        store
      ),
      (detail) => new Refused({ location: sink.location, reason: "OtherExport", detail })
    )
    const recorded = Identity.readRecorded(parts, {
      checkpoint: planned.pending,
      manifest: Option.orElse(planned.finished, () => planned.continued)
    })
    const identities = yield* Identity.confirm(recorded, {
      location: sink.location,
      store,
      failed: namingAccounts(parts),
      sameAccount: options.sameAccount === true,
      related: options.related ?? []
    })
    if (Option.isSome(planned.finished)) {
      yield* store.forget
      return planned.finished.value
    }
    const first = yield* begin(parts, planned, identities, store)
    const last = yield* execute({
      parts,
      planned,
      store,
      checkpoint: first,
      concurrency: options.concurrency ?? defaultConcurrency,
      report: options.onProgress ?? (() => Effect.void)
    })
    const wallets = yield* WalletSnapshots.read(parts)
    const checked = yield* addReissued(parts, planned, last, store)
    const manifest = conclude(planned, parts, checked, { endedAt: yield* wholeMillis, wallets })
    const listings = yield* Listings.read(parts, manifest)
    return yield* store.publish({ ...manifest, run: { ...manifest.run, listings } })
  }).pipe(Effect.scoped)

/**
 * Exports several datasets, categories or accounts in one run, the oldest windows of all first, each into separate files and with a
 * section of the manifest. Parts with an account (see `Part.make`) need no other `Transport`. The range can follow from the state of the export: a
 * function of it is called once the sink is open, and a failure of it ends the run before anything is read.
 */
export const runAll = Trace.named("History.runAll", exportParts)

/** Adds the rows whose id an earlier run has at another instant to the conflicts of their windows. */
const addReissued = <R>(
  parts: ReadonlyArray<Part.Part<unknown, R>>,
  { continued }: Plan.Planned,
  checkpoint: ExportCheckpoint.Checkpoint,
  store: Sink.Store
) =>
  Effect.gen(function* () {
    if (Option.isNone(continued)) return checkpoint
    const progress = yield* Effect.forEach(checkpoint.parts, (each, index) => {
      const part = parts[index]
      return part === undefined || each.windows.every(({ rows }) => rows === 0)
        ? Effect.succeed(each)
        : Effect.map(store.reissued(part), (conflicts) => ({
            ...each,
            windows: conflicts.reduce(Conflicts.add, each.windows)
          }))
    })
    return { ...checkpoint, parts: progress }
  })

const checkAll = <R>(parts: ReadonlyArray<Part.Part<unknown, R>>, range: Dataset.Window) =>
  Effect.forEach(parts, (part) => checkRange(part, range), { discard: true })

/** The overlap of an incremental export, in milliseconds; none if it is not incremental. */
const overlapOf = ({ incremental }: RunOptions): Option.Option<number> =>
  incremental === undefined || incremental === false
    ? Option.none()
    : Option.some(Duration.toMillis((incremental === true ? undefined : incremental.overlap) ?? Duration.hours(1)))

/** The checkpoint that a run begins with: that of the run which it resumes, or a new one, which is stored first. */
const begin = <R>(
  parts: ReadonlyArray<Part.Part<unknown, R>>,
  planned: Plan.Planned,
  identities: ReadonlyArray<Manifest.Identity>,
  store: Sink.Store
) =>
  Effect.gen(function* () {
    const { continued, pending, plan, whole } = planned
    const failed = namingAccounts(parts)
    if (Option.isSome(pending)) {
      return {
        ...pending.value,
        starts: pending.value.starts + 1,
        parts: pending.value.parts.map((part, index) => ({ ...part, identity: identities[index] ?? part.identity }))
      }
    }
    const startedAt = yield* wholeMillis
    const begun = yield* Effect.forEach(Arr.zip(parts, identities), ([part, identity], index) =>
      Effect.gen(function* () {
        const again = Plan.again(planned, index)
        const existing =
          again.length === 0
            ? Stream.empty
            : Stream.map(existingRows(part, store, again), (row) => Rows.version(part.dataset, row))
        const known = ExportCheckpoint.versionsOf(yield* Stream.runCollect(existing))
        // Requested before the first window is read: records that settle meanwhile are read again, so none is missed.
        const unsettled = yield* Effect.mapError(pendingIn(part, whole), (failure) => failed(part, failure))
        return { ...start, identity, windows: [], known, unsettled }
      })
    )
    const checkpoint: ExportCheckpoint.Checkpoint = {
      plan,
      startedAt,
      starts: 1,
      rereads: 0,
      retries: 0,
      wallets: Option.isSome(continued) ? [] : yield* WalletSnapshots.read(parts),
      parts: begun
    }
    yield* store.begin(checkpoint)
    return checkpoint
  })

/** The state of an export: the plan of one that was begun and not finished, the manifest of one that was finished. */
export interface Standing {
  readonly begun: Option.Option<ExportCheckpoint.Plan>
  readonly finished: Option.Option<Manifest.Manifest>
  /** The number of windows of the export under way that are stored. */
  readonly windowsDone: number
}

const standingOf = (store: Sink.Store): Standing => ({
  begun: Plan.begunOf(store),
  finished: store.manifest,
  windowsDone: Option.match(store.checkpoint, {
    onNone: () => 0,
    onSome: ({ parts }) => parts.reduce((sum, { windows }) => sum + windows.length, 0)
  })
})

/**
 * Returns the state of an export: with the range of one that was begun, `runAll` resumes it. Refused, like a run, while another run is
 * at work there.
 *
 * @category running
 */
export const inspect = <SinkR>(
  parts: ReadonlyArray<Part.Part<unknown, unknown>>,
  sink: Sink.Sink<SinkR>
): Effect.Effect<Standing, SinkFailure | Refused, SinkR> => Effect.scoped(Effect.map(sink.open(parts), standingOf))
