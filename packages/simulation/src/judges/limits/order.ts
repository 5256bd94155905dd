import type { Judge } from "../../world/Judge.js"
import type * as Journal from "../../world/Journal.js"

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

/** Calls that others can overtake before one of them goes first, and a margin for calls that leave at the same instant. */
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
