import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as ProcessIdentity from "@effect-venue/history/siblings/ProcessIdentity"
import * as Sink from "@effect-venue/history/Sink"
import * as SqliteSink from "@effect-venue/history/SqliteSink"
import { FileSystem, Path } from "@effect/platform"
import { describe, expect } from "@effect/vitest"
import { Effect, Either, Fiber, Option, TestClock } from "effect"
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import * as Lock from "../src/files/lock.js"
import { settle } from "@effect-venue/testing/Settling"
import { day, folder, onExchange, today, withFiles } from "./utils/world.js"

const parts = [Part.make(Datasets.deposits, {})]
const range = { from: today - 40 * day, to: today - day }

/** A process that does nothing, until it is killed. */
const sleeper = Effect.acquireRelease(
  Effect.sync(() => spawn("sleep", ["300"])),
  (child) => Effect.sync(() => child.kill("SIGKILL"))
)

const killed = (child: ReturnType<typeof spawn>) =>
  Effect.async<void>((resume) => {
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

/** Who it is, as it would say itself. */
const idOf = (pid: number) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const { machine } = yield* ProcessIdentity.fromProc.self
    const stat = yield* fs.readFileString(`/proc/${pid}/stat`)
    return { pid, startedAt: stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "", machine }
  })

const sinks: ReadonlyArray<
  readonly [string, (directory: string) => readonly [Sink.Sink<FileSystem.FileSystem | Path.Path>, lock: string]]
> = [
  ["a folder", (directory) => [Sink.ndjson(directory), `${directory}/.venue/lock`]],
  ["a file of tables", (directory) => [SqliteSink.make(`${directory}/history.db`), `${directory}/history.db.lock`]]
]

describe.runIf(process.platform === "linux")("a lock, as processes of this machine leave it", () => {
  for (const [name, make] of sinks) {
    const locked = (write: (lock: string) => Effect.Effect<void, unknown, FileSystem.FileSystem>) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const [sink, lock] = make(yield* folder)
        yield* fs.makeDirectory(path.dirname(lock), { recursive: true })
        yield* write(lock)
        return { run: Effect.suspend(() => History.runAll(parts, range, sink)), lock }
      })
    const left = (id: ProcessIdentity.ProcessIdentity) =>
      locked((lock) => Effect.flatMap(FileSystem.FileSystem, (fs) => fs.writeFileString(lock, JSON.stringify(id))))

    onExchange(`excludes other runs from ${name} while its process runs, but not after it was killed`, function* () {
      const child = yield* sleeper
      const { run } = yield* left(yield* idOf(child.pid ?? 0))
      const refused = yield* settle(Effect.flip(run))
      expect(refused).toMatchObject({ _tag: "Refused", reason: "Locked" })
      expect(refused.message).toContain(`(process ${child.pid ?? ""})`)
      yield* killed(child)
      expect(yield* settle(run)).toMatchObject({ verdict: "complete" })
    })

    onExchange(`distinguishes a process from an earlier one with the same number (${name})`, function* () {
      const child = yield* sleeper
      const id = yield* idOf(child.pid ?? 0)
      const { run } = yield* left({ ...id, startedAt: String(Number(id.startedAt) - 1) })
      expect(yield* settle(run)).toMatchObject({ verdict: "complete" })
    })

    onExchange(`does not exclude a run from ${name} if its process is a zombie`, function* () {
      // The shell becomes a program that never asks how its child ended, before the child ends.
      const child = yield* Effect.acquireRelease(
        Effect.sync(() => spawn("sh", ["-c", "sleep 0.5 & echo $!; exec sleep 300"])),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      )
      const pid = yield* Effect.async<number>((resume) => {
        child.stdout.once("data", (bytes) => resume(Effect.succeed(Number(String(bytes)))))
      })
      const id = yield* idOf(pid)
      const fs = yield* FileSystem.FileSystem
      while (!(yield* fs.readFileString(`/proc/${pid}/stat`)).includes(") Z ")) yield* Effect.yieldNow()
      const { run } = yield* left(id)
      expect(yield* settle(run)).toMatchObject({ verdict: "complete" })
    })

    onExchange(`of another container is valid as long as it is updated (${name})`, function* () {
      const fs = yield* FileSystem.FileSystem
      const { lock, run } = yield* left({ pid: 1, startedAt: "1", machine: "elsewhere" })
      const touching = yield* Effect.fork(
        Effect.forever(
          Effect.delay(
            Effect.flatMap(TestClock.currentTimeMillis, (now) => fs.utimes(lock, now / 1000, now / 1000)),
            "5 seconds"
          )
        )
      )
      expect(yield* settle(Effect.flip(run))).toMatchObject({ _tag: "Refused", reason: "Locked" })
      yield* Fiber.interrupt(touching)
      expect(yield* settle(run)).toMatchObject({ verdict: "complete" })
      expect(Option.isSome(yield* Effect.option(fs.stat(lock)))).toBe(false)
    })
  }
})

describe("an acquired lock", () => {
  /** A lock, and how often its file was read since it was acquired. */
  const held = (options: { readonly numbers?: boolean } = {}) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = `${yield* folder}/lock`
      let reads = 0
      const counted: FileSystem.FileSystem = {
        ...fs,
        readFileString: (path, encoding) =>
          Effect.suspend(() => {
            if (path === file) reads++
            return fs.readFileString(path, encoding)
          }),
        stat: (path) =>
          Effect.map(fs.stat(path), (info) => (options.numbers === false ? { ...info, ino: Option.none() } : info))
      }
      const { check } = yield* Effect.provideService(Lock.acquire(file), FileSystem.FileSystem, counted)
      const before = reads
      return { file, check, reads: () => reads - before }
    })

  withFiles("is compared once for any number of checks", function* () {
    const { check, reads } = yield* held()
    for (let times = 0; times < 20; times++) yield* check
    expect(reads()).toBe(1)
  })

  withFiles("is compared each time if files have no inode numbers", function* () {
    const { check, reads } = yield* held({ numbers: false })
    for (let times = 0; times < 20; times++) yield* check
    expect(reads()).toBe(20)
  })

  withFiles("is lost from the next heartbeat on if another process has claimed it", function* () {
    const fs = yield* FileSystem.FileSystem
    const { check, file } = yield* held()
    yield* check
    const digest = createHash("sha256")
      .update(yield* fs.readFileString(file))
      .digest("hex")
    yield* fs.writeFileString(`${file}.${digest.slice(0, 32)}`, "another")
    const asked = Effect.either(Effect.delay(check, "1 second"))
    expect(yield* settle(Effect.repeat(asked, { until: Either.isLeft, times: 30 }))).toEqual(
      Either.left({ _tag: "Lost", detail: "another process is taking over its lock" })
    )
  })

  const losses: ReadonlyArray<
    readonly [string, (fs: FileSystem.FileSystem, file: string) => Effect.Effect<unknown, unknown>, detail: string]
  > = [
    ["removed", (fs, file) => fs.remove(file), "its lock is gone"],
    [
      "replaced by that of another process",
      (fs, file) => Effect.zipRight(fs.writeFileString(`${file}.own`, "another"), fs.rename(`${file}.own`, file)),
      "another process took over its lock"
    ],
    [
      "removed and written anew, under the number that the file had",
      (fs, file) => Effect.zipRight(fs.remove(file), fs.writeFileString(file, "another")),
      "another process took over its lock"
    ],
    ["overwritten in place", (fs, file) => fs.writeFileString(file, "another"), "another process took over its lock"]
  ]
  for (const [how, lose, detail] of losses) {
    withFiles(`is lost if its file is ${how}`, function* () {
      const fs = yield* FileSystem.FileSystem
      const { check, file } = yield* held()
      yield* check
      // A file system stamps files in milliseconds, and two of one millisecond may have the same number.
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
      yield* lose(fs, file)
      for (const _ of ["once", "and for good"]) {
        expect(yield* Effect.flip(check)).toEqual({ _tag: "Lost", detail: expect.stringContaining(detail) })
      }
    })
  }
})
