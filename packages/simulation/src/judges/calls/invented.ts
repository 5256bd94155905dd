import type { Judge } from "../Judge.js"

/** A write that was not executed is not reported as done. */
export const invented: Judge = {
  rule: "Invented",
  find: ({ of, requestOf }) => {
    const executed = new Set(of("Arrived").flatMap((fact) => fact.executed))
    return of("Reported")
      .filter(({ call, outcome, wish }) => {
        const safety = requestOf(call)?.safety
        return outcome === "done" && safety !== undefined && safety !== "read" && !executed.has(wish)
      })
      .map(({ call, wish }) => ({ call, detail: `${wish} is reported as done, and was not executed` }))
  }
}
