import type * as Effect from "effect/Effect"

/** The gate of one process, as a call asks it that is under way. */
export interface LocalGate {
  /** Whether no ban is known or remembered. */
  readonly isOpen: (host: string) => boolean
  readonly ban: (host: string) => Effect.Effect<void>
}

/** The gate behind a service of this package. A copy of it with another member has none, and is used through its effects. */
export const ofService = new WeakMap<object, LocalGate>()
