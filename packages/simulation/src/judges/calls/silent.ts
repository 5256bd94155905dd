import type { Judge } from "../../world/Judge.js"

/** A write that was executed, and whose caller was interrupted, is reported to `OnInterruptedWrite`. */
export const silent: Judge = {
  rule: "Silent",
  find: ({ of, requestOf }) => {
    const executed = new Set(of("Arrived").flatMap((fact) => fact.executed))
    const abandoned = new Set(of("Abandoned").map(({ call }) => call))
    return of("Reported")
      .filter(
        ({ call, outcome, wish }) =>
          outcome === "interrupted" && requestOf(call)?.safety !== "read" && executed.has(wish) && !abandoned.has(call)
      )
      .map(({ call, wish }) => ({ call, detail: `${wish} was executed, its caller interrupted, and nothing reported` }))
  }
}

/** Nothing is reported to `OnInterruptedWrite` of a call that its caller did not interrupt. */
export const alarmed: Judge = {
  rule: "Alarmed",
  find: ({ of }) => {
    const abandoned = new Set(of("Abandoned").map(({ call }) => call))
    return of("Reported")
      .filter(({ call, outcome }) => outcome !== "interrupted" && abandoned.has(call))
      .map(({ call, outcome }) => ({ call, detail: `ended as ${outcome}, and is reported as interrupted` }))
  }
}
