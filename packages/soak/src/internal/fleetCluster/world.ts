import * as Control from "@effect-venue/sandbox/Control"
import * as Faults from "@effect-venue/sandbox/Faults"
import * as Server from "@effect-venue/sandbox/Server"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Account } from "./order.js"

export interface Exchange {
  readonly address: string
  readonly accounts: ReadonlyArray<Account>
  /** The requests that arrived from the address. */
  readonly log: Effect.Effect<ReadonlyArray<Faults.Entry>>
}

/** A sandbox for the accounts of one address: its limit of an address is that of this one, whichever process sends from it. */
export const make = (address: string, count: number) =>
  Effect.gen(function* () {
    const options = { seed: 1, world: "empty", prices: "still", grace: 0, faults: { logSize: 200_000 } } as const
    const services = yield* Effect.orDie(Layer.build(Server.layer(options)))
    const control = Context.get(services, Control.SandboxControl)
    const { log } = Context.get(services, Faults.Faults)
    const accounts = yield* Effect.forEach(Array.from({ length: count }), (_, index) =>
      Effect.map(Effect.orDie(control.openAccount()), ({ apiKey, apiSecret, baseUrl, uid }): Account => ({
        name: `${address}-${index}`,
        uid,
        baseUrl,
        egress: address,
        apiKey: Redacted.value(apiKey),
        apiSecret: Redacted.value(apiSecret)
      }))
    )
    const exchange: Exchange = { address, accounts, log }
    return exchange
  })
