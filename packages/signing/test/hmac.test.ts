import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"

// Here `#hmac` is one of the two; each is asked for by its own name.
const { hmacSha256Hex: ofNode } = await import("../src/internal/hmac.node.js")
const { hmacSha256Hex: ofWeb } = await import("../src/internal/hmac.web.js")

/** Any text that has UTF-8 bytes. */
const texts = fc.string({ unit: "binary", maxLength: 300 })
const secrets = fc.string({ unit: "binary", minLength: 1, maxLength: 200 })

describe("both implementations", () => {
  it.effect.prop("agree on any secret and text, in 64 lowercase hex digits", [secrets, texts], ([secret, text]) =>
    Effect.gen(function* () {
      const [node, web] = yield* Effect.all([ofNode(secret, text), ofWeb(secret, text)])
      expect(web).toBe(node)
      expect(node).toMatch(/^[0-9a-f]{64}$/)
    })
  )

  const vectors = [
    // RFC 4231, test case 2
    ["Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"],
    // Text outside ASCII, computed with another program
    ["é€😀", "coin=é&remark=€😀", "42435dafb8a4ea0bcc9cfad5bfd9e7f21d1dbc195e936d797e2f37ec5bd256f3"]
  ] as const

  it.effect.each(vectors)("give the published value for %s", ([secret, text, mac]) =>
    Effect.gen(function* () {
      expect(yield* ofNode(secret, text)).toBe(mac)
      expect(yield* ofWeb(secret, text)).toBe(mac)
    })
  )
})
