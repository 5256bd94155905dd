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
