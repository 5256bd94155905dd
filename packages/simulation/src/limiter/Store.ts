/**
 * Stores of rate limits for the limiter's world: one in memory, and one that several processes ask over a network that goes wrong.
 */
import type * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Draws from "../Draws.js"
import type * as Recorder from "../Recorder.js"
import type * as Sim from "../Sim.js"
import type * as Plan from "./Plan.js"

type Shape = RateLimitStore.RateLimitStore.Shape

/** A charge that knows its call: whatever else is changed of it, this stays. */
export interface Charge extends RateLimitStore.Charge {
  readonly call: string
}

/** The call that charges belong to. */
export const callOf = (charges: ReadonlyArray<RateLimitStore.Charge>): string => {
  const [charge] = charges
  return charge !== undefined && "call" in charge && typeof charge.call === "string" ? charge.call : ""
}

const outcomes: ReadonlySet<string> = new Set<RateLimitStore.ChargeOutcome>(["counted", "refused", "unsent"])

/** Records what a store takes and settles. `taken` runs when something was taken for a call. */
export const recorded = (store: Shape, { add }: Recorder.Recorder, taken: (call: string) => void): Shape => ({
  ...store,
  reserve: (charges) =>
    Effect.map(store.reserve(charges), (result) => {
      if (result._tag !== "Taken") return result
      const { id } = result.reservation
      const call = callOf(charges)
      const spare = charges.map((charge) => charge.spare ?? 0)
      add({ _tag: "Reserved", call, reservation: String(id), spare }, `reserve  ${call} as ${id}`)
      taken(call)
      return result
    }),
  settle: (reservation, outcome, arrivesWithin) =>
    Effect.zipLeft(
      // Others' stores keep what they are given: a word that is none of the three is a mistake of the limiter.
      outcomes.has(outcome)
        ? store.settle(reservation, outcome, arrivesWithin)
        : Effect.dieMessage(`settled as ${outcome}`),
      Effect.sync(() => {
        const { charges, id } = reservation
        const call = callOf(charges)
        const within = Duration.toMillis(arrivesWithin)
        add({ _tag: "Settled", call, reservation: String(id) }, `settle   ${call} as ${id} ${outcome} ${within}`)
      })
    )
})

/** After how long what a dead process has taken counts as settled: longer than a request is under way. */
export const lease = 20_000

/** A store that processes share. Its operations are one step each, whatever happens to the process that asked for them. */
export interface Shared {
  readonly of: (process: number) => Shape
  /** A process has died: what it has taken is free after the lease. */
  readonly died: (process: number) => void
}

export interface Dependencies {
  readonly sim: Sim.Sim
  readonly draws: Draws.Draws
  readonly plan: Pick<Plan.Plan, "faults" | "latency" | "outages">
  readonly recorder: Recorder.Recorder
  /** The store's own clock. */
  readonly clock: Clock.Clock
  readonly store: Shape
  /** An answer to a reservation for a call comes in. */
  readonly taken: (call: string) => void
  /** A fault happened to an operation for a call. */
  readonly failed: (operation: string, fault: Plan.Fault, call: string) => void
}

/** How long a slow answer takes at least, in milliseconds. */
const slowness = 3_000

/** How long a process tries to connect before it says that the store cannot be reached. */
const connecting = 400

export const shared = ({ clock, draws, failed, plan, recorder, sim, store, taken }: Dependencies): Shared => {
  const known = recorded(store, recorder, () => undefined)
  const now = <A>(effect: Effect.Effect<A>): A => Effect.runSync(Effect.withClock(effect, clock))
  const held = new Map<number, Map<number | string, RateLimitStore.Reservation>>()
  const dead = new Set<number>()
  const counts = new Map<string, number>()
  const [first, ...others] = plan.faults.kinds
  const isOut = () => plan.outages.some(({ from, until }) => sim.now() >= from && sim.now() < until)
  const heldBy = (process: number) => {
    const found = held.get(process) ?? new Map<number | string, RateLimitStore.Reservation>()
    held.set(process, found)
    return found
  }
  const release = (reservation: RateLimitStore.Reservation) => {
    sim.after(lease, () => {
      now(known.settle(reservation, "counted", Duration.zero))
    })
  }

  /** One journey to the store and back. `act` is what the store does, `unreached` the answer of one that was not reached. */
  const ask = <A>(operation: string, charges: ReadonlyArray<RateLimitStore.Charge>, act: () => A, unreached: () => A) =>
    Effect.async<A>((resume) => {
      const call = callOf(charges)
      const count = (counts.get(`${operation} ${call}`) ?? 0) + 1
      counts.set(`${operation} ${call}`, count)
      const name = ["store", operation, call, count] as const
      const isFaulty = first !== undefined && draws.chance(plan.faults.probability, ...name, "isFaulty")
      const drawn = isFaulty ? draws.pick([first, ...others], ...name, "fault") : undefined
      // What is to be settled is tried until it is; what is to be taken is given up.
      const isPersistent = operation === "settle"
      const fault = isPersistent && drawn === "silent" ? "unreachable" : drawn
      if (fault !== undefined) failed(operation, fault, call)
      const there = draws.fraction(...name, "there") * plan.latency
      const back = draws.fraction(...name, "back") * plan.latency
      const answer = (value: A, after: number) => {
        sim.after(after, () => {
          if (operation === "reserve") taken(call)
          resume(fault === "defect" ? Effect.die(new Error("the store died")) : Effect.succeed(value))
        })
      }
      sim.after(there, () => {
        if (isPersistent) {
          const wait = isOut() || fault === "unreachable" ? connecting : 0
          const settle = () => {
            if (isOut()) {
              sim.after(connecting, settle)
              return
            }
            answer(act(), back + (fault === "slow" ? slowness : 0))
          }
          sim.after(wait, settle)
          return
        }
        if (fault === "silent") return
        if (fault === "unreachable" || fault === "defect" || isOut()) {
          answer(unreached(), connecting)
          return
        }
        answer(act(), back + (fault === "slow" ? slowness + draws.fraction(...name, "slow") * 9_000 : 0))
      })
    })

  return {
    of: (process) => ({
      reserve: (charges) =>
        ask<RateLimitStore.ReserveResult>(
          "reserve",
          charges,
          () => {
            const result = now(known.reserve(charges))
            if (result._tag === "Taken") {
              if (dead.has(process)) release(result.reservation)
              else heldBy(process).set(result.reservation.id, result.reservation)
            }
            return result
          },
          () => ({ _tag: "Unreachable" })
        ),
      settle: (reservation, outcome, arrivesWithin) =>
        ask(
          "settle",
          reservation.charges,
          () => {
            heldBy(process).delete(reservation.id)
            now(known.settle(reservation, outcome, arrivesWithin))
          },
          () => undefined
        ),
      observe: (charge, observation) =>
        ask(
          "observe",
          [charge],
          () => now(store.observe(charge, observation)),
          () => undefined
        ),
      state: (charge) => Effect.sync(() => now(store.state(charge)))
    }),
    died: (process) => {
      dead.add(process)
      for (const reservation of heldBy(process).values()) release(reservation)
    }
  }
}
