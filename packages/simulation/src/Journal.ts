/**
 * What happened in a world, as the judge reads it: facts in the order in which they happened. `seq` orders what happens at one instant.
 */
interface At {
  readonly seq: number
  /** Milliseconds since the start. */
  readonly at: number
}

/** A request left the library. */
export interface Sent extends At {
  readonly _tag: "Sent"
  readonly call: string
  readonly sending: number
}

/** The exchange judged a request. `executed` are the wishes that it granted by it. */
export interface Arrived extends At {
  readonly _tag: "Arrived"
  readonly call: string
  readonly sending: number
  readonly wishes: ReadonlyArray<string>
  readonly executed: ReadonlyArray<string>
  readonly code: number
  readonly status: number
  /** The network delivered the request a second time. */
  readonly isCopy: boolean
  /** It was refused because a store of limits could not know of a call: see `limiter/Ledger.ts`. */
  readonly isInherent?: boolean | undefined
}

/** The library received the status of an answer, with at least some of its body, or the failure of a sending. */
export interface Ended extends At {
  readonly _tag: "Ended"
  readonly call: string
  readonly sending: number
  /** The answer is the one by which the service bans an address. */
  readonly isBan: boolean
  /**
   * `whole`: the exchange's own answer. `unsent`: the connection was never made. `broken`: anything else that the library saw. `left`: the
   * library stopped waiting.
   */
  readonly answer?: "broken" | "left" | "unsent" | "whole" | undefined
}

/** The caller of a wish received its outcome. */
export interface Reported extends At {
  readonly _tag: "Reported"
  readonly call: string
  readonly wish: string
  readonly outcome: "died" | "done" | "interrupted" | "refused" | "unknown"
  /** The failure's tag, where there is one. */
  readonly tag: string
}

/** `OnInterruptedWrite` received a failure for a call. */
export interface Abandoned extends At {
  readonly _tag: "Abandoned"
  readonly call: string
}

/** A call began to wait for rate limits. Lower ranks go first among those that wait for the same. */
export interface Queued extends At {
  readonly _tag: "Queued"
  readonly call: string
  readonly rank: number
  /** What it waits for, and in which process: calls of one line are served in order. */
  readonly line: string
}

/** Places of rate limits were taken for a call. */
export interface Reserved extends At {
  readonly _tag: "Reserved"
  readonly call: string
  readonly reservation: string
  /** Places that were left free for others, of each rate limit. */
  readonly spare: ReadonlyArray<number>
}

/** Places of rate limits were settled. */
export interface Settled extends At {
  readonly _tag: "Settled"
  readonly call: string
  readonly reservation: string
}

export type Fact = Abandoned | Arrived | Ended | Queued | Reported | Reserved | Sent | Settled

export interface Journal {
  readonly facts: ReadonlyArray<Fact>
  /** How the run ended, as `Sim.End`. */
  readonly end: "Asleep" | "Done" | "Spinning" | "TooLong"
  /** Calls whose outcome was not reported by the end. */
  readonly open: ReadonlyArray<string>
  /** Text that was logged or reported, and contains a secret. */
  readonly leaks: ReadonlyArray<string>
}
