import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as MemoryFiles from "../src/MemoryFiles.js"

const make = () => {
  const disk = MemoryFiles.make(() => 0)
  return { disk, fs: disk.files((effect) => effect) }
}

const bytes = (text: string) => new TextEncoder().encode(text)

/** Writes a file and brings it to disk, but not its name. */
const write = (fs: ReturnType<typeof make>["fs"], path: string, text: string, isSynced: boolean) =>
  Effect.scoped(
    Effect.gen(function* () {
      const file = yield* fs.open(path, { flag: "w" })
      yield* file.writeAll(bytes(text))
      if (isSynced) yield* file.sync
    })
  )

const syncFolder = (fs: ReturnType<typeof make>["fs"], path: string) =>
  Effect.scoped(Effect.flatMap(fs.open(path), (file) => file.sync))

const reasonOf = <A>(effect: Effect.Effect<A, { readonly _tag: string; readonly reason?: string }>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

describe("files in memory", () => {
  it.effect("loses the bytes and the names that were not synced at a crash", () =>
    Effect.gen(function* () {
      const { disk, fs } = make()
      yield* write(fs, "/a", "kept", true)
      yield* write(fs, "/b", "lost", false)
      yield* syncFolder(fs, "/")
      yield* write(fs, "/c", "without a name", true)
      disk.crash(false)
      expect(disk.paths().map((path) => [path, disk.read(path)])).toEqual([
        ["/a", "kept"],
        ["/b", ""]
      ])
    })
  )

  it.effect("keeps names that had reached the disk by themselves", () =>
    Effect.gen(function* () {
      const { disk, fs } = make()
      yield* write(fs, "/a", "text", true)
      yield* fs.rename("/a", "/b")
      disk.crash(true)
      expect(disk.paths().map((path) => [path, disk.read(path)])).toEqual([["/b", "text"]])
    })
  )

  it.effect("brings back at a crash what was removed and not synced", () =>
    Effect.gen(function* () {
      const { disk, fs } = make()
      yield* write(fs, "/a", "text", true)
      yield* syncFolder(fs, "/")
      yield* fs.remove("/a")
      disk.crash(false)
      expect(disk.read("/a")).toBe("text")
    })
  )

  it.effect("gives a linked file two names, and moves a folder with all in it", () =>
    Effect.gen(function* () {
      const { disk, fs } = make()
      yield* fs.makeDirectory("/one/two", { recursive: true })
      yield* write(fs, "/one/two/a", "text", false)
      yield* fs.link("/one/two/a", "/one/b")
      yield* fs.rename("/one", "/other")
      expect([...disk.paths()].sort()).toEqual(["/other/b", "/other/two/a"])
      expect(yield* fs.readDirectory("/other")).toEqual(["b", "two"])
    })
  )

  it.effect("fails as a file system does", () =>
    Effect.gen(function* () {
      const { fs } = make()
      yield* write(fs, "/a", "text", false)
      expect(yield* reasonOf(fs.readFile("/b"))).toBe("NotFound")
      expect(yield* reasonOf(fs.link("/a", "/a"))).toBe("AlreadyExists")
      expect(yield* reasonOf(Effect.scoped(fs.open("/a", { flag: "wx" })))).toBe("AlreadyExists")
      expect(yield* reasonOf(Effect.scoped(fs.open("/folder/a", { flag: "w" })))).toBe("NotFound")
    })
  )

  it.effect("appends, and reads from where it was sought", () =>
    Effect.gen(function* () {
      const { disk, fs } = make()
      yield* write(fs, "/a", "one", false)
      yield* Effect.scoped(Effect.flatMap(fs.open("/a", { flag: "a" }), (file) => file.writeAll(bytes(" two"))))
      expect(disk.read("/a")).toBe("one two")
      const read = Effect.scoped(
        Effect.gen(function* () {
          const file = yield* fs.open("/a")
          yield* file.seek(4, "start")
          const buffer = new Uint8Array(8)
          return new TextDecoder().decode(buffer.subarray(0, Number(yield* file.read(buffer))))
        })
      )
      expect(yield* read).toBe("two")
    })
  )
})
