/** The library's store of rate limits for several processes, on a server that is slow, cannot be reached, or forgets, and whose clock can be set. */
import type * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as RemoteStore from "@effect-venue/transport/siblings/RemoteStore"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Sim from "../kernel/Sim.js"
import * as Ledger from "./Ledger.js"
import * as LimitServer from "./LimitServer.js"
import type * as Faults from "../world/Faults.js"
import * as Remote from "../world/Remote.js"
import type * as World from "../world/World.js"

type Shape = RateLimitStore.RateLimitStore.Shape

/** A loss of the state of the server. */
export type Loss =
  /** It forgets everything: it was flushed, or restarted without persistence. */
  | { readonly _tag: "Flush"; readonly at: number }
  /** The same, at the instant after it has taken places for a call. */
  | { readonly _tag: "Reserved"; readonly call: string }
  /** A replica takes over `lag` milliseconds after `at`, and lacks the operations in between. */
  | { readonly _tag: "Replica"; readonly at: number; readonly lag: number }

/** The server, and the network to it. Times in milliseconds, instants after the start. */
export interface Sharing {
  readonly latency: number
  readonly faults: Faults.Faults<Remote.Fault>
  /** Times in which the server cannot be reached; it is silent, or refuses connections. */
  readonly outages: ReadonlyArray<{ readonly from: number; readonly until: number; readonly isSilent?: boolean }>
  readonly losses: ReadonlyArray<Loss>
  /** By how much its clock is set forward, or back. */
  readonly settings: ReadonlyArray<{ readonly at: number; readonly by: number }>
  /** It has no state at first. */
  readonly isFresh: boolean
  /** How long a client waits for a reply. */
  readonly timeout: number
  readonly lease: number
}

/** The call that charges belong to. */
class CurrentCall extends Context.Reference<CurrentCall>()("@effect-venue/simulation/limits/CurrentCall", {
  defaultValue: () => ""
}) {}

/** A charge with its call, which stays when other fields are changed. */
export interface Charge extends RateLimitStore.Charge {
  readonly call: string
}

const callOf = ([charge]: ReadonlyArray<RateLimitStore.Charge>): string =>
  charge !== undefined && "call" in charge && typeof charge.call === "string" ? charge.call : ""

const outcomes: ReadonlySet<string> = new Set<RateLimitStore.ChargeOutcome>(["counted", "refused", "unsent"])

/** A store of others keeps any outcome that it receives: a word that is none of the three is a mistake of the limiter. */
const settling =
  (store: Shape): Shape["settle"] =>
  (reservation, outcome, arrivesWithin) =>
    outcomes.has(outcome)
      ? store.settle(reservation, outcome, arrivesWithin)
      : Effect.dieMessage(`settled as ${outcome}`)

/** Records the places that a store in memory takes and settles. `taken` runs when something was taken for a call. */
export const recordStore = (store: Shape, { add }: World.World, taken: (call: string) => void): Shape => ({
  ...store,
  reserve: (charges, waiter) =>
    Effect.map(store.reserve(charges, waiter), (result) => {
      if (result._tag !== "Taken") return result
      const call = callOf(charges)
      const spare = charges.map((charge) => charge.spare ?? 0)
      const reservation = String(result.reservation.id)
      add({ _tag: "Reserved", call, reservation, spare })
      taken(call)
      return result
    }),
  settle: (reservation, outcome, arrivesWithin) =>
    Effect.zipLeft(
      settling(store)(reservation, outcome, arrivesWithin),
      Effect.sync(() => {
        add({ _tag: "Settled", call: callOf(reservation.charges), reservation: String(reservation.id) })
      })
    )
})

/** Adds the call to the operations of a store. */
const nameCalls = (store: Shape): Shape => ({
  ...store,
  reserve: (charges, waiter) => Effect.provideService(store.reserve(charges, waiter), CurrentCall, callOf(charges)),
  settle: settling(store),
  observe: (charge, observation) =>
    Effect.provideService(store.observe(charge, observation), CurrentCall, callOf([charge]))
})

/** A server whose clock can be set and whose state can be lost, with the account of the calls that it has to know. */
const makeServer = ({ cover, sim }: World.World, plan: Sharing) => {
  let shift = 0
  const initial = plan.isFresh ? LimitServer.empty : LimitServer.seasoned
  const server = new LimitServer.LimitServer(() => (Sim.epoch + sim.now() + shift) * 1000, initial)
  const ledger = Ledger.make(sim.now)

  const reach = (event: string) => {
    cover(event)
    sim.trace(`limits    ${event}`)
  }
  const forget = () => {
    reach("the server forgets")
    server.replace(LimitServer.empty)
    ledger.forgot()
  }
  const lose = (loss: Loss) => {
    if (loss._tag === "Flush") sim.after(loss.at, forget)
    if (loss._tag !== "Replica") return
    sim.after(loss.at, () => {
      const [{ state }, restore] = [server, ledger.copy()]
      sim.after(loss.lag, () => {
        reach("a replica takes over")
        server.replace(state)
        restore()
      })
    })
  }
  const set = (by: number) => {
    reach(`the server's clock is set ${by > 0 ? "forward" : "back"}`)
    shift += by
    if (by > 0) ledger.setForward()
  }
  for (const loss of plan.losses) lose(loss)
  for (const { at, by } of plan.settings) {
    sim.after(at, () => {
      set(by)
    })
  }
  const noteGrant = (call: string) => {
    if (!plan.losses.some((loss) => loss._tag === "Reserved" && loss.call === call)) return
    cover("the server forgets at a reservation")
    sim.soon(forget)
  }
  return { server, ledger, granted: noteGrant }
}

/** The pause of the library between two tries to settle, in milliseconds. */
const pause = 250

/** Records the reservations and settlements at the server, for the judges. */
const makeAccount = (world: World.World, plan: Sharing, ledger: Ledger.Ledger, granted: (call: string) => void) => {
  const { add, sim } = world
  /** When the call of a reservation ended, by the first try to settle it. */
  const ends = new Map<string, number>()
  /** The calls of requested reservations, by their ids. */
  const calls = new Map<string, string>()
  const settled = new Set<string>()
  /** Reservations that arrived at the server after their settlements. */
  const overtaken = new Set<string>()
  const dead = new Set<number>()
  /** When the last try to settle that took long, or failed, ended in each process. */
  const busyUntil = new Map<number, number>()

  /** The places of a dead process are free when its lease is over, and those of a reservation that arrived after its settlement. */
  const expire = (process: number, call: string, id: string, leaseEnd: number) => {
    const wasTrying = (busyUntil.get(process) ?? 0) >= leaseEnd - 2 * plan.timeout - 2 * plan.latency - pause
    if (settled.has(id) && !overtaken.has(id)) return
    if (!dead.has(process) && !overtaken.has(id) && !wasTrying) return
    settled.add(id)
    add({ _tag: "Settled", call, reservation: id })
  }

  return {
    calls,
    dead,
    tried: (process: number, isFailed: boolean, startedAt: number) => {
      if (isFailed || sim.now() - startedAt > pause) busyUntil.set(process, sim.now())
    },
    take: (process: number, call: string, id: string, places: ReadonlyArray<RemoteStore.Place>) => {
      const leaseEnd = sim.now() + plan.lease
      ledger.granted(id, leaseEnd)
      if (settled.has(id)) overtaken.add(id)
      add({ _tag: "Reserved", call, reservation: id, spare: places.map(({ spare }) => spare) })
      sim.after(plan.lease, () => {
        expire(process, call, id, leaseEnd)
      })
      granted(call)
    },
    settle: (call: string, { id, isSent }: RemoteStore.EndedReservation) => {
      settled.add(id)
      ledger.settled(id, isSent)
      add({ _tag: "Settled", call, reservation: id })
    },
    /** Each try to settle a reservation is to name the same end; instants in microseconds differ by their rounding. */
    compare: ({ id }: RemoteStore.EndedReservation, ago: number) => {
      const endedAt = sim.now() - ago / 1000
      const before = ends.get(id) ?? endedAt
      ends.set(id, before)
      const isSame = calls.has(id) && Math.abs(before - endedAt) <= 0.002
      if (isSame) return
      const [got, expected] = [
        `${id} ended at ${endedAt}`,
        calls.has(id) ? `${before}` : "a reservation that was asked for"
      ]
      add({ _tag: "Compared", call: calls.get(id) ?? "", rule: "Settlement", got, expected })
    }
  }
}

export interface SharedLimits {
  /** The store as a process sees it. */
  readonly of: (process: number) => Effect.Effect<Shape>
  /** A process has died: its places are free after the lease. */
  readonly died: (process: number) => void
  /** The reservation with which a call leaves: the last whose reply arrived. */
  readonly grantOf: (call: string) => Ledger.Grant | undefined
  /** To be run when all calls have ended: waits until every place has to be free, and looks whether it is. */
  readonly rested: Effect.Effect<void>
}

/** When the faults of the server are over, in milliseconds after the start. */
const faultsEnd = 20_000

/** Longer than the longest window, the journey of a call without a waiting caller, and those to the server and back. */
const longestAfterLease = 60_000

/** The server behind a network that fails, and the account of its reservations. */
const reach = (world: World.World, plan: Sharing, { granted, ledger, server }: ReturnType<typeof makeServer>) => {
  const { sim } = world
  const outage = () => plan.outages.find(({ from, until }) => sim.now() >= from && sim.now() < until)
  return {
    sim,
    server,
    account: makeAccount(world, plan, ledger, granted),
    ask: Remote.make(world, {
      ...plan,
      isOut: () => outage() !== undefined,
      isSilent: () => outage()?.isSilent === true
    }),
    /** The last reservations whose replies arrived, by their calls. */
    arrived: new Map<string, string>(),
    /** Runs an operation of the server, which the ledger records. */
    operate: <A>(operation: () => A): A => {
      ledger.began(server.state.life !== undefined)
      return operation()
    }
  }
}

type Reached = ReturnType<typeof reach>

/** `replied` runs when the reply to a reservation for a call arrives. */
const reserving =
  (
    { account, arrived, ask, operate, server }: Reached,
    index: number,
    process: RemoteStore.Process,
    replied: (call: string) => void
  ): RemoteStore.RateLimitBackend["reserve"] =>
  (id, lease, places, waiter) =>
    Effect.flatMap(CurrentCall, (call) => {
      account.calls.set(id, call)
      const act = () =>
        operate(() => {
          const reply = server.reserve(process, id, lease, places, waiter)
          if (reply._tag === "Taken") account.take(index, call, id, places)
          return reply
        })
      return Effect.map(ask({ operation: "reserve", by: call, act, replied: () => replied(call) }), (reply) => {
        if (reply._tag === "Taken") arrived.set(call, id)
        return reply
      })
    })

const settlePlace =
  (
    { account, ask, operate, server, sim }: Reached,
    index: number,
    process: RemoteStore.Process
  ): RemoteStore.RateLimitBackend["settle"] =>
  (ended, ago) =>
    Effect.suspend(() => {
      account.compare(ended, ago)
      const call = account.calls.get(ended.id) ?? ""
      const startedAt = sim.now()
      const act = () =>
        operate(() => {
          server.settle(process, ended, ago)
          account.settle(call, ended)
        })
      // A client that waits for ever for the reply to a settlement would settle nothing else.
      const instead = (fault: Remote.Fault) => (fault === "silent" ? "lost" : fault)
      return Effect.onExit(ask({ operation: "settle", by: call, act, instead }), (exit) =>
        Effect.sync(() => account.tried(index, exit._tag === "Failure", startedAt))
      )
    })

/** The server as a process reaches it. */
const backendOf = (
  reached: Reached,
  index: number,
  process: RemoteStore.Process,
  replied: (call: string) => void
): RemoteStore.RateLimitBackend => {
  const { ask, operate, server } = reached
  return {
    reserve: reserving(reached, index, process, replied),
    settle: settlePlace(reached, index, process),
    observe: (id, place, observed) =>
      Effect.flatMap(CurrentCall, (by) =>
        ask({ operation: "observe", by, act: () => operate(() => server.observe(process, id, place, observed)) })
      ),
    state: (place) => ask({ operation: "state", by: "", act: () => operate(() => server.look(process, place)) })
  }
}

/** The library's store on the server of this world. `replied` runs when the reply to a reservation for a call arrives. */
export const make = (
  world: World.World,
  plan: Sharing,
  replied: (call: string) => void = () => undefined
): SharedLimits => {
  const made = makeServer(world, plan)
  const { ledger, server } = made
  const reached = reach(world, plan, made)
  const isUsed = Effect.sync(() => server.isUsed({ name: "judge", rest: false }))
  const look = Effect.map(isUsed, (isUsed) => {
    const got = isUsed ? "a place is taken when all leases are over" : "none"
    world.add({ _tag: "Compared", call: "", rule: "Emptied", got, expected: "none" })
  })
  const options = { lease: Duration.millis(plan.lease) }
  return {
    of: (index) =>
      Effect.map(
        RemoteStore.makeRateLimits(options, (process) => backendOf(reached, index, process, replied)),
        nameCalls
      ),
    died: (process) => void reached.account.dead.add(process),
    grantOf: (call) => ledger.grant(reached.arrived.get(call) ?? ""),
    // A server whose clock was set back ignores the time until the next request.
    rested: Effect.zipRight(Effect.delay(isUsed, faultsEnd), Effect.delay(look, plan.lease + longestAfterLease))
  }
}
