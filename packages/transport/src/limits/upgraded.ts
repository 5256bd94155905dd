import * as Option from "effect/Option"
import type { Shape } from "./Limits.js"
import { perIp } from "./DocumentedLimits.js"

/** The documented limits with different calls per second for the operations that can be upgraded. */
export const upgradeLimits = (granted: {
  readonly futures?: number | undefined
  readonly spot?: number | undefined
}): Shape => ({
  perIp: Option.some(perIp),
  perUid: (endpoint, category) =>
    Option.map(endpoint.rateLimit, (limit) => ({
      ...limit,
      count:
        (limit.upgradable === true ? (category === "spot" ? granted.spot : granted.futures) : undefined) ?? limit.count
    }))
})
