import type * as Limits from "@effect-venue/transport/Limits"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

/** A limit that is enforced but never reached, to measure the cost of enforcing it. */
export const unreached: Limits.Shape = {
  perUid: (endpoint) => Option.map(endpoint.rateLimit, (limit) => ({ ...limit, count: 1_000_000 })),
  perIp: Option.some({ count: 1_000_000, window: Duration.seconds(5) })
}
