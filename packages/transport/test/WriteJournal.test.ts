import * as FileWriteJournal from "@effect-venue/transport/FileWriteJournal"
import * as MemoryWriteJournal from "@effect-venue/transport/MemoryWriteJournal"
import type * as WriteEntry from "@effect-venue/transport/WriteEntry"
import type { WriteJournal } from "@effect-venue/transport/WriteJournal"
import * as WriteJournalLaws from "@effect-venue/transport/WriteJournalLaws"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"

const memory: WriteJournalLaws.Subject<MemoryWriteJournal.Storage> = {
  storage: Effect.sync(MemoryWriteJournal.storage),
  open: MemoryWriteJournal.make,
  unwritable: Effect.gen(function* () {
    const storage = MemoryWriteJournal.storage()
    return yield* Effect.tap(MemoryWriteJournal.make(storage), () => MemoryWriteJournal.make(storage))
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

const file: WriteJournalLaws.Subject<string, FileSystem.FileSystem | NodeContext.NodeContext> = {
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
  })
}

describe("a journal of writes in memory", () => {
  for (const { check, name } of WriteJournalLaws.of(memory)) it.scoped(name, () => check)
})

describe("a journal of writes in a folder", () => {
  for (const { check, name } of WriteJournalLaws.of(file)) {
    it.scoped(name, () => Effect.provide(check, NodeContext.layer))
  }

  const intent = (id: string): WriteEntry.Intent => ({
    id,
    operation: "orders.create",
    host: "localhost",
    key: "k",
    parameters: { orderLinkId: id },
    at: 1,
    recvWindow: 5_000
  })
  const idsOf = (journal: WriteJournal.Shape) =>
    Effect.map(journal.open, (entries) => entries.map(({ intent }) => intent.id).sort())

  it.scoped("keeps open entries when it is compacted, and the file stays small", () =>
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
      const names = yield* fs.readDirectory(home)
      expect(names).toHaveLength(1)
      expect(Number((yield* fs.stat(`${home}/${names[0]}`)).size)).toBeLessThan(4_000)
      expect(yield* idsOf(yield* FileWriteJournal.make({ folder: home }))).toEqual(["w-150", "w-50"])
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("ignores a last line that was not written to its end, and one that a failed write has left", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* folder
      const first = yield* FileWriteJournal.make({ folder: home })
      yield* first.begin(intent("whole"))
      const [name = ""] = yield* fs.readDirectory(home)
      const text = yield* fs.readFileString(`${home}/${name}`)
      yield* fs.writeFileString(`${home}/${name}`, `${text}{"intent":{"id":"to\n{"intent":{"id":"rn","operation"`)
      expect(yield* idsOf(yield* FileWriteJournal.make({ folder: home }))).toEqual(["whole"])
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("keeps journals of several names in one folder apart", () =>
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

  it.scoped("refuses a folder that has files of a later version, and a name that is none", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* folder
      yield* fs.writeFileString(`${home}/writes.x.0.journal`, '{"journal":2}\n')
      const later = yield* Effect.either(FileWriteJournal.make({ folder: home }))
      expect(Either.isLeft(later) && later.left.detail).toMatch(/version/)
      const named = yield* Effect.either(FileWriteJournal.make({ folder: home, name: "a.b" }))
      expect(Either.isLeft(named) && named.left.reason).toBe("Storage")
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("syncs the intents of writes that are sent at the same time together", () =>
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
