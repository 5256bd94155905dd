import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Layer, Redacted } from "effect"
import { inspect } from "node:util"
import * as Credentials from "../src/Credentials.js"
import * as Hmac from "../src/Hmac.js"
import * as Signer from "../src/Signer.js"

const ofNode = Hmac.make()
const ofPortable = Hmac.makePortable()

const credentials = Credentials.make({
  baseUrl: "https://venue.example",
  apiKey: "EXAMPLEKEY0001",
  apiSecret: Redacted.make("example-secret-not-real-0001")
})
const credentialsLayer = Layer.succeed(Credentials.Credentials, credentials)
const request = {
  endpoint: { method: "GET", path: "/cloud/trade/v3/execution/list", signing: "header" },
  parameters: { category: "linear" },
  timestamp: 1_700_000_000_000
} as const

/** Any text, and text that has no UTF-8 bytes of its own: half surrogate pairs. */
const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({ unit: fc.constantFrom("\ud800", "\udc00", "a", "é", "😀", "\u0000", "\ufeff", "%", "&"), maxLength: 40 })
)
const bytes = (text: string): number => new TextEncoder().encode(text).length
/** Of 1 to 200 bytes: shorter than a block of the hash, as long, longer. */
const secrets = fc
  .oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 200 }),
    fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 200 })
  )
  .filter((secret) => bytes(secret) <= 200)

describe("the two implementations", () => {
  it("differ, and the runtime's is the default here", () => {
    expect(String(ofNode.sha256Hex)).toContain("createHmac")
    expect(String(ofPortable.sha256Hex)).not.toContain("createHmac")
  })

  it.prop("agree on any secret and text, in 64 lowercase hex digits", [secrets, texts], ([secret, text]) => {
    const mac = ofNode.sha256Hex(secret, text)
    expect(mac).toMatch(/^[0-9a-f]{64}$/)
    expect(ofPortable.sha256Hex(secret, text)).toBe(mac)
  })

  it("agree on secrets and texts of every length up to four blocks, and on a long text", () => {
    for (let length = 0; length <= 256; length++) {
      const text = "t".repeat(length)
      for (const secret of ["secret", "k".repeat(length)]) {
        expect(ofPortable.sha256Hex(secret, text)).toBe(ofNode.sha256Hex(secret, text))
      }
    }
    const long = "é€😀 long ".repeat(100_000)
    expect(ofPortable.sha256Hex("secret", long)).toBe(ofNode.sha256Hex("secret", long))
  })

  const vectors = [
    // RFC 4231, test case 2
    ["Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"],
    // Text outside ASCII, computed with another program
    ["é€😀", "coin=é&remark=€😀", "42435dafb8a4ea0bcc9cfad5bfd9e7f21d1dbc195e936d797e2f37ec5bd256f3"]
  ] as const

  it.each(vectors)("return the published value for %s", (secret, text, mac) => {
    expect(ofNode.sha256Hex(secret, text)).toBe(mac)
    expect(ofPortable.sha256Hex(secret, text)).toBe(mac)
  })
})

describe("the service", () => {
  it.effect("defaults to the runtime's implementation", () =>
    Effect.gen(function* () {
      const hmac = yield* Hmac.Hmac
      expect(String(hmac.sha256Hex)).toBe(String(ofNode.sha256Hex))
      expect(hmac.sha256Hex("secret", "text")).toBe(ofNode.sha256Hex("secret", "text"))
    })
  )

  it.effect("can be the portable one, with the same signatures", () =>
    Effect.gen(function* () {
      const hmac = yield* Hmac.Hmac
      expect(String(hmac.sha256Hex)).toBe(String(ofPortable.sha256Hex))
      const restored = yield* Effect.provide(Hmac.Hmac, Hmac.layer)
      expect(String(restored.sha256Hex)).toBe(String(ofNode.sha256Hex))
      const { sign } = yield* Effect.provide(Signer.Signer, Layer.provide(Signer.layer, credentialsLayer))
      expect(yield* sign(request)).toStrictEqual(yield* Signer.make(credentials, ofNode).sign(request))
    }).pipe(Effect.provide(Hmac.layerPortable))
  )

  const replaced: Hmac.Hmac.Shape = { sha256Hex: (secret, text) => `signed:${secret}:${text}` }
  const expected = "signed:example-secret-not-real-0001:1700000000000EXAMPLEKEY00015000category=linear"

  it.effect("is used by the signer's layer", () =>
    Effect.gen(function* () {
      const { sign } = yield* Signer.Signer
      expect((yield* sign(request)).headers["X-BAPI-SIGN"]).toBe(expected)
    }).pipe(Effect.provide(Signer.layer.pipe(Layer.provide([credentialsLayer, Layer.succeed(Hmac.Hmac, replaced)]))))
  )
})

describe("the secret", () => {
  const shown = (value: unknown): string =>
    [
      inspect(value, { depth: 20, showHidden: true, getters: true, maxArrayLength: null }),
      JSON.stringify(value),
      String(value)
    ].join("\n")

  it.effect.each([
    ["node", Hmac.make()],
    ["portable", Hmac.makePortable()]
  ] as const)("appears neither in the service nor in a signer that has used it: %s", ([, hmac]) =>
    Effect.gen(function* () {
      const signer = Signer.make(credentials, hmac)
      const signing = signer.sign(request)
      const signed = yield* signing
      const { sha256Hex } = hmac
      const { sign } = signer
      for (const value of [hmac, { sha256Hex }, sha256Hex, signer, { sign }, sign, signing, signed]) {
        const text = shown(value)
        expect(text).not.toContain("example-secret-not-real-0001")
      }
      for (const value of [signer, signing, sign]) expect(shown(value)).not.toContain("EXAMPLEKEY0001")
    })
  )

  it.effect("does not appear in the failure of a replacement", () =>
    Effect.gen(function* () {
      const failing: Hmac.Hmac.Shape = {
        sha256Hex: () => {
          throw new Error("no hash here")
        }
      }
      const exit = yield* Effect.exit(Signer.make(credentials, failing).sign(request))
      expect(exit._tag).toBe("Failure")
      expect(shown(exit)).toContain("no hash here")
      expect(shown(exit)).not.toContain("example-secret-not-real-0001")
    })
  )
})
