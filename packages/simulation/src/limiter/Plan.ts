/**
 * What happens in one run of the limiter, as a plain value made from a seed.
 */
import type * as Priority from "@effect-venue/transport/Priority"
import * as Draws from "../Draws.js"
import * as Shrink from "../Shrink.js"
import type * as Sim from "../Sim.js"

/** What can happen to one operation of the server of a shared store. */
export const faults = [
  /** There is no connection, which is known at once. */
  "unreachable",
  /** The reply takes seconds: longer than the client waits for it, or not. */
  "slow",
  /** The request is lost, and the client waits for ever for its reply. A settlement is `lost`. */
  "silent",
  /** The client dies: the server has done it, or not. */
  "defect",
  /** The request is lost. */
  "lost",
  /** The server has done it, and the connection is lost before the reply arrives. */
  "replyLost",
  /** The request arrives when the client does not wait for its reply any more: what it asked for later may have arrived before. */
  "late"
] as const

export type Fault = (typeof faults)[number]

export interface Call {
  readonly id: string
  readonly process: number
  /** Milliseconds after the start. */
  readonly at: number
  readonly priority: Priority.Name
  /** The limit that it is charged to beside that of the address: one of a UID, or none. */
  readonly uid?: string | undefined
  readonly cost: number
  /** Milliseconds from its departure to its answer, or until it is given up. */
  readonly lasts: number
  /** `lost`: it is given up, and arrives before or after that. `unsent`: it never leaves. */
  readonly end: "answered" | "lost" | "unsent"
  /** Milliseconds after `at`. */
  readonly interruptedAfter?: number | undefined
  /** It is interrupted at the instant at which its places are taken. */
  readonly isInterruptedWhenReserved: boolean
  /** It is interrupted between its departure and its answer. */
  readonly isInterruptedInFlight: boolean
  /** When what ends its waiting fails, in milliseconds after `at`. */
  readonly endedAfter?: number | undefined
}

/** A loss of the state of the server. */
export type Loss =
  /** It forgets everything: it was flushed, or restarted without persistence. */
  | { readonly _tag: "Flush"; readonly at: number }
  /** The same, at the instant after it has taken places for a call. */
  | { readonly _tag: "Reserved"; readonly call: string }
  /** A replica takes over `lag` milliseconds after `at`, and lacks what was done meanwhile. */
  | { readonly _tag: "Replica"; readonly at: number; readonly lag: number }

/** The server of a store that processes share, and the network to it. Times in milliseconds, instants after the start. */
export interface Sharing {
  /** How long a request to the server or its reply takes at most. */
  readonly latency: number
  readonly faults: { readonly probability: number; readonly kinds: ReadonlyArray<Fault> }
  /** Times in which the server cannot be reached. */
  readonly outages: ReadonlyArray<{ readonly from: number; readonly until: number }>
  readonly losses: ReadonlyArray<Loss>
  /** By how much its clock is set forward, or back. */
  readonly settings: ReadonlyArray<{ readonly at: number; readonly by: number }>
  /** It has no state at first. */
  readonly isFresh: boolean
  /** How long a client waits for a reply. */
  readonly timeout: number
  readonly lease: number
}

export interface Plan extends Sharing {
  readonly seed: number
  readonly mode: Sim.Mode
  readonly calls: ReadonlyArray<Call>
  /** The processes share one store; otherwise there is one process, whose store is its memory. */
  readonly isShared: boolean
  /** Calls in five seconds from this address. */
  readonly perIp: number
  /** Calls in a second of each UID. */
  readonly perUid: number
  /** Calls leave places free for those of higher priorities. */
  readonly isSparing: boolean
  /** The limiter is given what the service says about its limits. */
  readonly isObserving: boolean
  /** How long a call waits for a store that cannot be reached, in milliseconds. */
  readonly deadline: number
  readonly deaths: ReadonlyArray<{ readonly process: number; readonly at: number }>
  /** Jumps of the wall clock of the first process. */
  readonly jumps: ReadonlyArray<{ readonly at: number; readonly by: number }>
  /** Calls of another program with the same UIDs, in milliseconds after the start. */
  readonly foreign: ReadonlyArray<{ readonly at: number; readonly uid: string }>
}

const priorities: readonly [Priority.Name, ...ReadonlyArray<Priority.Name>] = ["urgent", "write", "read", "bulk"]

const ends: readonly [Call["end"], ...ReadonlyArray<Call["end"]>] = [
  "answered",
  "answered",
  "answered",
  "lost",
  "unsent"
]

const uids = ["a", "a", "b"] as const

const callsOf = (draws: Draws.Draws, processes: number): ReadonlyArray<Call> => {
  const span = draws.pick([3, 300, 5_000, 20_000], "span")
  const isInterrupting = draws.chance(0.5, "interrupting")
  const isEnding = draws.chance(0.2, "ending")
  const slowness = draws.pick([1, 50, 800, 6_000, 12_000], "slowness")
  const isCostly = draws.chance(0.3, "costly")
  return Array.from({ length: 1 + draws.int(30, "calls") }, (_, index) => {
    const id = `c${index}`
    return {
      id,
      process: draws.int(processes, id, "process"),
      at: draws.int(span, id, "at"),
      priority: draws.pick(priorities, id, "priority"),
      uid: draws.chance(0.7, id, "hasUid") ? draws.pick(uids, id, "uid") : undefined,
      cost: isCostly ? 1 + draws.int(3, id, "cost") : 1,
      lasts: draws.int(slowness, id, "lasts"),
      end: draws.pick(ends, id, "end"),
      interruptedAfter:
        isInterrupting && draws.chance(0.4, id, "interrupted")
          ? draws.int(draws.pick([5, 500, 15_000], id, "scale"), id, "after")
          : undefined,
      isInterruptedWhenReserved: isInterrupting && draws.chance(0.2, id, "interruptedWhenReserved"),
      isInterruptedInFlight: isInterrupting && draws.chance(0.25, id, "interruptedInFlight"),
      endedAfter: isEnding && draws.chance(0.4, id, "ended") ? draws.int(8_000, id, "endedAfter") : undefined
    }
  })
}

const listOf = <A>(draws: Draws.Draws, probability: number, name: string, make: (index: number) => A) =>
  draws.chance(probability, name)
    ? Array.from({ length: 1 + draws.int(2, name, "count") }, (_, index) => make(index))
    : []

const outagesOf = (draws: Draws.Draws, probability: number) =>
  listOf(draws, probability, "outages", (index) => {
    const from = draws.int(15_000, "outage", index)
    return { from, until: from + draws.pick([300, 3_000, 15_000], "outage lasts", index) }
  })

const lossesOf = (
  draws: Draws.Draws,
  calls: ReadonlyArray<Call>,
  outages: Plan["outages"],
  probability: number
): ReadonlyArray<Loss> => [
  ...listOf(draws, probability, "losses", (index): Loss => {
    const at = draws.int(draws.pick([300, 5_000, 15_000], "loss scale", index), "loss", index)
    const kind = draws.fraction("loss kind", index)
    if (kind < 0.3) return { _tag: "Flush", at }
    if (kind < 0.4) return { _tag: "Replica", at, lag: draws.pick([50, 1_000, 6_000], "lag", index) }
    return { _tag: "Reserved", call: `c${draws.int(calls.length, "loss of", index)}` }
  }),
  // It is restarted, and had kept nothing on disk.
  ...outages.flatMap(({ until }, index): ReadonlyArray<Loss> =>
    draws.chance(0.3, "restart", index) ? [{ _tag: "Flush", at: until }] : []
  )
]

/** The server of a seed and the network to it; without faults where one process keeps its limits itself. */
const sharingOf = (draws: Draws.Draws, calls: ReadonlyArray<Call>, isShared: boolean): Sharing => {
  const hasFaults = isShared && draws.chance(0.6, "hasFaults")
  const subset = faults.filter((fault) => draws.chance(0.4, "fault", fault))
  const latency = isShared ? draws.pick([0, 5, 100, 1_500], "latency") : 0
  const outages = outagesOf(draws, isShared ? 0.3 : 0)
  return {
    latency,
    faults: {
      probability: hasFaults ? draws.pick([0.05, 0.2, 0.5], "faults") : 0,
      kinds: subset.length === 0 ? faults : subset
    },
    outages,
    losses: lossesOf(draws, calls, outages, isShared ? 0.5 : 0),
    settings: listOf(draws, isShared ? 0.2 : 0, "settings", (index) => ({
      at: draws.int(10_000, "setting", index),
      by: draws.pick([3_600_000, -3_600_000, 2_000, -2_000], "set by", index)
    })),
    isFresh: isShared && draws.chance(0.2, "fresh"),
    timeout: 2 * latency + draws.pick([250, 4_000, 15_000], "timeout"),
    lease: draws.pick([30_000, 60_000], "lease")
  }
}

/** The plan of a seed. */
export const make = (seed: number, options: { readonly isAnywhere: boolean } = { isAnywhere: false }): Plan => {
  const draws = Draws.make(seed)
  const isShared = draws.chance(0.6, "shared")
  const processes = isShared ? 1 + draws.int(3, "processes") : 1
  const calls = callsOf(draws, processes)
  return {
    seed,
    mode: options.isAnywhere
      ? { _tag: "anywhere", probability: draws.pick([0.002, 0.01, 0.03], "yields") }
      : { _tag: "lawful" },
    calls,
    ...sharingOf(draws, calls, isShared),
    isShared,
    perIp: draws.pick([2, 5, 20], "perIp"),
    perUid: 1 + draws.int(4, "perUid"),
    isSparing: draws.chance(0.3, "sparing"),
    isObserving: draws.chance(0.4, "observing"),
    deadline: draws.pick([200, 2_000, 10_000], "deadline"),
    deaths: isShared && draws.chance(0.3, "deaths") ? [{ process: 0, at: draws.int(10_000, "death") }] : [],
    jumps: listOf(draws, 0.2, "jumps", (index) => ({
      at: draws.int(10_000, "jump", index),
      by: draws.pick([3_600_000, -3_600_000, 2_000, -2_000], "by", index)
    })),
    foreign: listOf(draws, 0.15, "foreign", (index) => ({
      at: draws.int(10_000, "foreign", index),
      uid: draws.pick(uids, "foreign uid", index)
    }))
  }
}

/** A plan without half of its calls, without one call, or without one feature that it has. */
export const without = (plan: Plan): ReadonlyArray<readonly [name: string, plan: Plan]> => {
  const { calls } = plan
  const half = calls.length >> 1
  const features: ReadonlyArray<Shrink.Feature<Plan>> = [
    ["the calls of the second half", calls.length > 3, { ...plan, calls: calls.slice(0, half) }],
    ["the calls of the first half", calls.length > 3, { ...plan, calls: calls.slice(half) }],
    ...Shrink.faultsOf(plan),
    ["a new server", plan.isFresh, { ...plan, isFresh: false }],
    ["losses", plan.losses.length > 0, { ...plan, losses: [] }],
    ...plan.losses.map(
      (loss) =>
        [
          `loss ${loss._tag}`,
          plan.losses.length > 1,
          { ...plan, losses: plan.losses.filter((kept) => kept !== loss) }
        ] as const
    ),
    ["settings of the clock", plan.settings.length > 0, { ...plan, settings: [] }],
    ["outages", plan.outages.length > 0, { ...plan, outages: [] }],
    ["deaths", plan.deaths.length > 0, { ...plan, deaths: [] }],
    ["jumps", plan.jumps.length > 0, { ...plan, jumps: [] }],
    ["another program", plan.foreign.length > 0, { ...plan, foreign: [] }],
    ["spare places", plan.isSparing, { ...plan, isSparing: false }],
    ["observations", plan.isObserving, { ...plan, isObserving: false }],
    ["latency", plan.latency > 0, { ...plan, latency: 0 }],
    [
      "interruptions",
      calls.some(
        (call) => call.interruptedAfter !== undefined || call.isInterruptedWhenReserved || call.isInterruptedInFlight
      ),
      {
        ...plan,
        calls: calls.map(({ interruptedAfter: _, ...call }) => ({
          ...call,
          isInterruptedWhenReserved: false,
          isInterruptedInFlight: false
        }))
      }
    ],
    [
      "ends of waiting",
      calls.some(({ endedAfter }) => endedAfter !== undefined),
      { ...plan, calls: calls.map(({ endedAfter: _, ...call }) => call) }
    ]
  ]
  return [...Shrink.withoutFeatures(features), ...Shrink.withoutCalls(plan)]
}
