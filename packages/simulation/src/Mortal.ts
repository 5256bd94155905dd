/**
 * A process that ends, or stands still, at an operation on files: from then on nothing that it wants is done, its finalizers neither.
 */
import * as Effect from "effect/Effect"
import type * as ExportPlan from "./ExportPlan.js"
import type * as Sim from "./Sim.js"

/** Not `Effect.never`, whose timer keeps a real process alive. */
const never = Effect.async<never>(() => undefined)

export interface Mortal {
  /** An operation on files; `half` is the operation cut short, where there is such a thing. */
  readonly operation: <A, E, R>(
    effect: Effect.Effect<A, E, R>,
    half?: Effect.Effect<unknown, E, R>
  ) => Effect.Effect<A, E, R>
  /** Anything else that the world sees of it. */
  readonly step: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly kill: () => void
}

/** `fated` is called when its fate is done, `ended` once it is killed. */
export const make = (
  sim: Sim.Sim,
  fate: ExportPlan.Fate | undefined,
  fated: (fate: ExportPlan.Fate) => void,
  ended: () => void
): Mortal => {
  let operations = 0
  let isDead = false
  let frozenUntil = 0

  const kill = () => {
    if (isDead) return
    isDead = true
    ended()
  }

  const thawed = Effect.suspend(() =>
    sim.now() < frozenUntil
      ? Effect.async<void>((resume) => {
          sim.after(frozenUntil - sim.now(), () => resume(Effect.void))
        })
      : Effect.void
  )

  const step: Mortal["step"] = (effect) =>
    Effect.zipRight(
      thawed,
      Effect.suspend(() => (isDead ? never : effect))
    )

  /** Ends the process. What it was doing is done to a half, or not at all. */
  const die = <E, R>(
    doomed: ExportPlan.Fate,
    half: Effect.Effect<unknown, E, R> | undefined
  ): Effect.Effect<never, E, R> =>
    Effect.zipRight(
      half ?? Effect.void,
      Effect.suspend(() => {
        fated(doomed)
        kill()
        return never
      })
    )

  return {
    kill,
    step,
    operation: (effect, half) =>
      step(
        Effect.suspend(() => {
          if (++operations !== fate?.operation) return effect
          if (fate._tag !== "frozen") return die(fate, half)
          frozenUntil = sim.now() + fate.revivedAfter
          fated(fate)
          return step(effect)
        })
      )
  }
}
