import type * as Effect from "effect/Effect"

/** The gate of one process, for a call in flight. */
export interface LocalGate {
  /** Whether no ban is in force or remembered. */
  readonly isOpen: (host: string) => boolean
  readonly ban: (host: string) => Effect.Effect<void>
}

/** The gate behind a service of this package. A copy of the service with a replaced member has none, and is used through its effects. */
export const ofService = new WeakMap<object, LocalGate>()
