import type { FileSystem } from "@effect/platform"
import { Effect } from "effect"

/** A sequence of numbers from 0 up to 1 that a seed decides. */
export const numbers = (seed: number): (() => number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Step = <A, E, R>(effect: Effect.Effect<A, E, R>, half?: Effect.Effect<unknown, E, R>) => Effect.Effect<A, E, R>

/** The file system, with `change` around each operation that changes files and `look` around the others; `half` is the operation cut short. */
export const make = (fs: FileSystem.FileSystem, change: Step, look = change): FileSystem.FileSystem => {
  const fileOf = (file: FileSystem.File): FileSystem.File =>
    new Proxy(file, {
      get: (target, name) => {
        switch (name) {
          case "writeAll":
            return (bytes: Uint8Array) =>
              change(target.writeAll(bytes), target.writeAll(bytes.subarray(0, bytes.length >> 1)))
          case "sync":
            return look(target.sync)
          default:
            return Reflect.get(target, name, target)
        }
      }
    })
  return {
    ...fs,
    exists: (path) => look(fs.exists(path)),
    stat: (path) => look(fs.stat(path)),
    utimes: (path, atime, mtime) => look(fs.utimes(path, atime, mtime)),
    readFileString: (path, encoding) => look(fs.readFileString(path, encoding)),
    readDirectory: (path, options) => look(fs.readDirectory(path, options)),
    makeDirectory: (path, options) => change(fs.makeDirectory(path, options)),
    remove: (path, options) => change(fs.remove(path, options)),
    rename: (from, to) => change(fs.rename(from, to)),
    link: (from, to) => change(fs.link(from, to)),
    truncate: (path, length) => change(fs.truncate(path, length)),
    open: (path, options) => Effect.map((options?.flag === undefined ? look : change)(fs.open(path, options)), fileOf)
  }
}
