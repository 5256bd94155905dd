/**
 * What happens in one run, as a plain value made from a seed: the calls, and what goes wrong.
 */
import * as Draws from "./Draws.js"
import * as Shrink from "./Shrink.js"
import type * as Sim from "./Sim.js"

/**
 * What a caller wants. `create`, `cancel` (of an order that another call creates or not) and `batch` are writes, `transfer` is
 * idempotent, `read` is a read.
 */
export type Kind = "batch" | "cancel" | "create" | "read" | "transfer"

export interface Call {
  readonly id: string
  readonly kind: Kind
  /** Milliseconds after the start. */
  readonly at: number
  /** Milliseconds after `at`. */
  readonly interruptedAfter?: number | undefined
  /** The limit of the whole call, in milliseconds. */
  readonly timeout?: number | undefined
}

/** What can happen to one sending. */
export const faults = [
  /** Refused before a connection exists. */
  "notConnected",
  /** The connection breaks before the service has the request. */
  "lostBefore",
  /** The connection breaks after the service has executed the request. */
  "lostAfter",
  /** No answer, and the service never gets the request. */
  "silentBefore",
  /** No answer, and the service has executed the request. */
  "silentAfter",
  /** The answer takes longer than an attempt may. */
  "lateAnswer",
  /** The request arrives after the attempt has timed out. */
  "lateRequest",
  /** A page of a proxy instead of an answer; the service never gets the request. */
  "htmlBefore",
  /** A page of a proxy instead of an answer, after the service has executed the request. */
  "htmlAfter",
  /** The body of the answer breaks off. */
  "cutBody",
  /** The service gets the request twice. */
  "doubled"
] as const

export type Fault = (typeof faults)[number]

export interface Plan {
  readonly seed: number
  /** What the calls arrive at. */
  readonly exchange: "sandbox" | "small"
  /** The exchange's clock minus this machine's, in milliseconds; the sandbox's is 0. */
  readonly ahead: number
  /** Orders a second that the small exchange takes, where that is not the documented number. */
  readonly orderLimit?: number | undefined
  /** The small exchange refuses the last order of a batch, and answers in another order. */
  readonly isShuffling?: boolean | undefined
  readonly mode: Sim.Mode
  readonly calls: ReadonlyArray<Call>
  /** The probability that something happens to a sending, and what can. */
  readonly faults: { readonly probability: number; readonly kinds: ReadonlyArray<Fault> }
  /** How long a request or an answer takes at most, in milliseconds. */
  readonly latency: number
  /** The application wraps its client in one that sends again after transient failures. */
  readonly isRetrying: boolean
  /** How long signing takes at most, in milliseconds; 0 when it is immediate. */
  readonly signing: number
  /** Jumps of this machine's wall clock. */
  readonly jumps: ReadonlyArray<{ readonly at: number; readonly by: number }>
  /** When the address is banned for ten minutes, in milliseconds after the start. */
  readonly bannedAt?: number | undefined
  /** Calls to a banned address wait for the end of the ban; otherwise they fail. */
  readonly isWaiting: boolean
}

const kinds: readonly [Kind, ...ReadonlyArray<Kind>] = [
  "create",
  "create",
  "batch",
  "cancel",
  "transfer",
  "transfer",
  "read",
  "read"
]

/** Calls of few kinds, more than one second has room for. */
const crowd = (draws: Draws.Draws): ReadonlyArray<Call> => {
  const few = [draws.pick(kinds, "crowd", 0), draws.pick(kinds, "crowd", 1)] as const
  return Array.from({ length: 12 + draws.int(18, "crowd", "calls") }, (_, index) => {
    const id = `c${index}`
    return {
      id,
      kind: draws.pick(few, id, "kind"),
      at: draws.int(draws.pick([1, 3, 1_500], "crowd", "within"), id, "at")
    }
  })
}

const callsOf = (draws: Draws.Draws): ReadonlyArray<Call> => {
  const burst = draws.chance(0.4, "burst")
  const isInterrupting = draws.chance(0.5, "interrupting")
  const isLimited = draws.chance(0.25, "limited")
  return Array.from({ length: 1 + draws.int(12, "calls") }, (_, index) => {
    const id = `c${index}`
    return {
      id,
      kind: draws.pick(kinds, id, "kind"),
      at: burst ? draws.int(3, id, "at") : draws.int(20_000, id, "at"),
      interruptedAfter:
        isInterrupting && draws.chance(0.4, id, "interrupted")
          ? draws.int(draws.pick([50, 500, 15_000], id, "scale"), id, "after")
          : undefined,
      timeout: isLimited && draws.chance(0.5, id, "limited") ? 200 + draws.int(20_000, id, "timeout") : undefined
    }
  })
}

/** The plan of a seed. Each feature is there or not, so that runs with few of them occur too. */
export const make = (seed: number, options: { readonly isAnywhere: boolean } = { isAnywhere: false }): Plan => {
  const draws = Draws.make(seed)
  const hasFaults = draws.chance(0.7, "hasFaults")
  const subset = faults.filter((fault) => draws.chance(0.5, "fault", fault))
  const isSmall = draws.chance(0.5, "exchange")
  return {
    seed,
    exchange: isSmall ? "small" : "sandbox",
    ahead: isSmall ? draws.pick([0, 0, 700, -700, 30_000, -30_000], "ahead") : 0,
    orderLimit: isSmall && draws.chance(0.3, "limit") ? draws.pick([3, 5], "orders") : undefined,
    isShuffling: isSmall && draws.chance(0.2, "shuffling"),
    mode: options.isAnywhere
      ? { _tag: "anywhere", probability: draws.pick([0.002, 0.01, 0.03], "yields") }
      : { _tag: "lawful" },
    calls: isSmall && draws.chance(0.15, "crowd") ? crowd(draws) : callsOf(draws),
    faults: {
      probability: hasFaults ? draws.pick([0.1, 0.3, 0.6], "faults") : 0,
      kinds: subset.length === 0 ? faults : subset
    },
    latency: draws.pick([0, 20, 400, 3_000], "latency"),
    isRetrying: draws.chance(0.25, "retrying"),
    signing: draws.chance(0.3, "signer") ? draws.pick([50, 2_000], "signing") : 0,
    jumps: draws.chance(0.3, "jumping")
      ? Array.from({ length: 1 + draws.int(2, "jumps") }, (_, index) => ({
          at: draws.int(20_000, "jump", index),
          by: draws.pick([3_600_000, -3_600_000, 2_000, -2_000, 600_000], "by", index)
        }))
      : [],
    bannedAt: draws.chance(0.2, "ban") ? draws.int(15_000, "bannedAt") : undefined,
    isWaiting: draws.chance(0.5, "waiting")
  }
}

/** A plan without one call, or without one feature that it has. */
export const without = (plan: Plan): ReadonlyArray<readonly [name: string, plan: Plan]> => {
  const { calls } = plan
  const features: ReadonlyArray<Shrink.Feature<Plan>> = [
    ...Shrink.faultsOf(plan),
    ["clock ahead", plan.ahead !== 0, { ...plan, ahead: 0 }],
    ["lower limit", plan.orderLimit !== undefined, { ...plan, orderLimit: undefined }],
    ["shuffled batches", plan.isShuffling === true, { ...plan, isShuffling: false }],
    ["latency", plan.latency > 0, { ...plan, latency: 0 }],
    ["retrying client", plan.isRetrying, { ...plan, isRetrying: false }],
    ["slow signer", plan.signing > 0, { ...plan, signing: 0 }],
    ["jumps", plan.jumps.length > 0, { ...plan, jumps: [] }],
    ["ban", plan.bannedAt !== undefined, { ...plan, bannedAt: undefined }],
    ["waiting for the end of a ban", plan.isWaiting, { ...plan, isWaiting: false }],
    [
      "interruptions",
      calls.some(({ interruptedAfter }) => interruptedAfter !== undefined),
      { ...plan, calls: calls.map(({ interruptedAfter: _, ...call }) => call) }
    ],
    [
      "time limits",
      calls.some(({ timeout }) => timeout !== undefined),
      { ...plan, calls: calls.map(({ timeout: _, ...call }) => call) }
    ]
  ]
  return [...Shrink.withoutCalls(plan), ...Shrink.withoutFeatures(features)]
}
