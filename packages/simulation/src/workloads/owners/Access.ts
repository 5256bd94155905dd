/** How a machine reaches everything that all of them share: the ledger, the exchange through an address, and the stores. */
import { type Claim, type Ledger, type Ownership } from "@effect-venue/fleet/Ledger"
import * as Connections from "@effect-venue/transport/Connections"
import * as Egress from "@effect-venue/transport/Egress"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Network from "../../world/Network.js"
import type * as Machine from "./Machine.js"
import * as Plan from "./Plan.js"
import type * as Stage from "./Stage.js"
import type * as Stores from "./Stores.js"

/** The claim and the ownership under which a fiber runs. */
const currentClaim = FiberRef.unsafeMake<Claim | undefined>(undefined)
const currentOwnership = FiberRef.unsafeMake<Ownership | undefined>(undefined)

/** The ledger as a machine reaches it. */
export const ledgerOf = ({ database, tables, world }: Stage.OwnersStage, machine: Machine.OwnerMachine) => {
  const { add, sim } = world
  const heard = ({ egress, epoch }: Ownership, askedAt: number) =>
    Effect.sync(() => add({ _tag: "Heard", machine: machine.id, egress, epoch, askedAt }))
  const opened = tables.open((operation, act) => database.ask(machine, operation, act))
  return Effect.map(opened, (ledger): Ledger.Shape => ({
    ...ledger,
    own: (egress, owner) =>
      Effect.suspend(() => {
        const askedAt = sim.now()
        return Effect.tap(ledger.own(egress, owner), (ownership) =>
          Effect.zipRight(FiberRef.set(currentOwnership, ownership), heard(ownership, askedAt))
        )
      }),
    check: (ownership) =>
      Effect.suspend(() => {
        const askedAt = sim.now()
        return Effect.tap(ledger.check(ownership), heard(ownership, askedAt))
      }),
    claim: (ownership, options) =>
      Effect.tap(ledger.claim(ownership, options), (claim) => FiberRef.set(currentClaim, Option.getOrUndefined(claim)))
  }))
}

/** An address as a machine sends from it. */
export const egressOf = ({ lists, plan, world }: Stage.OwnersStage, machine: Machine.OwnerMachine, egress: string) => {
  const network = Network.client(world, {
    faults: { ...plan.network.faults, until: Plan.calmFrom(plan) },
    latency: plan.network.latency / 2,
    exchange: (request) => lists.handle(egress, request)
  })
  const client = HttpClient.transform(network, (effect) =>
    Effect.provideService(effect, Network.CurrentCall, `${machine.id} ${egress}`)
  )
  const { renew, use } = Connections.fromClient(client)
  const connections = Effect.map(FiberRef.get(currentOwnership), (ownership): Connections.Connections.Shape => ({
    renew,
    use: (call) =>
      Effect.suspend(() => {
        world.add({ _tag: "Begun", machine: machine.id, egress, epoch: ownership?.epoch ?? 0 })
        return use(call)
      })
  }))
  return Egress.make(
    egress,
    Layer.merge(Layer.succeed(HttpClient.HttpClient, client), Layer.effect(Connections.Connections, connections))
  )
}

/** How a machine reaches the stores: it can be frozen when a write is about to leave. */
export const storesOf = (
  { database, plan, world }: Stage.OwnersStage,
  machine: Machine.OwnerMachine
): Stores.Access => {
  const { cover, sim } = world
  let writes = 0
  const leaving = () => {
    writes++
    for (const event of plan.events) {
      if (event._tag !== "FrozenAtWrite" || event.machine !== machine.id || event.write !== writes) continue
      if (sim.now() > Plan.eventful) continue
      cover("machine FrozenAtWrite")
      sim.trace(`frozen    ${machine.id} for ${event.length}, before a write`)
      machine.freeze(event.length)
    }
  }
  return {
    ask: (operation, act) => database.ask(machine, operation, act, operation.startsWith("write") ? leaving : undefined),
    claim: Effect.flatMap(FiberRef.get(currentClaim), (claim) =>
      claim === undefined ? Effect.dieMessage("a write without a claim") : Effect.succeed(claim)
    )
  }
}
