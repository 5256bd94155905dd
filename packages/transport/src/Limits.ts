/**
 * The limits of an account, for accounts that do not have the documented defaults.
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
 * How often an operation can be called. `perUid` and `perIp` return the limit in force; `none` means no limit.
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
 * The rate limit of an IP: 600 calls in 5 seconds over all traffic to the host. (docs/reference/rules.md#limits-ip-and-stream)
 *
 * @since 0.1.0
 * @category constants
 */
export const perIp = { count: 600, window: Duration.seconds(5) } as const

/**
 * The connection limits of the market-data stream, per address: 500 new connections in 5 minutes, and 1,000 open connections.
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
 * The charges of one connection to the market-data stream, for `RateLimiter.connection`. Spot, linear and inverse are counted separately.
 *
 * `address` separates services that do not share a count, such as production and a test environment. By default all stream hostnames share one count: the
 * document has one sentence with the limits of `{stream_url}` and of local-site hostnames.
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
 * The documented limits.
 *
 * @since 0.1.0
 * @category constants
 */
export const documented: Shape = {
  perUid: (endpoint) => endpoint.rateLimit,
  perIp: Option.some(perIp)
}

/**
 * Account levels and the calls per second that they grant on futures. (docs/reference/limits.md#upper-limits)
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
 * UID levels and the calls per second that they grant, on futures and on spot. (docs/reference/limits.md#upper-limits)
 *
 * @since 0.1.0
 * @category constants
 */
export const uidLevels = { PRO1: 200, PRO2: 400, PRO3: 600, PRO4: 800, PRO5: 1000, PRO6: 1200 } as const

/**
 * Levels of a master account and the calls per second that they grant to it and all its sub-accounts together, on futures and on spot.
 * (docs/reference/limits.md#upper-limits)
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
 * The documented limits with different calls per second for the operations that can be upgraded.
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
 * The limits of a normal account of a level: futures as granted, spot as documented.
 *
 * @since 0.1.0
 * @category constructors
 */
export const accountLevel = (level: keyof typeof accountLevels): Shape => upgraded({ futures: accountLevels[level] })

/**
 * The limits of a UID of a level.
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
 * The limits in force. Defaults to the documented ones. The service's responses correct them.
 *
 * @since 0.1.0
 * @category references
 */
export class Limits extends Context.Reference<Limits>()("@effect-venue/transport/Limits", {
  defaultValue: (): Shape => documented
}) {}
