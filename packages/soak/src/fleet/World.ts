import * as Control from "@effect-venue/sandbox/Control"
import * as Faults from "@effect-venue/sandbox/Faults"
import * as Server from "@effect-venue/sandbox/Server"
import * as Orders from "@effect-venue/services/Orders"
import * as Venue from "@effect-venue/services/Venue"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Account } from "./Order.js"

export interface Exchange {
  readonly address: string
  readonly accounts: ReadonlyArray<Account>
  /** Requests of exports: those that arrived from the address. */
  readonly log: Effect.Effect<ReadonlyArray<Faults.Entry>>
  /** Fills one order of the next account that trades. It is sent from another address. */
  readonly trade: Effect.Effect<void>
  /** The ids of all executions, by the name of their account. */
  readonly executions: Effect.Effect<ReadonlyMap<string, ReadonlyArray<string>>>
}

/** How many accounts of an exchange trade. The others have no rows. */
const trading = 12

/** A sandbox for the accounts of one address: its limit of an address is that of this one, whichever process sends from it. */
export const make = (address: string, count: number) =>
  Effect.gen(function* () {
    const options = { seed: 1, world: "empty", prices: "still", grace: 0, faults: { logSize: 200_000 } } as const
    const services = yield* Effect.orDie(Layer.build(Server.layer(options)))
    const control = Context.get(services, Control.SandboxControl)
    const { log } = Context.get(services, Faults.Faults)
    const opened = yield* Effect.forEach(Array.from({ length: count }), (_, index) =>
      Effect.map(Effect.orDie(control.openAccount({ funds: { USDT: "100000" } })), (credentials) => ({
        name: `${address}-${index}`,
        credentials
      }))
    )
    const shared = yield* Layer.build(Layer.provideMerge(Venue.layerShared, NodeConnections.layer))
    const traders = yield* Effect.forEach(opened.slice(0, trading), ({ credentials }) =>
      Effect.map(Effect.provide(Venue.account(credentials), shared), Context.get(Orders.Orders))
    )
    let trades = 0
    const exchange: Exchange = {
      address,
      accounts: opened.map(({ credentials, name }): Account => ({
        name,
        uid: credentials.uid,
        baseUrl: credentials.baseUrl,
        egress: address,
        apiKey: Redacted.value(credentials.apiKey),
        apiSecret: Redacted.value(credentials.apiSecret)
      })),
      log: Effect.map(log, (entries) => entries.filter(({ operation }) => operation !== "orders.create")),
      trade: Effect.suspend(() => {
        const number = trades++
        const orders = traders[number % traders.length]
        const side = Math.floor(number / trading) % 2 === 0 ? "Buy" : "Sell"
        const order = { category: "linear", symbol: "BTCUSDT", side, orderType: "Market", qty: "0.01" } as const
        return orders === undefined
          ? Effect.void
          : Effect.asVoid(Effect.orDie(orders.create({ ...order, orderLinkId: `trade-${number}` })))
      }),
      executions: Effect.map(
        control.snapshot,
        (state) =>
          new Map(
            opened.map(({ credentials, name }) => [
              name,
              Array.from(state.accounts.get(credentials.uid)?.executions.linear ?? [], ({ execId }) => execId)
            ])
          )
      )
    }
    return exchange
  })
