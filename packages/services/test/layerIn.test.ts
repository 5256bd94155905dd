import { SandboxControl } from "@effect-venue/sandbox/Control"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import { FetchHttpClient, HttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import { Cause, Effect, Exit, Layer, Option } from "effect"
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

  it.effect("sign by the signer of the world, and those of further accounts by their credentials", () => {
    const signed: Array<string> = []
    const signer = Layer.effect(
      Signer.Signer,
      Effect.map(Signer.Signer, ({ sign }) => ({
        sign: (call) =>
          Effect.zipRight(
            Effect.sync(() => signed.push(call.endpoint.path)),
            sign(call)
          )
      }))
    ).pipe(Layer.provide(Signer.layer))
    const world = signer.pipe(Layer.provideMerge(account), Layer.provideMerge(Sandbox.layer({ world: "empty" })))
    return Effect.gen(function* () {
      const read = Effect.flatMap(Account.Account, (account) => account.walletBalance({ accountType: "UNIFIED" }))
      yield* read
      expect(signed).toEqual(["/cloud/trade/v3/account/wallet-balance"])
      const other = yield* Effect.flatMap(SandboxControl, (control) => control.openAccount({ funds: { BTC: "5" } }))
      const { list } = yield* Effect.flatMap(Venue.account(other), (services) => Effect.provide(read, services))
      expect(list[0]?.coin.map(({ coin }) => coin)).toEqual(["BTC"])
      expect(signed).toHaveLength(1)
    }).pipe(Effect.scoped, Effect.provide([Venue.layerIn(world), Venue.layerShared, FetchHttpClient.layer]))
  })

  it.effect("lead further accounts at its address into the same world, and others to the client of the program", () =>
    Effect.gen(function* () {
      const other = yield* Effect.flatMap(SandboxControl, (control) => control.openAccount({ funds: { BTC: "5" } }))
      const coins = (credentials: Credentials.Credentials.Shape) =>
        Effect.flatMap(Venue.account(credentials), (services) =>
          Effect.provide(
            Effect.flatMap(Account.Account, (account) => account.walletBalance({ accountType: "UNIFIED" })),
            services
          )
        ).pipe(Effect.map(({ list }) => list[0]?.coin.map(({ coin }) => coin)))
      expect(yield* coins(other)).toEqual(["BTC"])
      const outside = yield* Effect.exit(coins({ ...other, baseUrl: "http://elsewhere.test" }))
      expect(Exit.isFailure(outside) && Cause.squash(outside.cause)).toBe("the client of the program")
    }).pipe(
      Effect.scoped,
      Effect.provide([
        Venue.layerIn(Layer.provideMerge(account, Sandbox.layer({ world: "empty" }))),
        Venue.layerShared,
        Layer.succeed(
          HttpClient.HttpClient,
          HttpClient.make(() => Effect.die("the client of the program"))
        )
      ])
    )
  )
})
