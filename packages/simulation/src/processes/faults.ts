/**
 * What a dispatcher does with one request, step by step: what is missing at the end of a list never happens.
 */

/** `start`: the request begins to leave. `arrive`: the exchange judges it. `wait`: longer than an attempt may take. */
export type Step =
  | "arrive"
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

const answer = ["headers", "firstHalf", "secondHalf", "end"] as const satisfies ReadonlyArray<Step>

/** A request with which nothing goes wrong. */
export const usual: ReadonlyArray<Step> = ["start", "arrive", ...answer]

/** What can go wrong with it, in each phase. */
export const steps = {
  // Before it starts.
  notStarted: ["unconnected"],
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
  interim: ["start", "interim", "arrive", "interim", ...answer],
  proxyBefore: ["start", "proxy", ...answer],
  proxyAfter: ["start", "arrive", "proxy", ...answer],
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
} as const satisfies Record<string, ReadonlyArray<Step>>

export type Fault = keyof typeof steps

// The keys of the object above, which has no others.
export const faults = Object.keys(steps) as ReadonlyArray<string> as ReadonlyArray<Fault>
