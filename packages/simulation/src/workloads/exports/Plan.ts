/** The plans of exports: their parts, the processes that begin them, and how those end. */
import * as Draws from "../../kernel/Draws.js"
import * as Scheduler from "../../kernel/Scheduler.js"
import type * as ShiftingLists from "../../models/ShiftingLists.js"
import * as Faults from "../../world/Faults.js"
import * as Mortal from "../../world/Mortal.js"
import type * as Workload from "../../run/Workload.js"

export const subjects = ["executions linear", "executions spot", "closed-pnl linear", "deposits", "transfers"] as const

export type Subject = (typeof subjects)[number]

export interface Start {
  readonly id: string
  /** Milliseconds after the start of the run. */
  readonly at: number
  readonly account: "main" | "sub"
  /** Its wall clock minus the exchange's, in milliseconds. */
  readonly ahead: number
  readonly fate?: Mortal.Fate | undefined
}

/** A later start, which continues the export to an end some days later. */
export interface Night extends Start {
  readonly days: number
  /** The pages that it reads have lost their cursors: it covers nothing after the first page of a window. */
  readonly isCut: boolean
}

export interface ExportsPlan extends Workload.WorkloadPlan {
  readonly subjects: ReadonlyArray<Subject>
  readonly days: number
  /** The last of these starts is followed by another one, which nothing disturbs. */
  readonly starts: ReadonlyArray<Start>
  /** One after the other. The export is continued once more after them, by starts that nothing disturbs. */
  readonly nights: ReadonlyArray<Night>
  /** Processes can check which of the others are alive; otherwise locks are judged by whether they are touched. */
  readonly isIdentified: boolean
  readonly faults: Faults.Faults
  readonly latency: number
  readonly shifts: ShiftingLists.Shifts
}

export const calm: Partial<ExportsPlan> = {
  mode: { _tag: "lawful" },
  faults: Faults.none,
  latency: 0,
  shifts: { probability: 0, most: 1 },
  days: 1,
  nights: []
}

/** A process that is frozen, and wakes while another one is at work that has taken its lock. */
const duelOf = (draws: Draws.Draws): ReadonlyArray<Start> => {
  const [operation, revivedBy] = [8 + draws.int(60, "duel", "operation"), 30 + draws.int(60, "duel", "others")]
  const common = { account: "main", ahead: 0 } as const
  return [
    { ...common, id: "p0", at: 0, fate: { _tag: "frozen", operation, revivedAfter: 120_000, revivedBy } },
    { ...common, id: "p1", at: 1 + draws.int(20_000, "duel", "at") }
  ]
}

const nightsOf = (draws: Draws.Draws): ReadonlyArray<Night> =>
  Array.from({ length: draws.pick([0, 0, 1, 3], "nights") }, (_, index) => {
    const id = `n${index}`
    return {
      id,
      at: 0,
      account: "main",
      ahead: draws.chance(0.2, id, "clock") ? draws.pick([3_600_000, -3_600_000], id, "ahead") : 0,
      fate: Mortal.fateOf(draws, id, [30, 120, 250]),
      days: draws.pick([1, 1, 4, 9], id, "days"),
      isCut: draws.chance(0.3, id, "cut")
    }
  })

export const make = (seed: number, { isAnywhere }: Workload.Options): ExportsPlan => {
  const draws = Draws.make(seed)
  const chosen = subjects.filter((subject) => draws.chance(0.3, "subject", subject))
  const kinds = Faults.ofClient.filter((fault) => draws.chance(0.4, "fault", fault))
  const starts = Array.from({ length: 1 + draws.int(4, "starts") }, (_, index): Start => {
    const id = `p${index}`
    return {
      id,
      at: index === 0 ? 0 : draws.int(draws.pick([50, 5_000, 90_000], id, "scale of at"), id, "at"),
      account: draws.chance(0.2, id, "account") ? "sub" : "main",
      ahead: draws.chance(0.3, id, "clock") ? draws.pick([3_600_000, -3_600_000, 90_000_000], id, "ahead") : 0,
      fate: Mortal.fateOf(draws, id, [30, 120, 250])
    }
  })
  const isDuel = draws.chance(0.2, "duel")
  return {
    seed,
    mode: Scheduler.modeOf(draws, isAnywhere),
    subjects: chosen.length === 0 ? ["executions linear"] : chosen,
    // More than one window of a week, in some.
    days: draws.pick([1, 2, 3, 3, 9, 16], "days"),
    starts: [...(isDuel ? duelOf(draws) : []), ...starts.slice(isDuel ? 2 : 0)],
    nights: nightsOf(draws),
    isIdentified: !isDuel && draws.chance(0.5, "identified"),
    faults: {
      probability: kinds.length > 0 && draws.chance(0.5, "faulty") ? draws.pick([0.05, 0.3], "faults") : 0,
      kinds
    },
    latency: draws.pick([0, 20, 400], "latency"),
    shifts: {
      probability: draws.chance(0.4, "shifting") ? draws.pick([0.2, 1], "shifts") : 0,
      most: draws.pick([1, 3, 100], "shifted rows")
    }
  }
}
