/** Random programs for a store of rate limits: one operation after the other. */
import * as Draws from "../../kernel/Draws.js"
import type * as Workload from "../../run/Workload.js"

/** One of the limits of a plan, and the places that a call takes from it. */
export interface Charge {
  /** Names the limit. */
  readonly key: string
  readonly scope: "ip" | "uid"
  readonly limit: number
  /** In milliseconds. */
  readonly window: number
  readonly cost: number
  readonly spare: number | undefined
}

/** The statement of an answer about a limit. Durations in milliseconds. */
export interface Observation {
  readonly roundTrip: number
  readonly limit: number | undefined
  readonly remaining: number | undefined
  readonly refused: boolean
  readonly resetAfter: number | undefined
}

export type StoreStep =
  | { readonly _tag: "Reserve"; readonly charges: ReadonlyArray<Charge> }
  | {
      readonly _tag: "Settle"
      /** Which of the reservations so far; a settled one can be settled again. */
      readonly which: number
      readonly outcome: "counted" | "refused" | "unsent"
      readonly arrivesWithin: number
    }
  | { readonly _tag: "Observe"; readonly charge: Charge; readonly observation: Observation }
  | { readonly _tag: "State"; readonly charge: Charge }

export interface StoreOperation {
  readonly id: string
  /** Milliseconds after the operation before it. */
  readonly after: number
  /** The address through which the process that does it sends. */
  readonly egress: "a" | "b"
  readonly step: StoreStep
}

export interface StoresPlan extends Workload.WorkloadPlan {
  /** The store begins as if every window were used up. */
  readonly isResting: boolean
  readonly operations: ReadonlyArray<StoreOperation>
}

// A window and a millisecond are longer than a window, whichever side of it is inclusive.
const pauses = [
  ...[0, 0, 0, 0, 0, 1, 7, 250, 500, 999, 1_000, 1_001, 1_001, 1_002, 1_002, 5_001],
  ...[599_999, 600_000, 600_001]
] as const

const limits = [
  { key: "address", scope: "ip", limit: 12, window: 5_000 },
  { key: "one", scope: "uid", limit: 5, window: 1_000 },
  { key: "other", scope: "uid", limit: 3, window: 1_000 }
] as const

const sizes = [1, 1, 1, 2, 5, 9] as const

const states = [undefined, undefined, 1, 2, 4, 6, 12, 0, -1, 1.5, 1_000_000, 1_000_001] as const

const stepsOf = (draws: Draws.Draws) => {
  /** In some plans most operations are about one limit. */
  const isOne = draws.chance(0.5, "one limit")
  const limitOf = (...name: ReadonlyArray<string>) =>
    isOne && draws.chance(0.8, ...name, "one") ? 1 : draws.int(limits.length, ...name)
  const chargeOf = (index: number, ...name: ReadonlyArray<string>): Charge => ({
    ...(limits[index % limits.length] ?? limits[0]),
    cost: draws.pick(sizes, ...name, "cost"),
    spare: draws.pick([undefined, undefined, 0, 1, 3, 20], ...name, "spare")
  })
  const chargesOf = (id: string): ReadonlyArray<Charge> => {
    const first = limitOf(id, "first")
    return Array.from({ length: 1 + draws.int(2, id, "charges") }, (_, index) =>
      chargeOf(first + index, id, String(index))
    )
  }
  return (id: string, index: number): StoreStep => {
    const kind = draws.fraction(id, "kind")
    if (kind < 0.4) return { _tag: "Reserve", charges: chargesOf(id) }
    if (kind < 0.7) {
      return {
        _tag: "Settle",
        which: draws.int(index + 1, id, "which"),
        outcome: draws.pick(["counted", "counted", "refused", "unsent"], id, "outcome"),
        arrivesWithin: draws.pick([0, 0, 0, 1, 400, 10_000], id, "arrives")
      }
    }
    const charge = chargeOf(limitOf(id, "limit"), id)
    if (kind < 0.8) return { _tag: "State", charge }
    return {
      _tag: "Observe",
      charge,
      observation: {
        roundTrip: draws.pick([0, 1, 40, 700, 1_000, 1_002, 5_001], id, "trip"),
        limit: draws.pick(states, id, "states"),
        remaining: draws.pick([undefined, -1, 0, 1, 2, 4, 11], id, "remaining"),
        refused: draws.chance(0.3, id, "refused"),
        resetAfter: draws.pick([undefined, -5, 0, 1, 300, 1_000, 1_001, 1_002, 5_001, 5_002, 70_000], id, "reset")
      }
    }
  }
}

export const make = (seed: number): StoresPlan => {
  const draws = Draws.make(seed)
  const stepOf = stepsOf(draws)
  return {
    seed,
    mode: { _tag: "lawful" },
    isResting: draws.chance(0.2, "resting"),
    operations: Array.from({ length: 4 + draws.int(40, "operations") }, (_, index) => {
      const id = `o${index}`
      return {
        id,
        after: draws.pick(pauses, id, "after"),
        egress: draws.pick(["a", "a", "b"], id, "egress"),
        step: stepOf(id, index)
      }
    })
  }
}
