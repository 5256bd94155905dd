import type * as CallOptions from "../model/CallOptions.js"
import type { Charge, Reservation } from "../stores/RateLimitStore.js"
import type { RollingLimits } from "../stores/rollingLimits.js"

/** A limiter over a store in memory, without effects. */
export interface LocalLimiter extends Pick<RollingLimits, "settle" | "observe"> {
  /** Takes the charges of a call that need not wait, and overtakes no other call. */
  readonly take: (
    charges: ReadonlyArray<Charge>,
    priority: CallOptions.PriorityName,
    now: number
  ) => Reservation | undefined
}

/** The limiter behind a service of this package. A copy of the service with a replaced member has none, and is used through its effects. */
export const ofService = new WeakMap<object, LocalLimiter>()
