/**
 * Makes a plan smaller as long as it still shows the same.
 */

/** Smaller plans, each without one thing, by the name of what is left out. */
export type Without<Plan> = (plan: Plan) => ReadonlyArray<readonly [name: string, plan: Plan]>

/** The smallest plan that was found; the plan itself when nothing can be left out. */
export const shrink = <Plan>(plan: Plan, without: Without<Plan>, shows: (plan: Plan) => boolean): Plan => {
  for (const [, candidate] of without(plan)) if (shows(candidate)) return shrink(candidate, without, shows)
  return plan
}

/** What cannot be left out of a plan. A hint only: whatever is left out moves everything that follows it. */
export const causes = <Plan>(
  plan: Plan,
  without: Without<Plan>,
  shows: (plan: Plan) => boolean
): ReadonlyArray<string> =>
  without(plan)
    .filter(([, candidate]) => !shows(candidate))
    .map(([name]) => name)

/** What a plan may have: its name, whether it is there, and the plan without it. */
export type Feature<Plan> = readonly [name: string, isThere: boolean, plan: Plan]

/** A plan without each of its features. */
export const withoutFeatures = <Plan>(
  features: ReadonlyArray<Feature<Plan>>
): ReadonlyArray<readonly [name: string, plan: Plan]> =>
  features.filter(([, isThere]) => isThere).map(([name, , smaller]) => [name, smaller])

/** A plan without each of its calls, of which it keeps one. */
export const withoutCalls = <Plan extends { readonly calls: ReadonlyArray<{ readonly id: string }> }>(
  plan: Plan
): ReadonlyArray<readonly [name: string, plan: Plan]> =>
  (plan.calls.length > 1 ? plan.calls : []).map((call) => [
    `call ${call.id}`,
    { ...plan, calls: plan.calls.filter((kept) => kept !== call) }
  ])

interface Faulty {
  readonly faults: { readonly probability: number; readonly kinds: ReadonlyArray<string> }
}

/** The faults of a plan, and each kind of them. */
export const faultsOf = <Plan extends Faulty>(plan: Plan): ReadonlyArray<Feature<Plan>> => {
  const { faults } = plan
  const isFaulty = faults.probability > 0
  return [
    ["faults", isFaulty, { ...plan, faults: { ...faults, probability: 0 } }],
    ...faults.kinds.map((kind): Feature<Plan> => [
      kind,
      isFaulty && faults.kinds.length > 1,
      { ...plan, faults: { ...faults, kinds: faults.kinds.filter((kept) => kept !== kind) } }
    ])
  ]
}
