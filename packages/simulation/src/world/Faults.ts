/** The faults of a request to the exchange: what happens to it, step by step. A step that is missing at the end never happens. */

/**
 * `start`: the request begins to leave. `arrive`: the exchange judges it, and `copy`: once more. `wait`: longer than an attempt can take. `proxy`:
 * a page of a proxy replaces the answer. `unconnected`: no connection is made. `error`: the connection breaks.
 */
export type FaultStep =
  | "arrive"
  | "copy"
  | "end"
  | "error"
  | "firstHalf"
  | "headers"
  | "interim"
  | "proxy"
  | "secondHalf"
  | "start"
  | "unconnected"
  | "wait"

const answer = ["headers", "firstHalf", "secondHalf", "end"] as const satisfies ReadonlyArray<FaultStep>

/** A request without a fault. */
export const usual: ReadonlyArray<FaultStep> = ["start", "arrive", ...answer]

/** The faults, by the phase in which they occur. */
export const steps = {
  // Before it starts.
  notConnected: ["unconnected"],
  neverStarted: [],
  startedLate: ["wait", "start", "arrive", ...answer],
  // After it has started, and before an answer.
  startedTwice: ["start", "start", "arrive", ...answer],
  lostBefore: ["start", "error"],
  lostAfter: ["start", "arrive", "error"],
  silentBefore: ["start"],
  silentAfter: ["start", "arrive"],
  lateRequest: ["start", "wait", "arrive", ...answer],
  lateAnswer: ["start", "arrive", "wait", ...answer],
  doubled: ["start", "arrive", ...answer, "copy"],
  interim: ["start", "interim", "arrive", "interim", ...answer],
  htmlBefore: ["start", "proxy", ...answer],
  htmlAfter: ["start", "arrive", "proxy", ...answer],
  // After the headers.
  lostHeaders: ["start", "arrive", "headers", "error"],
  silentHeaders: ["start", "arrive", "headers"],
  // In the middle of the body.
  cutBody: ["start", "arrive", "headers", "firstHalf", "error"],
  silentBody: ["start", "arrive", "headers", "firstHalf"],
  lateBody: ["start", "arrive", "headers", "firstHalf", "wait", "secondHalf", "end"],
  // After the body, and after the end.
  lostEnd: ["start", "arrive", "headers", "firstHalf", "secondHalf", "error"],
  failedAfterEnd: [...usual, "error"]
} as const satisfies Record<string, ReadonlyArray<FaultStep>>

export type Fault = keyof typeof steps

// The keys of the object above, which has no others.
export const all = Object.keys(steps) as ReadonlyArray<string> as ReadonlyArray<Fault>

/** Faults that only a dispatcher can have: a client of the platform reports no single steps. */
const ofDispatcher: ReadonlySet<Fault> = new Set([
  ...([
    "neverStarted",
    "startedLate",
    "startedTwice",
    "interim",
    "silentHeaders",
    "silentBody",
    "failedAfterEnd"
  ] as const)
])

export const ofClient = all.filter((fault) => !ofDispatcher.has(fault))

/** How likely a fault is, and which occur. */
export interface Faults<Kind extends string = Fault> {
  readonly probability: number
  readonly kinds: ReadonlyArray<Kind>
  /** Until when faults occur, in milliseconds after the start; if absent, in the whole run. */
  readonly until?: number | undefined
}

export const none: Faults<never> = { probability: 0, kinds: [] }
