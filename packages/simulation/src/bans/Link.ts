/**
 * The server of shared bans, and how processes reach it: requests and replies are lost or late. An operation is one step of the server, whatever
 * happens to the process that asked for it.
 */
import type * as RemoteStore from "@effect-venue/transport/RemoteStore"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Draws from "../Draws.js"
import type * as Sim from "../Sim.js"
import type * as Plan from "./Plan.js"

/** The call that a process asks the server for. */
export class CurrentCall extends Context.Reference<CurrentCall>()("@effect-venue/simulation/bans/CurrentCall", {
  defaultValue: () => ""
}) {}

/** The server may or may not have run an operation. */
class LinkFailed extends Data.TaggedError("LinkFailed")<{ readonly reason: string }> {}

interface Ban {
  readonly until: number
  readonly probe?: { readonly id: string; readonly leaseEnd: number } | undefined
}

/** The bans of a server by their names, in milliseconds of the run. */
const makeServer = (now: () => number) => {
  const bans = new Map<string, Ban>()
  return {
    enter: (name: string, probe: string, lease: number): RemoteStore.BanReply => {
      const ban = bans.get(name)
      if (ban === undefined) return { _tag: "Open" }
      if (now() < ban.until) return { _tag: "Closed", remaining: (ban.until - now()) * 1000 }
      if (ban.probe !== undefined && now() < ban.probe.leaseEnd) return { _tag: "Probing" }
      bans.set(name, { until: ban.until, probe: { id: probe, leaseEnd: now() + lease / 1000 } })
      return { _tag: "Probe" }
    },
    close: (name: string, duration: number) => {
      bans.set(name, { until: Math.max(bans.get(name)?.until ?? 0, now() + duration / 1000) })
    },
    leave: (name: string, probe: string, isUnbanned: boolean) => {
      const ban = bans.get(name)
      if (ban?.probe?.id !== probe) return
      if (isUnbanned) bans.delete(name)
      else bans.set(name, { until: ban.until })
    }
  }
}

export interface Dependencies {
  readonly sim: Sim.Sim
  readonly draws: Draws.Draws
  readonly plan: Pick<Plan.Plan, "faults" | "latency" | "outages">
  readonly listener: Listener
}

export interface Listener {
  /** A call has got its reply; `undefined` where the store could not be asked. */
  readonly entered: (process: number, call: string, reply: RemoteStore.BanReply | undefined) => void
  /** A process asks the server to close. `duration` is in milliseconds. */
  readonly closing: (process: number, call: string, duration: number) => void
  readonly failed: (operation: string, fault: string) => void
}

/** How long a client waits for a reply, in milliseconds. */
const timeout = 1_000

/** How long it tries to connect. */
const connecting = 400

type Act<A> = () => A

export const make = ({ draws, listener, plan, sim }: Dependencies) => {
  const server = makeServer(sim.now)
  const counts = new Map<string, number>()
  const [first, ...others] = plan.faults.kinds
  const isOut = () => plan.outages.some(({ from, until }) => sim.now() >= from && sim.now() < until)

  const faultOf = (name: ReadonlyArray<number | string>): Plan.Fault | undefined =>
    first !== undefined && draws.chance(plan.faults.probability, ...name, "isFaulty")
      ? draws.pick([first, ...others], ...name, "fault")
      : undefined

  /** One journey to the server and back. */
  const ask = <A>(operation: string, call: string, act: Act<A>) =>
    Effect.async<A, LinkFailed>((resume) => {
      const count = (counts.get(`${operation} ${call}`) ?? 0) + 1
      counts.set(`${operation} ${call}`, count)
      const name = ["bans", operation, call, count]
      const fault = faultOf(name)
      const failed = (reason: string) => Effect.fail(new LinkFailed({ reason }))
      const cancel = sim.after(timeout, () => {
        resume(failed("no reply in time"))
      })
      const end = (result: Effect.Effect<A, LinkFailed>) => {
        cancel()
        resume(result)
      }
      if (fault !== undefined) listener.failed(operation, fault)
      if (fault === "lost") return
      sim.after(draws.fraction(...name, "there") * plan.latency, () => {
        if (isOut() || fault === "unreachable") {
          if (fault === undefined) listener.failed(operation, "outage")
          sim.after(connecting, () => {
            end(failed("no connection"))
          })
          return
        }
        const result = act()
        const back = draws.fraction(...name, "back") * plan.latency
        sim.after(fault === "late" ? timeout + back : back, () => {
          if (fault === "replyLost") end(failed("the connection was lost"))
          else if (fault === "defect") end(Effect.die(new Error("the client of the server died")))
          else end(Effect.succeed(result))
        })
      })
    })

  const backend = (process: number): RemoteStore.BanBackend => ({
    enter: (name, probe, lease) =>
      Effect.flatMap(CurrentCall, (call) =>
        Effect.onExit(
          ask("enter", call, () => server.enter(name, probe, lease)),
          (exit) =>
            Effect.sync(() => {
              listener.entered(process, call, exit._tag === "Success" ? exit.value : undefined)
            })
        )
      ),
    close: (name, duration) =>
      Effect.flatMap(CurrentCall, (call) => {
        listener.closing(process, call, duration / 1000)
        return ask("close", call, () => {
          server.close(name, duration)
        })
      }),
    leave: (name, probe, isUnbanned) =>
      Effect.flatMap(CurrentCall, (call) =>
        ask("leave", call, () => {
          server.leave(name, probe, isUnbanned)
        })
      )
  })
  return { backend }
}
