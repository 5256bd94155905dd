/** The limits as the service keeps them, counted from arrivals alone: in every window that ends now, and in whole milliseconds. */
export interface Limit {
  readonly key: string
  readonly count: number
  /** Milliseconds. */
  readonly window: number
}

/** A request that the service has counted. */
export interface Counted {
  readonly call: string
  readonly at: number
  readonly cost: number
}

/** A limit that a request exceeds, and the calls in its window. */
export interface Exceeded {
  readonly limit: Limit
  readonly cost: number
  readonly counted: ReadonlyArray<Counted>
}

export interface Service {
  /** Counts a request that arrives now in all limits, or in none and gives those that have no room. */
  readonly take: (costs: ReadonlyArray<readonly [limit: Limit, cost: number]>, call: string) => ReadonlyArray<Exceeded>
  /** What remains of a limit now. */
  readonly remaining: (limit: Limit) => number
}

const sum = (counted: ReadonlyArray<Counted>) => counted.reduce((total, { cost }) => total + cost, 0)

export const make = (now: () => number): Service => {
  const taken = new Map<string, ReadonlyArray<Counted>>()
  const within = ({ key, window }: Limit): ReadonlyArray<Counted> => {
    const since = Math.floor(now()) - window
    return (taken.get(key) ?? []).filter(({ at }) => Math.floor(at) > since)
  }
  return {
    take: (costs, call) => {
      const exceeded = costs.flatMap(([limit, cost]) => {
        const counted = within(limit)
        // A call that costs more than the whole limit goes alone.
        return sum(counted) <= Math.max(limit.count - cost, 0) ? [] : [{ limit, cost, counted }]
      })
      if (exceeded.length > 0) return exceeded
      for (const [{ key }, cost] of costs) taken.set(key, [...(taken.get(key) ?? []), { call, at: now(), cost }])
      return []
    },
    remaining: (limit) => Math.max(limit.count - sum(within(limit)), 0)
  }
}
