import * as Faults from "@effect-venue/sandbox/Faults"
import * as Duration from "effect/Duration"

/** How long one attempt may take. */
export const attemptTimeout = Duration.millis(400)

// Long enough to be given up on.
const late = 700

/** How long after the last answer the exchange may still be busy with a late request. */
export const settling = Duration.millis(late + 300)

/** The part of the requests that are hit. */
export const probability = 0.2

/** What requests are hit by, each as often as the others; bans have a phase of their own. */
const faults: ReadonlyArray<Faults.Fault> = [
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

export const rules: ReadonlyArray<Faults.Rule> = Faults.oneOf(faults, { probability })

/** One ban, after a few requests. */
export const ban = (skip: number): ReadonlyArray<Faults.Rule> => [{ fault: { kind: "ban" }, skip, count: 1 }]
