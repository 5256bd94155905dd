import type * as Effect from "effect/Effect"
import type * as Failure from "../model/Failure.js"
import type { Call, Pass } from "../attempt/callState.js"
import type { Restore } from "../model/ended.js"
import * as Context from "effect/Context"
import type { Guard } from "./Guard.js"

/** The tag by its key, because its module has code that applications without a guard do not need. */
export const tag = /* @__PURE__ */ Context.GenericTag<Guard, Guard.Shape>("@effect-venue/transport/Guard")

/** How the calls of a transport use a guard. It is part of the guard, so that applications without one do not bundle it. */
export interface Hook {
  /** Run this uninterruptibly. Only the reading of the kill switch is restored. */
  readonly enter: (call: Call, restore: Restore) => Effect.Effect<Pass, Failure.Blocked>
}

/** The hook of a guard. */
export const of = (guard: { readonly "~hook": unknown }): Hook =>
  // `Guard.make` is the only constructor of guards, and sets this field. A precise type would make internals public.
  guard["~hook"] as Hook
