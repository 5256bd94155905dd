/** All workloads, by name. */
import { workload as calls } from "./calls/calls.js"
import { workload as exports } from "./exports/exports.js"
import { workload as limits } from "./limits/limits.js"
import { workload as owners } from "./owners/owners.js"
import { workload as writes } from "./writes/writes.js"
import type * as Workload from "../run/Workload.js"

export const workloads = { calls, exports, limits, owners, writes } as const satisfies Readonly<
  Record<string, Workload.Workload>
>

/** How the seeds of a run over all workloads are shared out: by the time that a seed takes. */
export const shares: Readonly<Record<keyof typeof workloads, number>> = {
  calls: 0.25,
  exports: 0.005,
  limits: 0.545,
  owners: 0.05,
  writes: 0.15
}
