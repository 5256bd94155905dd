/** The limits of an account, for accounts that do not have the documented defaults. */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as address from "../model/address.js"
import { accountLevels, perIp, perStream, uidLevels } from "./DocumentedLimits.js"
import type * as RateLimitStore from "../stores/RateLimitStore.js"

/** How often an operation can be called. `perUid` and `perIp` return the limit in force; `none` means no limit. */
export interface Shape {
  readonly perUid: (
    endpoint: Endpoint.Properties,
    category: string | undefined
  ) => Option.Option<Pick<Endpoint.RateLimit, "count" | "window" | "scope">>
  readonly perIp: Option.Option<{ readonly count: number; readonly window: Duration.Duration }>
}

/** The charges of one connection to the market-data stream. */
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

/** The limits of `Endpoint.rateLimit`: the documented ones, and those that are assumed for spot and for batches. (docs/reference/limits.md) */
export const documented: Shape = {
  perUid: (endpoint) => endpoint.rateLimit,
  perIp: Option.some(perIp)
}

/** The documented limits with different calls per second for the operations that can be upgraded. */
const upgrade = (futures: number, spot?: number): Shape => ({
  perIp: documented.perIp,
  perUid: (endpoint, category) =>
    Option.map(endpoint.rateLimit, (limit) => ({
      ...limit,
      count: (limit.upgradable === true ? (category === "spot" ? spot : futures) : undefined) ?? limit.count
    }))
})

/** The limits of a normal account of a level: futures as granted, spot as in `documented`. (docs/reference/limits.md#upper-limits) */
export const accountLevel = (
  level: "Default" | "VIP 1" | "VIP 2" | "VIP 3" | "VIP 4" | "VIP 5" | "Supreme VIP" | "PRO1" | "PRO2" | "PRO3"
): Shape => upgrade(accountLevels[level])

/** The limits of a UID of a level, on futures and on spot. (docs/reference/limits.md#upper-limits) */
export const uidLevel = (level: "PRO1" | "PRO2" | "PRO3" | "PRO4" | "PRO5" | "PRO6"): Shape =>
  upgrade(uidLevels[level], uidLevels[level])

/** No limits, for an exchange that has none. */
export const none: Shape = { perUid: () => Option.none(), perIp: Option.none() }

/** The limits in force. Defaults to the documented ones. The service's responses correct them. */
export class Limits extends Context.Reference<Limits>()("@effect-venue/transport/Limits", {
  defaultValue: (): Shape => documented
}) {}
