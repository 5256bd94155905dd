import { FileSystem } from "@effect/platform"
import { Effect, Layer } from "effect"

/** The process is dead: nothing that it still wanted is done. */
export const killed = "killed"

const died = Effect.die(killed)

/**
 * A file system whose user is killed at its `n`-th change: `before` it is made, or right `after`. From then on nothing is done any more,
 * the clearing up of finalizers neither. Returns how many changes there were.
 */
export const make = (n: number, moment: "before" | "after" | "halfway") =>
  Effect.map(FileSystem.FileSystem, (fs) => {
    const state = { changes: 0, dead: false }

    const change = <A, E, R>(effect: Effect.Effect<A, E, R>, half?: Effect.Effect<unknown, E, R>) =>
      Effect.suspend((): Effect.Effect<A, E, R> => {
        if (state.dead) return died
        if (++state.changes !== n) return effect
        state.dead = true
        return moment === "before"
          ? died
          : moment === "halfway"
            ? Effect.zipRight(half ?? Effect.void, died)
            : Effect.zipRight(effect, died)
      })

    const look = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.suspend(() => (state.dead ? died : effect))

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

    const mortal: FileSystem.FileSystem = {
      ...fs,
      exists: (path) => look(fs.exists(path)),
      readFileString: (path, encoding) => look(fs.readFileString(path, encoding)),
      readDirectory: (path, options) => look(fs.readDirectory(path, options)),
      makeDirectory: (path, options) => change(fs.makeDirectory(path, options)),
      remove: (path, options) => change(fs.remove(path, options)),
      link: (one, other) => change(fs.link(one, other)),
      rename: (one, other) => change(fs.rename(one, other)),
      truncate: (path, length) => change(fs.truncate(path, length)),
      open: (path, options) =>
        Effect.map(options?.flag === undefined ? look(fs.open(path, options)) : change(fs.open(path, options)), fileOf)
    }
    return { layer: Layer.succeed(FileSystem.FileSystem, mortal), changes: () => state.changes }
  })
