/**
 * What happens in one run of processes that share their bans, as a plain value made from a seed.
 */
import * as Draws from "../Draws.js"
import * as GatePlan from "../GatePlan.js"
import * as Shrink from "../Shrink.js"
import type * as Sim from "../Sim.js"

/**
 * What goes wrong with an operation of the store. `lost`: the request. `replyLost`: the server has run it. `late`: the reply comes after the
 * client has given it up. `unreachable`: no connection. `defect`: the client of the server dies.
 */
export const faults = ["lost", "replyLost", "late", "unreachable", "defect"] as const

export type Fault = (typeof faults)[number]

/** Addresses, each with bans of its own. */
export const egresses = ["a", "b"] as const

export type Egress = (typeof egresses)[number]

export interface Process {
  readonly egress: Egress
  /** How far its wall clock is from the others', in milliseconds. */
  readonly shift: number
}

export interface Call {
  readonly id: string
  readonly process: number
  /** Milliseconds after the start. */
  readonly at: number
  /** Milliseconds from its departure to its end. */
  readonly lasts: number
  readonly end: GatePlan.End
  /** It waits for the end of a ban; otherwise it fails. */
  readonly isWaiting: boolean
  /** Milliseconds after `at`. */
  readonly interruptedAfter?: number | undefined
}

interface Span {
  readonly from: number
  readonly until: number
}

export interface Plan {
  readonly seed: number
  readonly mode: Sim.Mode
  readonly processes: ReadonlyArray<Process>
  readonly calls: ReadonlyArray<Call>
  /** When the service bans an address, in milliseconds after the start. */
  readonly bans: ReadonlyArray<Span & { readonly egress: Egress }>
  /** When the server of the bans cannot be reached. */
  readonly outages: ReadonlyArray<Span>
  readonly faults: { readonly probability: number; readonly kinds: ReadonlyArray<Fault> }
  /** A journey to the server takes at most so long, in milliseconds. */
  readonly latency: number
  readonly jumps: ReadonlyArray<{ readonly process: number; readonly at: number; readonly by: number }>
  readonly deaths: ReadonlyArray<{ readonly process: number; readonly at: number }>
}

const banLength = 600_000

/** The plan of a seed: calls of several processes before, during and at the end of bans. */
export const make = (seed: number, options: { readonly isAnywhere: boolean } = { isAnywhere: false }): Plan => {
  const draws = Draws.make(seed)
  const count = 2 + draws.int(3, "processes")
  const from = draws.int(2_000, "ban")
  const slowness = draws.pick([1, 40, 3_000], "slowness")
  const isInterrupting = draws.chance(0.4, "interrupting")
  const isFailing = draws.chance(0.5, "failing")
  const subset = faults.filter((fault) => draws.chance(0.5, "faults", fault))
  const end = from + banLength
  const outage = draws.pick([0, from, end - 2_000], "outage") + draws.int(4_000, "outage at")
  const spans: readonly [readonly [number, number], ...ReadonlyArray<readonly [number, number]>] = [
    [0, 4_000],
    [from, 8_000],
    [from, banLength],
    [end, 6_000],
    [end, 1]
  ]
  return {
    seed,
    mode: options.isAnywhere
      ? { _tag: "anywhere", probability: draws.pick([0.002, 0.01, 0.03], "yields") }
      : { _tag: "lawful" },
    processes: Array.from({ length: count }, (_, index) => ({
      egress: draws.chance(0.8, "egress", index) ? "a" : "b",
      shift: draws.pick([0, 0, 900, -3_600_000], "clock", index)
    })),
    calls: Array.from({ length: 4 + draws.int(24, "calls") }, (_, index) => {
      const id = `c${index}`
      const [begin, span] = draws.pick(spans, id, "span")
      return {
        id,
        process: draws.int(count, id, "process"),
        at: begin + draws.int(span, id, "at"),
        lasts: draws.int(slowness, id, "lasts"),
        end: isFailing ? draws.pick(GatePlan.ends, id, "end") : "answered",
        isWaiting: draws.chance(0.7, id, "waiting"),
        interruptedAfter:
          isInterrupting && draws.chance(0.3, id, "interrupted")
            ? draws.int(draws.pick([20, 3_000, 605_000], id, "scale"), id, "after")
            : undefined
      }
    }),
    bans: [
      { egress: "a", from, until: end + (draws.chance(0.5, "longer") ? draws.int(5_000, "longer by") : 0) },
      ...(draws.chance(0.3, "again") ? [{ egress: "a" as const, from: end + 6_000, until: end + banLength }] : []),
      ...(draws.chance(0.3, "other") ? [{ egress: "b" as const, from: from + 500, until: end }] : [])
    ],
    outages: draws.chance(0.4, "outages") ? [{ from: outage, until: outage + draws.int(20_000, "outage lasts") }] : [],
    faults: {
      probability: draws.pick([0, 0.1, 0.4], "faulty"),
      kinds: subset.length === 0 ? faults : subset
    },
    latency: draws.pick([1, 50, 800], "latency"),
    jumps: draws.chance(0.3, "jumping")
      ? [
          {
            process: draws.int(count, "jumping process"),
            at: draws.int(banLength, "jump"),
            by: draws.pick([3_600_000, -3_600_000], "by")
          }
        ]
      : [],
    deaths: draws.chance(0.3, "deaths")
      ? [{ process: draws.int(count, "dying"), at: draws.pick([0, end], "death scale") + draws.int(4_000, "death") }]
      : []
  }
}

/** A plan without one call, or without one feature that it has. */
export const without = (plan: Plan): ReadonlyArray<readonly [name: string, plan: Plan]> => [
  ...Shrink.withoutCalls(plan),
  ...Shrink.withoutFeatures([
    ...Shrink.faultsOf(plan),
    ["outages", plan.outages.length > 0, { ...plan, outages: [] }],
    ["deaths", plan.deaths.length > 0, { ...plan, deaths: [] }],
    ...GatePlan.features(plan)
  ])
]
