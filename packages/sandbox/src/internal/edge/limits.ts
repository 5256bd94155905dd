import * as Duration from "effect/Duration"

/** Arrivals within a rolling window. Mutable: it is the edge's memory of traffic, not a part of the exchange's state. */
export interface Log {
  /** Takes at most `places`, default 1, of the free ones among `count`; returns how many remain and when the next becomes free. */
  readonly take: (now: number, count: number, window: number, places?: number) => Taken
}

export interface Taken {
  /** Whether there was any place. */
  readonly admitted: boolean
  /** How many there were. */
  readonly places: number
  readonly left: number
  /** When an exhausted window has room again; `now` while it has room. */
  readonly resetAt: number
}

/** A log that keeps no more instants than its window holds. */
export const makeLog = (): Log => {
  let arrivals: Array<number> = []
  let first = 0
  return {
    take: (now, count, window, asked = 1) => {
      while (first < arrivals.length && (arrivals[first] ?? 0) <= now - window) first++
      if (first > 1024 && first * 2 > arrivals.length) {
        arrivals = arrivals.slice(first)
        first = 0
      }
      const held = arrivals.length - first
      const places = Math.max(0, Math.min(asked, count - held))
      for (let place = 0; place < places; place++) arrivals.push(now)
      const left = Math.max(0, count - held - places)
      const admitted = places > 0
      // With a limit that was lowered, the place comes free when the count falls under the new one.
      const blocking = arrivals[first + Math.max(0, arrivals.length - first - count)] ?? now
      return { admitted, places, left, resetAt: admitted ? now : blocking + window }
    }
  }
}

/** The limit per IP, over all traffic. (docs/reference/rules.md#limits-ip-and-stream) */
export const ipCount = 600
export const ipWindow = Duration.toMillis(Duration.seconds(5))
export const banLength = Duration.toMillis(Duration.minutes(10))

/** The gate in front of everything: one caller's address. */
export interface Gate {
  readonly admits: (now: number) => boolean
}

/** Shuts for ten minutes after each breach. What arrives meanwhile counts too: hammering keeps it shut. */
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

/** One log per caller and rate limit. */
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
