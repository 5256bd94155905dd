/** Rolling totals of the amounts that writes put at risk, without effects and without a clock. Instants are monotonic milliseconds. */
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import type { Amount, Kind } from "../attempt/callState.js"

/** The caps of one currency or coin. */
export interface Caps {
  readonly largest?: BigDecimal.BigDecimal | undefined
  readonly perHour?: BigDecimal.BigDecimal | undefined
  readonly perDay?: BigDecimal.BigDecimal | undefined
}

/** The cap that a write would exceed. */
export interface Breach {
  readonly rule: "largest" | "perHour" | "perDay"
  readonly unit: string
  readonly index: number
  readonly amount: BigDecimal.BigDecimal
  readonly limit: BigDecimal.BigDecimal
  /** The total without this write; 0 for `largest`. */
  readonly used: BigDecimal.BigDecimal
}

export const hour = 3_600_000
export const day = 24 * hour

const zero = BigDecimal.unsafeFromNumber(0)

/** An amount that counts. */
interface CountedAmount {
  readonly value: BigDecimal.BigDecimal
  /** The end of its call. During the call it counts without end. */
  endedAt: number | undefined
  inHour: boolean
  inDay: boolean
}

/** The amounts of one currency or coin. */
class Total {
  #sum = { hour: zero, day: zero }
  #entries: Array<CountedAmount> = []
  #hourHead = 0
  #dayHead = 0

  add(value: BigDecimal.BigDecimal): CountedAmount {
    this.#sum = { hour: BigDecimal.sum(this.#sum.hour, value), day: BigDecimal.sum(this.#sum.day, value) }
    return { value, endedAt: undefined, inHour: true, inDay: true }
  }

  /** Called when the call of an entry has ended and can have been executed: the entry counts for an hour and a day from now. */
  end(entry: CountedAmount, now: number): void {
    entry.endedAt = now
    this.#entries.push(entry)
  }

  remove(entry: CountedAmount): void {
    if (entry.inHour) this.#sum.hour = BigDecimal.subtract(this.#sum.hour, entry.value)
    if (entry.inDay) this.#sum.day = BigDecimal.subtract(this.#sum.day, entry.value)
    entry.inHour = false
    entry.inDay = false
  }

  /** Undoes a removal. */
  putBack(entry: CountedAmount, inHour: boolean, inDay: boolean): void {
    if (inHour) this.#sum.hour = BigDecimal.sum(this.#sum.hour, entry.value)
    if (inDay) this.#sum.day = BigDecimal.sum(this.#sum.day, entry.value)
    entry.inHour = inHour
    entry.inDay = inDay
  }

  used(now: number): { readonly hour: BigDecimal.BigDecimal; readonly day: BigDecimal.BigDecimal } {
    for (let entry = this.#entries[this.#hourHead]; isOver(entry, now - hour); entry = this.#entries[this.#hourHead]) {
      if (entry.inHour) this.#sum.hour = BigDecimal.subtract(this.#sum.hour, entry.value)
      entry.inHour = false
      this.#hourHead++
    }
    for (let entry = this.#entries[this.#dayHead]; isOver(entry, now - day); entry = this.#entries[this.#dayHead]) {
      if (entry.inDay) this.#sum.day = BigDecimal.subtract(this.#sum.day, entry.value)
      entry.inDay = false
      this.#dayHead++
    }
    if (this.#dayHead > 1024 && this.#dayHead * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#dayHead)
      this.#hourHead -= this.#dayHead
      this.#dayHead = 0
    }
    return { ...this.#sum }
  }
}

const isOver = (entry: CountedAmount | undefined, from: number): entry is CountedAmount =>
  entry?.endedAt !== undefined && entry.endedAt <= from

/** The amounts of one write, until its call has ended. */
export interface Reservation {
  readonly parts: ReadonlyArray<{ readonly total: Total; readonly entry: CountedAmount; readonly index: number }>
  readonly requestId: string | undefined
}

export type AllCaps = Readonly<Record<Kind, Readonly<Record<string, Caps>>>>

/**
 * Checks writes against caps. Amounts count from the reservation, so that concurrent writes cannot exceed a cap together, until an hour or a day after the end
 * of the call.
 */
export class Totals {
  readonly #totals = new Map<string, Total>()
  readonly #ended = new Map<string, Reservation>()

  constructor(private readonly caps: AllCaps) {}

  /**
   * Reserves the amounts of a write, all or none. A write with the request id of an earlier one replaces it: the service executes one of
   * them.
   */
  reserve(
    amounts: ReadonlyArray<Amount>,
    requestId: string | undefined,
    now: number
  ): Either.Either<Reservation, Breach> {
    const earlier = requestId === undefined ? undefined : this.#ended.get(requestId)
    const restore = earlier === undefined ? undefined : this.#remove(earlier)
    const parts: Array<Reservation["parts"][number]> = []
    for (const amount of amounts) {
      const total = this.#totalOf(amount)
      const breach = this.#breachOf(amount, total, now)
      if (breach !== undefined) {
        for (const part of parts) part.total.remove(part.entry)
        restore?.()
        return Either.left(breach)
      }
      parts.push({ total, entry: total.add(amount.value), index: amount.index })
    }
    if (requestId !== undefined) this.#ended.delete(requestId)
    return Either.right({ parts, requestId })
  }

  /** Ends a reservation. `isReleased`: whether a part of the write was provably not executed. */
  settle({ parts, requestId }: Reservation, isReleased: (index: number) => boolean, now: number): void {
    const kept = parts.filter(({ entry, index, total }) => {
      if (isReleased(index)) {
        total.remove(entry)
        return false
      }
      total.end(entry, now)
      return true
    })
    if (requestId === undefined || kept.length === 0) return
    for (const [id, { parts: old }] of this.#ended) {
      if (old.some(({ entry }) => entry.inDay)) break
      this.#ended.delete(id)
    }
    this.#ended.set(requestId, { parts: kept, requestId })
  }

  /** Counts an amount of an earlier process, from the end of its call. Call it with the oldest first. */
  restore(amounts: ReadonlyArray<Amount>, requestId: string | undefined, endedAt: number): void {
    const parts = amounts.map((amount) => {
      const total = this.#totalOf(amount)
      return { total, entry: total.add(amount.value), index: amount.index }
    })
    this.settle({ parts, requestId }, () => false, endedAt)
  }

  /** The total of a currency or coin. */
  used(
    kind: Kind,
    unit: string,
    now: number
  ): { readonly hour: BigDecimal.BigDecimal; readonly day: BigDecimal.BigDecimal } {
    return this.#totals.get(`${kind} ${unit}`)?.used(now) ?? { hour: zero, day: zero }
  }

  #totalOf({ kind, unit }: Amount): Total {
    const key = `${kind} ${unit}`
    const existing = this.#totals.get(key)
    if (existing !== undefined) return existing
    const total = new Total()
    this.#totals.set(key, total)
    return total
  }

  #breachOf({ index, kind, unit, value: amount }: Amount, total: Total, now: number): Breach | undefined {
    const { largest, perDay, perHour } = this.caps[kind][unit] ?? {}
    const used = total.used(now)
    const breach = (rule: Breach["rule"], limit: BigDecimal.BigDecimal | undefined, before: BigDecimal.BigDecimal) =>
      limit !== undefined && BigDecimal.greaterThan(BigDecimal.sum(before, amount), limit)
        ? { rule, unit, index, amount, limit, used: before }
        : undefined
    return (
      breach("largest", largest, zero) ?? breach("perHour", perHour, used.hour) ?? breach("perDay", perDay, used.day)
    )
  }

  /** Removes the amounts of a reservation. Returns how to put them back. */
  #remove({ parts }: Reservation): () => void {
    const counted = parts.map(({ entry, total }) => ({ entry, total, inHour: entry.inHour, inDay: entry.inDay }))
    for (const { entry, total } of counted) total.remove(entry)
    return () => {
      for (const { entry, inDay, inHour, total } of counted) total.putBack(entry, inHour, inDay)
    }
  }
}
