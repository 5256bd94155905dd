import type { Judge } from "../../world/Judge.js"
import { comparisons } from "../../world/Journal.js"

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

/** An answer that a wrapped client has created is the outcome of a call, and not a response that it has dropped. */
export const replaced: Judge = {
  rule: "Replaced",
  find: ({ of }) => {
    const last = new Map<string, number>()
    for (const { call, seq } of [...of("Sent"), ...of("Ended")]) last.set(call, Math.max(last.get(call) ?? 0, seq))
    const reported = of("Reported").filter(({ outcome }) => outcome === "done")
    return of("Replaced").flatMap(({ call, seq }) =>
      seq > (last.get(call) ?? 0) && reported.some((report) => report.call === call && report.seq > seq)
        ? [{ call, detail: "is reported as done, although its last answer was created by a wrapped client" }]
        : []
    )
  }
}

export const compared: ReadonlyArray<Judge> = comparisons.map((rule) => ({
  rule,
  find: ({ of }) =>
    of("Compared")
      .filter((fact) => fact.rule === rule && fact.got !== fact.expected)
      .map(({ call, expected, got }) => ({ call, detail: `${got}, expected ${expected}` }))
}))
