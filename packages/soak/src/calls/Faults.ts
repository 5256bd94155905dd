import * as Faults from "@effect-venue/sandbox/Faults"

/** The shortest time limit of an attempt. */
const shortestAttempt = 400

/** The time limit of an attempt, in response times without faults. On a busy machine a shorter one would end most attempts. */
const factor = 4

/** What depends on how fast the machine is, in milliseconds. */
export interface Pace {
  /** The time limit of an attempt. */
  readonly attemptTimeout: number
  /** By how much late answers are delayed: longer than an attempt can take. */
  readonly late: number
  /** How long after the last response the exchange can still execute a late request. */
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

/** The faults of requests, all equally likely. Bans have a separate phase. */
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
