/**
 * What happens in one run of exports, as a plain value made from a seed: what is exported, and which processes begin to, and how they end.
 */
import * as Draws from "./Draws.js"
import * as Plan from "./Plan.js"
import type * as ShiftingLists from "./ShiftingLists.js"
import type * as Sim from "./Sim.js"
import type * as World from "./World.js"

export const subjects = ["executions linear", "executions spot", "closed-pnl linear", "deposits", "transfers"] as const

export type Subject = (typeof subjects)[number]

/**
 * How a process ends before it is done, at its `operation`-th operation on files: it is `killed`, alone or with the machine (`crashed`), or
 * `frozen` and revived later.
 */
export type Fate =
  | { readonly _tag: "crashed"; readonly operation: number; readonly keepsNames: boolean }
  | { readonly _tag: "frozen"; readonly operation: number; readonly revivedAfter: number }
  | { readonly _tag: "killed"; readonly operation: number }

export interface Start {
  readonly id: string
  /** Milliseconds after the start of the run. */
  readonly at: number
  readonly account: "main" | "sub"
  /** Its wall clock minus the exchange's, in milliseconds. */
  readonly ahead: number
  readonly fate?: Fate | undefined
}

export interface ExportPlan {
  readonly seed: number
  readonly mode: Sim.Mode
  readonly subjects: ReadonlyArray<Subject>
  readonly days: number
  /** The last of these starts is followed by another one, which nothing disturbs. */
  readonly starts: ReadonlyArray<Start>
  /** Processes can check which of the others are alive; otherwise locks are judged by whether they are touched. */
  readonly isIdentified: boolean
  readonly faults: Plan.Plan["faults"]
  readonly latency: number
  readonly shifts: ShiftingLists.Shifts
}

const fateOf = (draws: Draws.Draws, id: string): Fate | undefined => {
  const operation = 1 + draws.int(draws.pick([30, 120, 250], id, "scale"), id, "operation")
  switch (draws.pick(["none", "killed", "killed", "crashed", "frozen"] as const, id, "fate")) {
    case "none":
      return undefined
    case "killed":
      return { _tag: "killed", operation }
    case "crashed":
      return { _tag: "crashed", operation, keepsNames: draws.chance(0.5, id, "names") }
    case "frozen":
      return { _tag: "frozen", operation, revivedAfter: draws.pick([500, 15_000, 60_000, 120_000], id, "revived") }
  }
}

export const make = (seed: number, { isAnywhere }: World.Options): ExportPlan => {
  const draws = Draws.make(seed)
  const chosen = subjects.filter((subject) => draws.chance(0.3, "subject", subject))
  const kinds = Plan.faults.filter((fault) => draws.chance(0.4, "fault", fault))
  return {
    seed,
    mode: isAnywhere ? { _tag: "anywhere", probability: draws.pick([0.002, 0.01], "yields") } : { _tag: "lawful" },
    subjects: chosen.length === 0 ? ["executions linear"] : chosen,
    // More than one window of a week, in some.
    days: draws.pick([1, 2, 3, 3, 9, 16], "days"),
    starts: Array.from({ length: 1 + draws.int(4, "starts") }, (_, index) => {
      const id = `p${index}`
      return {
        id,
        at: index === 0 ? 0 : draws.int(draws.pick([50, 5_000, 90_000], id, "scale of at"), id, "at"),
        account: draws.chance(0.2, id, "account") ? "sub" : "main",
        ahead: draws.chance(0.3, id, "clock") ? draws.pick([3_600_000, -3_600_000, 90_000_000], id, "ahead") : 0,
        fate: fateOf(draws, id)
      }
    }),
    isIdentified: draws.chance(0.5, "identified"),
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

/** A plan without one start, or without one feature that it has. */
export const without = (plan: ExportPlan): ReadonlyArray<readonly [name: string, plan: ExportPlan]> => {
  const { faults, starts } = plan
  const withStart = (start: Start, changed: Start) => ({
    ...plan,
    starts: starts.map((kept) => (kept === start ? changed : kept))
  })
  return [
    ...(starts.length > 1 ? starts : []).map(
      (start) => [`start ${start.id}`, { ...plan, starts: starts.filter((kept) => kept !== start) }] as const
    ),
    ...(plan.subjects.length > 1 ? plan.subjects : []).map(
      (subject) => [subject, { ...plan, subjects: plan.subjects.filter((kept) => kept !== subject) }] as const
    ),
    ...starts.flatMap((start) => [
      ...(start.fate === undefined
        ? []
        : [[`${start.id} ${start.fate._tag}`, withStart(start, { ...start, fate: undefined })] as const]),
      ...(start.ahead === 0 ? [] : [[`clock of ${start.id}`, withStart(start, { ...start, ahead: 0 })] as const]),
      ...(start.account === "main"
        ? []
        : [[`account of ${start.id}`, withStart(start, { ...start, account: "main" })] as const])
    ]),
    ...(faults.probability > 0 ? [["faults", { ...plan, faults: { ...faults, probability: 0 } }] as const] : []),
    ...(plan.latency > 0 ? [["latency", { ...plan, latency: 0 }] as const] : []),
    ...(plan.shifts.probability > 0
      ? [["shifts", { ...plan, shifts: { ...plan.shifts, probability: 0 } }] as const]
      : []),
    ...(plan.days > 1 ? [["days", { ...plan, days: 1 }] as const] : [])
  ]
}
