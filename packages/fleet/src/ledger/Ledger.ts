/**
 * The ledger of a fleet: a row for every export, with the time when it is due, its egress address, and the outcome of its last run. It
 * contains no keys.
 *
 * An address has one owner at a time. Each ownership has a number, its epoch; the next owner has a higher one, and from then on every write of an
 * earlier owner is refused.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"

export class Ledger extends Context.Tag("@effect-venue/fleet/Ledger")<Ledger, Ledger.Shape>() {}

export declare namespace Ledger {
  /** Instants are milliseconds since 1970. */
  export interface Shape {
    /**
     * Sets the exports: adds new ones, and removes absent ones, whose rows stay. An export that moves to another address, is paused or gets
     * another range loses its claim. With another range it is due at once, even if it was finished; with another `every` it is due that long
     * after its last run. Stopped exports are due again. Returns the removed exports.
     */
    readonly register: (
      entries: ReadonlyArray<Entry>,
      registrar: Registrar
    ) => Effect.Effect<ReadonlyArray<Key>, LedgerFailed>
    /** Exports that were removed and not registered again, by account and registrar, the latest first. */
    readonly removals: (limit: number) => Effect.Effect<ReadonlyArray<Removal>, LedgerFailed>
    /** The address of every account that is registered. */
    readonly assignments: Effect.Effect<ReadonlyMap<string, string>, LedgerFailed>
    /** Pauses an account, or resumes it: its stopped exports are due again. Returns whether the account exists. */
    readonly setPaused: (account: string, isPaused: boolean) => Effect.Effect<boolean, LedgerFailed>
    /** Makes the caller the owner of an address. The running exports of the previous owner are due again. */
    readonly own: (egress: string, owner: string) => Effect.Effect<Ownership, LedgerFailed>
    /** Fails if an address has a later owner. */
    readonly check: (ownership: Ownership) => Effect.Effect<void, NotOwner | LedgerFailed>
    /** Notes how much of each rate limit the owner has used, by the key of the limit, as the last thing that it does. */
    readonly leave: (ownership: Ownership, usage: ReadonlyMap<string, number>) => Effect.Effect<void, LedgerFailed>
    /** What the owner before this one has noted with `leave`; `none` if it has not, such as after a crash, or if there was none. */
    readonly leftUsage: (
      ownership: Ownership
    ) => Effect.Effect<Option.Option<ReadonlyMap<string, number>>, LedgerFailed>
    /** Notes that the owner lives, and its calls per second. */
    readonly report: (ownership: Ownership, report: Report) => Effect.Effect<void, NotOwner | LedgerFailed>
    /** The due export with the earliest latest start, of an account that is not `busy`; from now on it is running. */
    readonly claim: (
      ownership: Ownership,
      options: { readonly now: number; readonly busy: ReadonlyArray<string> }
    ) => Effect.Effect<Option.Option<Claim>, NotOwner | LedgerFailed>
    /**
     * Releases claims of the owner on accounts that are not `busy`: the owner does not run them, since the response to the claim was lost.
     * Returns how many exports are due again.
     */
    readonly reclaim: (
      ownership: Ownership,
      options: { readonly busy: ReadonlyArray<string> }
    ) => Effect.Effect<number, LedgerFailed>
    /**
     * When the next waiting export of an address is due, for accounts that are not `busy`; `none` if none waits. With `retriesBelow`, only of
     * exports that have failed since their last success, fewer times than that.
     */
    readonly nextDue: (
      ownership: Ownership,
      options: { readonly busy: ReadonlyArray<string>; readonly retriesBelow?: number | undefined }
    ) => Effect.Effect<Option.Option<number>, LedgerFailed>
    /** Fails if a claim has ended. Runs before each write of the export. */
    readonly holds: (claim: Claim) => Effect.Effect<void, NotOwner | ClaimLost | LedgerFailed>
    /** Ends a claim: the export is up to date, and due again `every` after it began, or finished if it covers its range. */
    readonly done: (claim: Claim, done: Done) => Effect.Effect<void, NotOwner | ClaimLost | LedgerFailed>
    /** Ends a claim: the export failed, and is due again at `retryAt`. */
    readonly failed: (claim: Claim, failed: Failed) => Effect.Effect<void, NotOwner | ClaimLost | LedgerFailed>
    /** Ends a claim: the export is stopped, or every export of its account, until it is registered or resumed. */
    readonly stop: (claim: Claim, stopped: Stopped) => Effect.Effect<void, NotOwner | ClaimLost | LedgerFailed>
    /** Ends a claim without a result: the export is due as it was. */
    readonly release: (claim: Claim) => Effect.Effect<void, NotOwner | ClaimLost | LedgerFailed>
    /** Every export, by account and part. */
    readonly exports: Effect.Effect<ReadonlyArray<Export>, LedgerFailed>
    /** The numbers of each address, in a few rows for any number of exports. */
    readonly summary: (now: number) => Effect.Effect<ReadonlyArray<Summary>, LedgerFailed>
    /** Exports that go on and are not paused, those that are longest without a complete run for their `every` first. */
    readonly ages: (limit: number) => Effect.Effect<ReadonlyArray<Age>, LedgerFailed>
    /** Exports whose last run failed, was stopped or left something out, by account and part. */
    readonly troubled: (limit: number) => Effect.Effect<ReadonlyArray<Export>, LedgerFailed>
  }
}

/** An export: a dataset of an account, in one category if the dataset has categories. */
export interface Key {
  readonly account: string
  /** The dataset, or the dataset and its category: `executions-linear`. */
  readonly part: string
}

/** Who registers exports, and when. */
export interface Registrar {
  readonly now: number
  /** The machine and the process. */
  readonly by: string
}

/** Exports of an account that registrations of one process removed, because they did not have them. */
export interface Removal {
  readonly account: string
  /** How many exports of it. */
  readonly exports: number
  /** When the last of them was removed. */
  readonly at: number
  /** The machine and the process that removed it. */
  readonly by: string
}

/** An export to be registered. */
export interface Entry extends Key {
  readonly masterUid: string
  readonly egress: string
  readonly isPaused: boolean
  /** It is not due again once it is done. */
  readonly isOnce: boolean
  /** The first instant that it has to cover. */
  readonly from: number
  /** The first instant after those; `none` if the export continues. */
  readonly to: Option.Option<number>
  /** How often it is due, in milliseconds. */
  readonly every: number
  /** When a new export, or one with another range, is due. An existing export is due as before. */
  readonly dueAt: number
  /** The least number of pages of its first run. */
  readonly pages: number
  /** How long a page takes within the rate limit of its dataset, in milliseconds. */
  readonly millisPerPage: number
}

/**
 * - `waiting`: it runs when it is due.
 * - `running`: an owner runs it.
 * - `stopped`: it runs no more until it is registered or resumed.
 * - `finished`: it was to run once, and is done.
 */
export type State = "waiting" | "running" | "stopped" | "finished"

/** An export as it is in the ledger. */
export interface Export extends Key {
  readonly masterUid: string
  readonly egress: string
  readonly state: State
  readonly isPaused: boolean
  readonly dueAt: number
  /** How many times it has failed since it was last done. */
  readonly attempts: number
  readonly lastFailure: Option.Option<string>
  /** When it was last up to date. */
  readonly doneAt: Option.Option<number>
  readonly coverage: Option.Option<Coverage>
}

/** When an export was last complete. */
export interface Age extends Key {
  /** When its last complete run began, or else when it was registered. */
  readonly completeAt: number
  /** How often it is due, in milliseconds. */
  readonly every: number
}

/**
 * The coverage of an export by its manifest. It is `incomplete` while a later run can add rows, or if it begins after the declared range. It is `lost` if
 * all that it lacks is lost: no later run is waited for.
 */
export interface Coverage {
  readonly from: number
  readonly to: number
  readonly rows: number
  readonly verdict: "complete" | "incomplete" | "lost"
  /** Why rows are missing, unless it is complete. */
  readonly because: Option.Option<string>
}

/** One ownership of an address. */
export interface Ownership {
  readonly egress: string
  /** Higher than that of every earlier owner. */
  readonly epoch: number
}

/** A run of an export by an owner. */
export interface Claim extends Key {
  readonly ownership: Ownership
  /** Differs from that of every other run of the export. */
  readonly run: number
  /** How many times it has failed since it was last done. */
  readonly attempts: number
  readonly dueAt: number
  readonly isOnce: boolean
}

export interface Report {
  readonly now: number
  readonly callsPerSecond: number
}

export interface Done {
  readonly now: number
  /** When the run began. */
  readonly startedAt: number
  readonly coverage: Coverage
  /** How many pages the run had. */
  readonly pages: number
}

export interface Failed {
  readonly retryAt: number
  readonly failure: string
}

export interface Stopped {
  readonly failure: string
  readonly scope: "export" | "account"
}

/** The numbers of one address. */
export interface Summary {
  readonly egress: string
  readonly accounts: number
  readonly exports: number
  /** Up to date, or finished. */
  readonly done: number
  /** Due and waiting. */
  readonly due: number
  readonly running: number
  /** Waiting for another attempt. */
  readonly failing: number
  readonly stopped: number
  /** Accounts with exports that are stopped. */
  readonly stoppedAccounts: number
  /** Done, with manifests that a later run completes. */
  readonly incomplete: number
  /** Done, with manifests that lack rows or have conflicting ones, and that no later run completes. */
  readonly lost: number
  readonly paused: number
  /** Expected calls of exports that are due or running. */
  readonly pages: number
  readonly epoch: number
  /** The machine and the process of its present or last owner. */
  readonly owner: Option.Option<string>
  readonly seenAt: Option.Option<number>
  readonly callsPerSecond: number
}

/** The address has a later owner: this one writes no more. */
export class NotOwner extends Data.TaggedError("NotOwner")<{
  readonly egress: string
  /** The refused epoch. */
  readonly epoch: number
  readonly detail: string
}> {
  override get message(): string {
    return `epoch ${this.epoch} of the egress address ${this.egress}: ${this.detail}`
  }
}

/** The export was moved, paused or removed while it ran: this run of it writes no more. */
export class ClaimLost extends Data.TaggedError("ClaimLost")<Key> {
  override get message(): string {
    return `${this.part} of ${this.account} was moved, paused or removed`
  }
}

/** The ledger could not be read or written. */
export class LedgerFailed extends Data.TaggedError("LedgerFailed")<{
  readonly detail: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return `the ledger: ${this.detail}`
  }
}
