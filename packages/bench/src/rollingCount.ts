/**
 * The service's rule for a rate limit, counted from the arrivals alone.
 *
 * @since 0.1.0
 */

/**
 * Reports for each call whether it exceeds `count` calls in the last `window` milliseconds. Excess calls do not count; a `count` of 0 means
 * no limit.
 */
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
