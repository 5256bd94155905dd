/** The library's store of rate limits for several processes, on a server that is slow or cannot be reached: the store in memory, whose reservations have leases. */
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as RemoteStore from "@effect-venue/transport/siblings/RemoteStore"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Sim from "../kernel/Sim.js"
import type * as Faults from "../world/Faults.js"
import * as Remote from "../world/Remote.js"
import type * as World from "../world/World.js"

type Shape = RateLimitStore.RateLimitStore.Shape

/** The network to the server. Times in milliseconds, instants after the start. */
export interface Sharing {
  readonly latency: number
  readonly faults: Faults.Faults<Remote.Fault>
  /** Times in which the server cannot be reached; it is silent, or refuses connections. */
  readonly outages: ReadonlyArray<{ readonly from: number; readonly until: number; readonly isSilent?: boolean }>
  /** How long a client waits for a reply. */
  readonly timeout: number
}

/** The lease of a reservation: longer than the ways to the server and back, and those of any call. */
const lease = 60_000

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
      store.settle(reservation, outcome, arrivesWithin),
      Effect.sync(() => {
        add({ _tag: "Settled", call: callOf(reservation.charges), reservation: String(reservation.id) })
      })
    )
})

/** Adds the call to the operations of a store. */
const nameCalls = (store: Shape): Shape => ({
  ...store,
  reserve: (charges, waiter) => Effect.provideService(store.reserve(charges, waiter), CurrentCall, callOf(charges)),
  observe: (charge, observation) =>
    Effect.provideService(store.observe(charge, observation), CurrentCall, callOf([charge]))
})

const toCharge = ({ name: key, span, ...rest }: RemoteStore.Place): RateLimitStore.Charge => ({
  ...rest,
  key,
  scope: "uid",
  // Without the margin that the store in memory adds, too.
  window: Duration.millis(span / 1_000 - 1)
})

const toMicros = (duration: Duration.Duration) =>
  Duration.isFinite(duration) ? Math.round(Duration.toMillis(duration) * 1_000) : -1

/** The server. Each operation is one step. */
const makeServer = (sim: Sim.Sim) => {
  /** Runs an effect as if it were `later` milliseconds later. */
  const run = <A>(effect: Effect.Effect<A>, later = 0): A =>
    Effect.runSync(Effect.withClock(effect, sim.makeClock(Sim.epoch + later).clock))
  const store = run(RateLimitStore.makeMemory())
  const out = new Map<string, RateLimitStore.Reservation>()
  const charges = new Map<string, RateLimitStore.Charge>()
  /** `later`: how much later than now the service has counted it. */
  const end = (id: string, outcome: RateLimitStore.ChargeOutcome, later = 0) => {
    const reservation = out.get(id)
    if (reservation !== undefined && out.delete(id)) run(store.settle(reservation, outcome, Duration.zero), later)
  }
  return {
    reserve: (id: string, places: ReadonlyArray<RemoteStore.Place>): RemoteStore.Reply => {
      const own = places.map(toCharge)
      for (const charge of own) charges.set(charge.key, charge)
      const result = run(store.reserve(own))
      if (result._tag === "Taken") {
        out.set(id, result.reservation)
        sim.after(lease, () => end(id, "counted"))
        return { _tag: "Taken", life: "only", leaseEnd: String((Sim.epoch + sim.now() + lease) * 1_000) }
      }
      if (result._tag === "Unreachable") throw new Error("a store in memory cannot be reached")
      const indexes = own.flatMap(({ key }, index) => (result.keys.includes(key) ? [index] : []))
      return { _tag: "Full", indexes, retryAfter: toMicros(result.retryAfter) }
    },
    settle: ({ arrivesWithin, id, isSent }: RemoteStore.EndedReservation, ago: number) => {
      end(id, isSent ? "counted" : "unsent", (arrivesWithin - ago) / 1_000)
    },
    observe: (place: RemoteStore.Place, { resetAfter, roundTrip, ...stated }: RemoteStore.Observed) => {
      const [reset, trip] = [Duration.millis(resetAfter / 1_000), Duration.millis(roundTrip / 1_000)]
      run(store.observe(toCharge(place), { ...stated, resetAfter: reset, roundTrip: trip }))
    },
    state: (place: RemoteStore.Place) => {
      const { retryAfter, ...state } = run(store.state(toCharge(place)))
      return { ...state, retryAfter: toMicros(retryAfter) }
    },
    /** Whether a place of any limit is taken now. */
    isUsed: () =>
      [...charges.values()].some((charge) => {
        const { limit, remaining } = run(store.state(charge))
        return remaining < limit
      })
  }
}

/** The pause of the library between two tries to settle, in milliseconds. */
const pause = 250

/** Records the reservations and settlements at the server, for the judges. */
const makeAccount = ({ add, sim }: World.World, plan: Sharing) => {
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
      const leaseEnd = sim.now() + lease
      if (settled.has(id)) overtaken.add(id)
      add({ _tag: "Reserved", call, reservation: id, spare: places.map(({ spare }) => spare) })
      sim.after(lease, () => {
        expire(process, call, id, leaseEnd)
      })
    },
    settle: (call: string, id: string) => {
      settled.add(id)
      add({ _tag: "Settled", call, reservation: id })
    }
  }
}

export interface SharedLimits {
  /** The store as a process sees it. */
  readonly of: (process: number) => Effect.Effect<Shape>
  /** A process has died: its places are free after the lease. */
  readonly died: (process: number) => void
  /** To be run when all calls have ended: waits until every place has to be free, and looks whether it is. */
  readonly rested: Effect.Effect<void>
}

/** Longer than the faults of the server, a lease, the longest window, and the journey of a call without a waiting caller. */
const resting = 140_000

const addEmptied = ({ add }: World.World, isUsed: boolean) => {
  const got = isUsed ? "a place is taken when all leases are over" : "none"
  add({ _tag: "Compared", call: "", rule: "Emptied", got, expected: "none" })
}

/** The library's store on the server of this world. `replied` runs when the reply to a reservation for a call arrives. */
export const make = (
  world: World.World,
  plan: Sharing,
  replied: (call: string) => void = () => undefined
): SharedLimits => {
  const { sim } = world
  const server = makeServer(sim)
  const account = makeAccount(world, plan)
  const outage = () => plan.outages.find(({ from, until }) => sim.now() >= from && sim.now() < until)
  const ask = Remote.make(world, {
    ...plan,
    isOut: () => outage() !== undefined,
    isSilent: () => outage()?.isSilent === true
  })

  /** The server as a process reaches it. */
  const backendOf = (index: number): RemoteStore.RateLimitBackend => ({
    reserve: (id, _, places) =>
      Effect.flatMap(CurrentCall, (call) => {
        account.calls.set(id, call)
        const act = () => {
          const reply = server.reserve(id, places)
          if (reply._tag === "Taken") account.take(index, call, id, places)
          return reply
        }
        return ask({ operation: "reserve", by: call, act, replied: () => replied(call) })
      }),
    settle: (ended, ago) =>
      Effect.suspend(() => {
        const call = account.calls.get(ended.id) ?? ""
        const startedAt = sim.now()
        const act = () => {
          server.settle(ended, ago)
          account.settle(call, ended.id)
        }
        // A client that waits for ever for the reply to a settlement would settle nothing else.
        const instead = (fault: Remote.Fault) => (fault === "silent" ? "lost" : fault)
        return Effect.onExit(ask({ operation: "settle", by: call, act, instead }), (exit) =>
          Effect.sync(() => account.tried(index, exit._tag === "Failure", startedAt))
        )
      }),
    observe: (_, place, observed) =>
      Effect.flatMap(CurrentCall, (by) =>
        ask({ operation: "observe", by, act: () => server.observe(place, observed) })
      ),
    state: (place) => ask({ operation: "state", by: "", act: () => server.state(place) })
  })

  return {
    of: (index) =>
      Effect.map(
        RemoteStore.makeRateLimits({ rest: false, lease: Duration.millis(lease) }, () => backendOf(index)),
        nameCalls
      ),
    died: (process) => void account.dead.add(process),
    rested: Effect.delay(
      Effect.sync(() => addEmptied(world, server.isUsed())),
      resting
    )
  }
}
