/** Places that were taken from a rate limit at once. */
export interface Taken {
  readonly id: number | string
  readonly cost: number
  readonly takenAt: number
  /** The last instant at which the service may have counted it, in the future where the call has no answer; infinite while it is out. */
  settledAt: number
}

/**
 * What was taken from one rate limit: by calls that are out, and by answered ones until their window is over. Asking how much that is,
 * taking, and settling cost the same however much it is.
 */
export class Usage {
  used = 0
  readonly #out = new Map<number | string, Taken>()
  /** In the order of their responses, from `#first` on: earlier ones are over. */
  readonly #settled: Array<Taken> = []
  #first = 0

  take(id: number | string, cost: number, takenAt: number): void {
    this.#out.set(id, { id, cost, takenAt, settledAt: Number.POSITIVE_INFINITY })
    this.used += cost
  }

  /** Adds what was already answered, such as the calls of another process. */
  takeSettled(id: number | string, cost: number, at: number): void {
    this.#addSettled({ id, cost, takenAt: at, settledAt: at })
    this.used += cost
  }

  settle(id: number | string, settledAt: number): void {
    const taken = this.#out.get(id)
    if (taken === undefined) return
    this.#out.delete(id)
    taken.settledAt = settledAt
    this.#addSettled(taken)
  }

  giveBack(id: number | string): void {
    this.used -= this.#out.get(id)?.cost ?? 0
    this.#out.delete(id)
  }

  /** Forgets what was answered up to an instant. */
  forget(upTo: number): void {
    for (let taken = this.#settled[this.#first]; taken !== undefined && taken.settledAt <= upTo;) {
      this.used -= taken.cost
      taken = this.#settled[++this.#first]
    }
    // Now and then, for all that are over at once.
    if (this.#first > 64 && this.#first * 2 > this.#settled.length) {
      this.#settled.splice(0, this.#first)
      this.#first = 0
    }
  }

  /** All of it: the answered ones in the order of their answers, then those that are out. */
  *all(): Iterable<Taken> {
    for (let index = this.#first; index < this.#settled.length; index++) {
      const taken = this.#settled[index]
      if (taken !== undefined) yield taken
    }
    yield* this.#out.values()
  }

  /** The cost of what was taken at or before `takenBy` and answered after `settledAfter`, or not yet. */
  between(takenBy: number, settledAfter: number): number {
    let cost = this.used
    for (let index = this.#first; index < this.#settled.length; index++) {
      const taken = this.#settled[index]
      if (taken === undefined || taken.settledAt > settledAfter) break
      cost -= taken.cost
    }
    // Only what was answered later can have been taken later.
    for (let index = this.#settled.length - 1; index >= this.#first; index--) {
      const taken = this.#settled[index]
      if (taken === undefined || taken.settledAt <= Math.max(takenBy, settledAfter)) break
      if (taken.takenAt > takenBy) cost -= taken.cost
    }
    for (const { cost: out, takenAt } of this.#out.values()) if (takenAt > takenBy) cost -= out
    return cost
  }

  // Nearly always at the end. A clock that was set back does not change the order.
  #addSettled(taken: Taken): void {
    let index = this.#settled.length
    while (index > this.#first && (this.#settled[index - 1]?.settledAt ?? 0) > taken.settledAt) index -= 1
    if (index === this.#settled.length) this.#settled.push(taken)
    else this.#settled.splice(index, 0, taken)
  }
}
