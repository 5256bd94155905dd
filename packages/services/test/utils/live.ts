import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import type * as Seed from "@effect-venue/sandbox/siblings/Seed"
import * as Venue from "@effect-venue/services/Venue"
import type * as Transport from "@effect-venue/transport/Transport"
import { NodeHttpClient } from "@effect/platform-node"
import { Context, Effect, Layer } from "effect"

export type Services = Context.Context<Venue.Venue | Transport.Transport>

/** The services of every seeded key, over a real socket, with one set of rate limits, one gate and one clock. */
export class Live extends Context.Tag("test/Live")<
  Live,
  {
    readonly as: { readonly [R in Seed.Role]: Services }
    readonly sandbox: Sandbox.Sandbox.Shape
    readonly url: string
  }
>() {}

export const layer = Layer.scoped(
  Live,
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    const { credentials, url } = yield* Server.Server
    const account = (role: Seed.Role) => Venue.account(credentials[role])
    return {
      as: {
        main: yield* account("main"),
        sub: yield* account("sub"),
        customer: yield* account("customer"),
        readOnly: yield* account("readOnly"),
        expired: yield* account("expired"),
        classic: yield* account("classic")
      },
      sandbox,
      url
    }
  })
).pipe(Layer.provide([Server.layer({ seed: 7 }), Venue.layerShared, NodeHttpClient.layerUndici]))
