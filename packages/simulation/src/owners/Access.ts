/**
 * How a machine reaches what all of them share: the ledger, the exchange through an address, and the stores.
 */
import { type Claim, type Ledger, type Ownership } from "@effect-venue/fleet/Ledger"
import * as Connections from "@effect-venue/transport/Connections"
import * as Egress from "@effect-venue/transport/Egress"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Network from "../Network.js"
import type * as Machine from "./Machine.js"
import * as Plan from "./Plan.js"
import * as Stage from "./Stage.js"
import type * as Stores from "./Stores.js"
import type * as Tables from "./Tables.js"
import * as VirtualLedger from "./VirtualLedger.js"

/** The claim and the ownership under which a fiber runs. */
const currentClaim = FiberRef.unsafeMake<Claim | undefined>(undefined)
const currentOwnership = FiberRef.unsafeMake<Ownership | undefined>(undefined)

/** The ledger as a machine reaches it. */
export const ledgerOf = (
  { add, coverage, database, sim, tables }: Stage.Stage,
  machine: Machine.Machine
): Ledger.Shape => {
  const noted: Tables.Tables = {
    ...tables,
    own: (egress, owner) => {
      const ownership = tables.own(egress, owner)
      add({ _tag: "Owned", machine: machine.id, ...ownership }, `owned    ${egress} ${ownership.epoch} ${machine.id}`)
      return ownership
    },
    done: (claim, done) => {
      const isDone = tables.done(claim, done)
      if (isDone) add({ _tag: "Done", name: Stage.nameOf(claim) }, `done     ${Stage.nameOf(claim)}`)
      return isDone
    },
    failed: (claim, failed) => {
      coverage.add("export failed")
      sim.trace(`failed   ${Stage.nameOf(claim)} ${failed.failure}`)
      return tables.failed(claim, failed)
    },
    release: (claim) => {
      coverage.add("export released")
      sim.trace(`released ${Stage.nameOf(claim)} epoch ${claim.ownership.epoch}`)
      return tables.release(claim)
    }
  }
  const ledger = VirtualLedger.make(noted, (operation, act) => database.ask(machine, operation, act))
  const heard = ({ egress, epoch }: Ownership, askedAt: number) =>
    Effect.sync(() => {
      add(
        { _tag: "Heard", machine: machine.id, egress, epoch, askedAt },
        `heard    ${egress} ${epoch} ${machine.id} of ${askedAt}`
      )
    })
  return {
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
  }
}

/** The connections of a machine through an address. */
const clientOf = ({ coverage, draws, lists, plan, sim }: Stage.Stage, machine: Machine.Machine, egress: string) => {
  const { faults, latency } = plan.network
  const calm = Plan.calmFrom(plan)
  const [first, ...others] = faults.kinds
  let calls = 0
  return HttpClient.make((request, url) =>
    Effect.async<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>((resume) => {
      const name = ["call", machine.id, egress, calls++] as const
      const isFaulty = sim.now() < calm && draws.chance(faults.probability, ...name, "isFaulty")
      const fault = first !== undefined && isFaulty ? draws.pick([first, ...others], ...name, "fault") : undefined
      if (fault !== undefined) coverage.add(`call ${fault}`)
      const there = draws.fraction(...name, "there") * (latency / 2)
      const back = draws.fraction(...name, "back") * (latency / 2)
      const raw = {
        method: request.method,
        target: url.pathname + url.search,
        headers: request.headers,
        body: new Uint8Array(0)
      }
      const broken = () => {
        const cause = draws.pick(Network.broken, ...name, "error")
        resume(Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause })))
      }
      sim.after(there, () => {
        if (fault === "lostBefore") return void sim.after(back, broken)
        const answer = lists.handle(egress, { call: egress, sending: 1, isCopy: false, raw })
        sim.after(back, () => {
          if (fault === "lostAfter") broken()
          else resume(Effect.succeed(Network.responseOf(request, fault === "page" ? Network.proxy : answer, false)))
        })
      })
    })
  )
}

/** An address as a machine sends from it. */
export const egressOf = (stage: Stage.Stage, machine: Machine.Machine, egress: string) => {
  const client = clientOf(stage, machine, egress)
  const { renew, use } = Connections.fromClient(client)
  const connections = Effect.map(FiberRef.get(currentOwnership), (ownership): Connections.Connections.Shape => ({
    renew,
    use: (call) =>
      Effect.suspend(() => {
        const epoch = ownership?.epoch ?? 0
        stage.add({ _tag: "Begun", machine: machine.id, egress, epoch }, `begun    ${egress} ${epoch} ${machine.id}`)
        return use(call)
      })
  }))
  return Egress.make(
    egress,
    Layer.merge(Layer.succeed(HttpClient.HttpClient, client), Layer.effect(Connections.Connections, connections))
  )
}

/** How a machine reaches the stores: it may be frozen when a write is about to leave. */
export const storesOf = ({ coverage, database, plan, sim }: Stage.Stage, machine: Machine.Machine): Stores.Access => {
  let writes = 0
  const leaving = () => {
    writes++
    for (const event of plan.events) {
      if (event._tag !== "FrozenAtWrite" || event.machine !== machine.id || event.write !== writes) continue
      if (sim.now() > Plan.eventful) continue
      coverage.add("machine FrozenAtWrite")
      sim.trace(`frozen   ${machine.id} for ${event.length}, before a write`)
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
