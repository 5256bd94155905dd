/**
 * The limits as the service keeps them, counted from arrivals alone: in every window that ends now, and in whole milliseconds.
 */
export interface Limit {
  readonly key: string
  readonly count: number
  /** Milliseconds. */
  readonly window: number
}

export interface Service {
  /** Counts a request that arrives now, in all limits or in none. */
  readonly take: (costs: ReadonlyArray<readonly [limit: Limit, cost: number]>) => boolean
  /** What remains of a limit now. */
  readonly remaining: (limit: Limit) => number
}

export const make = (now: () => number): Service => {
  const taken = new Map<string, Array<{ readonly at: number; readonly cost: number }>>()
  const within = ({ key, window }: Limit): number => {
    const since = Math.floor(now()) - window
    return (taken.get(key) ?? []).reduce((sum, { at, cost }) => (at > since ? sum + cost : sum), 0)
  }
  return {
    take: (costs) => {
      // A call that costs more than the whole limit goes alone.
      const fits = costs.every(([limit, cost]) => within(limit) <= Math.max(limit.count - cost, 0))
      if (!fits) return false
      for (const [{ key }, cost] of costs) {
        taken.set(key, [...(taken.get(key) ?? []), { at: Math.floor(now()), cost }])
      }
      return true
    },
    remaining: (limit) => Math.max(limit.count - within(limit), 0)
  }
}
