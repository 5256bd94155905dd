import * as Effect from "effect/Effect"

const utf8 = new TextEncoder()

/** Lowercase hex of HMAC-SHA256 over the UTF-8 bytes of `text`, where there is no `node:crypto`. */
export const hmacSha256Hex = (secret: string, text: string): Effect.Effect<string> =>
  Effect.promise(async () => {
    const { subtle } = globalThis.crypto
    const key = await subtle.importKey("raw", utf8.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
    const mac = new Uint8Array(await subtle.sign("HMAC", key, utf8.encode(text)))
    return Array.from(mac, (byte) => byte.toString(16).padStart(2, "0")).join("")
  })
