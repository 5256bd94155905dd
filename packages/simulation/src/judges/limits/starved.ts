import type { Judge } from "../Judge.js"
import { departures } from "./departures.js"

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
