import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as SqliteSink from "@effect-venue/history/SqliteSink"
import * as Verify from "@effect-venue/history/Verify"
import { Error, FileSystem, type Path } from "@effect/platform"
import { describe, expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { settle } from "@effect-venue/testing/Settling"
import { day, filesOf, folder, onStillExchange, today, withFiles } from "./utils/world.js"

const parts = [Part.make(Datasets.deposits, {})]
const range = { from: today - 40 * day, to: today - day }

const sinks: ReadonlyArray<readonly [string, (directory: string) => Sink.Sink<FileSystem.FileSystem | Path.Path>]> = [
  ["ndjson", Sink.ndjson],
  ["csv", Sink.csv],
  ["parquet", Sink.parquet],
  ["sqlite", (directory) => SqliteSink.make(`${directory}/venue.sqlite`)]
]

const reasons = [
  ["PermissionDenied", "EACCES: permission denied"],
  ["Unknown", "EPERM: operation not permitted"],
  ["Unknown", "EROFS: read-only file system"]
] as const

/** A file system with a folder in which nothing can be written. Root writes in spite of permissions, so the operations are refused here. */
const refusing = (locked: string, [reason, description]: (typeof reasons)[number]) =>
  Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (fs): FileSystem.FileSystem => {
      const refuse = <A, R>(method: string, file: string, act: Effect.Effect<A, Error.PlatformError, R>) =>
        file === locked || file.startsWith(`${locked}/`)
          ? Effect.fail(
              new Error.SystemError({
                reason,
                module: "FileSystem",
                method,
                pathOrDescriptor: file,
                description: `${description}, ${method} '${file}'`
              })
            )
          : act
      return {
        ...fs,
        access: (file, options) =>
          options?.writable === true ? refuse("access", file, fs.access(file, options)) : fs.access(file, options),
        makeDirectory: (file, options) =>
          // Of a folder that exists, nothing is written.
          Effect.flatMap(fs.exists(file), (isThere) =>
            isThere ? Effect.void : refuse("mkdir", file, fs.makeDirectory(file, options))
          ),
        open: (file, options) =>
          options?.flag === undefined ? fs.open(file, options) : refuse("open", file, fs.open(file, options)),
        rename: (from, to) => refuse("rename", from, fs.rename(from, to)),
        link: (from, to) => refuse("link", from, fs.link(from, to))
      }
    })
  )

const words = (description: string): string => description.replace(/^\w+: /, "")

describe("a read-only folder", () => {
  for (const [name, sink] of sinks) {
    onStillExchange(`is named by an export into it (${name})`, function* () {
      for (const reason of reasons) {
        for (const missing of ["", "/new", "/new/deep"]) {
          const locked = yield* folder
          const failure = yield* Effect.flip(settle(History.runAll(parts, range, sink(`${locked}${missing}`)))).pipe(
            Effect.provide(refusing(locked, reason))
          )
          expect(failure).toMatchObject({
            _tag: "SinkFailure",
            detail: `the folder ${locked} is read-only: ${words(reason[1])}`
          })
          expect(failure.message).toContain(`cannot write ${locked}`)
          expect(yield* filesOf(locked)).toEqual([])
        }
      }
    })

    onStillExchange(`keeps its export, and is named by one that continues it (${name})`, function* () {
      const locked = yield* folder
      yield* settle(History.runAll(parts, { ...range, to: today - 2 * day }, sink(locked)))
      const before = yield* filesOf(locked)
      const failure = yield* Effect.flip(
        settle(History.runAll(parts, range, sink(locked), { incremental: true })).pipe(
          Effect.provide(refusing(locked, reasons[0]))
        )
      )
      expect(failure).toMatchObject({
        _tag: "SinkFailure",
        detail: `the folder ${locked} is read-only: permission denied`
      })
      expect(yield* filesOf(locked)).toEqual(before)
    })
  }

  onStillExchange("is named if it becomes one while an export runs", function* () {
    const locked = yield* folder
    const denied = refusing(locked, reasons[0])
    const layer = Layer.effect(
      FileSystem.FileSystem,
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const refused = yield* Effect.provide(FileSystem.FileSystem, denied)
        return {
          ...fs,
          access: refused.access,
          rename: (from: string, to: string) => (to.endsWith(".ndjson") ? refused : fs).rename(from, to)
        }
      })
    )
    const failure = yield* Effect.flip(settle(History.runAll(parts, range, Sink.ndjson(locked)))).pipe(
      Effect.provide(layer)
    )
    expect(failure.message).toMatch(/the f(ile|older) .* is read-only: permission denied$/)
  })

  withFiles("is verified, and a manifest that cannot be read is named", function* () {
    const directory = yield* folder
    const fs = yield* FileSystem.FileSystem
    const file = `${directory}/manifest.json`
    yield* fs.writeFileString(file, "{}")
    const refuse = new Error.SystemError({
      reason: "PermissionDenied",
      module: "FileSystem",
      method: "readFile",
      pathOrDescriptor: file,
      description: `EACCES: permission denied, open '${file}'`
    })
    const unreadable = Layer.succeed(FileSystem.FileSystem, {
      ...fs,
      readFileString: () => Effect.fail(refuse),
      access: (name, options) => (name === file ? Effect.fail(refuse) : fs.access(name, options))
    } satisfies FileSystem.FileSystem)
    const failure = yield* Effect.flip(Verify.verify(directory)).pipe(Effect.provide(unreadable))
    expect(failure).toMatchObject({
      _tag: "NotAnExport",
      detail: `the file ${file} cannot be read: permission denied`
    })
  })
})
