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

/** The file system, with `step` around each operation; `half` is the operation cut short, where there is such a thing. */
export const make = (fs: FileSystem.FileSystem, step: Step): FileSystem.FileSystem => {
  const fileOf = (file: FileSystem.File): FileSystem.File =>
    new Proxy(file, {
      get: (target, name) => {
        switch (name) {
          case "writeAll":
            return (bytes: Uint8Array) =>
              step(target.writeAll(bytes), target.writeAll(bytes.subarray(0, bytes.length >> 1)))
          case "sync":
            return step(target.sync)
          default:
            return Reflect.get(target, name, target)
        }
      }
    })
  return {
    ...fs,
    exists: (path) => step(fs.exists(path)),
    stat: (path) => step(fs.stat(path)),
    utimes: (path, atime, mtime) => step(fs.utimes(path, atime, mtime)),
    readFileString: (path, encoding) => step(fs.readFileString(path, encoding)),
    readDirectory: (path, options) => step(fs.readDirectory(path, options)),
    makeDirectory: (path, options) => step(fs.makeDirectory(path, options)),
    remove: (path, options) => step(fs.remove(path, options)),
    rename: (from, to) => step(fs.rename(from, to)),
    link: (from, to) => step(fs.link(from, to)),
    truncate: (path, length) => step(fs.truncate(path, length)),
    open: (path, options) => Effect.map(step(fs.open(path, options)), fileOf)
  }
}
