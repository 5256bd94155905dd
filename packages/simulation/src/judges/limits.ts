import type * as Journal from "../world/Journal.js"
import type { Judge } from "../world/Judge.js"

/** When calls left, or ended without that. One that is sent again has left once. */
const departures = ({ of }: Journal.Journal) => {
  const sent = new Map(
    of("Sent")
      .map(({ at, call }) => [call, at] as const)
      .reverse()
  )
  const ended = new Map([...of("Reported"), ...of("Lost")].map(({ at, call }) => [call, at]))
  return { sent, goneAt: (call: string) => sent.get(call) ?? ended.get(call) ?? Number.POSITIVE_INFINITY }
}

/** How many later calls can overtake one before it goes first, without leaving places for others, and a margin for calls that leave at the same instant. */
const overtakes = 10
const margin = 2

/** Of calls that wait for the same rate limits, one is overtaken by a limited number of later calls, of any priority. */
export const starved: Judge = {
  rule: "Starved",
  find: (journal) => {
    const waits = journal.of("Queued")
    const { goneAt, sent } = departures(journal)
    return waits.flatMap((waiting) => {
      const line = waits.filter((other) => other.line === waiting.line && other.call !== waiting.call)
      // Only the call that waits longest goes first when the overtakes are used up.
      const earlier = line.filter(({ seq }) => seq < waiting.seq).map(({ call }) => goneAt(call))
      const from = Math.max(waiting.at, ...earlier)
      const until = goneAt(waiting.call)
      const overtaking = line.filter(({ call, seq }) => {
        const sentAt = sent.get(call)
        return seq > waiting.seq && sentAt !== undefined && sentAt > from && sentAt < until
      })
      return overtaking.length <= overtakes + margin
        ? []
        : [{ call: waiting.call, detail: `is overtaken by ${overtaking.length} later calls` }]
    })
  }
}

/**
 * Of calls that wait for the same rate limits, none overtakes one of its priority or a higher one. What happens at one instant is
 * concurrent: a call overtakes another if it left at an earlier instant, and began to wait at a later one.
 */
export const order: Judge = {
  rule: "Order",
  find: (journal) => {
    const waits = journal.of("Queued")
    const { goneAt, sent } = departures(journal)
    return waits.flatMap((later) => {
      const at = sent.get(later.call)
      if (at === undefined) return []
      const overtaken = waits.find(
        (earlier) =>
          earlier.line === later.line &&
          earlier.rank <= later.rank &&
          earlier.at < later.at &&
          goneAt(earlier.call) > at
      )
      return overtaken === undefined ? [] : [{ call: later.call, detail: `sent at ${at}, before ${overtaken.call}` }]
    })
  }
}

/** The service refuses no call for a limit that this program alone uses. */
export const limit: Judge = {
  rule: "Limit",
  find: ({ conditions, of }) =>
    conditions.isLimitOurs === true
      ? of("Arrived")
          .filter(({ code }) => code === 10006)
          .map(({ at, call }) => ({ call, detail: `refused at ${at}` }))
      : []
}

/** Places of rate limits that were taken are settled, after any end of the call. */
export const leak: Judge = {
  rule: "Leak",
  find: ({ of }) => {
    const settled = new Set(of("Settled").map(({ reservation }) => reservation))
    return of("Reserved")
      .filter(({ reservation }) => !settled.has(reservation))
      .map(({ at, call, reservation }) => ({ call, detail: `${reservation}, taken at ${at}, was not settled` }))
  }
}

/** Longer than any place stays taken after its settlement: a window, and the way of a request that was given up. */
const longest = 30_000

/** A call leaves at once if each of its rate limits has room for it beside all calls that wait for that limit or have used it. */
export const hindered: Judge = {
  rule: "Hindered",
  find: ({ conditions, of }) => {
    if (conditions.isPrompt !== true) return []
    const gone = new Map([...of("Reported"), ...of("Sent")].map(({ at, call }) => [call, at]))
    const settled = new Map(of("Settled").map(({ at, call }) => [call, at]))
    const waits = of("Queued")
    return waits.flatMap(({ at, call, costs, spare }) => {
      const taken = (key: string) =>
        waits
          .filter((other) => other.call !== call && other.at <= at && (settled.get(other.call) ?? at) > at - longest)
          .reduce((sum, other) => sum + (other.costs.find((each) => each.key === key)?.cost ?? 0), 0)
      const hasRoom = costs.every(({ cost, key, limit }) => taken(key) + cost + spare <= limit)
      return hasRoom && (gone.get(call) ?? Number.POSITIVE_INFINITY) > at + 1
        ? [{ call, detail: `waits from ${at}, though its limits have room` }]
        : []
    })
  }
}

/** A call leaves as many places of a rate limit free as its priority is to, and none when many later calls have overtaken it. */
export const spare: Judge = {
  rule: "Spare",
  find: ({ conditions, of }) => {
    const queued = new Map(of("Queued").map((wait) => [wait.call, wait]))
    const reserved = of("Reserved")
    // A store that is shared is asked again for a call whose reply was lost.
    const most = conditions.isPrompt === true ? overtakes : Number.POSITIVE_INFINITY
    return reserved.flatMap(({ call, spare: places }, index) => {
      const wait = queued.get(call)
      if (wait === undefined) return []
      // Calls of its line that went before it: only those since the last one that was earlier have overtaken it.
      const before = reserved.slice(0, index).flatMap((earlier) => queued.get(earlier.call) ?? [])
      const line = before.filter((other) => other.line === wait.line)
      const overtaken = line.length - 1 - line.findLastIndex((other) => other.seq < wait.seq)
      const isEach = (count: number) => places.every((place) => place === count)
      const isMeant = isEach(wait.spare) && (wait.spare === 0 || overtaken < most)
      if (isMeant || (isEach(0) && index >= overtakes)) return []
      const detail = `left ${places.join(" and ")} free, expected ${wait.spare}, overtaken by ${overtaken} calls`
      return [{ call, detail }]
    })
  }
}
