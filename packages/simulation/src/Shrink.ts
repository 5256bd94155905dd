/**
 * Makes a plan smaller as long as it still shows the same: leaves out calls, then features.
 */
import type * as Plan from "./Plan.js"

const withoutFeatures = (plan: Plan.Plan): ReadonlyArray<Plan.Plan> => [
  { ...plan, faults: { ...plan.faults, probability: 0 } },
  ...plan.faults.kinds.map((kind) => ({ ...plan, faults: { ...plan.faults, kinds: [kind] } })),
  { ...plan, latency: 0 },
  { ...plan, isRetrying: false },
  { ...plan, signing: 0 },
  { ...plan, jumps: [] },
  { ...plan, bannedAt: undefined },
  { ...plan, isWaiting: false },
  { ...plan, calls: plan.calls.map(({ interruptedAfter: _, ...call }) => call) },
  { ...plan, calls: plan.calls.map(({ timeout: _, ...call }) => call) }
]

const size = (plan: Plan.Plan): number =>
  plan.calls.length * 10 +
  plan.calls.filter(({ interruptedAfter }) => interruptedAfter !== undefined).length +
  plan.calls.filter(({ timeout }) => timeout !== undefined).length +
  plan.jumps.length +
  (plan.faults.probability > 0 ? plan.faults.kinds.length : 0) +
  [plan.latency > 0, plan.isRetrying, plan.signing > 0, plan.bannedAt !== undefined, plan.isWaiting].filter(Boolean)
    .length

/** The smallest plan that was found; the plan itself when nothing can be left out. */
export const shrink = (plan: Plan.Plan, shows: (plan: Plan.Plan) => boolean): Plan.Plan => {
  let smallest = plan
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false
    const candidates = [
      ...smallest.calls.map((call) => ({ ...smallest, calls: smallest.calls.filter((kept) => kept !== call) })),
      ...withoutFeatures(smallest)
    ]
    for (const candidate of candidates) {
      if (size(candidate) >= size(smallest) || candidate.calls.length === 0 || !shows(candidate)) continue
      smallest = candidate
      isSmaller = true
      break
    }
  }
  return smallest
}
