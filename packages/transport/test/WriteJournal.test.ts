import * as FileWriteJournal from "@effect-venue/transport/FileWriteJournal"
import * as Signer from "@effect-venue/signing/Signer"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Transport from "@effect-venue/transport/Transport"
import * as WriteJournal from "@effect-venue/transport/WriteJournal"
import { FileSystem, HttpClient } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Either, Fiber, Layer, TestClock } from "effect"
import { batch, write } from "./utils/calls.js"
import * as scripted from "./utils/scripted.js"
import { idsOf, intent, type Subject, testsOf } from "./utils/writeJournals.js"

const memory: Subject<WriteJournal.MemoryStorage> = {
  storage: Effect.sync(WriteJournal.memoryStorage),
  open: WriteJournal.makeMemory,
  unwritable: Effect.gen(function* () {
    const storage = WriteJournal.memoryStorage()
    return yield* Effect.tap(WriteJournal.makeMemory(storage), () => WriteJournal.makeMemory(storage))
  })
}

const folder = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())

/** A file system on which files cannot be written or synced any more. */
const broken = (fs: FileSystem.FileSystem, breaks: () => boolean): FileSystem.FileSystem => ({
  ...fs,
  open: (path, options) =>
    Effect.map(fs.open(path, options), (file): FileSystem.File => {
      const sync = Effect.suspend(() => (breaks() ? fs.remove("/none/such") : file.sync))
      return Object.create(file, { sync: { value: sync } })
    })
})

/** A file system whose disk can be full: a part of what is written still fits, and the writing fails. */
const filling = (fs: FileSystem.FileSystem, isFull: () => boolean, fitting = 0.5): FileSystem.FileSystem => ({
  ...fs,
  open: (path, options) =>
    Effect.map(fs.open(path, options), (file): FileSystem.File =>
      Object.create(file, {
        writeAll: {
          value: (bytes: Uint8Array) =>
            Effect.suspend(() =>
              isFull()
                ? Effect.zipRight(
                    file.writeAll(bytes.subarray(0, Math.floor(bytes.length * fitting))),
                    fs.remove("/none/such")
                  )
                : file.writeAll(bytes)
            )
        }
      })
    )
})

const file: Subject<string> = {
  storage: folder,
  open: (folder) => FileWriteJournal.make({ folder }),
  unwritable: Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    let isBroken = false
    const journal = yield* Effect.provideService(
      FileWriteJournal.make({ folder: yield* folder }),
      FileSystem.FileSystem,
      broken(fs, () => isBroken)
    )
    isBroken = true
    return journal
  }),
  full: (folder, isFull) =>
    Effect.flatMap(FileSystem.FileSystem, (fs) =>
      Effect.provideService(FileWriteJournal.make({ folder }), FileSystem.FileSystem, filling(fs, isFull))
    )
}

describe("a journal of writes in memory", () => {
  testsOf(memory)
})

describe("a journal of writes in a folder", () => {
  testsOf(file)

  it.scoped("counts a write once if its process had lost the journal before its answer", () =>
    Effect.gen(function* () {
      const open = FileWriteJournal.make({ folder: yield* folder, compactAt: 2_000 })
      const amounts = [{ kind: "orders", unit: "USDT", value: "37", index: 0 }] as const
      const first = yield* open
      yield* first.begin({ ...intent("a"), amounts })
      yield* open
      // Its file is so long now that it is compacted.
      yield* first.end("a", { _tag: "Done", codes: Array.from({ length: 1_000 }, () => 0) })
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 100)))
      const { entries, totals } = yield* Effect.flatMap(open, ({ guarded }) => guarded)
      expect({ entries, totals }).toMatchObject({ entries: [{ intent: { id: "a" } }], totals: [] })
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("keeps open entries when it is compacted, and its file stays small", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* folder
      const journal = yield* FileWriteJournal.make({ folder: home, compactAt: 2_000 })
      yield* Effect.forEach(
        Array.from({ length: 200 }, (_, index) => `w-${index}`),
        (id) =>
          Effect.zipRight(
            journal.begin(intent(id)),
            id.endsWith("50") ? Effect.void : journal.end(id, { _tag: "Done" })
          ),
        { concurrency: 8, discard: true }
      )
      // The next file is written in the background, and used by a later line.
      const sizes = Effect.gen(function* () {
        yield* journal.begin(intent("w-50"))
        const names = yield* fs.readDirectory(home)
        return yield* Effect.forEach(names, (name) =>
          Effect.map(fs.stat(`${home}/${name}`), ({ size }) => Number(size))
        )
      })
      const isSmall = (sizes: ReadonlyArray<number>) => sizes.length === 1 && sizes.every((size) => size < 4_000)
      yield* Effect.repeat(sizes, { until: isSmall })
      expect(yield* idsOf(yield* FileWriteJournal.make({ folder: home }))).toEqual(["w-150", "w-50"])
    }).pipe(Effect.provide(NodeContext.layer))
  )

  /** The files of a folder by their names. */
  const textsIn = (home: string) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const names = yield* fs.readDirectory(home)
      const texts = yield* Effect.forEach(names, (name) => fs.readFileString(`${home}/${name}`))
      return Object.fromEntries(names.map((name, index) => [name, texts[index]]))
    })

  it.scoped("stays as it is if one of several files is damaged", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* folder
      yield* (yield* FileWriteJournal.make({ folder: home })).begin(intent("one"))
      for (const name of ["writes.a.0.journal", "writes.zz.taken-1.journal"]) {
        yield* fs.writeFileString(`${home}/${name}`, '{"journal":2}\nhello\n')
        const before = yield* textsIn(home)
        expect(yield* Effect.flip(FileWriteJournal.make({ folder: home }))).toMatchObject({ reason: "Damaged" })
        expect(yield* textsIn(home)).toEqual(before)
        yield* fs.remove(`${home}/${name}`)
      }
      expect(yield* idsOf(yield* FileWriteJournal.make({ folder: home }))).toEqual(["one"])
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("is readable by its owner only, whichever file it is in", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = `${yield* folder}/above/journal`
      const modes = new Map<string, number>()
      const mode = (path: string) => Effect.map(fs.stat(path), (info) => info.mode & 0o777)
      let isFull = false
      const filled = filling(fs, () => isFull)
      const watched: FileSystem.FileSystem = {
        ...filled,
        open: (path, options) =>
          Effect.zipLeft(
            filled.open(path, options),
            Effect.map(mode(path), (found) => modes.set(path, found))
          )
      }
      const open = Effect.provideService(
        FileWriteJournal.make({ folder: home, compactAt: 500 }),
        FileSystem.FileSystem,
        watched
      )
      for (const process of ["a", "b", "c"]) {
        const journal = yield* open
        yield* Effect.forEach([1, 2, 3, 4], (count) => journal.begin(intent(`${process}${count}`)))
        isFull = true
        yield* Effect.flip(journal.begin(intent("refused")))
        isFull = false
        yield* journal.begin(intent(`${process}5`))
      }
      const files = [...modes].filter(([path]) => path.endsWith(".journal"))
      expect(files.length).toBeGreaterThan(8)
      expect(new Set(files.map(([, mode]) => mode))).toEqual(new Set([0o600]))
      expect(yield* mode(home)).toBe(0o700)
      yield* fs.chmod(home, 0o750)
      yield* open
      expect(yield* mode(home)).toBe(0o750)
    }).pipe(Effect.provide(NodeContext.layer))
  )

  /** What is done to the text of a journal with the two writes `one` and `two`, and what the next process then finds. */
  const damages: Readonly<Record<string, readonly [(text: string) => string, ReadonlyArray<string> | "Damaged"]>> = {
    "has a last line without its end": [(text) => `${text}0123456789abcdef {"intent":{"id":"to`, ["one", "two"]],
    "lacks the end of its last line": [(text) => text.slice(0, -1), ["one", "two"]],
    "lacks a part of its last line": [(text) => text.slice(0, -9), ["one"]],
    "ends in zeros": [(text) => text + "\0".repeat(300), ["one", "two"]],
    "has one character more in its first line": [(text) => text.replace("journal", "journals"), "Damaged"],
    "has another value in a line": [(text) => text.replace("one", "owe"), "Damaged"],
    "has zeros instead of a line": [
      (text) => text.replace(/(?<=\n).*one.*(?=\n)/, (line) => "\0".repeat(line.length)),
      "Damaged"
    ],
    "has a line without its end before another": [(text) => text.replace(/(?<=\n.*one.*)\n/, ""), "Damaged"],
    "has a line of another program": [(text) => `${text}hello\n`, "Damaged"]
  }
  for (const [damage, [change, expected]] of Object.entries(damages)) {
    it.scoped(
      `${expected === "Damaged" ? "is not opened, and stays as it is, if" : "is read if"} a file ${damage}`,
      () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const home = yield* folder
          const first = yield* FileWriteJournal.make({ folder: home })
          yield* first.begin(intent("one"))
          yield* first.begin(intent("two"))
          const texts = textsIn(home)
          const [name = ""] = yield* fs.readDirectory(home)
          const damaged = change(yield* fs.readFileString(`${home}/${name}`))
          yield* fs.writeFileString(`${home}/${name}`, damaged)
          if (expected !== "Damaged") {
            expect(yield* idsOf(yield* FileWriteJournal.make({ folder: home }))).toEqual(expected)
            return
          }
          for (const _ of ["once", "again"]) {
            const opened = yield* Effect.flip(FileWriteJournal.make({ folder: home }))
            expect(opened).toMatchObject({ _tag: "WriteJournalFailed", reason: "Damaged" })
            expect(yield* texts).toEqual({ [name]: damaged })
          }
          // The process that uses the journal still can.
          yield* first.begin(intent("three"))
        }).pipe(Effect.provide(NodeContext.layer))
    )
  }

  for (const [part, fitting] of [
    ["nothing", 0],
    ["a part", 0.5],
    ["everything", 1]
  ] as const) {
    // The file is far too small to be compacted, which would replace it anyway.
    it.scoped(`does not use a file on after a line could not be written, of which ${part} is on disk`, () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const home = yield* folder
        let isFull = false
        const journal = yield* Effect.provideService(
          FileWriteJournal.make({ folder: home }),
          FileSystem.FileSystem,
          filling(fs, () => isFull, fitting)
        )
        yield* journal.begin(intent("kept"))
        const [before = ""] = yield* fs.readDirectory(home)
        isFull = true
        expect(yield* Effect.flip(journal.begin(intent("refused")))).toMatchObject({ reason: "Storage" })
        isFull = false
        yield* journal.begin(intent("recorded"))
        yield* journal.begin(intent("closed"))
        yield* journal.end("closed", { _tag: "Done" })
        yield* journal.begin(intent("last"))
        const after = yield* fs.readDirectory(home)
        expect(yield* idsOf(yield* FileWriteJournal.make({ folder: home }))).toEqual(["kept", "last", "recorded"])
        expect(after).not.toContain(before)
      }).pipe(Effect.provide(NodeContext.layer))
    )
  }

  it.scoped("leaves no files behind while the disk is full, and records again afterwards", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* folder
      let isFull = false
      const full = Effect.provideService(
        FileSystem.FileSystem,
        filling(fs, () => isFull)
      )
      const journal = yield* full(FileWriteJournal.make({ folder: home, compactAt: 500 }))
      yield* Effect.forEach(["kept", "closed-1", "closed-2"], (id) => journal.begin(intent(id)))
      isFull = true
      for (const id of ["refused-1", "refused-2", "refused-3"]) {
        expect(yield* Effect.flip(journal.begin(intent(id)))).toMatchObject({ reason: "Storage" })
        yield* journal.end(id, { _tag: "NotSent", failure: "ConnectionFailed (WriteJournal)" })
        yield* Effect.ignore(journal.end("closed-1", { _tag: "Done" }))
        // A process that starts again and again, as under a supervisor.
        yield* Effect.flip(full(FileWriteJournal.make({ folder: home, name: "other" })))
      }
      expect(yield* fs.readDirectory(home)).toHaveLength(1)
      isFull = false
      yield* journal.end("closed-2", { _tag: "Done" })
      yield* journal.begin(intent("recorded"))
      expect(yield* idsOf(yield* FileWriteJournal.make({ folder: home }))).toEqual(["closed-1", "kept", "recorded"])
      expect(yield* fs.readDirectory(home)).toHaveLength(1)
    }).pipe(Effect.provide(NodeContext.layer))
  )

  for (const operation of ["open", "readDirectory", "readFileString"] as const) {
    it.scoped(`is not opened in a folder whose ${operation} hangs`, () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const home = yield* folder
        yield* FileWriteJournal.make({ folder: home })
        const opened = yield* FileWriteJournal.make({ folder: home }).pipe(
          Effect.provideService(FileSystem.FileSystem, {
            ...fs,
            [operation]: () => Effect.uninterruptible(Effect.never)
          }),
          Effect.flip,
          Effect.fork
        )
        yield* TestClock.adjust("30 seconds")
        expect(yield* Fiber.join(opened)).toMatchObject({ _tag: "WriteJournalFailed", reason: "Storage" })
      }).pipe(Effect.provide(NodeContext.layer))
    )
  }

  it.scoped("keeps journals with different names separate in one folder", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const [a, b] = [
        yield* FileWriteJournal.make({ folder: home, name: "a" }),
        yield* FileWriteJournal.make({ folder: home, name: "b" })
      ]
      yield* a.begin(intent("of-a"))
      yield* b.begin(intent("of-b"))
      expect(yield* idsOf(yield* FileWriteJournal.make({ folder: home, name: "a" }))).toEqual(["of-a"])
      yield* b.begin(intent("of-b-2"))
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("is not opened if the folder has files of a later version, or if its name has a dot", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* folder
      yield* fs.writeFileString(`${home}/writes.x.0.journal`, '{"journal":3}\n')
      const later = yield* Effect.either(FileWriteJournal.make({ folder: home }))
      expect(Either.isLeft(later) && later.left.message).toMatch(/version/)
      const named = yield* Effect.either(FileWriteJournal.make({ folder: home, name: "a.b" }))
      expect(Either.isLeft(named) && named.left.reason).toBe("Storage")
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("syncs the intents of simultaneous writes together", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      let syncs = 0
      const counted = broken(fs, () => {
        syncs++
        return false
      })
      const journal = yield* Effect.provideService(
        FileWriteJournal.make({ folder: yield* folder }),
        FileSystem.FileSystem,
        counted
      )
      syncs = 0
      yield* Effect.forEach(
        Array.from({ length: 100 }, (_, index) => intent(`w-${index}`)),
        (each) => journal.begin(each),
        { concurrency: "unbounded" }
      )
      expect(syncs).toBeLessThan(10)
    }).pipe(Effect.provide(NodeContext.layer))
  )
})

describe("a journal that is made from its operations", () => {
  // How long the recordings of the sendings take, and when the outcome is known, in milliseconds.
  const cases: ReadonlyArray<readonly [durations: ReadonlyArray<number>, outcomeAt: number]> = [
    [[100], 0],
    [[300, 100], 0],
    [[300, 100], 200],
    [[100, 300], 200]
  ]
  for (const [durations, outcomeAt] of cases) {
    it.effect(`records an outcome of ${outcomeAt} ms after recordings of ${durations.join(" and ")} ms`, () =>
      Effect.gen(function* () {
        const recorded: Array<string> = []
        let sendings = 0
        const journal = WriteJournal.make({
          nextId: Effect.succeed("w-1"),
          // As on a disk: what was begun is written, also if nobody waits for it any more.
          begin: () =>
            Effect.delay(
              Effect.sync(() => void recorded.push("begin")),
              durations[sendings++] ?? 0
            ).pipe(Effect.uninterruptible),
          end: () => Effect.sync(() => void recorded.push("end")),
          open: Effect.succeed([]),
          guarded: Effect.succeed({ entries: [], totals: [] })
        })
        for (const _ of durations) {
          const begun = yield* Effect.fork(journal.begin(intent("w-1")))
          yield* Effect.yieldNow()
          yield* Effect.fork(Fiber.interrupt(begun))
        }
        yield* TestClock.adjust(outcomeAt)
        yield* Effect.fork(journal.end("w-1", { _tag: "Done" }))
        yield* TestClock.adjust("1 second")
        expect(recorded).toEqual([...durations.map(() => "begin"), "end"])
      })
    )
  }
})

describe("a write with a journal", () => {
  type Begin = WriteJournal.Operations["begin"]
  const failed = new WriteJournal.WriteJournalFailed({ reason: "Storage", detail: "the disk is full" })
  const fails = (): ReturnType<Begin> => Effect.delay(Effect.fail(failed), "300 millis")
  const hangs = (): ReturnType<Begin> => Effect.never

  // What becomes of the recordings of the two sendings. Each write leaves once.
  const recordings: Record<string, (begin: Begin) => readonly [Begin, Begin]> = {
    "the second recording hangs": (begin) => [begin, hangs],
    "the second recording fails": (begin) => [begin, fails],
    "the first recording hangs": (begin) => [hangs, begin],
    "the first recording fails after the second has ended": (begin) => [fails, begin]
  }
  const writes = { "a write": Effect.asVoid(write), "a batch": Effect.asVoid(batch) }
  const order = { symbol: "BTCUSDT", category: "linear", orderId: "o-1", orderLinkId: "" }

  /** The answer to either of them. */
  const makeAnswer = (time: number): scripted.Answer => ({
    body: JSON.stringify({
      ...{ retCode: 0, retMsg: "OK", time },
      result: { ...order, list: [order] },
      retExtInfo: { list: [{ code: 0, msg: "OK" }] }
    })
  })

  for (const [caseName, recordingsOf] of Object.entries(recordings)) {
    for (const [writeName, sent] of Object.entries(writes)) {
      it.scoped(`of a hedging client: ${writeName} ends after its outcome is recorded if ${caseName}`, () =>
        Effect.gen(function* () {
          const far = scripted.make(({ at }) => Effect.delay(Effect.succeed(makeAnswer(at)), "1 second"))
          const storage = WriteJournal.memoryStorage()
          const journal = yield* WriteJournal.makeMemory(storage)
          let signatures = 0
          const signer = Layer.map(far.layer, (context) => {
            const { sign } = Context.get(context, Signer.Signer)
            return Context.make(Signer.Signer, { sign: (text) => Effect.delay(sign(text), 10 + 40 * signatures++) })
          })
          const [first, second] = recordingsOf(journal.begin)
          let sendings = 0
          const slow: typeof journal = {
            ...journal,
            begin: (intent) => (++sendings === 1 ? first : second)(intent),
            end: (id, outcome) => Effect.delay(journal.end(id, outcome), "100 millis")
          }
          const hedged = (client: CallOptions.Client): CallOptions.Client =>
            HttpClient.transform(client, (effect) => Effect.race(effect, Effect.delay(effect, "1 milli")))
          const ended = yield* sent.pipe(
            Effect.map(() => storage.entries.length),
            Effect.provideService(CallOptions.TransformClient, hedged),
            Effect.provide(Layer.fresh(Transport.layer).pipe(Layer.provide(signer), Layer.provide(far.layer))),
            Effect.provideService(WriteJournal.WriteJournal, slow),
            Effect.fork
          )
          yield* TestClock.adjust("1 minute")
          expect({ sendings, open: yield* Fiber.join(ended) }).toEqual({ sendings: 2, open: 0 })
        })
      )
    }
  }
})
