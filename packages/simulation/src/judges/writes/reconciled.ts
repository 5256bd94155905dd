import type { Judge } from "../../world/Judge.js"
import { indexWishes } from "./owed.js"

/** A look-up closes no entry with an outcome that the exchange contradicts, now or when a late request arrives. */
export const reconciled: Judge = {
  rule: "Reconciled",
  find: (journal) => {
    const wishesOf = indexWishes(journal)
    const granted = new Set(journal.of("Arrived").flatMap(({ executed }) => executed))
    return journal.of("Closed").flatMap(({ by, call, entry, executed: result }) => {
      if (by !== "reconcile") return []
      const wishes = wishesOf({ call, entry })
      if (result === "no" && wishes.some((wish) => granted.has(wish)))
        return [{ call, detail: "is reconciled as not executed, and was executed" }]
      // An order can be cancelled without this cancellation.
      const isCreating = journal.requestOf(call)?.isCreating === true
      return result === "yes" && isCreating && !wishes.every((wish) => granted.has(wish))
        ? [{ call, detail: "is reconciled as executed, and was not, or not all of it" }]
        : []
    })
  }
}

/** No entry is lost, and after the last reconciliation, over a network without faults, none is open. */
export const unreconciled: Judge = {
  rule: "Unreconciled",
  find: ({ of }) => {
    const closed = new Set(of("Closed").map(({ entry }) => entry))
    const lost = of("Recorded").filter(({ entry }) => !closed.has(entry))
    return [
      ...lost.map(({ call, entry }) => ({ call, detail: `its entry ${entry} is never closed` })),
      ...of("StillOpen").map(({ call, entry }) => ({ call, detail: `its entry ${entry} is open at the end` }))
    ]
  }
}
