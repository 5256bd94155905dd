import type { Judge } from "../Judge.js"
import { departures } from "./departures.js"

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
