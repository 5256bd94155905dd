/** The limits as the service keeps them, counted from arrivals alone: in every window that ends now, and in whole milliseconds. */
export interface Limit {
  readonly key: string
  readonly count: number
  /** Milliseconds. */
  readonly window: number
}

export interface Service {
  /** Counts a request that arrives now in all limits; or in none, and returns false, if one of them has no room. */
  readonly take: (costs: ReadonlyArray<readonly [limit: Limit, cost: number]>) => boolean
  /** What remains of a limit now. */
  readonly remaining: (limit: Limit) => number
}

export const make = (now: () => number): Service => {
  const taken = new Map<string, ReadonlyArray<{ readonly at: number; readonly cost: number }>>()
  const used = ({ key, window }: Limit): number => {
    const since = Math.floor(now()) - window
    const counted = (taken.get(key) ?? []).filter(({ at }) => Math.floor(at) > since)
    return counted.reduce((total, { cost }) => total + cost, 0)
  }
  return {
    take: (costs) => {
      // A call that costs more than the whole limit goes alone.
      if (costs.some(([limit, cost]) => used(limit) > Math.max(limit.count - cost, 0))) return false
      for (const [{ key }, cost] of costs) taken.set(key, [...(taken.get(key) ?? []), { at: now(), cost }])
      return true
    },
    remaining: (limit) => Math.max(limit.count - used(limit), 0)
  }
}
