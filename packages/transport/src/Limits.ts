/**
 * The limits of an application's own account, where they are not the documented defaults.
 *
 * @since 0.1.0
 */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as address from "./internal/connections/address.js"
import type * as RateLimitStore from "./RateLimitStore.js"

/**
 * How often a call may be made. `perUid` and `perIp` return the limit in force; `none` means no limit.
 *
 * @since 0.1.0
 * @category models
 */
export interface Shape {
  readonly perUid: (
    endpoint: Endpoint.Properties,
    category: string | undefined
  ) => Option.Option<Pick<Endpoint.RateLimit, "count" | "window" | "scope">>
  readonly perIp: Option.Option<{ readonly count: number; readonly window: Duration.Duration }>
}

/**
 * The IP's rate limit: 600 calls in 5 seconds over all traffic to the host. (docs/reference/rules.md#limits-ip-and-stream)
 *
 * @since 0.1.0
 * @category constants
 */
export const perIp = { count: 600, window: Duration.seconds(5) } as const

/**
 * The limits of connections to the market-data stream, of one address: 500 connections in 5 minutes, and 1,000 that are open at once.
 * (docs/reference/rules.md#limits-ip-and-stream)
 *
 * @since 0.1.0
 * @category constants
 */
export const perStream = { count: 500, window: Duration.minutes(5), open: 1000 } as const

/**
 * The charges of one connection to the market-data stream.
 *
 * @since 0.1.0
 * @category models
 */
export interface StreamConnection {
  /** Counts from the attempt to connect until 5 minutes after its end. */
  readonly opening: RateLimitStore.Charge
  /** Counts from before the attempt to connect until the connection is closed. */
  readonly open: RateLimitStore.Charge
}

/**
 * The charges of one connection to the market-data stream, for `RateLimiter.connection`. Spot, linear and inverse are counted
 * separately.
 *
 * `address` keeps services apart that do not count together, such as production and a test environment. It defaults to one count for all
 * stream hostnames: the document states the limits of `{stream_url}` and of local-site hostnames in one sentence.
 *
 * @since 0.1.0
 * @category constructors
 */
export const streamConnection = (
  category: "spot" | "linear" | "inverse",
  options: { readonly address?: string | undefined } = {}
): StreamConnection => {
  const key = `stream ${options.address === undefined ? "" : `${address.of(options.address)} `}${category}`
  return {
    opening: { key: `${key} opening`, scope: "ip", limit: perStream.count, window: perStream.window, cost: 1 },
    open: { key: `${key} open`, scope: "ip", limit: perStream.open, window: Duration.zero, cost: 1 }
  }
}

/**
 * The limits as documented.
 *
 * @since 0.1.0
 * @category constants
 */
export const documented: Shape = {
  perUid: (endpoint) => endpoint.rateLimit,
  perIp: Option.some(perIp)
}

/**
 * Levels of an account and the calls a second that they grant on futures. (docs/reference/limits.md#upper-limits)
 *
 * @since 0.1.0
 * @category constants
 */
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

/**
 * Levels of a UID and the calls a second that they grant, on futures as on spot. (docs/reference/limits.md#upper-limits)
 *
 * @since 0.1.0
 * @category constants
 */
export const uidLevels = { PRO1: 200, PRO2: 400, PRO3: 600, PRO4: 800, PRO5: 1000, PRO6: 1200 } as const

/**
 * Levels of a master account with all its sub-accounts and the calls a second that they grant together, on futures as on
 * spot. (docs/reference/limits.md#upper-limits)
 *
 * @since 0.1.0
 * @category constants
 */
export const masterLevels = {
  PRO1: 10_000,
  PRO2: 20_000,
  PRO3: 30_000,
  PRO4: 40_000,
  PRO5: 50_000,
  PRO6: 60_000
} as const

/**
 * The documented limits, with other calls a second for the operations that an account can be granted more of.
 *
 * @since 0.1.0
 * @category constructors
 */
export const upgraded = (granted: {
  readonly futures?: number | undefined
  readonly spot?: number | undefined
}): Shape => ({
  ...documented,
  perUid: (endpoint, category) =>
    Option.map(endpoint.rateLimit, (limit) => ({
      ...limit,
      count:
        (limit.upgradable === true ? (category === "spot" ? granted.spot : granted.futures) : undefined) ?? limit.count
    }))
})

/**
 * The limits of a normal account of some level: futures as granted, spot as documented.
 *
 * @since 0.1.0
 * @category constructors
 */
export const accountLevel = (level: keyof typeof accountLevels): Shape => upgraded({ futures: accountLevels[level] })

/**
 * The limits of a UID of some level.
 *
 * @since 0.1.0
 * @category constructors
 */
export const uidLevel = (level: keyof typeof uidLevels): Shape =>
  upgraded({ futures: uidLevels[level], spot: uidLevels[level] })

/**
 * No limits, for an exchange that has none.
 *
 * @since 0.1.0
 * @category constants
 */
export const none: Shape = { perUid: () => Option.none(), perIp: Option.none() }

/**
 * The limits in force. Defaults to the documented ones. What the service reports in its responses corrects them.
 *
 * @since 0.1.0
 * @category references
 */
export class Limits extends Context.Reference<Limits>()("@effect-venue/transport/Limits", {
  defaultValue: (): Shape => documented
}) {}
