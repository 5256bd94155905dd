/**
 * What happens in one run of several processes, as a plain value made from a seed.
 */
import * as CallPlan from "../Plan.js"
import * as Draws from "../Draws.js"
import * as Shrink from "../Shrink.js"
import type * as Sim from "../Sim.js"
import { type Fault, faults } from "./faults.js"

export interface Call extends CallPlan.Call {
  readonly process: number
}

export interface Plan extends Omit<CallPlan.Plan, "calls" | "faults" | "jumps"> {
  readonly mode: Sim.Mode
  readonly calls: ReadonlyArray<Call>
  readonly faults: { readonly probability: number; readonly kinds: ReadonlyArray<Fault> }
  /** How far the wall clock of each process is from the exchange's, in milliseconds. */
  readonly clocks: ReadonlyArray<number>
  readonly jumps: ReadonlyArray<{ readonly process: number; readonly at: number; readonly by: number }>
  /** Processes that die, in milliseconds after the start. */
  readonly deaths: ReadonlyArray<{ readonly process: number; readonly at: number }>
  /** The processes share their rate limits in one store. */
  readonly isSharing: boolean
  /** Requests to that store and its replies are lost. */
  readonly isLosing: boolean
}

/** The plan of a seed: calls as in the world of one process, each in one of several. */
export const make = (seed: number, options: { readonly isAnywhere: boolean } = { isAnywhere: false }): Plan => {
  const draws = Draws.make(seed)
  const base = CallPlan.make(seed, options)
  const count = 2 + draws.int(2, "processes")
  const subset = faults.filter((fault) => draws.chance(0.4, "dispatch", fault))
  const hasInterruptions = base.calls.some(({ interruptedAfter }) => interruptedAfter !== undefined)
  return {
    ...base,
    calls: base.calls.map((call) => ({
      ...call,
      process: draws.int(count, call.id, "process"),
      // Some are interrupted while they wait to send again after a timeout.
      interruptedAfter:
        hasInterruptions && draws.chance(0.1, call.id, "late")
          ? 9_000 + draws.int(6_000, call.id, "late")
          : call.interruptedAfter
    })),
    faults: { probability: base.faults.probability, kinds: subset.length === 0 ? faults : subset },
    clocks: Array.from({ length: count }, (_, index) =>
      draws.pick([0, 0, 900, -3_600_000, 86_400_000], "clock", index)
    ),
    jumps: base.jumps.map((jump, index) => ({ ...jump, process: draws.int(count, "jumping", index) })),
    deaths: draws.chance(0.4, "deaths")
      ? [{ process: draws.int(count, "dying"), at: draws.int(draws.pick([30, 3_000, 25_000], "death scale"), "death") }]
      : [],
    isSharing: draws.chance(0.4, "sharing"),
    isLosing: draws.chance(0.5, "losing")
  }
}

/** A plan without one call, or without one feature that it has. */
export const without = (plan: Plan): ReadonlyArray<readonly [name: string, plan: Plan]> => {
  const own: ReadonlyArray<Shrink.Feature<Plan>> = [
    ...Shrink.faultsOf(plan),
    ["clocks", plan.clocks.some((shift) => shift !== 0), { ...plan, clocks: plan.clocks.map(() => 0) }],
    ["jumps", plan.jumps.length > 0, { ...plan, jumps: [] }],
    ["deaths", plan.deaths.length > 0, { ...plan, deaths: [] }],
    ["a shared store", plan.isSharing, { ...plan, isSharing: false }],
    ["losses of the shared store", plan.isSharing && plan.isLosing, { ...plan, isLosing: false }]
  ]
  const { calls, faults: _, jumps: __, ...rest } = plan
  const shared = CallPlan.without({ ...rest, calls, jumps: [], faults: { probability: 0, kinds: [] } })
  return [
    ...Shrink.withoutFeatures(own),
    ...shared.map(([name, { faults: _, jumps: __, ...smaller }]) => {
      const kept = new Map(smaller.calls.map((call) => [call.id, call]))
      const left = calls.flatMap((call) => {
        const found = kept.get(call.id)
        return found === undefined ? [] : [{ ...found, process: call.process }]
      })
      return [name, { ...plan, ...smaller, calls: left }] as const
    })
  ]
}
