import * as Duration from "effect/Duration"

/** Arrivals in a rolling window. Mutable: it belongs to the edge, not to the state of the exchange. */
export interface Log {
  /**
   * Takes up to `places` (default 1) of the free places among `count`. Returns the number of remaining places and when the next one becomes
   * free.
   */
  readonly take: (now: number, count: number, window: number, places?: number) => Taken
}

export interface Taken {
  /** Whether at least one place was free. */
  readonly admitted: boolean
  /** The number of places taken. */
  readonly places: number
  readonly left: number
  /** When a full window has a free place again; `now` if it has one. */
  readonly resetAt: number
}

/** Creates a log that keeps only the instants of its window. */
export const makeLog = (): Log => {
  let arrivals: Array<number> = []
  let first = 0
  return {
    take: (now, count, window, requested = 1) => {
      while (first < arrivals.length && (arrivals[first] ?? 0) <= now - window) first++
      if (first > 1024 && first * 2 > arrivals.length) {
        arrivals = arrivals.slice(first)
        first = 0
      }
      const used = arrivals.length - first
      const places = Math.max(0, Math.min(requested, count - used))
      for (let place = 0; place < places; place++) arrivals.push(now)
      const left = Math.max(0, count - used - places)
      const admitted = places > 0
      // After the limit was lowered, a place becomes free when the count falls below the new limit.
      const blocking = arrivals[first + Math.max(0, arrivals.length - first - count)] ?? now
      return { admitted, places, left, resetAt: admitted ? now : blocking + window }
    }
  }
}

/** The limit per IP, over all traffic. (docs/reference/rules.md#limits-ip-and-stream) */
export const ipCount = 600
export const ipWindow = Duration.toMillis(Duration.seconds(5))
export const banLength = Duration.toMillis(Duration.minutes(10))

/** The limit of one IP address, before everything else. */
export interface Gate {
  readonly admits: (now: number) => boolean
}

/** Closes for ten minutes after each breach. Requests during that time count too, so a caller that keeps sending stays banned. */
export const makeGate = (): Gate => {
  const log = makeLog()
  let bannedUntil = Number.NEGATIVE_INFINITY
  return {
    admits: (now) => {
      const { admitted } = log.take(now, ipCount, ipWindow)
      if (!admitted) bannedUntil = now + banLength
      return now >= bannedUntil
    }
  }
}

/** The rate limits: one log per caller and limit. */
export interface RateLimiter {
  readonly log: (rate: string) => Log
}

export const makeRateLimits = (): RateLimiter => {
  const logs = new Map<string, Log>()
  return {
    log: (rate) => {
      const known = logs.get(rate)
      if (known !== undefined) return known
      const fresh = makeLog()
      logs.set(rate, fresh)
      return fresh
    }
  }
}
