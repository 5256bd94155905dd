import * as Effect from "effect/Effect"
import { createHmac } from "node:crypto"

/** Returns the HMAC-SHA256 of the concatenated parts, in lowercase hex. */
export const hmacSha256Hex = (secret: string, ...parts: ReadonlyArray<Uint8Array>): Effect.Effect<string> =>
  Effect.sync(() => {
    const mac = createHmac("sha256", secret)
    for (const part of parts) mac.update(part)
    return mac.digest("hex")
  })
