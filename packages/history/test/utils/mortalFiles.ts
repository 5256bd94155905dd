import { FileSystem } from "@effect/platform"
import { Effect, Layer } from "effect"
import * as UnrulyFiles from "./unrulyFiles.js"

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

    const mortal = UnrulyFiles.make(fs, change, look)
    return { layer: Layer.succeed(FileSystem.FileSystem, mortal), changes: () => state.changes }
  })
