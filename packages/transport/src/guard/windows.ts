/** The sums of an hour and a day, by minute, without effects and without a clock. Instants are monotonic milliseconds. */
import * as BigDecimal from "effect/BigDecimal"

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

export const zero = BigDecimal.unsafeFromNumber(0)

export interface WindowSums {
  readonly hour: BigDecimal.BigDecimal
  readonly day: BigDecimal.BigDecimal
}

/** Whether an amount that ages from an instant counts: until the span has passed since the end of its minute. */
export const isWithin = (from: number, span: number, now: number): boolean =>
  Math.ceil(from / minute) > Math.floor(now / minute) - span / minute

/** Amounts by the minute in which they began to age. An amount counts until an hour and a day after the end of its minute. */
export class Windows {
  /** By the end of the minute, in minutes. */
  readonly #minutes = new Map<number, BigDecimal.BigDecimal>()
  #ageless = zero
  #sums: WindowSums = { hour: zero, day: zero }
  #now = Number.NEGATIVE_INFINITY

  /** Adds an amount that ages from an instant; `Infinity`: it does not age. A negative amount takes an earlier one back. */
  add(value: BigDecimal.BigDecimal, from: number): void {
    if (from === Number.POSITIVE_INFINITY) {
      this.#ageless = BigDecimal.sum(this.#ageless, value)
      return
    }
    const end = Math.ceil(from / minute)
    if (end <= this.#now - 1440) return
    this.#minutes.set(end, BigDecimal.sum(this.#minutes.get(end) ?? zero, value))
    this.#sums = {
      hour: end > this.#now - 60 ? BigDecimal.sum(this.#sums.hour, value) : this.#sums.hour,
      day: BigDecimal.sum(this.#sums.day, value)
    }
  }

  used(now: number): WindowSums {
    const current = Math.floor(now / minute)
    if (current > this.#now) this.#age(current)
    return {
      hour: BigDecimal.sum(this.#sums.hour, this.#ageless),
      day: BigDecimal.sum(this.#sums.day, this.#ageless)
    }
  }

  /** Computes the sums anew, once a minute. */
  #age(current: number): void {
    this.#now = current
    let hour = zero
    let day = zero
    for (const [end, value] of this.#minutes) {
      if (end <= current - 1440) this.#minutes.delete(end)
      else {
        day = BigDecimal.sum(day, value)
        if (end > current - 60) hour = BigDecimal.sum(hour, value)
      }
    }
    this.#sums = { hour, day }
  }
}
