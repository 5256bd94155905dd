import * as Hmac from "@effect-venue/signing/Hmac"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

const constant = Redacted.make("effect-venue/store/v1")

/** The number of cached digests. */
const remembered = 10_000

/** Replaces a name with 32 hex digits, from which the name cannot be read. */
export const make = (secret: Redacted.Redacted = constant): Effect.Effect<(name: string) => string> =>
  Effect.map(Hmac.Hmac, ({ sha256Hex }) => {
    const digests = new Map<string, string>()
    return (name) => {
      const found = digests.get(name)
      if (found !== undefined) return found
      if (digests.size === remembered) digests.clear()
      const digest = sha256Hex(Redacted.value(secret), name).slice(0, 32)
      digests.set(name, digest)
      return digest
    }
  })
