/** The plans of calls on ban gates alone: before, during and at the end of bans. */
import * as Draws from "../../kernel/Draws.js"
import * as Scheduler from "../../kernel/Scheduler.js"
import * as Faults from "../../world/Faults.js"
import type * as Remote from "../../world/Remote.js"
import type * as World from "../../world/World.js"
import type * as Workload from "../../run/Workload.js"

/** How a call that was let through ends, if the service has not banned the address. */
export const ends = ["answered", "failed", "died", "interrupted"] as const

export type End = (typeof ends)[number]

/** The faults of an operation of the store. */
export const faults = [
  "lost",
  "replyLost",
  "slow",
  "unreachable",
  "defect"
] as const satisfies ReadonlyArray<Remote.Fault>

export interface BanCall {
  readonly id: string
  readonly process: number
  /** Milliseconds after the start. */
  readonly at: number
  /** Milliseconds from its departure to its end. */
  readonly lasts: number
  readonly end: End
  /** It waits for the end of a ban; otherwise it fails. */
  readonly isWaiting: boolean
  /** Milliseconds after `at`. */
  readonly interruptedAfter?: number | undefined
}

interface Span {
  readonly from: number
  readonly until: number
}

export interface BansPlan extends Workload.WorkloadPlan, World.Fates {
  /** The processes share their bans in a store; otherwise one process has a gate in its memory. */
  readonly isShared: boolean
  /** The addresses of the processes, each with its bans. */
  readonly egresses: ReadonlyArray<"a" | "b">
  readonly calls: ReadonlyArray<BanCall>
  /** When the service bans an address, in milliseconds after the start. */
  readonly bans: ReadonlyArray<Span & { readonly egress: "a" | "b" }>
  /** When the server of the bans cannot be reached. */
  readonly outages: ReadonlyArray<Span>
  readonly faults: Faults.Faults<(typeof faults)[number]>
  /** A journey to the server takes at most so long, in milliseconds. */
  readonly latency: number
}

export const calm: Partial<BansPlan> = {
  mode: { _tag: "lawful" },
  faults: Faults.none,
  outages: [],
  bans: [],
  jumps: [],
  deaths: [],
  latency: 0
}

const banLength = 600_000

type Range = readonly [begin: number, length: number]

const callsOf = (draws: Draws.Draws, processes: number, from: number): ReadonlyArray<BanCall> => {
  const slowness = draws.pick([1, 40, 3_000], "slowness")
  const isInterrupting = draws.chance(0.5, "interrupting")
  const isFailing = draws.chance(0.6, "failing")
  const end = from + banLength
  // A ban becomes known when an answer states it: its end is at most that much later.
  const spans: readonly [Range, ...ReadonlyArray<Range>] = [
    [0, 3_000],
    [from, 8_000],
    [from, banLength],
    [end, 5_000],
    [end, 1]
  ]
  const calls = Array.from({ length: 2 + draws.int(24, "calls") }, (_, index) => {
    const id = `c${index}`
    const [begin, span] = draws.pick(spans, id, "span")
    return {
      id,
      process: draws.int(processes, id, "process"),
      at: begin + draws.int(span, id, "at"),
      lasts: draws.int(slowness, id, "lasts"),
      end: isFailing ? draws.pick(ends, id, "end") : "answered",
      isWaiting: draws.chance(0.75, id, "waiting"),
      interruptedAfter:
        isInterrupting && draws.chance(0.4, id, "interrupted")
          ? draws.int(draws.pick([20, 3_000, 605_000], id, "scale"), id, "after")
          : undefined
    }
  })
  // Some calls are made at the instant at which the first answer ends that states the ban, or when the ban ends that it begins.
  const banned = calls.filter(({ at, lasts }) => at + lasts / 2 >= from)
  const first = Math.min(...banned.map(({ at, lasts }) => at + lasts))
  const instants = [first, first + banLength - 1, first + banLength] as const
  return calls.map((call) =>
    call.at > first && draws.chance(0.2, call.id, "aligned")
      ? { ...call, at: draws.pick(instants, call.id, "instant") }
      : call
  )
}

const bansOf = (draws: Draws.Draws, isShared: boolean, from: number): BansPlan["bans"] => {
  const end = from + banLength
  return [
    { egress: "a", from, until: end + (draws.chance(0.5, "longer") ? draws.int(5_000, "longer by") : 0) },
    ...(draws.chance(0.3, "again") ? [{ egress: "a" as const, from: end + 6_000, until: end + banLength }] : []),
    ...(isShared && draws.chance(0.3, "other") ? [{ egress: "b" as const, from: from + 500, until: end }] : [])
  ]
}

const fatesOf = (draws: Draws.Draws, isShared: boolean, processes: number, from: number): World.Fates => ({
  clocks: Array.from({ length: processes }, (_, index) =>
    isShared ? draws.pick([0, 0, 900, -3_600_000], "clock", index) : 0
  ),
  jumps: draws.chance(0.3, "jumping")
    ? [
        {
          process: draws.int(processes, "jumping process"),
          at: draws.int(banLength, "jump"),
          by: draws.pick([3_600_000, -3_600_000], "by")
        }
      ]
    : [],
  deaths:
    isShared && draws.chance(0.3, "deaths")
      ? [
          {
            process: draws.int(processes, "dying"),
            at: draws.pick([0, from + banLength], "death scale") + draws.int(4_000, "death")
          }
        ]
      : []
})

/** The plan of a seed. */
export const make = (seed: number, { isAnywhere }: Workload.Options): BansPlan => {
  const draws = Draws.make(seed)
  const isShared = draws.chance(0.4, "shared")
  const processes = isShared ? 2 + draws.int(3, "processes") : 1
  const from = draws.int(2_000, "ban")
  const subset = faults.filter((fault) => draws.chance(0.5, "faults", fault))
  const outage = draws.pick([0, from, from + banLength - 2_000], "outage") + draws.int(4_000, "outage at")
  return {
    seed,
    mode: Scheduler.modeOf(draws, isAnywhere),
    isShared,
    egresses: Array.from({ length: processes }, (_, index) =>
      isShared && draws.chance(0.2, "egress", index) ? "b" : "a"
    ),
    calls: callsOf(draws, processes, from),
    bans: bansOf(draws, isShared, from),
    outages:
      isShared && draws.chance(0.4, "outages")
        ? [{ from: outage, until: outage + draws.int(20_000, "outage lasts") }]
        : [],
    faults: {
      probability: isShared ? draws.pick([0, 0.1, 0.4], "faulty") : 0,
      kinds: subset.length === 0 ? faults : subset
    },
    latency: draws.pick([1, 50, 800], "latency"),
    ...fatesOf(draws, isShared, processes, from)
  }
}
