/** The plans of recorded writes: processes that make them and end in the middle, and later ones that look up their outcomes. */
import * as Draws from "../../kernel/Draws.js"
import * as Scheduler from "../../kernel/Scheduler.js"
import type * as Exchange from "../../models/Exchange.js"
import * as Faults from "../../world/Faults.js"
import type * as Journal from "../../world/Journal.js"
import * as Mortal from "../../world/Mortal.js"
import type { Kind, Wrapper } from "../calls/Plan.js"
import type * as Workload from "../../run/Workload.js"

export interface WriteCall {
  readonly id: string
  readonly kind: Exclude<Kind, "read">
  readonly account: "main" | "sub"
  /** The start that makes it. */
  readonly start: number
  /** Milliseconds after its start. */
  readonly at: number
  /** Milliseconds after `at`. */
  readonly interruptedAfter?: number | undefined
  /** It is interrupted so long after each of its answers, in milliseconds, while its outcome is recorded. */
  readonly interruptedAtAnswer?: number | undefined
}

/** A process: it reconciles, then makes its calls, and can meet its fate meanwhile. */
export interface Start {
  readonly id: string
  /** Milliseconds after the end of the start before it, or after its start if that stands still. */
  readonly after: number
  readonly fate?: Mortal.Fate | undefined
  /** It is killed so long after its begin, in milliseconds. */
  readonly killedAfter?: number | undefined
  /** The disk has no space for so long, and then has space again. */
  readonly full?: Span | undefined
  /** The kill switch of all guards is on for so long. */
  readonly stopped?: Span | undefined
  /** By how much its wall clock is wrong, in milliseconds. */
  readonly skew?: number | undefined
}

/** A time from `after` the begin of a start; milliseconds. */
interface Span {
  readonly after: number
  readonly lasts: number
}

export interface WritesPlan extends Workload.WorkloadPlan {
  readonly starts: ReadonlyArray<Start>
  readonly calls: ReadonlyArray<WriteCall>
  readonly faults: Faults.Faults
  readonly latency: number
  /** How long an operation on a file takes at most, in milliseconds. */
  readonly disk: number
  readonly wrapper: Wrapper
  /** The most that all orders of a day, and all its transfers, may be worth together, in USDT, if a guard is to see to that. */
  readonly caps?: Journal.Conditions["caps"]
  /** The accounts are at two hosts. */
  readonly isApart: boolean
  readonly isLimitChanging: boolean
  readonly batches: Exclude<Exchange.Batches, "hole">
}

export const calm: Partial<WritesPlan> = {
  mode: { _tag: "lawful" },
  faults: Faults.none,
  latency: 0,
  disk: 0,
  wrapper: "none",
  batches: "right",
  caps: undefined,
  isApart: false,
  isLimitChanging: false
}

const kinds = ["create", "cancel", "batch", "batch", "transfer"] as const

/** Milliseconds between two starts; after the long one a guard counts no earlier orders. */
const pauses = [1, 300, 4_000] as const
const longPause = 91_000_000

/** The kinds of calls that a guard counts, and few others. */
const guarded = ["create", "create", "create", "batch", "cancel", "transfer", "transfer"] as const

const [hour, day] = [3_600_000, 86_400_000]

const spanOf = (draws: Draws.Draws, chance: number, id: string, name: string): Span | undefined =>
  draws.chance(chance, id, name)
    ? {
        after: draws.pick([0, 0, 30, 3_000], id, name, "after"),
        lasts: draws.pick([20, 4_000, 60_000], id, name, "lasts")
      }
    : undefined

export const make = (seed: number, { isAnywhere }: Workload.Options): WritesPlan => {
  const draws = Draws.make(seed)
  const caps = draws.chance(0.4, "cap")
    ? { orders: draws.pick([400, 600, 1_000], "cap", "most"), transfers: draws.pick([2, 4], "cap", "transfers") }
    : undefined
  const starts = Array.from({ length: 1 + draws.int(3, "starts") }, (_, index): Start => {
    const id = `p${index}`
    const killedAfter = draws.chance(0.3, id, "killed") ? draws.int(4_000, id, "killedAfter") : undefined
    const fate = killedAfter === undefined ? Mortal.fateOf(draws, id, [12, 30, 60]) : undefined
    return {
      id,
      after: draws.pick(caps === undefined ? pauses : [...pauses, longPause], id, "after"),
      fate,
      killedAfter,
      full: spanOf(draws, 0.25, id, "full"),
      stopped: caps === undefined ? undefined : spanOf(draws, 0.2, id, "stopped"),
      skew: draws.chance(0.3, id, "skewed") ? draws.pick([-3 * hour, 3 * hour, 2 * day], id, "skew") : undefined
    }
  })
  const isInterrupting = draws.chance(0.4, "interrupting")
  const subset = Faults.ofClient.filter((fault) => draws.chance(0.4, "fault", fault))
  return {
    seed,
    mode: Scheduler.modeOf(draws, isAnywhere),
    starts,
    calls: Array.from({ length: 1 + draws.int(8, "calls") }, (_, index): WriteCall => {
      const id = `c${index}`
      return {
        id,
        kind: draws.pick(caps === undefined ? kinds : guarded, id, "kind"),
        account: draws.chance(0.25, id, "account") ? "sub" : "main",
        start: draws.int(starts.length, id, "start"),
        at: draws.int(draws.pick([3, 3_000], id, "scale"), id, "at"),
        interruptedAfter:
          isInterrupting && draws.chance(0.4, id, "interrupted") ? draws.int(3_000, id, "after") : undefined,
        interruptedAtAnswer:
          isInterrupting && draws.chance(0.5, id, "answered") ? draws.pick([0, 1, 20], id, "atAnswer") : undefined
      }
    }),
    faults: {
      probability: draws.chance(0.6, "hasFaults") ? draws.pick([0.2, 0.5], "faults") : 0,
      kinds: subset.length === 0 ? Faults.ofClient : subset
    },
    latency: draws.pick([0, 20, 400, 3_000, 4_500], "latency"),
    disk: draws.pick([0, 0, 20, 150], "disk"),
    wrapper: draws.chance(0.4, "wrapped")
      ? draws.pick(["retrying", "hedging", "racing", "holding"], "wrapper")
      : "none",
    caps,
    isApart: draws.chance(0.4, "apart"),
    isLimitChanging: draws.chance(0.3, "changing"),
    batches: draws.chance(0.4, "hasBatches")
      ? draws.pick(["shuffled", "doubtful", "codeless", "empty"], "batches")
      : "right"
  }
}
