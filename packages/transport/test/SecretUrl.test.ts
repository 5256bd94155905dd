import * as Credentials from "@effect-venue/signing/Credentials"
import * as Secrets from "@effect-venue/testing/Secrets"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Exit, Layer, Redacted } from "effect"

const credentialsAt = (baseUrl: string) =>
  Credentials.layer({ baseUrl, apiKey: "EXAMPLEKEY0001", apiSecret: Redacted.make("example-secret-not-real-0001") })

const configured = (baseUrl: string) =>
  Layer.provide(
    Credentials.layerConfig,
    Layer.setConfigProvider(
      ConfigProvider.fromMap(
        new Map([
          ["VENUE_BASE_URL", baseUrl],
          ["VENUE_API_KEY", "EXAMPLEKEY0001"],
          ["VENUE_API_SECRET", "example-secret-not-real-0001"]
        ])
      )
    )
  )

/** Everything of this package and of signing that takes a URL, by the name that its message must contain. */
const places: Readonly<Record<string, (url: string) => Layer.Layer<never, unknown>>> = {
  "NodeConnections.layerProxy": (url) => Layer.discard(NodeConnections.layerProxy(url)),
  "NodeConnections.layerProxy: uri": (url) => Layer.discard(NodeConnections.layerProxy(Redacted.make(url))),
  "Credentials: baseUrl": (url) => Layer.discard(credentialsAt(url)),
  VENUE_BASE_URL: (url) => Layer.discard(configured(url))
}

describe.each(Object.entries(places))("%s", (name, place) => {
  it.effect.each(Object.entries(Secrets.makeMalformedUrls("http")))(
    "refuses a URL with %s and does not print it",
    ([, url]) =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(Effect.scoped(Layer.build(place(url))))
        const text = Secrets.printValue(exit)
        expect(Exit.isFailure(exit)).toBe(true)
        expect(text).toContain(name)
        expect(text).toMatch(/must (be|have)/)
        expect(text).not.toContain(Secrets.password)
      })
  )
})
