/** The plans of calls on the rate limiter alone. */
import type * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Draws from "../../kernel/Draws.js"
import * as Scheduler from "../../kernel/Scheduler.js"
import * as Faults from "../../world/Faults.js"
import * as Remote from "../../world/Remote.js"
import type * as SharedLimits from "../../models/SharedLimits.js"
import type * as World from "../../world/World.js"
import type * as Workload from "../../run/Workload.js"

export interface LimitedCall {
  readonly id: string
  readonly process: number
  /** Milliseconds after the start. */
  readonly at: number
  readonly priority: CallOptions.PriorityName
  /** The limit that it is charged to beside that of the address: one of a UID, or none. */
  readonly uid?: string | undefined
  readonly cost: number
  /** Milliseconds from its departure to its answer, or until the caller gives up. */
  readonly lasts: number
  /** `lost`: it is given up, and arrives before or after that. `unsent`: it never leaves. */
  readonly end: "answered" | "lost" | "unsent"
  /** Milliseconds after `at`. */
  readonly interruptedAfter?: number | undefined
  /** It is interrupted at the instant at which its places are taken. */
  readonly isInterruptedWhenReserved?: boolean | undefined
  /** It is interrupted between its departure and its answer. */
  readonly isInterruptedInFlight?: boolean | undefined
  /** When its waiting is ended from outside, in milliseconds after `at`. */
  readonly endedAfter?: number | undefined
  /** It takes its places until its scope ends, without an outcome. */
  readonly isScoped?: boolean | undefined
}

export interface LimitsPlan extends Workload.WorkloadPlan, SharedLimits.Sharing, World.Fates {
  readonly calls: ReadonlyArray<LimitedCall>
  /** The processes share one store; otherwise one process has its store in memory. */
  readonly isShared: boolean
  /** Calls in five seconds from this address, and in a second of each UID. */
  readonly perIp: number
  readonly perUid: number
  /** Calls leave places free for those of higher priorities. */
  readonly isSparing: boolean
  /** The limiter learns the limits that the service reports. */
  readonly isObserving: boolean
  /** How long a call waits for a store that cannot be reached, in milliseconds. */
  readonly deadline: number
  /** Calls of another program with the same UIDs, in milliseconds after the start. */
  readonly foreign: ReadonlyArray<{ readonly at: number; readonly uid: string }>
}

export const calm: Partial<LimitsPlan> = {
  mode: { _tag: "lawful" },
  faults: Faults.none,
  latency: 0,
  outages: [],
  isSparing: false,
  isObserving: false,
  foreign: [],
  jumps: [],
  deaths: []
}

export const optional = [
  "interruptedAfter",
  "isInterruptedWhenReserved",
  "isInterruptedInFlight",
  "endedAfter"
] as const

const priorities = ["urgent", "write", "read", "bulk"] as const

const ends = ["answered", "answered", "answered", "lost", "unsent"] as const

const uids = ["a", "a", "b"] as const

const callsOf = (draws: Draws.Draws, processes: number): ReadonlyArray<LimitedCall> => {
  const span = draws.pick([3, 300, 5_000, 20_000], "span")
  const isInterrupting = draws.chance(0.5, "interrupting")
  const isEnding = draws.chance(0.2, "ending")
  const slowness = draws.pick([1, 50, 800, 6_000, 12_000], "slowness")
  const isCostly = draws.chance(0.3, "costly")
  return Array.from({ length: 1 + draws.int(30, "calls") }, (_, index) => {
    const id = `c${index}`
    const isScoped = draws.chance(0.1, id, "scoped")
    return {
      id,
      isScoped,
      process: draws.int(processes, id, "process"),
      at: draws.int(span, id, "at"),
      priority: draws.pick(priorities, id, "priority"),
      uid: draws.chance(0.7, id, "hasUid") ? draws.pick(uids, id, "uid") : undefined,
      cost: isCostly ? 1 + draws.int(3, id, "cost") : 1,
      lasts: draws.int(slowness, id, "lasts"),
      end: isScoped ? "answered" : draws.pick(ends, id, "end"),
      interruptedAfter:
        isInterrupting && !isScoped && draws.chance(0.4, id, "interrupted")
          ? draws.int(draws.pick([5, 500, 15_000], id, "scale"), id, "after")
          : undefined,
      isInterruptedWhenReserved: isInterrupting && !isScoped && draws.chance(0.2, id, "interruptedWhenReserved"),
      isInterruptedInFlight: isInterrupting && !isScoped && draws.chance(0.25, id, "interruptedInFlight"),
      endedAfter: isEnding && draws.chance(0.4, id, "ended") ? draws.int(8_000, id, "endedAfter") : undefined
    }
  })
}

/** One call of low priority, and a steady load of higher priority on the same limits, which begins before it and goes on for long. */
const steadyLoad = (draws: Draws.Draws): ReadonlyArray<LimitedCall> => {
  const every = draws.pick([90, 190, 240], "load", "every")
  const priority: CallOptions.PriorityName = draws.pick(["urgent", "write"], "load", "priority")
  const common = { process: 0, uid: "a", cost: 1, end: "answered" } as const
  const load = Array.from({ length: 60 }, (_, index) => {
    const id = `c${index}`
    return { ...common, id, at: index * every, priority, lasts: draws.int(40, id, "lasts") }
  })
  return [...load, { ...common, id: "starving", at: 10 * every, priority: "bulk", lasts: 1 }]
}

const listOf = <A>(draws: Draws.Draws, probability: number, name: string, make: (index: number) => A) =>
  draws.chance(probability, name)
    ? Array.from({ length: 1 + draws.int(2, name, "count") }, (_, index) => make(index))
    : []

/** The faults of a store that has no timeouts to be disturbed by: one that never answers would be waited for without end. */
const kinds = Remote.faults.filter((fault) => fault !== "unanswered")

/** The server of a seed and the network to it; without faults if one process keeps its limits itself. */
const sharingOf = (draws: Draws.Draws, isShared: boolean): SharedLimits.Sharing => {
  const subset = kinds.filter((fault) => draws.chance(0.4, "fault", fault))
  const latency = isShared ? draws.pick([0, 5, 100, 1_500, 1_500], "latency") : 0
  const outages = listOf(draws, isShared ? 0.3 : 0, "outages", (index) => {
    const from = draws.int(15_000, "outage", index)
    const until = from + draws.pick([300, 3_000, 15_000], "outage lasts", index)
    return { from, until, isSilent: draws.chance(0.5, "silent", index) }
  })
  return {
    latency,
    faults: {
      probability: isShared && draws.chance(0.6, "hasFaults") ? draws.pick([0.05, 0.2, 0.5], "faults") : 0,
      kinds: subset.length === 0 ? kinds : subset
    },
    outages,
    timeout: 2 * latency + draws.pick([250, 4_000, 15_000], "timeout")
  }
}

/** The plan of a seed. */
export const make = (seed: number, { isAnywhere }: Workload.Options): LimitsPlan => {
  const draws = Draws.make(seed)
  const isShared = draws.chance(0.6, "shared")
  const processes = isShared ? 1 + draws.int(3, "processes") : 1
  const isSteady = !isShared && draws.chance(0.15, "steady load")
  const calls = isSteady ? steadyLoad(draws) : callsOf(draws, processes)
  return {
    seed,
    mode: Scheduler.modeOf(draws, isAnywhere),
    calls,
    ...sharingOf(draws, isShared),
    isShared,
    perIp: isSteady ? 100 : draws.pick([2, 5, 20], "perIp"),
    perUid: 1 + draws.int(4, "perUid"),
    isSparing: draws.chance(isSteady ? 0.6 : 0.3, "sparing"),
    isObserving: draws.chance(0.4, "observing"),
    deadline: draws.pick([200, 2_000, 10_000, 10_000], "deadline"),
    clocks: Array.from({ length: processes }, () => 0),
    deaths: isShared && draws.chance(0.3, "deaths") ? [{ process: 0, at: draws.int(10_000, "death") }] : [],
    jumps: listOf(draws, 0.2, "jumps", (index) => ({
      process: 0,
      at: draws.int(10_000, "jump", index),
      by: draws.pick([3_600_000, -3_600_000, 2_000, -2_000], "by", index)
    })),
    foreign: listOf(draws, 0.15, "foreign", (index) => ({
      at: draws.int(10_000, "foreign", index),
      uid: draws.pick(uids, "foreign uid", index)
    }))
  }
}
