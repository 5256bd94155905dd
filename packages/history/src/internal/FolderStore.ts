import * as sha256 from "#sha256"
import type * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Checkpoint from "../Checkpoint.js"
import * as Dataset from "../Dataset.js"
import * as Manifest from "../Manifest.js"
import type * as Part from "../Part.js"
import * as Spool from "../Spool.js"
import type { Known, Store } from "../Store.js"
import { type Refused, SinkFailure } from "./failures.js"
import type { Format } from "./format.js"
import { encode } from "./lines.js"
import * as Lock from "./lock.js"

/** The folder's own folder: the lock, the journals, the checkpoint, and files that are not ready. */
export const own = ".venue"

const Lengths = Schema.Struct({ rows: Schema.NonNegativeInt, rejectedRows: Schema.NonNegativeInt })

/** The checkpoint with what it covers: how many bytes of each journal. */
const Saved = Schema.parseJson(
  Schema.Struct({
    checkpoint: Checkpoint.Checkpoint,
    lengths: Schema.Record({ key: Schema.String, value: Lengths })
  })
)

const decodeSaved = Schema.decodeEither(Saved)
const encodeSaved = Schema.encodeSync(Saved)

const utf8 = new TextEncoder()

const detail = (error: unknown): string => {
  if (typeof error === "object" && error !== null && "_tag" in error && error._tag === "SystemError") {
    // Told by its tag; the platform's errors have no guard of their own.
    const system = error as PlatformError.SystemError
    if (system.reason === "NotFound") {
      return `${system.pathOrDescriptor ?? "a file"} is gone: the folder was removed or cleared, or another process took it over`
    }
    return system.description ?? system.reason
  }
  return error instanceof Error ? error.message : String(error)
}

const lineBreak = 10

export const open = (
  location: string,
  format: Format,
  parts: ReadonlyArray<Part.Part>
): Effect.Effect<Store, SinkFailure | Refused, FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const at = (...names: ReadonlyArray<string>) => path.join(location, ...names)
    const failing = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, SinkFailure, R> =>
      Effect.mapError(effect, (error) =>
        error instanceof SinkFailure ? error : new SinkFailure({ location, detail: detail(error) })
      )
    const fail = (what: string) => new SinkFailure({ location, detail: what })

    // An export that is finished leaves nothing but its files.
    const lock = yield* Effect.mapError(Lock.acquire(at(own, "lock"), { folder: true }), (error) =>
      error._tag === "Held" ? Lock.refused(location, at(own, "lock"), error) : fail(detail(error))
    )
    const checkLock = Effect.mapError(lock.check, ({ detail }) => fail(detail))

    const journal = (part: { readonly name: string }) => at(own, `${part.name}.journal.ndjson`)
    const rejectedJournal = (part: { readonly name: string }) => at(own, `${part.name}.rejected.ndjson`)
    const checkpointFile = at(own, "checkpoint.json")

    /** What was renamed or made is only sure to be there when its folder is on disk too; not every system can do that. */
    const syncFolder = (folder: string) =>
      Effect.ignore(Effect.scoped(Effect.flatMap(fs.open(folder), (file) => file.sync)))

    /** Of this run alone: one that was frozen and lost its lock does not rename the half-written file of its successor. */
    const partialOf = (name: string) => at(own, `${name}.${lock.token}.partial`)

    /** A text that is there as a whole or not at all. */
    const replace = (file: string, text: string) =>
      Effect.gen(function* () {
        const partial = partialOf(path.basename(file))
        yield* Effect.scoped(
          Effect.flatMap(fs.open(partial, { flag: "w" }), (handle) =>
            Effect.zipRight(handle.writeAll(utf8.encode(text)), handle.sync)
          )
        )
        yield* checkLock
        yield* fs.rename(partial, file)
        yield* syncFolder(path.dirname(file))
      })

    const readIfThere = (file: string) =>
      Effect.if(fs.exists(file), {
        onTrue: () => Effect.asSome(fs.readFileString(file)),
        onFalse: () => Effect.succeedNone
      })

    const manifestText = yield* failing(readIfThere(at(Manifest.fileName)))
    const manifest = yield* Option.match(manifestText, {
      onNone: () => Effect.succeedNone,
      onSome: (text) =>
        Either.match(Manifest.decode(text), {
          onLeft: () => Effect.fail(fail(`${Manifest.fileName} is none that this version wrote`)),
          onRight: Effect.succeedSome
        })
    })
    const savedText = yield* failing(readIfThere(checkpointFile))
    const saved = yield* Option.match(savedText, {
      onNone: () => Effect.succeedNone,
      onSome: (text) =>
        Either.match(decodeSaved(text), {
          onLeft: () => Effect.fail(fail(`${path.join(own, "checkpoint.json")} is none that this version wrote`)),
          onRight: Effect.succeedSome
        })
    })

    const lengths = new Map(Object.entries(Option.match(saved, { onNone: () => ({}), onSome: (one) => one.lengths })))
    const lengthsOf = (part: { readonly name: string }) => lengths.get(part.name) ?? { rows: 0, rejectedRows: 0 }

    /** Takes away what was written after the checkpoint. */
    const cut = (file: string, length: number) =>
      Effect.gen(function* () {
        const there = yield* fs.exists(file)
        const size = there ? Number((yield* fs.stat(file)).size) : 0
        if (size < length) return yield* fail(`${path.basename(file)} is shorter than its checkpoint says`)
        if (size > length) yield* fs.truncate(file, length)
      })

    for (const name of yield* failing(fs.readDirectory(at(own)))) {
      if (name.endsWith(".spool") || name.endsWith(".partial"))
        yield* failing(fs.remove(at(own, name), { force: true }))
    }
    if (Option.isSome(saved)) {
      for (const part of saved.value.checkpoint.plan.parts) {
        yield* failing(cut(journal(part), lengthsOf(part).rows))
        yield* failing(cut(rejectedJournal(part), lengthsOf(part).rejectedRows))
      }
    }

    const scope = yield* Effect.scope
    /** The journals that are open: of the part that is being read. */
    let opened:
      | { readonly name: string; readonly scope: Scope.CloseableScope; readonly files: Map<string, FileSystem.File> }
      | undefined

    const handleOf = (part: Part.Part, file: string) =>
      Effect.gen(function* () {
        if (opened !== undefined && opened.name !== part.name) yield* Scope.close(opened.scope, Exit.void)
        if (opened?.name !== part.name) {
          opened = { name: part.name, scope: yield* Scope.fork(scope, ExecutionStrategy.sequential), files: new Map() }
        }
        const there = opened.files.get(file)
        if (there !== undefined) return there
        const handle = yield* Scope.extend(fs.open(file, { flag: "a" }), opened.scope)
        opened.files.set(file, handle)
        return handle
      })

    const append = (part: Part.Part, file: string, lines: ReadonlyArray<string>) =>
      lines.length === 0
        ? Effect.succeed(0)
        : Effect.gen(function* () {
            const bytes = encode(lines)
            const handle = yield* handleOf(part, file)
            yield* checkLock
            yield* handle.writeAll(bytes)
            return bytes.length
          })

    const save = (checkpoint: Checkpoint.Checkpoint) =>
      replace(checkpointFile, encodeSaved({ checkpoint, lengths: Object.fromEntries(lengths) }))

    /** Writes a file beside, and says what it is. */
    const write = (name: string, rows: number, windows: number, bytes: Stream.Stream<Uint8Array, unknown>) =>
      Effect.gen(function* () {
        const hash = sha256.begin()
        let length = 0
        yield* Effect.scoped(
          Effect.gen(function* () {
            const handle = yield* fs.open(partialOf(name), { flag: "w" })
            yield* Stream.runForEachChunk(bytes, (chunks) =>
              Effect.forEach(
                chunks,
                (chunk) => {
                  hash.update(chunk)
                  length += chunk.length
                  return handle.writeAll(chunk)
                },
                { discard: true }
              )
            )
            yield* handle.sync
          })
        )
        return { name, rows, windows, bytes: length, sha256: hash.hex() } satisfies Manifest.File
      })

    const reveal = ({ name }: Manifest.File) => Effect.zipRight(checkLock, fs.rename(partialOf(name), at(name)))

    /** The bytes of a journal, as far as they count. */
    const stored = (file: string, length: number): Stream.Stream<Uint8Array, unknown> =>
      length === 0 ? Stream.empty : fs.stream(file, { bytesToRead: length })

    const forget = Effect.gen(function* () {
      yield* checkLock
      yield* fs.remove(checkpointFile, { force: true })
      for (const name of yield* fs.readDirectory(at(own))) {
        if (!Lock.isLockFile(name, "lock")) yield* fs.remove(at(own, name), { force: true })
      }
    })

    const closeJournals = Effect.suspend(() => {
      const before = opened
      opened = undefined
      return before === undefined ? Effect.void : Scope.close(before.scope, Exit.void)
    })

    /** A process that was frozen between its check of the lock and its write leaves a journal longer than this one wrote it. */
    const unshared = (file: string, length: number) =>
      Effect.gen(function* () {
        if (length === 0) return
        const size = Number((yield* Effect.mapError(fs.stat(file), () => fail(`${path.basename(file)} is gone`))).size)
        if (size !== length) return yield* fail(`another process wrote to ${path.basename(file)}`)
      })

    const begin: Store["begin"] = (checkpoint) =>
      failing(
        Effect.gen(function* () {
          yield* closeJournals
          yield* forget
          lengths.clear()
          for (const part of checkpoint.plan.parts) lengths.set(part.name, { rows: 0, rejectedRows: 0 })
          yield* save(checkpoint)
        })
      )

    const commit: Store["commit"] = ({ checkpoint, part, pieces }) =>
      failing(
        Effect.gen(function* () {
          yield* checkLock
          let { rejectedRows, rows } = lengthsOf(part)
          yield* Stream.runForEach(pieces, (piece) =>
            Effect.gen(function* () {
              rows += yield* append(
                part,
                journal(part),
                piece.rows.map(({ text }) => text)
              )
              rejectedRows += yield* append(part, rejectedJournal(part), piece.rejectedRows)
            })
          )
          if (opened?.name === part.name) for (const handle of opened.files.values()) yield* handle.sync
          yield* unshared(journal(part), rows)
          yield* unshared(rejectedJournal(part), rejectedRows)
          lengths.set(part.name, { rows, rejectedRows })
          yield* save(yield* checkpoint)
        })
      )

    const known: Store["known"] = (part, windows) =>
      Option.match(manifest, {
        onNone: () => Effect.succeed([]),
        onSome: ({ parts }) =>
          failing(
            Effect.gen(function* () {
              const found: Array<Known> = []
              for (const file of parts.find(({ name }) => name === part.name)?.files ?? []) {
                yield* Stream.runForEach(format.rows(at(file.name), part.dataset), (row) =>
                  Effect.sync(() => {
                    const instant = Dataset.instant(part.dataset, row)
                    if (instant === undefined || !windows.some(({ from, to }) => instant >= from && instant < to))
                      return
                    const [identity, version] = Dataset.version(part.dataset, row)
                    found.push({ identity, version })
                  })
                )
              }
              return found
            }).pipe(Effect.provideService(FileSystem.FileSystem, fs))
          )
      })

    const lineCount = (file: string, length: number) =>
      Stream.runFold(stored(file, length), 0, (lines, chunk) => {
        let count = lines
        for (let at = chunk.indexOf(lineBreak); at !== -1; at = chunk.indexOf(lineBreak, at + 1)) count++
        return count
      })

    const finish: Store["finish"] = (unfinished) =>
      failing(
        Effect.gen(function* () {
          yield* checkLock
          yield* closeJournals
          const made: Array<Manifest.Part> = []
          for (const part of unfinished.parts) {
            const dataset = parts.find(({ name }) => name === part.name)?.dataset
            if (dataset === undefined) return yield* fail(`there is no part ${part.name}`)
            const number = part.files.length + 1
            const suffix = number === 1 ? "" : `.${number}`
            const { rejectedRows, rows } = lengthsOf(part)
            yield* unshared(journal(part), rows)
            yield* unshared(rejectedJournal(part), rejectedRows)
            const source = stored(journal(part), rows)
            const file = yield* write(
              `${part.name}${suffix}.${format.extension}`,
              yield* lineCount(journal(part), rows),
              part.windows.length - part.files.reduce((all, { windows }) => all + windows, 0),
              format.render({ dataset, bytes: source })
            )
            const rejected =
              rejectedRows === 0
                ? []
                : [
                    yield* write(
                      `${part.name}${suffix}.rejected.ndjson`,
                      yield* lineCount(rejectedJournal(part), rejectedRows),
                      0,
                      stored(rejectedJournal(part), rejectedRows)
                    )
                  ]
            made.push({ ...part, files: [...part.files, file], rejected: [...part.rejected, ...rejected] })
          }
          const finished = { ...unfinished, parts: made }
          const before = Option.match(manifest, { onNone: () => [], onSome: filesOf })
          const after = filesOf(finished)
          for (const [index, part] of made.entries()) {
            for (const file of [...part.files, ...part.rejected]) {
              // What an earlier export wrote lies under its name already.
              const isNew = ![
                ...(unfinished.parts[index]?.files ?? []),
                ...(unfinished.parts[index]?.rejected ?? [])
              ].includes(file)
              if (isNew) yield* reveal(file)
            }
          }
          yield* syncFolder(location)
          yield* replace(at(Manifest.fileName), Manifest.encode(finished))
          yield* checkLock
          for (const name of before) if (!after.includes(name)) yield* fs.remove(at(name), { force: true })
          yield* forget
          return finished
        })
      )

    const spool = yield* Spool.folder(at(own))

    return {
      spool,
      checkpoint: Option.map(saved, (one) => one.checkpoint),
      manifest,
      begin,
      commit,
      forget: failing(forget),
      known,
      finish
    }
  })

const filesOf = (manifest: Manifest.Manifest): ReadonlyArray<string> =>
  manifest.parts.flatMap(({ files, rejected }) => [...files, ...rejected].map(({ name }) => name))
