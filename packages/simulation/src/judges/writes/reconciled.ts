import type { Judge } from "../../world/Judge.js"

/** A look-up closes no entry with an outcome that the exchange contradicts, now or when a late request arrives. */
export const reconciled: Judge = {
  rule: "Reconciled",
  find: ({ of, requestOf }) => {
    const arrived = of("Arrived")
    const executed = new Set(arrived.flatMap((fact) => (fact.executed.length > 0 ? [fact.call] : [])))
    const wishes = new Set(arrived.flatMap((fact) => fact.executed))
    const isWhole = (call: string) =>
      executed.has(call) && arrived.every((fact) => fact.call !== call || fact.wishes.every((wish) => wishes.has(wish)))
    return of("Closed").flatMap(({ by, call, executed: result }) => {
      if (by !== "reconcile") return []
      if (result === "no" && executed.has(call))
        return [{ call, detail: "is reconciled as not executed, and was executed" }]
      // An order can be cancelled without this cancellation.
      return result === "yes" && requestOf(call)?.isCreating === true && !isWhole(call)
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
