import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { forEach } from "../model/forEach.js"
import { encode } from "../formats/lines.js"
import type { WorkFolder } from "./workFolder.js"

/** A file of a journal, and how many of its bytes the checkpoint covers. Bytes beyond them do not count. */
export const Segment = Schema.Struct({ file: Schema.String, length: Schema.NonNegativeInt })

/** A journal: what each of the runs that worked on the export appended to it, in their order. */
export type Segments = ReadonlyArray<typeof Segment.Type>

/** Bytes of a file of a journal. */
interface Stretch {
  readonly file: string
  readonly offset?: number
  readonly length: number
}

/** A piece of a journal. */
interface Piece {
  readonly stretches: Array<Stretch>
  lines: number
}

/** `rows` are exported; `rejectedRows` go to the side file; `checkpoint` says how much of both counts. */
export type Kind = "checkpoint" | "rejectedRows" | "rows"

const suffixOf: Record<Kind, string> = {
  rows: "journal.ndjson",
  rejectedRows: "rejected.ndjson",
  checkpoint: "checkpoint.ndjson"
}

const extended = (segments: Segments, file: string, bytes: number): Segments => {
  const last = segments.at(-1)
  if (bytes === 0) return segments
  if (last?.file !== file) return [...segments, { file, length: bytes }]
  return [...segments.slice(0, -1), { file, length: last.length + bytes }]
}

const lineBreak = 10

/** The journals of a work folder. A run appends to files of its own, so that no two processes write to one file. */
export const make = (folder: WorkFolder) =>
  Effect.gen(function* () {
    const { fs } = folder
    const scope = yield* Effect.scope

    const fileOf = (part: string, kind: Kind) => `${part}.${folder.token}.${suffixOf[kind]}`

    const sizeOf = (file: string) =>
      Effect.map(
        Effect.mapError(fs.stat(folder.work(file)), () => folder.fail(`${file} is gone`)),
        ({ size }) => Number(size)
      )

    /** Fails unless the files contain what the checkpoint covers. */
    const checkSegments = (segments: Segments) =>
      Effect.forEach(
        segments,
        ({ file, length }) =>
          Effect.filterOrFail(
            sizeOf(file),
            (size) => size >= length,
            () => folder.fail(`${file} is shorter than its checkpoint says`)
          ),
        { discard: true }
      )

    /** Gives the segments of an earlier run names of this one, which the earlier run cannot remove. */
    const inherit = (part: string, kind: Kind, segments: Segments) =>
      Effect.forEach(segments, ({ file, length }, index) =>
        Effect.gen(function* () {
          const own = `${part}.${folder.token}.${index}.${suffixOf[kind]}`
          // A file system without links.
          yield* Effect.orElse(fs.link(folder.work(file), folder.work(own)), () =>
            fs.copyFile(folder.work(file), folder.work(own))
          )
          return { file: own, length }
        })
      )

    /** The open files, which are those of one part. */
    let opened:
      | { readonly part: string; readonly scope: Scope.CloseableScope; readonly files: Map<string, FileSystem.File> }
      | undefined

    const close = Effect.suspend(() => {
      const before = opened
      opened = undefined
      return before === undefined ? Effect.void : Scope.close(before.scope, Exit.void)
    })

    const handleOf = (part: string, file: string) =>
      Effect.gen(function* () {
        if (opened?.part !== part) {
          yield* close
          opened = { part, scope: yield* Scope.fork(scope, ExecutionStrategy.sequential), files: new Map() }
        }
        const files = opened.files
        const existing = files.get(file)
        if (existing !== undefined) return existing
        const handle = yield* Scope.extend(fs.open(folder.work(file), { flag: "a" }), opened.scope)
        files.set(file, handle)
        return handle
      })

    const append = (part: string, kind: Kind, segments: Segments, lines: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        if (lines.length === 0) return segments
        const file = fileOf(part, kind)
        const bytes = encode(lines)
        yield* (yield* handleOf(part, file)).writeAll(bytes)
        return extended(segments, file, bytes.length)
      })

    /** Brings what was appended to disk. */
    const sync = (part: string, kind: Kind, segments: Segments) =>
      Effect.gen(function* () {
        const file = fileOf(part, kind)
        const own = segments.find((segment) => segment.file === file)
        if (own === undefined) return
        yield* (yield* handleOf(part, file)).sync
        // An earlier commit that failed halfway, or another program.
        if ((yield* sizeOf(file)) !== own.length) return yield* folder.fail(`${file} is not as long as it was written`)
      })

    const bytes = (stretches: ReadonlyArray<Stretch>): Stream.Stream<Uint8Array, unknown> =>
      Stream.flatMap(Stream.fromIterable(stretches), ({ file, length, offset = 0 }) =>
        fs.stream(folder.work(file), { offset, bytesToRead: length })
      )

    /** Cuts a journal behind each of these numbers of lines; the last piece is all that is left. */
    const cut = (segments: Segments, lineCounts: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        const pieces: Array<Piece> = []
        let piece: Piece = { stretches: [], lines: 0 }
        for (const { file, length } of segments) {
          let [begin, read] = [0, 0]
          const take = (end: number) => {
            if (end > begin) piece.stretches.push({ file, offset: begin, length: end - begin })
            begin = end
          }
          yield* forEach(bytes([{ file, length }]), (chunk) => {
            for (let at = chunk.indexOf(lineBreak); at !== -1; at = chunk.indexOf(lineBreak, at + 1)) {
              piece.lines++
              if (pieces.length >= lineCounts.length - 1 || piece.lines !== lineCounts[pieces.length]) continue
              take(read + at + 1)
              pieces.push(piece)
              piece = { stretches: [], lines: 0 }
            }
            read += chunk.length
            return Effect.void
          })
          take(length)
        }
        return [...pieces, piece]
      })

    return { fileOf, checkSegments, inherit, append, sync, close, bytes, cut }
  })

export type Journal = Effect.Effect.Success<ReturnType<typeof make>>
