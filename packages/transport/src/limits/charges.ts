import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Signer from "@effect-venue/signing/Signer"
import * as Option from "effect/Option"
import type * as Limits from "./Limits.js"
import type * as RateLimiter from "./RateLimiter.js"
import type * as RateLimitStore from "../stores/RateLimitStore.js"

// A constant, so that all processes that share a store agree without configuration. It separates the digest from any other digest of the same key. API keys
// are random, so a digest cannot be reversed by trying.
const domain = "effect-venue/rate-limits/v1"

// A separate domain, so that the digests in exports cannot be matched with the keys of a shared rate limit store.
const exportDomain = "effect-venue/exports/v1"

/** Identifies an API key in the manifests of exports: the first half of HMAC-SHA256, 32 hex digits. */
export const ofExport = (sha256Hex: (secret: string, text: string) => string, apiKey: string): string =>
  sha256Hex(exportDomain, apiKey).slice(0, 32)

/** Identifies an API key in the keys of rate limits: the first half of HMAC-SHA256, 32 hex digits. */
export const ofApiKey = (sha256Hex: (secret: string, text: string) => string, apiKey: string): string =>
  `key:${sha256Hex(domain, apiKey).slice(0, 32)}`

/** The charges of a call. `ofUid` is the charge that the headers of the response report on. */
export interface Charges {
  readonly all: ReadonlyArray<RateLimitStore.Charge>
  readonly ofUid: Option.Option<RateLimitStore.Charge>
}

export type ChargesOf = (endpoint: Endpoint.Properties, parameters: Signer.Parameters, limits: Limits.Shape) => Charges

interface Payer {
  readonly host: string
  /** The address by which the service counts: hostname and port. */
  readonly address: string
  /** Keys of the same UID share its limits. Without a UID the key identifies the limits. */
  readonly owner: string
  readonly uid: string | undefined
  readonly granted: RateLimiter.RateLimiter.Shape["granted"]
}

/** The names of an operation's limits, cached: every map would hash a new text again. */
const keysOf = (prefix: string) => {
  const known = new Map<string, Map<string | undefined, string>>()
  return (path: string, part: string | undefined): string => {
    let parts = known.get(path)
    if (parts === undefined) known.set(path, (parts = new Map<string | undefined, string>()))
    let key = parts.get(part)
    if (key === undefined) parts.set(part, (key = `${prefix} ${path}${part === undefined ? "" : ` ${part}`}`))
    return key
  }
}

export const make = ({ address, granted, host, owner, uid }: Payer): ChargesOf => {
  const keyOf = keysOf(`${address} ${owner}`)
  return (endpoint, parameters, limits) => {
    const category = typeof parameters.category === "string" ? parameters.category : undefined
    const cost = endpoint.cost?.(parameters) ?? 1
    const ofUid = Option.map(limits.perUid(endpoint, category), ({ count, scope, window }): RateLimitStore.Charge => {
      const isUpgradable = Option.exists(endpoint.rateLimit, ({ upgradable }) => upgradable === true)
      const upgraded =
        isUpgradable && uid !== undefined ? granted(host, uid, category === "spot" ? "SPOT" : "DERIVATIVES") : undefined
      return {
        key: keyOf(endpoint.path, scope === "uid x category" ? (category ?? "") : undefined),
        scope: "uid",
        limit: upgraded ?? count,
        window,
        cost
      }
    })
    const ofIp = Option.map(limits.perIp, ({ count, window }): RateLimitStore.Charge => ({
      key: address,
      scope: "ip",
      limit: count,
      window,
      cost: 1
    }))
    return { ofUid, all: [...Option.toArray(ofIp), ...Option.toArray(ofUid)] }
  }
}
