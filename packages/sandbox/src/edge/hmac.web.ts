import * as Effect from "effect/Effect"

const utf8 = new TextEncoder()

/** Returns the HMAC-SHA256 of the concatenated parts, in lowercase hex, on runtimes without `node:crypto`. */
export const hmacSha256Hex = (secret: string, ...parts: ReadonlyArray<Uint8Array>): Effect.Effect<string> =>
  Effect.promise(async () => {
    const message = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
    let offset = 0
    for (const part of parts) {
      message.set(part, offset)
      offset += part.length
    }
    const { subtle } = globalThis.crypto
    const key = await subtle.importKey("raw", utf8.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
    const mac = new Uint8Array(await subtle.sign("HMAC", key, message))
    return Array.from(mac, (byte) => byte.toString(16).padStart(2, "0")).join("")
  })
