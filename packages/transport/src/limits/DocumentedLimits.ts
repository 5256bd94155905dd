/**
 * The limits of the service's document.
 *
 * @sibling
 */
import * as Duration from "effect/Duration"

/** The rate limit of an IP: 600 calls in 5 seconds over all traffic to the host. (docs/reference/rules.md#limits-ip-and-stream) */
export const perIp = { count: 600, window: Duration.seconds(5) } as const

/**
 * The connection limits of the market-data stream, per address: 500 new connections in 5 minutes, and 1,000 open connections.
 * (docs/reference/rules.md#limits-ip-and-stream)
 */
export const perStream = { count: 500, window: Duration.minutes(5), open: 1000 } as const

/** Account levels and the calls per second that they grant on futures. (docs/reference/limits.md#upper-limits) */
export const accountLevels = {
  Default: 10,
  "VIP 1": 20,
  "VIP 2": 40,
  "VIP 3": 60,
  "VIP 4": 60,
  "VIP 5": 60,
  "Supreme VIP": 60,
  PRO1: 100,
  PRO2: 150,
  PRO3: 200
} as const

/** UID levels and the calls per second that they grant, on futures and on spot. (docs/reference/limits.md#upper-limits) */
export const uidLevels = { PRO1: 200, PRO2: 400, PRO3: 600, PRO4: 800, PRO5: 1000, PRO6: 1200 } as const

/**
 * Levels of a master account and the calls per second that they grant to it and all its sub-accounts together, on futures and on spot.
 * (docs/reference/limits.md#upper-limits)
 */
export const masterLevels = {
  PRO1: 10_000,
  PRO2: 20_000,
  PRO3: 30_000,
  PRO4: 40_000,
  PRO5: 50_000,
  PRO6: 60_000
} as const

/** The shortest ban: 10 minutes. (rule errors/2.wait) */
export const banLength: Duration.Duration = Duration.minutes(10)
