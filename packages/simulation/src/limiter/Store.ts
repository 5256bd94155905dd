/**
 * Stores of rate limits for the limiter's world: one in memory, and that of the library for several processes, on a server over a network that goes
 * wrong.
 */
import type * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as RemoteStore from "@effect-venue/transport/RemoteStore"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Draws from "../Draws.js"
import type * as Recorder from "../Recorder.js"
import * as Sim from "../Sim.js"
import type * as World from "../World.js"
import * as Ledger from "./Ledger.js"
import * as Link from "./Link.js"
import type * as Plan from "./Plan.js"
import * as Server from "./Server.js"

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
  reserve: (charges, waiter) =>
    Effect.map(store.reserve(charges, waiter), (result) => {
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

/** A store that processes share, on a server that is slow, cannot be reached, or forgets. */
export interface Shared {
  /** The store as a process sees it. */
  readonly of: (process: number) => Effect.Effect<Shape>
  /** A process has died: what it has taken is free after the lease. */
  readonly died: (process: number) => void
  /** The reservation with which a call leaves. */
  readonly grantOf: (call: string) => Ledger.Grant | undefined
  /** To be run when all calls have ended: waits until every place has to be free, and looks whether it is. */
  readonly rested: Effect.Effect<void>
  /** What is wrong with the settlements, and with what the server knows when all has ended. */
  readonly violations: () => ReadonlyArray<World.Violation>
}

/** What the library or the server does wrong, for tests of the judge. */
export interface Mistakes extends Server.Mistakes {
  /** New lives begin without rest. */
  readonly isRestless?: boolean | undefined
  /** Changes the operations that the library asks for. */
  readonly backend?: ((backend: RemoteStore.RateLimitBackend) => RemoteStore.RateLimitBackend) | undefined
}

export interface Dependencies {
  readonly sim: Sim.Sim
  readonly draws: Draws.Draws
  readonly plan: Plan.Sharing
  readonly recorder: Recorder.Recorder
  readonly listener: Link.Listener
  readonly mistakes?: Mistakes | undefined
}

/** When the faults of the server are over, in milliseconds after the start. */
const faultsEnd = 20_000

/** Longer than the longest window, the journey of a call that was given up, and those to the server and back. */
const longestAfterLease = 60_000

/** Adds the call to what a store is asked for. */
const named = (store: Shape): Shape => ({
  ...store,
  reserve: (charges, waiter) =>
    Effect.provideService(store.reserve(charges, waiter), Link.CurrentCall, callOf(charges)),
  settle: (reservation, outcome, arrivesWithin) =>
    outcomes.has(outcome)
      ? store.settle(reservation, outcome, arrivesWithin)
      : Effect.dieMessage(`settled as ${outcome}`),
  observe: (charge, observation) =>
    Effect.provideService(store.observe(charge, observation), Link.CurrentCall, callOf([charge]))
})

/** A server whose clock may be set and whose state may be lost, with the account of what it has to know. */
const makeServer = ({ mistakes, plan, recorder, sim }: Dependencies) => {
  let shift = 0
  const micros = () => (Sim.epoch + sim.now() + shift) * 1000
  const server = Server.make(micros, plan.isFresh ? Server.empty : Server.seasoned, mistakes)
  const ledger = Ledger.make(sim.now)

  const forget = () => {
    recorder.cover("the server forgets")
    sim.trace("server   forgets")
    server.replace(Server.empty)
    ledger.forgot()
  }
  const takeOver = (lag: number) => {
    const [state, restore] = [server.read(), ledger.copy()]
    sim.after(lag, () => {
      recorder.cover("a replica takes over")
      sim.trace(`server   goes on as ${lag} ms before`)
      server.replace(state)
      restore()
    })
  }
  const set = (by: number) => {
    recorder.cover(`the server's clock is set ${by > 0 ? "forward" : "back"}`)
    sim.trace(`server   clock ${by}`)
    shift += by
    if (by > 0) ledger.setForward()
  }

  for (const loss of plan.losses) {
    if (loss._tag === "Flush") sim.after(loss.at, forget)
    if (loss._tag === "Replica") {
      sim.after(loss.at, () => {
        takeOver(loss.lag)
      })
    }
  }
  for (const { at, by } of plan.settings) {
    sim.after(at, () => {
      set(by)
    })
  }
  const granted = (call: string) => {
    if (!plan.losses.some((loss) => loss._tag === "Reserved" && loss.call === call)) return
    recorder.cover("the server forgets at a reservation")
    sim.soon(forget)
  }
  return { server, ledger, granted }
}

/** The library's store on the server of this world. */
export const shared = (dependencies: Dependencies): Shared => {
  const { listener, mistakes = {}, plan } = dependencies
  const { granted, ledger, server } = makeServer(dependencies)
  const violations: Array<World.Violation> = []
  const link = Link.make({
    ...dependencies,
    server,
    ledger,
    listener: {
      ...listener,
      granted: (call) => {
        listener.granted(call)
        granted(call)
      }
    }
  })
  const isUsed = Effect.sync(() => server.isUsed({ name: "judge", rest: false }))
  const look = Effect.map(isUsed, (isUsed) => {
    if (isUsed) violations.push({ rule: "Leak", call: "", detail: "a place is taken when all leases are over" })
  })
  const { isRestless = false } = mistakes
  const changed = mistakes.backend ?? ((backend: RemoteStore.RateLimitBackend) => backend)

  return {
    of: (index) =>
      Effect.map(
        RemoteStore.makeRateLimits(
          { lease: Duration.millis(plan.lease), ...(isRestless ? { rest: false } : {}) },
          (process) => changed(link.backend(index)(process))
        ),
        named
      ),
    died: link.died,
    grantOf: link.grantOf,
    // A server whose clock was set back takes no account of the time until it is asked.
    rested: Effect.delay(isUsed, faultsEnd).pipe(Effect.zipRight(Effect.delay(look, plan.lease + longestAfterLease))),
    violations: () => [...violations, ...link.violations()]
  }
}
