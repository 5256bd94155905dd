/** Singer messages, which Meltano, dlt and Airbyte read: `SCHEMA`, `RECORD` and `STATE`, one JSON text per line. `tap` emits them. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Trace from "@effect-venue/transport/siblings/Trace"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Refused } from "../model/ExportFailure.js"
import * as History from "../commit/History.js"
import * as Streams from "./streams.js"
import * as Gaps from "../model/gaps.js"
import type * as Manifest from "../model/Manifest.js"
import type * as Part from "../model/Part.js"

/** A JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [name: string]: Json }

/** Precedes the records of a stream, once per run. A stream is a part of an export and has its name. */
export interface SchemaMessage {
  readonly type: "SCHEMA"
  readonly stream: string
  readonly schema: Json
  readonly key_properties: ReadonlyArray<string>
  readonly bookmark_properties: ReadonlyArray<string>
}

/**
 * A row. `venue_key` is unique in its stream. A record with `_sdc_deleted_at` deletes the earlier record with the same key, because the row has
 * changed; the record of the new version follows.
 */
export interface RecordMessage {
  readonly type: "RECORD"
  readonly stream: string
  readonly record: Readonly<Record<string, Json>>
}

/** The checkpoints of all streams, which cover exactly the records before this message. */
export interface StateMessage {
  readonly type: "STATE"
  readonly value: typeof State.Encoded
}

export type Message = SchemaMessage | RecordMessage | StateMessage

/** The value of the last `STATE`: a checkpoint for each stream. */
export const State = Schema.Struct({
  bookmarks: Schema.Record({ key: Schema.String, value: History.Checkpoint })
})

export type State = typeof State.Type

/**
 * The ranges of streams that a run has to report, by the states before and after it: gaps that the next run reads again, and what was lost in this run.
 *
 * @category getters
 */
export const missingOf = (before: State, after: State): ReadonlyArray<Manifest.MissingOfPart> =>
  Object.entries(after.bookmarks).flatMap(([part, { missing }]) => {
    const earlier = before.bookmarks[part]?.missing ?? []
    return [...Gaps.open(missing), ...Gaps.newlyLost(earlier, missing)].map((gap) => ({ part, ...gap }))
  })

/** The `SCHEMA` of a part. */
export const schema = <R>({ dataset, name }: Part.Part<unknown, R>): SchemaMessage => ({
  type: "SCHEMA",
  stream: name,
  schema: Streams.schemaOf(dataset),
  key_properties: [Streams.keyName],
  bookmark_properties: Option.match(dataset.instant, { onNone: () => [], onSome: ({ name }) => [name] })
})

/** The entry of a part in a catalog. Streams are selected by default. */
export const catalogEntry = <R>(part: Part.Part<unknown, R>): Readonly<Record<string, Json>> => {
  const { bookmark_properties, key_properties, schema: json, stream } = schema(part)
  return {
    tap_stream_id: stream,
    stream,
    schema: json,
    key_properties,
    metadata: [
      {
        breadcrumb: [],
        metadata: {
          inclusion: "available",
          "selected-by-default": true,
          "table-key-properties": key_properties,
          "valid-replication-keys": bookmark_properties,
          "forced-replication-method": "INCREMENTAL"
        }
      }
    ]
  }
}

/** A window of a stream that can lack rows, or has conflicting ones. */
export interface IncompleteWindow extends Pick<History.IncompleteCommit, "conflicts" | "missing" | "window"> {
  readonly stream: string
}

export interface TapOptions extends Omit<History.CommitOptions, "after"> {
  /** Called before the messages of a window that can lack rows. The state after them contains its gaps, and the next run reads them again first. */
  readonly onIncomplete: (incomplete: IncompleteWindow) => Effect.Effect<void>
  /**
   * The shortest time between two states. A state contains the rows of the overlap, so that one for each window can be most of the output. Defaults to 5
   * seconds.
   */
  readonly stateEvery?: Duration.DurationInput | undefined
  /** The value of the last `STATE`. Defaults to none: all streams begin at `from`. */
  readonly state?: State | undefined
}

const encode = Schema.encodeSync(History.Checkpoint)

/** The records of a commit. */
const recordsOf = <R>(part: Part.Part<unknown, R>) => {
  const recordOf = Streams.recordOf(part.dataset)
  const message = (record: RecordMessage["record"]): RecordMessage => ({
    type: "RECORD",
    stream: part.name,
    record
  })
  return (commit: History.Commit, now: number): ReadonlyArray<RecordMessage> =>
    (commit._tag === "Complete" ? commit.rows : commit.partialRows).flatMap(({ key, replaces, row, text }) => {
      const record = message(recordOf(key, { row, text }))
      // A version with the key of the one before takes its place.
      if (replaces === undefined || replaces === key) return [record]
      const deleted = { [Streams.keyName]: replaces, [Streams.deletedName]: new Date(now).toISOString() }
      return [message(deleted), record]
    })
}

const tapParts = <R>(
  parts: ReadonlyArray<Part.Part<unknown, R>>,
  { onIncomplete, state, stateEvery, ...options }: TapOptions
): Stream.Stream<ReadonlyArray<Message>, Failure.ReadFailure | Refused, R> =>
  Stream.suspend(() => {
    const bookmarks = new Map(
      Object.entries(state?.bookmarks ?? {}).map(([name, checkpoint]) => [name, encode(checkpoint)])
    )
    let nextState = 0
    let isStateDue = false
    const takeState = Effect.map(Clock.currentTimeMillis, (now): ReadonlyArray<StateMessage> => {
      if (!isStateDue) return []
      isStateDue = false
      nextState = now + Duration.toMillis(stateEvery ?? "5 seconds")
      return [{ type: "STATE", value: { bookmarks: Object.fromEntries(bookmarks) } }]
    })
    const messagesOf = (part: Part.Part<unknown, R>) => {
      const records = recordsOf(part)
      const commits = History.commits(part, { ...options, after: state?.bookmarks[part.name] })
      const messages = Stream.mapEffect(commits, (commit) =>
        Effect.gen(function* () {
          if (commit._tag === "Incomplete") {
            const { conflicts, missing, window } = commit
            yield* onIncomplete({ stream: part.name, window, missing, conflicts })
          }
          const now = yield* Clock.currentTimeMillis
          bookmarks.set(part.name, encode(commit.checkpoint))
          isStateDue = true
          const state = now >= nextState ? yield* takeState : []
          return [...records(commit, now), ...state] satisfies ReadonlyArray<Message>
        })
      )
      return Stream.concat(Stream.make([schema(part)]), messages)
    }
    const last = Stream.filter(Stream.fromEffect(takeState), (messages) => messages.length > 0)
    // A run that fails leaves the state of its last rows, too.
    return Stream.flatMap(Stream.fromIterable(parts), messagesOf).pipe(
      Stream.catchAll((failure) => Stream.concat(last, Stream.fail(failure))),
      Stream.concat(last)
    )
  })

/**
 * The history of parts as messages of Singer, one part after the other: records, and a state that covers them at most
 * every 5 seconds, and at the end. A target that is killed at any message, and is continued from the last `STATE` that it received, has every row once: the rows after that state are
 * emitted again with the same keys. Fails with `Refused` if the state is of another part or account.
 *
 * @category streams
 */
export const tap = Trace.named("Singer.tap", tapParts)
