import { SandboxControl } from "@effect-venue/sandbox/Control"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import { HttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import * as Credentials from "@effect-venue/signing/Credentials"
import { Effect, Layer, Option } from "effect"
import * as Account from "../src/Account.js"
import * as Venue from "../src/Venue.js"

const account = Layer.effect(
  Credentials.Credentials,
  Effect.flatMap(SandboxControl, (control) => control.openAccount({ funds: { USDT: "1000" } }))
)

describe("the services in a sandbox", () => {
  it.effect("come with its controls, and without its HttpClient", () =>
    Effect.gen(function* () {
      const { list } = yield* Effect.flatMap(Account.Account, (account) =>
        account.walletBalance({ accountType: "UNIFIED" })
      )
      expect(list[0]?.coin.map(({ coin }) => coin)).toEqual(["USDT"])
      const { holds } = yield* Sandbox.Sandbox
      expect(holds).toBeTypeOf("function")
      expect(yield* Effect.serviceOption(HttpClient.HttpClient)).toEqual(Option.none())
    }).pipe(Effect.provide(Venue.layerIn(Layer.provideMerge(account, Sandbox.layer({ world: "empty" })))))
  )
})
