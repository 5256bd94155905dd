import type { Judge } from "../Judge.js"

/** A write that was executed is not reported as refused. */
export const denied: Judge = {
  rule: "Denied",
  find: ({ of, requestOf }) => {
    // The library cannot detect that the network copied a request after the service had refused it.
    const executed = new Set(of("Arrived").flatMap((fact) => (fact.isCopy ? [] : fact.executed)))
    return of("Reported")
      .filter(
        ({ call, outcome, wish }) => outcome === "refused" && requestOf(call)?.safety !== "read" && executed.has(wish)
      )
      .map(({ call, tag, wish }) => ({ call, detail: `${wish} was executed, and is reported as ${tag}` }))
  }
}
