import * as Faults from "@effect-venue/sandbox/Faults"

/** How long an attempt may take at least. */
const shortestAttempt = 400

/** How many times as long as an answer without faults an attempt may take: on a busy machine most answers would come too late. */
const factor = 4

/** What depends on how fast the machine is, in milliseconds. */
export interface Pace {
  /** How long one attempt may take. */
  readonly attemptTimeout: number
  /** By how much late answers are delayed: longer than an attempt may take. */
  readonly late: number
  /** How long after the last answer the exchange may still be busy with a late request. */
  readonly settling: number
}

/** The pace of a machine on which the slowest answer without faults took this long, in milliseconds. */
export const paceOf = (slowest: number): Pace => {
  const attemptTimeout = Math.max(shortestAttempt, Math.ceil(factor * slowest))
  const late = attemptTimeout + 300
  return { attemptTimeout, late, settling: late + 300 }
}

/** The part of the requests that are hit. */
const probability = 0.2

/** What requests are hit by, each as often as the others; bans have a phase of their own. */
const faults = (late: number): ReadonlyArray<Faults.Fault> => [
  { kind: "dropBefore" },
  { kind: "dropAfter" },
  { kind: "delay", millis: late, executed: "atOnce" },
  { kind: "delay", millis: late, executed: "afterwards" },
  { kind: "truncated", breaks: false },
  { kind: "truncated", breaks: true },
  { kind: "html", executed: true },
  { kind: "html", executed: false },
  { kind: "empty", executed: true },
  { kind: "empty", executed: false },
  { kind: "status", status: 502, executed: true },
  { kind: "status", status: 503, executed: false },
  { kind: "rateRefusal", headers: true, resetMillis: 50 },
  { kind: "rateRefusal", headers: false },
  { kind: "skew", millis: 0 },
  { kind: "skew", millis: 3000 },
  { kind: "internal", executed: true },
  { kind: "internal", executed: false },
  { kind: "wrongEnvelope" },
  { kind: "nullResult" }
]

export const rules = ({ late }: Pace): ReadonlyArray<Faults.Rule> => Faults.oneOf(faults(late), { probability })

/** One ban, after a few requests. */
export const ban = (skip: number): ReadonlyArray<Faults.Rule> => [{ fault: { kind: "ban" }, skip, count: 1 }]
