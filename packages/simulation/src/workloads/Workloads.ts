/** All workloads, by name. */
import { workload as answers } from "./answers/answers.js"
import { workload as bans } from "./bans/bans.js"
import { workload as calls } from "./calls/calls.js"
import { workload as exports } from "./exports/exports.js"
import { workload as limits } from "./limits/limits.js"
import { workload as owners } from "./owners/owners.js"
import { workload as stores } from "./stores/stores.js"
import { workload as writes } from "./writes/writes.js"
import type * as Workload from "../run/Workload.js"

export const workloads = { answers, bans, calls, exports, limits, owners, stores, writes } as const satisfies Readonly<
  Record<string, Workload.Workload>
>

/** How the seeds of a run over all workloads are shared out: by the time that a seed takes. */
export const shares: Readonly<Record<keyof typeof workloads, number>> = {
  answers: 0.05,
  bans: 0.35,
  calls: 0.1,
  exports: 0.005,
  limits: 0.38,
  owners: 0.02,
  stores: 0.1,
  writes: 0.05
}
