import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { forEach } from "../platform/forEach.js"
import { encode } from "../formats/lines.js"
import type { WorkFolder } from "./workFolder.js"

/** A file of a journal, with the number of bytes that the checkpoint covers. Later bytes are ignored. */
export const Segment = Schema.Struct({ file: Schema.String, length: Schema.NonNegativeInt })

/** A journal: one segment for each run of the export, in order. */
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

/** `rows` are exported, `rejectedRows` go to the side file, and `checkpoint` contains the length of both that counts. */
export type JournalKind = "checkpoint" | "rejectedRows" | "rows"

const suffixOf: Record<JournalKind, string> = {
  rows: "journal.ndjson",
  rejectedRows: "rejected.ndjson",
  checkpoint: "checkpoint.ndjson"
}

const extend = (segments: Segments, file: string, bytes: number): Segments => {
  const last = segments.at(-1)
  if (bytes === 0) return segments
  if (last?.file !== file) return [...segments, { file, length: bytes }]
  return [...segments.slice(0, -1), { file, length: last.length + bytes }]
}

const lineBreak = 10

const fileOf = (folder: WorkFolder, part: string, kind: JournalKind) => `${part}.${folder.token}.${suffixOf[kind]}`

const sizeOf = (folder: WorkFolder, file: string) =>
  Effect.map(
    Effect.mapError(folder.fs.stat(folder.work(file)), () =>
      folder.fail(`${file} is missing: overwrite the export, or export elsewhere`)
    ),
    ({ size }) => Number(size)
  )

/** Fails if a file is shorter than the checkpoint requires. */
const checkSegments = (folder: WorkFolder, segments: Segments) =>
  Effect.forEach(
    segments,
    ({ file, length }) =>
      Effect.filterOrFail(
        sizeOf(folder, file),
        (size) => size >= length,
        () => folder.fail(`${file} is shorter than its checkpoint requires: overwrite the export, or export elsewhere`)
      ),
    { discard: true }
  )

/** Links the segments of an earlier run to names of this run, so that the earlier run cannot remove them. */
const inherit = ({ fs, token, work }: WorkFolder, part: string, kind: JournalKind, segments: Segments) =>
  Effect.forEach(segments, ({ file, length }, index) => {
    const own = `${part}.${token}.${index}.${suffixOf[kind]}`
    // Copy the file if the file system has no links.
    const linked = Effect.orElse(fs.link(work(file), work(own)), () => fs.copyFile(work(file), work(own)))
    return Effect.as(linked, { file: own, length })
  })

/** The files of one part that are open for appending. */
class OpenFiles {
  readonly #folder: WorkFolder
  readonly #scope: Scope.Scope
  #opened:
    | { readonly part: string; readonly scope: Scope.CloseableScope; readonly files: Map<string, FileSystem.File> }
    | undefined

  constructor(folder: WorkFolder, scope: Scope.Scope) {
    this.#folder = folder
    this.#scope = scope
  }

  readonly close = Effect.suspend(() => {
    const before = this.#opened
    this.#opened = undefined
    return before === undefined ? Effect.void : Scope.close(before.scope, Exit.void)
  })

  /** Returns the open file of a part, and closes those of other parts. */
  readonly of = Effect.fnUntraced(function* (this: OpenFiles, part: string, file: string) {
    if (this.#opened?.part !== part) {
      yield* this.close
      this.#opened = { part, scope: yield* Scope.fork(this.#scope, ExecutionStrategy.sequential), files: new Map() }
    }
    const { files, scope } = this.#opened
    const existing = files.get(file)
    if (existing !== undefined) return existing
    const handle = yield* Scope.extend(this.#folder.fs.open(this.#folder.work(file), { flag: "a" }), scope)
    files.set(file, handle)
    return handle
  })
}

const bytesOf = ({ fs, work }: WorkFolder, stretches: ReadonlyArray<Stretch>): Stream.Stream<Uint8Array, unknown> =>
  Stream.flatMap(Stream.fromIterable(stretches), ({ file, length, offset = 0 }) =>
    fs.stream(work(file), { offset, bytesToRead: length })
  )

/** Splits a journal after each of these numbers of lines; the last piece is the rest. */
const cut = Effect.fnUntraced(function* (folder: WorkFolder, segments: Segments, lineCounts: ReadonlyArray<number>) {
  const pieces: Array<Piece> = []
  let piece: Piece = { stretches: [], lines: 0 }
  for (const { file, length } of segments) {
    let [begin, read] = [0, 0]
    const take = (end: number) => {
      if (end > begin) piece.stretches.push({ file, offset: begin, length: end - begin })
      begin = end
    }
    yield* forEach(bytesOf(folder, [{ file, length }]), (chunk) => {
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

/** The journals of a work folder. Each run appends to separate files, so two processes never write to the same one. */
export const make = (folder: WorkFolder) =>
  Effect.map(Effect.scope, (scope) => {
    const opened = new OpenFiles(folder, scope)

    const append = Effect.fnUntraced(function* (
      part: string,
      kind: JournalKind,
      segments: Segments,
      lines: ReadonlyArray<string>
    ) {
      if (lines.length === 0) return segments
      const file = fileOf(folder, part, kind)
      const bytes = encode(lines)
      yield* (yield* opened.of(part, file)).writeAll(bytes)
      return extend(segments, file, bytes.length)
    })

    /** Syncs the appended bytes to disk. */
    const sync = Effect.fnUntraced(function* (part: string, kind: JournalKind, segments: Segments) {
      const file = fileOf(folder, part, kind)
      const own = segments.find((segment) => segment.file === file)
      if (own === undefined) return
      yield* (yield* opened.of(part, file)).sync
      // An earlier commit failed halfway, or another program wrote to the file.
      if ((yield* sizeOf(folder, file)) !== own.length) {
        return yield* folder.fail(`${file} was changed by another program`)
      }
    })

    return {
      fileOf: (part: string, kind: JournalKind) => fileOf(folder, part, kind),
      checkSegments: (segments: Segments) => checkSegments(folder, segments),
      inherit: (part: string, kind: JournalKind, segments: Segments) => inherit(folder, part, kind, segments),
      append,
      sync,
      close: opened.close,
      bytes: (stretches: ReadonlyArray<Stretch>) => bytesOf(folder, stretches),
      cut: (segments: Segments, lineCounts: ReadonlyArray<number>) => cut(folder, segments, lineCounts)
    }
  })

export type Journal = Effect.Effect.Success<ReturnType<typeof make>>
