import * as Effect from "effect/Effect"
import { createHmac } from "node:crypto"

/** Lowercase hex of HMAC-SHA256 over these bytes, one part after the other. */
export const hmacSha256Hex = (secret: string, ...parts: ReadonlyArray<Uint8Array>): Effect.Effect<string> =>
  Effect.sync(() => {
    const mac = createHmac("sha256", secret)
    for (const part of parts) mac.update(part)
    return mac.digest("hex")
  })
