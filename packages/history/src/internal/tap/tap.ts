import type * as Failure from "@effect-venue/transport/Failure"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Commit from "../../Commit.js"
import type { TapOptions } from "../../History.js"
import type * as Part from "../../Part.js"
import * as Singer from "../../Singer.js"
import * as Commits from "../commit/commits.js"
import type { Refused } from "../../ExportFailure.js"
import * as Streams from "./streams.js"

const encode = Schema.encodeSync(Commit.Checkpoint)

/** The records of a commit. */
const recordsOf = <R>(part: Part.Part<unknown, R>) => {
  const recordOf = Streams.recordOf(part.dataset)
  const message = (record: Singer.RecordMessage["record"]): Singer.RecordMessage => ({
    type: "RECORD",
    stream: part.name,
    record
  })
  return ({ rows }: Commit.Commit, now: number): ReadonlyArray<Singer.RecordMessage> =>
    rows.flatMap(({ key, replaces, row, text }) => {
      const record = message(recordOf(key, { row, text }))
      // A version with the key of the one before takes its place.
      if (replaces === undefined || replaces === key) return [record]
      const deleted = { [Streams.keyName]: replaces, [Streams.deletedName]: new Date(now).toISOString() }
      return [message(deleted), record]
    })
}

export const tap = <R>(
  parts: ReadonlyArray<Part.Part<unknown, R>>,
  { state, ...options }: TapOptions
): Stream.Stream<ReadonlyArray<Singer.Message>, Failure.ReadFailure | Refused, R> =>
  Stream.suspend(() => {
    const bookmarks = new Map(
      Object.entries(state?.bookmarks ?? {}).map(([name, checkpoint]) => [name, encode(checkpoint)])
    )
    const messagesOf = (part: Part.Part<unknown, R>) => {
      const records = recordsOf(part)
      const commits = Commits.commits(part, { ...options, after: state?.bookmarks[part.name] })
      const messages = Stream.mapEffect(commits, (commit) =>
        Effect.map(Clock.currentTimeMillis, (now): ReadonlyArray<Singer.Message> => {
          bookmarks.set(part.name, encode(commit.checkpoint))
          return [...records(commit, now), { type: "STATE", value: { bookmarks: Object.fromEntries(bookmarks) } }]
        })
      )
      return Stream.concat(Stream.make([Singer.schema(part)]), messages)
    }
    return Stream.flatMap(Stream.fromIterable(parts), messagesOf)
  })
