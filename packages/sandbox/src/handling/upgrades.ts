import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Exchange from "../state/Exchange.js"

/** The business type whose rate governs a category. */
const bizTypes = new Map([
  ["spot", "SPOT"],
  ["linear", "DERIVATIVES"],
  ["inverse", "DERIVATIVES"]
])

/** The rate of accounts without a granted rate. */
export const defaultRate = 10

/** The highest rate of one UID, by business type, and the sum over a master account and its sub-accounts. */
export const caps: ReadonlyMap<Enumerations.BizType, { readonly perUid: number; readonly together: number }> = new Map([
  ["SPOT", { perUid: 200, together: 1000 }],
  ["DERIVATIVES", { perUid: 200, together: 1000 }]
])

/** Returns the number of calls that a caller has: the documented count, or the granted rate if the limit can be raised. */
export const count = (limit: Endpoint.RateLimit, account: Exchange.Account, category: string): number =>
  limit.upgradable === true ? (account.apiLimits.get(bizTypes.get(category) ?? "") ?? limit.count) : limit.count
