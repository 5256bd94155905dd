/** The closed writes that only a guard counts, as sums, without effects and without a clock. */
import * as BigDecimal from "effect/BigDecimal"
import type { GuardedAmount, GuardedTotal, Intent, RecordedEntry } from "./WriteJournal.js"

const minute = 60_000

/** A timestamp can be ahead of the service's clock by a second. */
export const mostAhead = 1_000

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
export const sharedKey = ({
  id,
  kind,
  unit
}: Pick<GuardedAmount, "kind" | "unit"> & { readonly id?: string | undefined }): string | undefined =>
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

/** The end of the minute of an instant. */
export const minuteOf = (at: number): number => Math.ceil(at / minute) * minute

/** Closed writes by host: one sum for each unit and minute, and each transfer under its id, because it can be repeated. */
export class GuardedTotals {
  /** By host, kind and unit, and then by id or minute: an id is in memory once. */
  readonly #groups = new Map<string, Map<number | string, GuardedTotal>>()
  /** The time at each host has reached this, since the host has accepted a signature of it. */
  readonly #reached = new Map<string, number>()
  #size = 0
  #pruneAt = 0

  /** `onChange` learns each amount that is changed, and that is removed if `isRemoved`. */
  constructor(private readonly onChange: (total: GuardedTotal, isRemoved: boolean) => void) {}

  /** Adds an amount. The service executes the id of an order once, so that a closed order needs no id. */
  add(total: GuardedTotal): void {
    if (total.at < this.#oldest(total.host)) return
    const group = this.#groupOf(total)
    if (total.kind === "transfers" && total.id !== undefined) {
      this.#set(group, total.id, larger(group.get(total.id), total))
    } else {
      const { host, kind, unit } = total
      const at = minuteOf(total.at)
      const earlier = group.get(at)
      const value =
        earlier === undefined ? total.value : BigDecimal.format(BigDecimal.sum(decimal(earlier), decimal(total)))
      this.#set(group, at, { host, kind, unit, value, at })
    }
    this.#prune()
  }

  /** Notes that a host has accepted a signature of this time. */
  reach(host: string, at: number): void {
    this.#reached.set(host, Math.max(this.#reached.get(host) ?? Number.NEGATIVE_INFINITY, at))
  }

  all(): ReadonlyArray<GuardedTotal> {
    const all: Array<GuardedTotal> = []
    for (const group of this.#groups.values()) {
      for (const total of group.values()) if (total.at >= this.#oldest(total.host)) all.push(total)
    }
    return all
  }

  #oldest(host: string): number {
    return (this.#reached.get(host) ?? Number.NEGATIVE_INFINITY) - keptFor
  }

  #groupOf({ host, kind, unit }: GuardedTotal): Map<number | string, GuardedTotal> {
    const key = `${kind} ${unit} ${host}`
    const group = this.#groups.get(key) ?? new Map<number | string, GuardedTotal>()
    this.#groups.set(key, group)
    return group
  }

  #set(group: Map<number | string, GuardedTotal>, key: number | string, total: GuardedTotal): void {
    if (!group.has(key)) this.#size++
    group.set(key, total)
    this.onChange(total, false)
  }

  #prune(): void {
    if (this.#size < this.#pruneAt) return
    for (const group of this.#groups.values()) {
      for (const [key, total] of group) {
        if (total.at >= this.#oldest(total.host)) continue
        group.delete(key)
        this.#size--
        this.onChange(total, true)
      }
    }
    this.#pruneAt = this.#size + Math.max(1_000, this.#size / 4)
  }
}
