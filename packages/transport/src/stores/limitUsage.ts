/** The part of a rate limit that a call has taken. */
export interface Taken {
  readonly id: number | string
  readonly cost: number
  /** The last instant at which the service can have counted the call: in the future if the call has no response, infinite while it is in flight. */
  settledAt: number
}

/**
 * The usage of one rate limit, by calls in flight and by calls whose window after the response is not over. Reading the usage, taking and settling have a
 * constant cost.
 *
 * Calls are remembered for a while after their window, because a response can contain a count from before.
 */
export class Usage {
  used = 0
  readonly #out = new Map<number | string, Taken>()
  /** In the order of their responses, from `#first` on. Those before `#counted` are over, and no part of `used`. */
  readonly #settled: Array<Taken> = []
  #first = 0
  #counted = 0

  constructor(readonly rememberedFor: number) {}

  take(id: number | string, cost: number): void {
    this.#out.set(id, { id, cost, settledAt: Number.POSITIVE_INFINITY })
    this.used += cost
  }

  /** Adds a call that already has its response, such as that of another process. */
  takeSettled(id: number | string, cost: number, at: number): void {
    this.#addSettled({ id, cost, settledAt: at })
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

  /** Stops counting the calls that had their response up to an instant. */
  expire(upTo: number): void {
    for (let taken = this.#settled[this.#counted]; taken !== undefined && taken.settledAt <= upTo;) {
      this.used -= taken.cost
      taken = this.#settled[++this.#counted]
    }
    this.#forget(upTo - this.rememberedFor)
  }

  /** All calls that count: those with a response, in the order of the responses, then those in flight. */
  *all(): Iterable<Taken> {
    for (let index = this.#counted; index < this.#settled.length; index++) {
      const taken = this.#settled[index]
      if (taken !== undefined) yield taken
    }
    yield* this.#out.values()
  }

  /** The cost of the calls that had no response by an instant. Those that had one by then are to be expired first. */
  since(settledAfter: number): number {
    let cost = this.used
    for (let index = this.#counted - 1; index >= this.#first; index--) {
      const taken = this.#settled[index]
      if (taken === undefined || taken.settledAt <= settledAfter) break
      cost += taken.cost
    }
    return cost
  }

  /** The cost of the calls that had their response between two instants, including those that are over and still remembered. */
  answered(after: number, by: number): number {
    let cost = 0
    for (let index = this.#settled.length - 1; index >= this.#first; index--) {
      const taken = this.#settled[index]
      if (taken === undefined || taken.settledAt <= after) break
      if (taken.settledAt <= by) cost += taken.cost
    }
    return cost
  }

  #forget(upTo: number): void {
    while (this.#first < this.#counted && (this.#settled[this.#first]?.settledAt ?? 0) <= upTo) this.#first += 1
    // Removes expired calls in bulk.
    if (this.#first > 64 && this.#first * 2 > this.#settled.length) {
      this.#settled.splice(0, this.#first)
      this.#counted -= this.#first
      this.#first = 0
    }
  }

  // Nearly always appended at the end. A clock that was set back does not change the order.
  #addSettled(taken: Taken): void {
    let index = this.#settled.length
    while (index > this.#counted && (this.#settled[index - 1]?.settledAt ?? 0) > taken.settledAt) index -= 1
    if (index === this.#settled.length) this.#settled.push(taken)
    else this.#settled.splice(index, 0, taken)
  }
}
