/** The journal of a run: facts in the order in which they happened. Judges read it, and nothing else. */
import type * as Sim from "../kernel/Sim.js"

/** The guarantees that the library's results are those of a model: each has a judge. */
export const comparisons = ["Verdict", "Request", "Emptied", "Differs", "Identified", "Coded", "Recalled"] as const

export type Comparison = (typeof comparisons)[number]

interface At {
  /** Orders facts of one instant. */
  readonly seq: number
  /** Milliseconds since the start. */
  readonly at: number
}

export type Safety = "idempotent" | "read" | "write"

/** The facts of calls: the request of a caller, its sendings, and the outcome that the caller received. */
interface OfCalls {
  /** A call is planned. */
  readonly Requested: {
    readonly call: string
    readonly process: string
    readonly safety: Safety
    /** When its caller makes it. */
    readonly begins?: number | undefined
    /** The latest instant at which it is reported; and by which it is reported if nothing goes wrong. */
    readonly deadline?: number | undefined
    readonly doneBy?: number | undefined
    /** It creates records under an id that no other call has. */
    readonly isCreating?: boolean | undefined
    /** What each of its orders, or its transfer, is worth, in USDT. */
    readonly worths?: Readonly<Record<string, number>> | undefined
    /** It waits for the end of a ban. */
    readonly isWaiting?: boolean | undefined
  }
  /** A request left the library. */
  readonly Sent: { readonly call: string; readonly sending: number }
  /** The exchange judged a request. `executed` are the wishes that it granted by it. `isCopy`: the network delivered it a second time. */
  readonly Arrived: {
    readonly call: string
    readonly sending: number
    readonly wishes: ReadonlyArray<string>
    readonly executed: ReadonlyArray<string>
    readonly code: number
    readonly status: number
    readonly isCopy: boolean
  }
  /**
   * The library received the status of an answer, with at least some of its body, or the failure of a sending. `whole`: the exchange's
   * answer. `unsent`: the connection was never made. `broken`: anything else that the library saw. `left`: the library stopped waiting.
   */
  readonly Ended: {
    readonly call: string
    readonly sending: number
    readonly isBan: boolean
    readonly answer?: "broken" | "left" | "unsent" | "whole" | undefined
  }
  /** The caller of a wish received its outcome; `tag` is that of the failure. */
  readonly Reported: {
    readonly call: string
    readonly wish: string
    readonly outcome: "died" | "done" | "interrupted" | "refused" | "unknown"
    readonly tag: string
  }
  /** A wrapped client returned an answer that it had created, instead of the received one, if any. */
  readonly Replaced: { readonly call: string }
  /** `OnInterruptedWrite` received a failure for a call. */
  readonly Abandoned: { readonly call: string }
  /** Nothing is reported of a call any more: its process has died. */
  readonly Lost: { readonly call: string }
  /** Text that was logged, written or reported contains a secret. */
  readonly Leaked: { readonly text: string }
  /** The library's result of an operation, beside that of a model. `rule` is the guarantee that a difference breaks. */
  readonly Compared: {
    readonly call: string
    readonly rule: Comparison
    readonly got: string
    readonly expected: string
  }
}

/** The facts of rate limits. */
interface OfLimits {
  /**
   * A call began to wait for rate limits. Lower ranks go first among the calls of one line. It is to leave `spare` places free. `limit` is the number of
   * places of a rate limit.
   */
  readonly Queued: {
    readonly call: string
    readonly rank: number
    readonly line: string
    readonly spare: number
    readonly costs: ReadonlyArray<{ readonly key: string; readonly limit: number; readonly cost: number }>
  }
  /** Places of rate limits were taken for a call, and so many left free for others. */
  readonly Reserved: {
    readonly call: string
    readonly reservation: string
    readonly spare: ReadonlyArray<number>
  }
  readonly Settled: { readonly call: string; readonly reservation: string }
}

/** The facts of writes that are recorded before they leave. */
interface OfWrites {
  /** The journal keeps an intent. */
  readonly Recorded: { readonly call: string; readonly entry: string; readonly wishes: ReadonlyArray<string> }
  /** The kill switch of all guards is turned on or off. */
  readonly Switched: { readonly isOn: boolean }
  /** An entry is to be closed: by the outcome of its call, or by a look-up later. */
  readonly Closed: {
    readonly call: string
    readonly entry: string
    readonly by: "call" | "reconcile"
    readonly executed: "no" | "partly" | "unknowable" | "yes"
    /** Why nothing was executed, and the return code that proves it. */
    readonly failure?: string | undefined
    readonly retCode?: number | undefined
  }
  /** An entry is open at the end. */
  readonly StillOpen: { readonly call: string; readonly entry: string }
}

/** The facts of exports. */
interface OfExports {
  /** A start of an export ended: `gone` with its process. `isLast`: nothing disturbs it. */
  readonly Finished: {
    readonly call: string
    readonly end: "complete" | "died" | "failed" | "gone" | "incomplete"
    readonly detail: string
    /** It was frozen at some time: others can have taken its place meanwhile. */
    readonly isFrozen: boolean
    readonly isLast: boolean
  }
  /** A process looked at the lock of its folder, which it has, or another process. */
  readonly Looked: { readonly call: string; readonly isOwn: boolean }
  /** A process gave a file of an export its name. */
  readonly Published: { readonly call: string; readonly file: string }
  /** A part of an export at the end, with the rows of the exchange; `newer` rows are of a run that is under way. */
  readonly Exported: {
    readonly call: string
    readonly isComplete: boolean
    readonly rows: ReadonlyArray<string>
    readonly expected: ReadonlyArray<string>
    readonly newer?: ReadonlyArray<string> | undefined
  }
}

interface Owning {
  readonly egress: string
  readonly epoch: number
}

/** The facts of a fleet: of the owners of addresses, and of the exports that they run. */
interface OfOwners {
  /** A machine became the owner of an address. */
  readonly Owned: { readonly machine: string } & Owning
  /** A machine received the answer that it is the owner, which it had requested at `askedAt`. */
  readonly Heard: { readonly machine: string; readonly askedAt: number } & Owning
  /** The library handed a call to the connections of a machine. */
  readonly Begun: { readonly machine: string } & Owning
  /** A call arrived: `count` calls of its address are in the window that ends here, of `limit`. */
  readonly Counted: { readonly egress: string; readonly count: number; readonly limit: number }
  /** A store accepted a write to an export. */
  readonly Written: { readonly call: string; readonly write: string; readonly run: number } & Owning
  readonly Done: { readonly call: string }
  /** A machine was killed or frozen while it ran exports of an address; by `backBy` another owner is at work, if nothing else goes wrong. */
  readonly Struck: { readonly machine: string; readonly running: number; readonly backBy: number | undefined } & Owning
  /** A machine ended as planned, and its owners have not released these exports; `isReached`: nothing kept it from the database. */
  readonly Left: { readonly machine: string; readonly running: ReadonlyArray<string>; readonly isReached: boolean }
  /** An export at the end: its declared range, the range that it covers completely by the ledger, and when it was to be done after the last fault. */
  readonly Covered: {
    readonly call: string
    readonly declared: { readonly from: number; readonly to: number | undefined }
    readonly covered: { readonly from: number; readonly to: number } | undefined
    readonly isFinished: boolean
    readonly due: { readonly from: number; readonly by: number } | undefined
    readonly state: string
  }
}

type Kinds = OfCalls & OfExports & OfLimits & OfOwners & OfWrites

export type Tag = keyof Kinds

/** A fact of one kind. */
export type Of<T extends Tag> = Kinds[T] & At & { readonly _tag: T }

export type Fact = { readonly [T in Tag]: Of<T> }[Tag]

/** A fact before it has its place. */
export type Happening = { readonly [T in Tag]: Kinds[T] & { readonly _tag: T } }[Tag]

/** Conditions of a whole run. A promise that is left out is not judged. */
export interface Conditions {
  /** How long the service bans an address, in milliseconds. */
  readonly banLength?: number
  /** The service has no reason to refuse a call for a limit. */
  readonly isLimitOurs?: boolean
  /** Requests arrive within the receive window when their timestamp is right, and answers state the time well enough. */
  readonly isClockLearnable?: boolean
  /** The limiter's store is in memory, and knows of all calls: a call that finds room leaves at once. */
  readonly isPrompt?: boolean
  /** The limits are not in a store that processes share. */
  readonly isLocal?: boolean
  /** The store of limits and the journal of writes work all the time. */
  readonly isServed?: boolean
  /** No wall clock jumps: retries count their time by it. */
  readonly isSteady?: boolean
  /** Whole answers state what was executed. */
  readonly isClear?: boolean
  /** The application's client sends a request twice, and can return the failure of one after the end of the other. */
  readonly isHedging?: boolean
  /** The application's client sends a request twice and interrupts the slower one. */
  readonly isRacing?: boolean
  /** The application's client sends each attempt at once, and does not answer or fail by itself. */
  readonly isDirect?: boolean
  /** Writes are recorded in a journal, which is reconciled at the end. */
  readonly isRecorded?: boolean
  /** The most that all orders of a day, and all its transfers, may be worth together, in USDT: a guard sees to that. */
  readonly caps?: { readonly orders: number; readonly transfers: number } | undefined
  /** From when on no process ends or stands still, in milliseconds: what the journal keeps then stays there. */
  readonly durableFrom?: number
}

export interface Journal {
  readonly facts: ReadonlyArray<Fact>
  readonly of: <T extends Tag>(tag: T) => ReadonlyArray<Of<T>>
  readonly end: Sim.End
  readonly conditions: Conditions
  readonly requestOf: (call: string) => Of<"Requested"> | undefined
}

/** A journal of facts, which are indexed by their kinds. */
export const make = (facts: ReadonlyArray<Fact>, end: Sim.End = "Done", conditions: Conditions = {}): Journal => {
  const kinds = new Map<Tag, Array<Fact>>()
  for (const fact of facts) {
    const same = kinds.get(fact._tag)
    if (same === undefined) kinds.set(fact._tag, [fact])
    else same.push(fact)
  }
  // The facts of a kind are filed under its tag.
  const of = <T extends Tag>(tag: T) => (kinds.get(tag) ?? []) as ReadonlyArray<unknown> as ReadonlyArray<Of<T>>
  const requests = new Map(of("Requested").map((request) => [request.call, request]))
  return { facts, of, end, conditions, requestOf: (call) => requests.get(call) }
}

/** Facts with their places, for judges' tests and for journals that are written afterwards: at one instant each, unless they have one. */
export const numberFacts = (happenings: ReadonlyArray<Happening & { readonly at?: number }>): ReadonlyArray<Fact> =>
  happenings.map((happening, seq) => ({ ...happening, seq, at: happening.at ?? seq }))
