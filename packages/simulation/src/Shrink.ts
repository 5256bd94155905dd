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
