/**
 * How processes reach the server of shared limits: a backend for each, over a network on which requests and replies are lost or late. An operation is
 * one step of the server, whatever happens to the process that asked for it.
 */
import type * as RemoteStore from "@effect-venue/transport/RemoteStore"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Draws from "../Draws.js"
import type * as Recorder from "../Recorder.js"
import type * as Sim from "../Sim.js"
import type * as World from "../World.js"
import type * as Ledger from "./Ledger.js"
import type * as Plan from "./Plan.js"
import type * as Server from "./Server.js"

/** The call that a process asks the server for. */
export class CurrentCall extends Context.Reference<CurrentCall>()("@effect-venue/simulation/limiter/CurrentCall", {
  defaultValue: () => ""
}) {}

/** The server may or may not have run an operation. */
class LinkFailed extends Data.TaggedError("LinkFailed")<{ readonly reason: string }> {}

const unreached = new LinkFailed({ reason: "no connection" })

const died = Effect.die(new Error("the client of the server died"))

/** Names a random decision. */
type Name = ReadonlyArray<number | string>

export interface Dependencies {
  readonly sim: Sim.Sim
  readonly draws: Draws.Draws
  readonly plan: Pick<Plan.Plan, "faults" | "latency" | "lease" | "outages" | "timeout">
  readonly recorder: Recorder.Recorder
  readonly server: Server.Server
  readonly ledger: Ledger.Ledger
  readonly listener: Listener
}

export interface Listener {
  /** The server has taken places for a call. */
  readonly granted: (call: string) => void
  /** The reply to a reservation for a call comes in. */
  readonly replied: (call: string) => void
  /** A fault happened to an operation for a call. */
  readonly failed: (operation: string, fault: Plan.Fault, call: string) => void
}

/** One operation of the server, for a call. */
interface Request<A> {
  readonly operation: string
  readonly call: string
  readonly act: () => A
}

export interface Link {
  readonly backend: (index: number) => (process: RemoteStore.Process) => RemoteStore.RateLimitBackend
  /** A process has died: what it has taken is free after the lease. */
  readonly died: (index: number) => void
  /** The reservation with which a call leaves: the last whose reply came in. */
  readonly grantOf: (call: string) => Ledger.Grant | undefined
  /** What is wrong with what was asked for. */
  readonly violations: () => ReadonlyArray<World.Violation>
}

/** How long a reply that is slow takes at least, in milliseconds. */
const slowness = 3_000

/** How long a process tries to connect before it says that the server cannot be reached. */
const connecting = 400

/** The pause of the library between two tries to settle, in milliseconds. */
const pause = 250

/** The instants in microseconds of one try and another differ by their rounding. */
const rounding = 0.002

export const make = ({ draws, ledger, listener, plan, recorder, server, sim }: Dependencies): Link => {
  const counts = new Map<string, number>()
  const [first, ...others] = plan.faults.kinds
  const isOut = () => plan.outages.some(({ from, until }) => sim.now() >= from && sim.now() < until)
  const violations: Array<World.Violation> = []
  /** When the call of a reservation ended, as the first try to settle it said. */
  const ends = new Map<string, number>()
  /** The calls of reservations that were asked for, by their ids. */
  const calls = new Map<string, string>()
  /** The last reservations whose replies came in, by their calls. */
  const held = new Map<string, string>()
  const settled = new Set<string>()
  /** Reservations that arrived at the server after their settlements. */
  const overtaken = new Set<string>()
  const dead = new Set<number>()
  /** When the last try to settle that took long, or failed, ended in each process. */
  const busyUntil = new Map<number, number>()

  const faultOf = (operation: string, name: Name): Plan.Fault | undefined => {
    if (first === undefined || !draws.chance(plan.faults.probability, ...name, "isFaulty")) return undefined
    const fault = draws.pick([first, ...others], ...name, "fault")
    // A client that waits for ever for the reply to a settlement would settle nothing else.
    return operation === "settle" && fault === "silent" ? "lost" : fault
  }

  /** What the client learns of a request that arrives, and after how many milliseconds; `undefined` for nothing. */
  const answer = <A>({ act }: Request<A>, fault: Plan.Fault | undefined, name: Name) => {
    const back = draws.fraction(...name, "back") * plan.latency
    const later = (after: number, result: Effect.Effect<A, LinkFailed>) => ({ after, result })
    if (isOut()) return later(connecting, unreached)
    switch (fault) {
      case "lost":
      case "silent":
        return undefined
      case "unreachable":
        return later(connecting, unreached)
      case "defect":
        if (draws.chance(0.5, ...name, "isDone")) act()
        return later(connecting, died)
      case "replyLost":
        act()
        return later(back, new LinkFailed({ reason: "the connection was lost" }))
      case "slow":
        return later(back + slowness + draws.fraction(...name, "slow") * 9_000, Effect.succeed(act()))
      case "late":
      case undefined:
        return later(back, Effect.succeed(act()))
    }
  }

  /** One journey to the server and back. */
  const ask = <A>(request: Request<A>) =>
    Effect.async<A, LinkFailed>((resume) => {
      const { call, operation } = request
      const count = (counts.get(`${operation} ${call}`) ?? 0) + 1
      counts.set(`${operation} ${call}`, count)
      const name = ["store", operation, call, count]
      const fault = faultOf(operation, name)
      if (fault !== undefined) listener.failed(operation, fault, call)
      let isOver = false
      const end = (result: Effect.Effect<A, LinkFailed>) => {
        if (isOver) return
        isOver = true
        cancel()
        if (operation === "reserve") listener.replied(call)
        resume(result)
      }
      const cancel =
        fault === "silent"
          ? () => undefined
          : sim.after(plan.timeout, () => {
              end(new LinkFailed({ reason: "no reply in time" }))
            })
      const there = draws.fraction(...name, "there") * plan.latency
      sim.after(fault === "late" ? plan.timeout + there : there, () => {
        const answered = answer(request, fault, name)
        if (answered === undefined) return
        sim.after(answered.after, () => {
          end(answered.result)
        })
      })
    })

  /** Runs an operation of the server, of which the ledger takes account. */
  const operate = <A>(operation: () => A): A => {
    ledger.began(server.read().life !== undefined)
    return operation()
  }

  const take = (process: number, call: string, id: string, places: ReadonlyArray<RemoteStore.Place>) => {
    const leaseEnd = sim.now() + plan.lease
    ledger.granted(id, leaseEnd)
    if (settled.has(id)) overtaken.add(id)
    const spare = places.map(({ spare }) => spare)
    recorder.add({ _tag: "Reserved", call, reservation: id, spare }, `reserve  ${call} as ${id}`)
    // What a dead process has taken is free when its lease is over, and a reservation that came after its settlement.
    sim.after(plan.lease, () => {
      const wasTrying = (busyUntil.get(process) ?? 0) >= leaseEnd - 2 * plan.timeout - 2 * plan.latency - pause
      if (settled.has(id) && !overtaken.has(id)) return
      if (!dead.has(process) && !overtaken.has(id) && !wasTrying) return
      settled.add(id)
      recorder.add({ _tag: "Settled", call, reservation: id }, `lease    ${call} as ${id}`)
    })
    listener.granted(call)
  }

  const settle = (call: string, { arrivesWithin, id, isSent }: RemoteStore.EndedReservation) => {
    settled.add(id)
    ledger.settled(id, isSent)
    recorder.add(
      { _tag: "Settled", call, reservation: id },
      `settle   ${call} as ${id} ${isSent ? "sent" : "unsent"} ${arrivesWithin / 1000}`
    )
  }

  /** Each try to settle a reservation is to say the same. */
  const compare = ({ id }: RemoteStore.EndedReservation, ago: number) => {
    const call = calls.get(id)
    const endedAt = sim.now() - ago / 1000
    const before = ends.get(id) ?? endedAt
    ends.set(id, before)
    if (call === undefined) {
      violations.push({ rule: "Settlement", call: "", detail: `${id} is settled, and was never asked for` })
    } else if (Math.abs(before - endedAt) > rounding) {
      violations.push({ rule: "Settlement", call, detail: `${id} ended at ${before}, and then at ${endedAt}` })
    }
  }

  return {
    backend: (index) => (process) => ({
      reserve: (id, lease, places, waiter) =>
        Effect.flatMap(CurrentCall, (call) => {
          calls.set(id, call)
          const act = () =>
            operate(() => {
              const reply = server.reserve(process, id, lease, places, waiter)
              if (reply._tag === "Taken") take(index, call, id, places)
              return reply
            })
          return Effect.map(ask({ operation: "reserve", call, act }), (reply) => {
            if (reply._tag === "Taken") held.set(call, id)
            return reply
          })
        }),
      settle: (ended, ago) =>
        Effect.suspend(() => {
          compare(ended, ago)
          const call = calls.get(ended.id) ?? ""
          const startedAt = sim.now()
          const act = () =>
            operate(() => {
              server.settle(process, ended, ago)
              settle(call, ended)
            })
          return Effect.onExit(ask({ operation: "settle", call, act }), (exit) =>
            Effect.sync(() => {
              if (exit._tag === "Failure" || sim.now() - startedAt > pause) busyUntil.set(index, sim.now())
            })
          )
        }),
      observe: (id, place, observed) =>
        Effect.flatMap(CurrentCall, (call) =>
          ask({
            operation: "observe",
            call,
            act: () => operate(() => server.observe(process, id, place, observed))
          })
        ),
      state: (place) =>
        ask({
          operation: "state",
          call: "",
          act: () => operate(() => server.state(process, place))
        })
    }),
    died: (index) => void dead.add(index),
    grantOf: (call) => ledger.grant(held.get(call) ?? ""),
    violations: () => violations
  }
}
