import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type { Inherit } from "../CallOptions.js"
import * as inherited from "../internal/call/inherited.js"

/** Captures the references that are provided to a layer while it is built, so that they can be added to the layer's calls. */
export const inherit = (...references: ReadonlyArray<{ readonly key: string }>): Effect.Effect<Inherit> =>
  Effect.map(inherited.capture(references), (add): Inherit =>
    add === undefined ? identity : (effect) => Effect.mapInputContext(effect, add)
  )
