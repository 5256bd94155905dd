import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Venue from "@effect-venue/services/Venue"
import * as Resting from "@effect-venue/testing/Resting"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { make } from "../src/nodeServer.js"

const listening = (faults: Sandbox.Options["faults"]) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const exchange = Sandbox.layer({ seed: 7, prices: "still", faults })
      const held = Layer.tap(exchange, (context) => Resting.hold(Context.get(context, Sandbox.Sandbox).control))
      const venue = Venue.layer.pipe(Layer.provide(held))
      const { server, stop } = make(venue)
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const address = server.address()
      return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, stop }
    }),
    ({ stop }) => Effect.promise(stop)
  )

const post = (url: string, name: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/orders`, { method: "POST", body: name, headers: { connection: "close" } })
    return { status: response.status, body: (await response.json()) as unknown }
  })

describe("the library in a plain server", () => {
  it.scopedLive("places an order, and refuses one whose id was used", () =>
    Effect.gen(function* () {
      const { url } = yield* listening(undefined)
      expect(yield* post(url, "first")).toMatchObject({ status: 200, body: { orderId: expect.any(String) } })
      expect(yield* post(url, "first")).toEqual({ status: 502, body: { error: "Rejected" } })
    })
  )

  it.scopedLive("says of an order without an answer that its outcome is unknown", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({ rules: [{ fault: { kind: "dropAfter" }, count: 1 }] })
      expect(yield* post(url, "lost")).toEqual({ status: 504, body: { error: "OutcomeUnknown" } })
    })
  )

  it.scopedLive("answers open requests before it stops, and closes their connections", () =>
    Effect.gen(function* () {
      const { stop, url } = yield* listening({
        rules: [{ fault: { kind: "delay", millis: 300, executed: "atOnce" }, count: 1 }]
      })
      const open = yield* Effect.fork(Effect.promise(() => fetch(`${url}/orders`, { method: "POST", body: "slow" })))
      yield* Effect.sleep("100 millis")
      yield* Effect.promise(stop)
      const { headers, status } = yield* open
      expect({ status, connection: headers.get("connection") }).toEqual({ status: 200, connection: "close" })
    })
  )
})
