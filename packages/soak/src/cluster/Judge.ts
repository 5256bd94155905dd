import type { Write } from "./Order.js"

/** From when on the ledger was seen to name an owner of an address. */
export interface Seen {
  readonly address: string
  readonly epoch: number
  readonly pid: number
  readonly at: number
}

// The interval between two reads of the ledger.
const lookedAtEvery = 500

/** Writes of a process to the exports of an address that began after the ledger was seen to name another owner, with a later epoch. */
export const trespassesOf = (writes: ReadonlyArray<Write>, seen: ReadonlyArray<Seen>): ReadonlyArray<Write> =>
  writes.filter(({ address, begunAt, pid }) => {
    const before = seen.filter((owner) => owner.address === address && owner.at <= begunAt)
    const last = before.reduce<Seen | undefined>(
      (latest, owner) => (latest === undefined || owner.epoch > latest.epoch ? owner : latest),
      undefined
    )
    const isSeenLater = seen.some(
      (owner) =>
        owner.address === address && owner.pid === pid && owner.at > begunAt && owner.at < begunAt + lookedAtEvery
    )
    return last !== undefined && last.pid !== pid && !isSeenLater
  })

/** The longest time without an arrival that overlaps a span of time. */
export const longestGap = (arrivals: ReadonlyArray<number>, from: number, to: number): number => {
  let longest = 0
  for (let index = 1; index < arrivals.length; index++) {
    const [before = 0, after = 0] = [arrivals[index - 1], arrivals[index]]
    if (after > from && before < to) longest = Math.max(longest, after - before)
  }
  return longest
}

/** The most arrivals within a window. */
export const mostWithin = (arrivals: ReadonlyArray<number>, window: number): number => {
  let most = 0
  let first = 0
  for (let last = 0; last < arrivals.length; last++) {
    while ((arrivals[last] ?? 0) - (arrivals[first] ?? 0) >= window) first += 1
    most = Math.max(most, last - first + 1)
  }
  return most
}
