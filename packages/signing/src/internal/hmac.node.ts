import * as Effect from "effect/Effect"
import { createHmac } from "node:crypto"

/** Lowercase hex of HMAC-SHA256 over the UTF-8 bytes of `text`. */
export const hmacSha256Hex = (secret: string, text: string): Effect.Effect<string> =>
  Effect.sync(() => createHmac("sha256", secret).update(text, "utf8").digest("hex"))
