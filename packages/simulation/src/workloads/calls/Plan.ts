/** The plans of calls: how many processes make which calls, and what goes wrong. */
import * as Draws from "../../kernel/Draws.js"
import * as Scheduler from "../../kernel/Scheduler.js"
import type * as Exchange from "../../models/Exchange.js"
import * as Faults from "../../world/Faults.js"
import type * as World from "../../world/World.js"
import type * as Workload from "../../run/Workload.js"

/** `create`, `cancel` (of an order that another call creates or not) and `batch` are writes, `transfer` is idempotent, `read` is a read. */
export type Kind = "batch" | "cancel" | "create" | "read" | "transfer"

export interface PlannedCall {
  readonly id: string
  readonly kind: Kind
  readonly process: number
  /** Milliseconds after the start. */
  readonly at: number
  /** Milliseconds after `at`. */
  readonly interruptedAfter?: number | undefined
  /** The limit of the whole call, in milliseconds. */
  readonly timeout?: number | undefined
}

/**
 * How the application wraps its client. `retrying`: it sends again after transient failures. `hedging`: it sends twice, side by side, and takes the
 * first success, or (`racing`) the first end. `answering`: it sometimes returns an answer that it has created. `holding`: it reads each answer, and returns it a
 * little later.
 */
export type Wrapper = "answering" | "hedging" | "holding" | "none" | "racing" | "retrying"

export interface CallsPlan extends Workload.WorkloadPlan, World.Fates {
  readonly exchange: "sandbox" | "small"
  /** The exchange's clock minus a right one, in milliseconds; the sandbox's is 0. */
  readonly ahead: number
  /** Orders a second that the small exchange takes, if that is not the documented number. */
  readonly orderLimit?: number | undefined
  /** The library is told that number in advance. */
  readonly isGranted: boolean
  readonly batches: Exchange.Batches
  /** By how much the small exchange misstates when its limits are free again, in milliseconds. */
  readonly resetShift: number
  readonly calls: ReadonlyArray<PlannedCall>
  /** The calls go through the connections for Node, over a dispatcher as undici's; otherwise through a client of the platform. */
  readonly isDispatched: boolean
  readonly faults: Faults.Faults
  /** How long a request or an answer takes at most, in milliseconds. */
  readonly latency: number
  /** How long an attempt can take, in milliseconds. */
  readonly attemptTimeout: number
  readonly wrapper: Wrapper
  /** How long signing takes at most, in milliseconds; 0 if it is immediate. */
  readonly signing: number
  /** When the address is banned for ten minutes, in milliseconds after the start. */
  readonly bannedAt?: number | undefined
  /** Calls to a banned address wait for the end of the ban; otherwise they fail. */
  readonly isWaiting: boolean
  /** The processes share their rate limits in one store, and requests to it can be lost. */
  readonly sharing: "lossy" | "none" | "steady"
}

export const calm: Omit<CallsPlan, "calls" | "seed"> = {
  exchange: "sandbox",
  ahead: 0,
  mode: { _tag: "lawful" },
  orderLimit: undefined,
  isGranted: false,
  batches: "right",
  resetShift: 0,
  isDispatched: false,
  faults: Faults.none,
  latency: 0,
  attemptTimeout: 10_000,
  wrapper: "none",
  signing: 0,
  bannedAt: undefined,
  isWaiting: false,
  sharing: "none",
  clocks: [0],
  jumps: [],
  deaths: []
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

const crowding = [...kinds, "batch", "batch"] as const satisfies ReadonlyArray<Kind>

/** Calls of few kinds, more than one second has room for. */
const crowd = (draws: Draws.Draws): ReadonlyArray<PlannedCall> => {
  const few = [draws.pick(crowding, "crowd", 0), draws.pick(crowding, "crowd", 1)] as const
  return Array.from({ length: 12 + draws.int(18, "crowd", "calls") }, (_, index) => {
    const id = `c${index}`
    const second = draws.int(draws.pick([1, 1, 3], "crowd", "seconds"), id, "second")
    const at = second * 1_000 + draws.int(draws.pick([1, 3, 1_500], "crowd", "within"), id, "at")
    return { id, kind: draws.pick(few, id, "kind"), process: 0, at }
  })
}

/** How long after its beginning a call is interrupted: some while they wait to send again after a timeout. */
const drawInterruption = (draws: Draws.Draws, id: string, isDispatched: boolean): number | undefined => {
  if (isDispatched && draws.chance(0.1, id, "isLate")) return 9_000 + draws.int(6_000, id, "late")
  return draws.chance(0.4, id, "interrupted")
    ? draws.int(draws.pick([50, 500, 15_000], id, "scale"), id, "after")
    : undefined
}

const callsOf = (draws: Draws.Draws, processes: number, isDispatched: boolean): ReadonlyArray<PlannedCall> => {
  const burst = draws.chance(0.4, "burst")
  const isInterrupting = draws.chance(0.5, "interrupting")
  const isLimited = draws.chance(0.25, "limited")
  return Array.from({ length: 1 + draws.int(12, "calls") }, (_, index) => {
    const id = `c${index}`
    return {
      id,
      kind: draws.pick(kinds, id, "kind"),
      process: draws.int(processes, id, "process"),
      at: burst ? draws.int(3, id, "at") : draws.int(20_000, id, "at"),
      interruptedAfter: isInterrupting ? drawInterruption(draws, id, isDispatched) : undefined,
      timeout: isLimited && draws.chance(0.5, id, "limited") ? 200 + draws.int(20_000, id, "timeout") : undefined
    }
  })
}

const fatesOf = (draws: Draws.Draws, isDispatched: boolean): World.Fates => {
  const count = isDispatched ? 2 + draws.int(2, "processes") : 1
  return {
    clocks: Array.from({ length: count }, (_, index) =>
      isDispatched ? draws.pick([0, 0, 900, -3_600_000, 86_400_000], "clock", index) : 0
    ),
    jumps: draws.chance(0.3, "jumping")
      ? Array.from({ length: 1 + draws.int(2, "jumps") }, (_, index) => ({
          process: draws.int(count, "jumping", index),
          at: draws.int(20_000, "jump", index),
          by: draws.pick([3_600_000, -3_600_000, 2_000, -2_000, 600_000], "by", index)
        }))
      : [],
    deaths:
      isDispatched && draws.chance(0.4, "deaths")
        ? [
            {
              process: draws.int(count, "dying"),
              at: draws.int(draws.pick([30, 3_000, 25_000], "death scale"), "death")
            }
          ]
        : []
  }
}

const exchangeOf = (draws: Draws.Draws) => {
  const isSmall = draws.chance(0.5, "exchange")
  return {
    exchange: isSmall ? "small" : "sandbox",
    ahead: isSmall ? draws.pick([0, 0, 700, -700, 30_000, -30_000], "ahead") : 0,
    orderLimit: isSmall && draws.chance(0.4, "limit") ? draws.pick([3, 5], "orders") : undefined,
    isGranted: draws.chance(0.7, "granted"),
    batches: draws.chance(0.25, "hasBatches")
      ? draws.pick(["shuffled", "doubtful", "hole"] as const, "batches")
      : "right",
    resetShift: isSmall ? draws.pick([0, 0, 0, 3_600_000, -3_600_000], "reset") : 0
  } as const
}

/** The plan of a seed. Each feature is there or not, so that runs with few of them occur too. */
export const make = (seed: number, { isAnywhere }: Workload.Options): CallsPlan => {
  const draws = Draws.make(seed)
  const isDispatched = draws.chance(0.4, "dispatched")
  const fates = fatesOf(draws, isDispatched)
  const exchange = exchangeOf(draws)
  const possible = isDispatched ? Faults.all : Faults.ofClient
  const subset = possible.filter((fault) => draws.chance(0.45, "fault", fault))
  return {
    seed,
    mode: Scheduler.modeOf(draws, isAnywhere),
    ...exchange,
    ...fates,
    isDispatched,
    calls:
      exchange.exchange === "small" && draws.chance(0.25, "crowd")
        ? crowd(draws)
        : callsOf(draws, fates.clocks.length, isDispatched),
    faults: {
      probability: draws.chance(0.7, "hasFaults") ? draws.pick([0.1, 0.3, 0.6], "faults") : 0,
      kinds: subset.length === 0 ? possible : subset
    },
    latency: draws.pick([0, 20, 400, 3_000], "latency"),
    attemptTimeout: draws.pick([10_000, 10_000, 10_000, 1_000], "attemptTimeout"),
    wrapper: draws.chance(0.4, "wrapped")
      ? draws.pick(["retrying", "hedging", "racing", "answering"], "wrapper")
      : "none",
    signing: draws.chance(0.3, "signer") ? draws.pick([50, 2_000], "signing") : 0,
    bannedAt: draws.chance(0.2, "ban") ? draws.int(draws.pick([1, 15_000], "ban", "scale"), "bannedAt") : undefined,
    isWaiting: draws.chance(0.5, "waiting"),
    sharing: isDispatched ? draws.pick(["none", "none", "none", "lossy", "steady"], "sharing") : "none"
  }
}
