/** The closed writes that only a guard counts, as sums, without effects and without a clock. */
import * as BigDecimal from "effect/BigDecimal"
import type { GuardedAmount, GuardedTotal, Intent, RecordedEntry } from "./WriteJournal.js"

const minute = 60_000

// A timestamp can be ahead of the service's clock by a second.
const mostAhead = 1_000

/** A day, and an hour for the error of all clocks. */
const keptFor = 25 * 60 * minute

/** The latest instant at which the service can have executed a write, by its clock. */
export const latestExecution = ({ at, recvWindow }: Intent): number => at + recvWindow + mostAhead

/** Whether a part of a write was provably not executed. */
export const isReleased = ({ outcome }: Pick<RecordedEntry, "outcome">, index: number): boolean => {
  switch (outcome?._tag) {
    case "NotSent":
    case "Refused":
      return true
    case "Reconciled":
      return outcome.executed === "no"
    case "Done":
      return (outcome.codes?.[index] ?? 0) !== 0
    default:
      return false
  }
}

/** The amounts of a closed write that can have been executed. */
export const totalsOf = (entry: RecordedEntry): ReadonlyArray<GuardedTotal> => {
  const { amounts = [], host } = entry.intent
  const at = latestExecution(entry.intent)
  return amounts
    .filter(({ index }) => !isReleased(entry, index))
    .map(({ id, kind, unit, value }) => ({ host, kind, unit, value, at, ...(id === undefined ? {} : { id }) }))
}

/** Identifies a write by its id: the amounts of calls with this id are one amount. */
export const sharedKey = ({ id, kind, unit }: Pick<GuardedAmount, "id" | "kind" | "unit">): string | undefined =>
  id === undefined ? undefined : `${kind} ${unit} ${id}`

/** The larger amount and the later time of two calls with one id. */
export const larger = (left: GuardedTotal | undefined, right: GuardedTotal): GuardedTotal =>
  left === undefined
    ? right
    : {
        ...right,
        value: BigDecimal.greaterThan(decimal(left), decimal(right)) ? left.value : right.value,
        at: Math.max(left.at, right.at)
      }

const decimal = ({ value }: GuardedTotal): BigDecimal.BigDecimal => BigDecimal.unsafeFromString(value)

/** Identifies the sum of a unit in a minute, or one write by its id. */
export const keyOf = (total: GuardedTotal): string =>
  sharedKey(total) ?? `${total.kind} ${total.unit} ${total.at} ${total.host}`

/** Closed writes by host: one sum for each unit and minute, and each transfer under its id, because it can be repeated. */
export class GuardedTotals {
  readonly #totals = new Map<string, GuardedTotal>()
  /** The time at each host has reached this, since the host has accepted a signature of it. */
  readonly #reached = new Map<string, number>()
  #pruneAt = 0

  /** Adds an amount. The service executes the id of an order once, so that a closed order needs no id. */
  add(total: GuardedTotal): void {
    if (total.at < this.#oldest(total.host)) return
    if (total.kind === "transfers" && total.id !== undefined) {
      const key = keyOf(total)
      this.#totals.set(key, larger(this.#totals.get(key), total))
    } else {
      const { host, kind, unit, value } = total
      const sum = { host, kind, unit, value, at: Math.ceil(total.at / minute) * minute }
      const key = keyOf(sum)
      const earlier = this.#totals.get(key)
      const before = earlier === undefined ? undefined : decimal(earlier)
      this.#totals.set(
        key,
        before === undefined ? sum : { ...sum, value: BigDecimal.format(BigDecimal.sum(before, decimal(total))) }
      )
    }
    this.#prune()
  }

  /** Notes that a host has accepted a signature of this time. */
  reach(host: string, at: number): void {
    this.#reached.set(host, Math.max(this.#reached.get(host) ?? Number.NEGATIVE_INFINITY, at))
  }

  all(): ReadonlyArray<GuardedTotal> {
    return [...this.#totals.values()].filter(({ at, host }) => at >= this.#oldest(host))
  }

  #oldest(host: string): number {
    return (this.#reached.get(host) ?? Number.NEGATIVE_INFINITY) - keptFor
  }

  #prune(): void {
    if (this.#totals.size < this.#pruneAt) return
    for (const [key, { at, host }] of this.#totals) if (at < this.#oldest(host)) this.#totals.delete(key)
    this.#pruneAt = Math.max(1_000, 2 * this.#totals.size)
  }
}
