/** A call that waits for rate limits. */
export interface ListedWaiter {
  /** Lower ranks go first. */
  readonly rank: number
  /** The rate limits that it waits for. */
  readonly keys: ReadonlyArray<string>
  /** Waiters of a class have the same charges, and are ordered by turn and then by arrival. */
  readonly class: string
  readonly turn: number
}

/** Waiters of a class, in order. */
interface Queue<W extends ListedWaiter> {
  readonly waiters: Array<{ readonly waiter: W; readonly arrival: number }>
}

/** The number of calls of higher priorities that can overtake on a rate limit before the longest waiting call goes first. */
export const maxOvertakes = 10

/**
 * The order in which waiting calls are served: by rank, within a rank by arrival. After calls of higher ranks have overtaken often enough on a rate limit, the
 * longest waiting call is first. Without effects and without a clock.
 */
export class Waitlist<W extends ListedWaiter> {
  readonly #queues = new Map<string, Queue<W>>()
  readonly #overtakes = new Map<string, number>()
  #arrivals = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  join(waiter: W): void {
    const entry = { waiter, arrival: ++this.#arrivals }
    const queue = this.#queues.get(waiter.class)
    if (queue === undefined) this.#queues.set(waiter.class, { waiters: [entry] })
    else {
      const behind = queue.waiters.findLastIndex((before) => before.waiter.turn <= waiter.turn)
      queue.waiters.splice(behind + 1, 0, entry)
    }
    this.#size += 1
  }

  /** Removes a waiter from any position. Returns whether it was waiting. */
  leave(waiter: W): boolean {
    const queue = this.#queues.get(waiter.class)
    const index = queue?.waiters.findIndex((entry) => entry.waiter === waiter) ?? -1
    if (queue === undefined || index < 0) return false
    queue.waiters.splice(index, 1)
    if (queue.waiters.length === 0) this.#queues.delete(waiter.class)
    this.#size -= 1
    // Calls that are no longer waiting were not overtaken.
    if (this.#size === 0) this.#overtakes.clear()
    return true
  }

  /** The next waiter that waits for none of the full rate limits. */
  next(full: ReadonlySet<string>): W | undefined {
    let overdue: Head<W> | undefined
    let first: Head<W> | undefined
    for (const head of this.#heads()) {
      const { arrival, waiter } = head
      if (this.isOverdue(waiter) && (overdue === undefined || arrival < overdue.arrival)) overdue = head
      if (!isBlocked(waiter, full) && (first === undefined || isBefore(head, first))) first = head
    }
    return overdue !== undefined && !isBlocked(overdue.waiter, full) ? overdue.waiter : first?.waiter
  }

  /** Removes a waiter that was served, and counts on each of its rate limits whether it overtook an earlier one. Returns whether it was waiting. */
  serve(waiter: W): boolean {
    const head = this.#queues.get(waiter.class)?.waiters.find((entry) => entry.waiter === waiter)
    if (head === undefined || !this.leave(waiter)) return false
    for (const key of waiter.keys) {
      if (this.#overtakesOn(key, head)) this.#overtakes.set(key, (this.#overtakes.get(key) ?? 0) + 1)
      else this.#overtakes.delete(key)
    }
    return true
  }

  /** Whether a waiter waits for a rate limit on which calls have overtaken often enough. */
  isOverdue({ keys }: ListedWaiter): boolean {
    return this.#overtakes.size > 0 && keys.some((key) => (this.#overtakes.get(key) ?? 0) >= maxOvertakes)
  }

  /** The number of waiters for a rate limit. */
  waitingFor(key: string): number {
    let count = 0
    for (const { waiters } of this.#queues.values()) {
      if (waiters[0]?.waiter.keys.includes(key) === true) count += waiters.length
    }
    return count
  }

  *all(): Iterable<W> {
    for (const { waiters } of this.#queues.values()) for (const { waiter } of waiters) yield waiter
  }

  *#heads(): Iterable<Head<W>> {
    for (const { waiters } of this.#queues.values()) if (waiters[0] !== undefined) yield waiters[0]
  }

  #overtakesOn(key: string, served: Head<W>): boolean {
    for (const { arrival, waiter } of this.#heads()) {
      if (waiter.rank > served.waiter.rank && arrival < served.arrival && waiter.keys.includes(key)) return true
    }
    return false
  }
}

interface Head<W extends ListedWaiter> {
  readonly waiter: W
  readonly arrival: number
}

const isBlocked = ({ keys }: ListedWaiter, full: ReadonlySet<string>): boolean =>
  full.size > 0 && keys.some((key) => full.has(key))

const isBefore = (head: Head<ListedWaiter>, than: Head<ListedWaiter>): boolean =>
  head.waiter.rank < than.waiter.rank || (head.waiter.rank === than.waiter.rank && head.arrival < than.arrival)
