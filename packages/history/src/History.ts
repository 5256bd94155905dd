/**
 * Export of history: windows and cursors to rows, rows to a sink. What was read is complete, or the manifest says what is missing.
 *
 * @since 0.1.0
 */
import * as Failure from "@effect-venue/transport/Failure"
import type * as Transport from "@effect-venue/transport/Transport"
import * as Windows from "@effect-venue/transport/Windows"
import * as Channel from "effect/Channel"
import type * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Checkpoint from "./Checkpoint.js"
import type * as Dataset from "./Dataset.js"
import * as Reconcile from "./internal/reconcile.js"
import * as Windowing from "./internal/windowing.js"
import * as Manifest from "./Manifest.js"
import * as Part from "./Part.js"
import * as Sink from "./Sink.js"
import * as Spool from "./Spool.js"
import type * as Store from "./Store.js"

export {
  /**
   * @since 0.1.0
   * @category datasets
   */
  bonusUsage,
  /**
   * @since 0.1.0
   * @category datasets
   */
  brokerVolume,
  /**
   * @since 0.1.0
   * @category datasets
   */
  closedPnl,
  /**
   * @since 0.1.0
   * @category datasets
   */
  deposits,
  /**
   * @since 0.1.0
   * @category datasets
   */
  executions,
  /**
   * @since 0.1.0
   * @category datasets
   */
  orderHistory,
  /**
   * @since 0.1.0
   * @category datasets
   */
  preUpgradeClosedPnl,
  /**
   * @since 0.1.0
   * @category datasets
   */
  preUpgradeExecutions,
  /**
   * @since 0.1.0
   * @category datasets
   */
  subAccountTransfers,
  /**
   * @since 0.1.0
   * @category datasets
   */
  transfers
} from "./Datasets.js"

/**
 * Rows were read, and some may be missing: the manifest says which windows. The rows that there are were given.
 *
 * @since 0.1.0
 * @category failures
 */
export class Incomplete extends Schema.TaggedError<Incomplete>()("Incomplete", { manifest: Manifest.Part }) {
  override get message(): string {
    const missing = this.manifest.windows.flatMap((window) => window.missing)
    const [first] = missing
    const iso = (at: number | undefined) => (at === undefined ? "" : new Date(at).toISOString())
    return `${this.manifest.name} is incomplete: ${iso(first?.from)} to ${iso(first?.to)}, because ${first?.because ?? "of something"}${missing.length > 1 ? `, and ${missing.length - 1} more` : ""}`
  }
}

/**
 * How far an export has come.
 *
 * @since 0.1.0
 * @category models
 */
export interface Progress {
  /** The part that is being read. */
  readonly part: string
  /** Rows that came in this run; some may turn out to be duplicates. */
  readonly rows: number
  readonly pages: number
  /** Of all parts, those of earlier runs included. */
  readonly windowsDone: number
  readonly windows: number
  /** How many windows of each part are still to be read, by the part's name. */
  readonly windowsLeft: Readonly<Record<string, number>>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface ReadOptions {
  /** Windows read side by side: 4 unless told; the rate limits bound what that brings. */
  readonly concurrency?: number | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface RunOptions extends ReadOptions {
  /** Called after every page and every window. */
  readonly onProgress?: ((progress: Progress) => Effect.Effect<void>) | undefined
  /**
   * Goes on where the finished export in the same place ended: `from` is then only for the first time. What lies back by `overlap`
   * (1 hour unless told) is read again, for records that were late; rows that are there already are left out.
   */
  readonly incremental?: boolean | { readonly overlap?: Duration.DurationInput | undefined } | undefined
  /** Forgets what is there, finished or not; a finished export stays until the new one takes its place. */
  readonly overwrite?: boolean | undefined
}

/** What the rows of a stream are. */
type Side = "wire" | "domain"

/**
 * @since 0.1.0
 * @category models
 */
export interface StreamOptions<S extends Side> extends ReadOptions {
  /**
   * `wire`, unless told: rows as they came. `domain`: decoded; a row that cannot be is counted in the manifest, and the window that it
   * belongs to is then told to be incomplete.
   */
  readonly side?: S | undefined
}

/**
 * A row on one side.
 *
 * @since 0.1.0
 * @category type-level
 */
export type RowOf<A, S extends Side> = S extends "domain" ? A : Dataset.Row

const subjectOnly = ({ from: _from, to: _to, ...query }: Windows.Range & object): object => query

const planned = <Query extends object, A>(
  dataset: Dataset.Dataset<Query, A>,
  query: Query & Windows.Range
): Part.Part<A> =>
  // What is left of the query when its range is taken away is a query still; a type parameter cannot show that.
  Part.make(dataset, subjectOnly(query) as Query)

const rangeOf = (
  parts: ReadonlyArray<Part.Part>,
  range: Windows.Range
): Either.Either<Windows.Window, Failure.InvalidRequest> =>
  Windows.make(parts[0]?.dataset.endpoint.name ?? "history", range)

/** Refuses a part that could not be asked for, before anything is touched. */
const checked = (part: Part.Part, range: Windows.Window) => {
  const [first] = Windowing.windowsOf(part.dataset, range)
  return first === undefined ? Effect.void : part.check({ ...Windowing.ask(part.dataset, first), cursor: undefined })
}

const defaultConcurrency = 4

// A clock that counts its sleeps may stand between two milliseconds, which no manifest can tell.
const wholeMillis = Effect.map(Clock.currentTimeMillis, Math.floor)

const instants = (all: ReadonlyArray<number>): ReadonlyArray<number> =>
  [...new Set(all)].sort((one, other) => one - other)

/** Instants of a range of which records may still come or change. */
const pendingIn = (part: Part.Part, { from, to }: Windows.Window) =>
  Effect.map(part.pending, (all) => instants(all.filter((at) => at >= from && at < to)))

/**
 * The rows of a dataset, oldest first, each once, and its section of the manifest as the channel's end value: `Channel.mapOutEffect`
 * and `Channel.runDrain` give it. Ranges are half-open.
 *
 * @since 0.1.0
 * @category streams
 */
export const channel = <Query extends object, A, S extends Side = "wire">(
  dataset: Dataset.Dataset<Query, A>,
  query: NoInfer<Query> & Windows.Range,
  options: StreamOptions<S> = {}
): Channel.Channel<
  Chunk.Chunk<RowOf<A, S>>,
  unknown,
  Failure.ReadFailure,
  unknown,
  Manifest.Part,
  unknown,
  Transport.Transport
> =>
  Channel.unwrap(
    Effect.gen(function* () {
      const runAt = yield* Clock.currentTimeMillis
      const part = planned(dataset, query)
      const range = yield* rangeOf([part], query)
      yield* checked(part, range)
      const side: Side = options.side ?? "wire"
      const covered: Array<Manifest.Window> = []
      const unsettled = [...(yield* pendingIn(part, range))]
      const none = Option.none<A | Dataset.Row>()
      const windows = Reconcile.read<A, Option.Option<A | Dataset.Row>, never>({
        part,
        windows: Windowing.windowsOf(dataset, range),
        keep: (row, _text, decoded) =>
          side === "wire" ? Option.some(row) : Either.match(decoded, { onLeft: () => none, onRight: Option.some }),
        skip: 0,
        state: Reconcile.start,
        startedAt: yield* wholeMillis,
        runAt,
        concurrency: options.concurrency ?? defaultConcurrency,
        spool: Spool.memory,
        onPage: () => Effect.void
      })
      const rows = Stream.flatMap(windows, ({ end, pieces }) =>
        pieces.pipe(
          Stream.mapConcat((entries) => entries.flatMap(({ value }) => Option.toArray(value))),
          Stream.concat(
            Stream.execute(
              Effect.map(end, ({ coverage, state }) => {
                covered.push(side === "domain" ? withoutRejected(coverage) : coverage)
                unsettled.push(...state.unsettled)
              })
            )
          )
        )
      )
      // `keep` keeps what `side` says, and `RowOf` says the same of its type.
      const typed = rows as Stream.Stream<RowOf<A, S>, Failure.ReadFailure, Transport.Transport>
      const manifest = Effect.sync(() =>
        Manifest.part(Part.subject(part), covered, {
          caveat: Option.getOrNull(dataset.caveat),
          unsettled: instants(unsettled),
          files: [],
          rejected: []
        })
      )
      return Channel.zipRight(Stream.toChannel(typed), Channel.fromEffect(manifest))
    })
  )

/** On the domain side a row that cannot be decoded is missing. */
const withoutRejected = (window: Manifest.Window): Manifest.Window =>
  window.rejected === 0
    ? window
    : {
        ...window,
        missing: [
          ...window.missing,
          { from: window.from, to: window.to, because: `${window.rejected} rows could not be decoded` }
        ]
      }

/**
 * The rows of a dataset, oldest first, each once. A stream that ends well is complete: where something may be missing it fails with
 * `Incomplete` at its end, after all rows that there are.
 *
 * @since 0.1.0
 * @category streams
 */
export const stream = <Query extends object, A, S extends Side = "wire">(
  dataset: Dataset.Dataset<Query, A>,
  query: NoInfer<Query> & Windows.Range,
  options: StreamOptions<S> = {}
): Stream.Stream<RowOf<A, S>, Failure.ReadFailure | Incomplete, Transport.Transport> =>
  Stream.fromChannel(
    Channel.flatMap(channel(dataset, query, options), (manifest) =>
      manifest.verdict === "complete" ? Channel.void : Channel.fail(new Incomplete({ manifest }))
    )
  )

/**
 * Exports a dataset to a sink, and says what was read. A run that was killed is taken up where its last window ended; the result is
 * that of a run that was not. An export that is finished already is not read again.
 *
 * An incomplete export is no failure: look at the manifest's `verdict`.
 *
 * @since 0.1.0
 * @category running
 */
export const run = <Query extends object, A, SinkR>(
  dataset: Dataset.Dataset<Query, A>,
  query: NoInfer<Query> & Windows.Range,
  sink: Sink.Sink<SinkR>,
  options: RunOptions = {}
): Effect.Effect<Manifest.Manifest, RunFailure, Transport.Transport | SinkR> =>
  Effect.suspend(() => runAll([planned(dataset, query)], query, sink, options))

/**
 * Why an export ended before it was finished. What it had is kept: the same call goes on with it.
 *
 * @since 0.1.0
 * @category failures
 */
export type RunFailure = Failure.ReadFailure | Sink.SinkFailure | Sink.Refused

/**
 * Exports several datasets, categories or accounts in one run, one after the other, each into files of its own and with its own section
 * of the manifest.
 *
 * @since 0.1.0
 * @category running
 */
export const runAll = <SinkR>(
  parts: ReadonlyArray<Part.Part>,
  range: Windows.Range,
  sink: Sink.Sink<SinkR>,
  options: RunOptions = {}
): Effect.Effect<Manifest.Manifest, RunFailure, Transport.Transport | SinkR> =>
  Effect.gen(function* () {
    const runAt = yield* Clock.currentTimeMillis
    const asked = yield* rangeOf(parts, range)
    yield* distinct(parts)
    for (const part of parts) yield* checked(part, asked)
    const store = yield* sink.open(parts)
    // It was cut short after its last step but one: all that is left to do is to forget how far it was.
    if (options.overwrite !== true && isBehind(store)) yield* store.forget
    const finished = options.overwrite === true ? Option.none() : store.manifest
    const continued = options.incremental === undefined || options.incremental === false ? Option.none() : finished
    const refuse = (detail: string) => new Sink.Refused({ location: sink.location, reason: "OtherExport", detail })

    const overlap = Duration.toMillis(
      (typeof options.incremental === "object" ? options.incremental.overlap : undefined) ?? Duration.hours(1)
    )
    const since = Option.map(continued, ({ to }) => to)
    const plan: Checkpoint.Plan = {
      format: sink.format,
      from: Option.match(since, { onNone: () => asked.from, onSome: (to) => to - overlap }),
      to: asked.to,
      parts: parts.map(Part.subject),
      since: Option.getOrNull(since)
    }
    /** Of what came before: instants that were not settled, in windows of their own; then what lies back by the overlap. */
    const windowsOf = ({ dataset }: Part.Part, index: number): ReadonlyArray<Windows.Window> => {
      const before = Option.flatMapNullable(continued, ({ parts }) => parts[index])
      const { from, to } = plan
      return [
        ...Option.match(before, {
          onNone: () => [],
          onSome: ({ unsettled }) =>
            Windowing.around(
              dataset,
              unsettled.filter((at) => at < from)
            )
        }),
        // A sum over a stretch of time would hold the overlap twice.
        ...Windowing.windowsOf(dataset, { from: Option.isNone(dataset.instant) ? (plan.since ?? from) : from, to })
      ]
    }
    const pending = options.overwrite === true || isBehind(store) ? Option.none() : store.checkpoint

    if (Option.isSome(pending)) {
      const differs = Checkpoint.difference(pending.value.plan, plan)
      if (differs !== undefined) {
        const [name, there, given] = differs
        return yield* refuse(
          `an export was begun here with ${name} ${there}, not ${given}: finish that one first, export elsewhere, or overwrite it`
        )
      }
    } else if (Option.isSome(finished)) {
      const before = planOf(finished.value)
      const same = Option.isSome(continued) ? { ...plan, from: before.from, to: before.to, since: null } : plan
      const differs = Checkpoint.difference(before, same)
      if (differs !== undefined) {
        const [name, there, given] = differs
        return yield* refuse(
          `the export that is here has ${name} ${there}, not ${given}: export elsewhere, or overwrite it`
        )
      }
      const isDone = Option.isSome(continued) ? plan.to <= finished.value.to : finished.value.verdict === "complete"
      if (isDone) {
        yield* store.forget
        return finished.value
      }
    }

    const now = yield* wholeMillis
    const whole = {
      from: Option.match(continued, { onNone: () => plan.from, onSome: ({ from }) => from }),
      to: plan.to
    }
    const begun = yield* Effect.forEach(parts, (part, index) =>
      Option.isSome(pending)
        ? Effect.succeed(Reconcile.start)
        : Effect.gen(function* () {
            const known: Record<string, Array<string>> = {}
            if (Option.isSome(continued)) {
              const again = windowsOf(part, index).filter(({ from }) => from < continued.value.to)
              for (const { identity, version } of yield* store.known(part, again))
                (known[identity] ??= []).push(version)
            }
            // Asked before the first window is read: what is settled meanwhile is asked for again, and nothing falls between.
            return { ...Reconcile.start, known, unsettled: yield* pendingIn(part, whole) }
          })
    )
    let checkpoint: Checkpoint.Checkpoint = Option.match(pending, {
      onNone: (): Checkpoint.Checkpoint => ({
        version: 1,
        plan,
        startedAt: now,
        starts: 1,
        rereads: 0,
        retries: 0,
        parts: begun.map((state) => ({ windows: [], ...state }))
      }),
      onSome: (one) => ({ ...one, starts: one.starts + 1 })
    })
    if (Option.isNone(pending)) yield* store.begin(checkpoint)
    const { startedAt } = checkpoint

    const report = options.onProgress ?? (() => Effect.void)
    const lengths = parts.map((part, index) => windowsOf(part, index).length)
    const counts = {
      rows: 0,
      pages: 0,
      windowsDone: checkpoint.parts.reduce((done, { windows }) => done + windows.length, 0),
      windows: lengths.reduce((all, windows) => all + windows, 0),
      windowsLeft: Object.fromEntries(
        parts.map(({ name }, index) => [name, (lengths[index] ?? 0) - (checkpoint.parts[index]?.windows.length ?? 0)])
      )
    }

    for (const [index, part] of parts.entries()) {
      const progress = checkpoint.parts[index] ?? { windows: [], ...Reconcile.start }
      const windows = Reconcile.read<unknown, string, Sink.SinkFailure>({
        part,
        windows: windowsOf(part, index),
        keep: (_row, text) => text,
        skip: progress.windows.length,
        state: progress,
        startedAt,
        runAt,
        concurrency: options.concurrency ?? defaultConcurrency,
        spool: store.spool ?? Spool.memory,
        onPage: (rows) =>
          Effect.suspend(() => {
            counts.rows += rows
            counts.pages++
            return report({ part: part.name, ...counts })
          })
      })
      yield* Stream.runForEach(windows, ({ end, pieces }) =>
        Effect.gen(function* () {
          const ended = yield* Effect.cached(end)
          const reached = Effect.map(ended, ({ coverage, rereads, retries, state }): Checkpoint.Checkpoint => ({
            ...checkpoint,
            rereads: checkpoint.rereads + rereads,
            retries: checkpoint.retries + retries,
            parts: checkpoint.parts.with(index, {
              windows: [...(checkpoint.parts[index]?.windows ?? []), coverage],
              ...state
            })
          }))
          const rows = Stream.map(pieces, (entries): Store.Piece => ({
            rows: entries.map(({ key, replaces, value }) => ({ key, replaces, text: value })),
            rejectedRows: Reconcile.rejectedRows(entries)
          }))
          const nonRecords = Stream.map(Stream.fromEffect(ended), (end): Store.Piece => ({
            rows: [],
            rejectedRows: Reconcile.nonRecordLines(end)
          }))
          yield* store.commit({ part, pieces: Stream.concat(rows, nonRecords), checkpoint: reached })
          checkpoint = yield* reached
          counts.windowsDone++
          counts.windowsLeft = { ...counts.windowsLeft, [part.name]: (counts.windowsLeft[part.name] ?? 0) - 1 }
          yield* report({ part: part.name, ...counts })
        })
      )
    }

    const made = parts.map((part, index) => {
      const before = Option.flatMapNullable(continued, (manifest) => manifest.parts[index])
      return Manifest.part(
        Part.subject(part),
        [
          ...Option.match(before, { onNone: () => [], onSome: ({ windows }) => windows }),
          ...(checkpoint.parts[index]?.windows ?? [])
        ],
        {
          caveat: Option.getOrNull(part.dataset.caveat),
          unsettled: instants(checkpoint.parts[index]?.unsettled ?? []),
          files: Option.match(before, { onNone: () => [], onSome: ({ files }) => files }),
          rejected: Option.match(before, { onNone: () => [], onSome: ({ rejected }) => rejected })
        }
      )
    })
    const endedAt = yield* wholeMillis
    return yield* store.finish(
      Manifest.make(whole, sink.format, made, {
        startedAt,
        endedAt,
        starts: checkpoint.starts,
        rereads: checkpoint.rereads,
        retries: checkpoint.retries
      })
    )
  }).pipe(Effect.scoped)

/**
 * What is in the place where an export is to go: the plan of one that was begun and not finished, the manifest of one that was finished.
 *
 * @since 0.1.0
 * @category models
 */
export interface Standing {
  readonly begun: Option.Option<Checkpoint.Plan>
  readonly finished: Option.Option<Manifest.Manifest>
}

/**
 * Looks at what is there before an export is asked for: with the range of what was begun, `runAll` takes it up. Refused, like a run,
 * while another run is at work there.
 *
 * @since 0.1.0
 * @category running
 */
export const inspect = <SinkR>(
  parts: ReadonlyArray<Part.Part>,
  sink: Sink.Sink<SinkR>
): Effect.Effect<Standing, Sink.SinkFailure | Sink.Refused, SinkR> =>
  Effect.scoped(
    Effect.map(sink.open(parts), (store) => ({
      begun: isBehind(store) ? Option.none() : Option.map(store.checkpoint, ({ plan }) => plan),
      finished: store.manifest
    }))
  )

/** Whether the export that a checkpoint is of was finished: one that continues another is not begun twice. */
const isBehind = ({ checkpoint, manifest }: Store.Store): boolean =>
  Option.exists(checkpoint, ({ plan }) => plan.since !== null && Option.exists(manifest, ({ to }) => to === plan.to))

const planOf = (manifest: Manifest.Manifest): Checkpoint.Plan => ({
  format: manifest.format,
  from: manifest.from,
  to: manifest.to,
  parts: manifest.parts.map(({ account, dataset, name, parameters }) => ({ account, dataset, name, parameters })),
  since: null
})

/** Two parts of one name would be written into one file. */
const distinct = (parts: ReadonlyArray<Part.Part>): Effect.Effect<void, Failure.InvalidRequest> => {
  const names = parts.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  const rule =
    parts.length === 0
      ? "must not be empty"
      : twice === undefined
        ? undefined
        : `must be different, ${twice} is there twice`
  const issue = { field: "parts", rule: rule ?? "" }
  return rule === undefined
    ? Effect.void
    : Effect.fail(new Failure.InvalidRequest({ operation: "history", ...issue, issues: [issue] }))
}
