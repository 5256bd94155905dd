/**
 * The service's rule for a rate limit, counted from the arrivals alone.
 *
 * @since 0.1.0
 */

/** Says of each call that arrives whether it is over `count` calls in the last `window` milliseconds. One that is over does not count; 0 is no limit. */
export const make = (count: number, window: number): (() => boolean) => {
  const arrivals: Array<number> = []
  return () => {
    const now = performance.now()
    while (arrivals[0] !== undefined && arrivals[0] <= now - window) arrivals.shift()
    if (count > 0 && arrivals.length >= count) return true
    arrivals.push(now)
    return false
  }
}
