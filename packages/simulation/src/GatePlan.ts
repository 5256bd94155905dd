/**
 * What happens in one run of the ban gate, as a plain value made from a seed.
 */
import * as Draws from "./Draws.js"
import * as Shrink from "./Shrink.js"
import type * as Sim from "./Sim.js"

/** How a call that was let through ends, where the service has not banned the address. */
export const ends = ["answered", "failed", "died", "interrupted"] as const

export type End = (typeof ends)[number]

export interface Call {
  readonly id: string
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

export interface Plan {
  readonly seed: number
  readonly mode: Sim.Mode
  readonly calls: ReadonlyArray<Call>
  /** When the service bans the address, in milliseconds after the start. */
  readonly bans: ReadonlyArray<{ readonly from: number; readonly until: number }>
  /** Jumps of the wall clock. */
  readonly jumps: ReadonlyArray<{ readonly at: number; readonly by: number }>
}

const banLength = 600_000

type Span = readonly [begin: number, length: number]

/** The plan of a seed: calls before, during and at the end of bans. */
export const make = (seed: number, options: { readonly isAnywhere: boolean } = { isAnywhere: false }): Plan => {
  const draws = Draws.make(seed)
  const from = draws.int(2_000, "ban")
  const isLonger = draws.chance(0.5, "longer")
  const isInterrupting = draws.chance(0.5, "interrupting")
  const isFailing = draws.chance(0.6, "failing")
  const slowness = draws.pick([1, 40, 3_000], "slowness")
  // A ban becomes known when an answer says so: its end is at most that much later.
  const spans: readonly [Span, ...ReadonlyArray<Span>] = [
    [0, 3_000],
    [from, banLength],
    [from + banLength, 4_000],
    [from + banLength, 1]
  ]
  return {
    seed,
    mode: options.isAnywhere
      ? { _tag: "anywhere", probability: draws.pick([0.002, 0.01, 0.03], "yields") }
      : { _tag: "lawful" },
    calls: Array.from({ length: 2 + draws.int(20, "calls") }, (_, index) => {
      const id = `c${index}`
      const [begin, span] = draws.pick(spans, id, "span")
      return {
        id,
        at: begin + draws.int(span, id, "at"),
        lasts: draws.int(slowness, id, "lasts"),
        end: isFailing ? draws.pick(ends, id, "end") : "answered",
        isWaiting: draws.chance(0.8, id, "waiting"),
        interruptedAfter:
          isInterrupting && draws.chance(0.4, id, "interrupted")
            ? draws.int(draws.pick([20, 3_000, 605_000], id, "scale"), id, "after")
            : undefined
      }
    }),
    bans: [
      { from, until: from + banLength + (isLonger ? draws.int(5_000, "longer by") : 0) },
      ...(draws.chance(0.3, "again") ? [{ from: from + banLength + 6_000, until: from + 2 * banLength }] : [])
    ],
    jumps: draws.chance(0.3, "jumping")
      ? [{ at: draws.int(banLength, "jump"), by: draws.pick([3_600_000, -3_600_000], "by") }]
      : []
  }
}

/** What processes that share their bans have too. */
type Gated = Pick<Plan, "bans" | "calls"> & { readonly jumps: ReadonlyArray<unknown> }

/** The features of any plan with bans. */
export const features = <A extends Gated>(plan: A): ReadonlyArray<Shrink.Feature<A>> => {
  const { bans, calls } = plan
  return [
    ["jumps", plan.jumps.length > 0, { ...plan, jumps: [] }],
    ["the last ban", bans.length > 0, { ...plan, bans: bans.slice(0, -1) }],
    [
      "interruptions",
      calls.some(({ interruptedAfter }) => interruptedAfter !== undefined),
      { ...plan, calls: calls.map(({ interruptedAfter: _, ...call }) => call) }
    ],
    [
      "failures",
      calls.some(({ end }) => end !== "answered"),
      { ...plan, calls: calls.map((call) => ({ ...call, end: "answered" })) }
    ]
  ]
}

/** A plan without one call, or without one feature that it has. */
export const without = (plan: Plan): ReadonlyArray<readonly [name: string, plan: Plan]> => [
  ...Shrink.withoutCalls(plan),
  ...Shrink.withoutFeatures(features(plan))
]
