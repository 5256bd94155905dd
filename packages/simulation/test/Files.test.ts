import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Files from "../src/world/Files.js"

const make = () => {
  const disk = Files.make(() => 0)
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
})
