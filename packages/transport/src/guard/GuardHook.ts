/**
 * The tag of guards, and how the calls of a transport use one. Applications without a guard bundle this module only.
 *
 * @sibling
 */
import type * as Account from "@effect-venue/schemas/Account"
import type * as Either from "effect/Either"
import type * as Failure from "../model/Failure.js"
import type { Call, Pass } from "../attempt/callState.js"
import type { Writer } from "../journal/JournalHook.js"
import type { WriteJournal } from "../journal/WriteJournal.js"
import type * as BigDecimal from "effect/BigDecimal"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** Its constructors are in another module, because applications without a guard do not need them. */
export class Guard extends Context.Tag("@effect-venue/transport/Guard")<Guard, Guard.Shape>() {}

export declare namespace Guard {
  /** A guard for transports. `make` creates it. */
  export interface Shape {
    /** The totals of a currency of orders or a coin of transfers, including calls in flight. */
    readonly used: (kind: "orders" | "transfers", unit: string) => Effect.Effect<Used>
    /** Used by transports. */
    readonly "~hook": Hook
  }
}

/** Totals of the last hour and the last day. */
export interface Used {
  readonly hour: BigDecimal.BigDecimal
  readonly day: BigDecimal.BigDecimal
}

/** The journal of a guard: it also settles the claims of the guard. `isOf`: whether this is the journal, or the journal that it was made from. */
export interface GuardJournal {
  readonly journal: WriteJournal.Shape
  readonly isOf: (journal: WriteJournal.Shape) => boolean
}

/** How the calls of a transport use a guard. It is part of the guard, so that applications without one do not bundle it. */
export interface Hook {
  /** `undefined` for a guard whose totals begin at 0. */
  readonly journal: GuardJournal | undefined
  /** Whether the age of amounts of a host is unknown until its time is known. */
  readonly needsTime: (host: string) => boolean
  /** Computes the age of amounts of earlier processes. Milliseconds by the clock of the host, and of the monotonic clock. */
  readonly learnTime: (host: string, hostTime: number, now: number) => void
  /** Whether a write that was refused can be let through once the time of its host is known. `wallClock`: milliseconds. */
  readonly gainsByTime: (blocked: Failure.Blocked, host: string, wallClock: number) => boolean
  /** A call whose response contains the time of the service, even if it is refused. */
  readonly timeCall: { readonly endpoint: typeof Account.walletBalance; readonly request: Account.WalletBalanceRequest }
  /** Checks a write and reserves its amounts. `hostTime`: milliseconds by the clock of the host, if known. */
  readonly enter: (call: Call, writer: Writer, hostTime: number | undefined) => Either.Either<Pass, Failure.Blocked>
}
