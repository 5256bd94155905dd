import { comparisons } from "../world/Journal.js"
import type * as Journal from "../world/Journal.js"
import type { Finding, Judge } from "../world/Judge.js"

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

/** A write is not sent again after it was executed. (An idempotent write may be, with the same id.) */
export const twice: Judge = {
  rule: "Twice",
  find: ({ of, requestOf }) => {
    const executed = new Set<string>()
    const findings: Array<Finding> = []
    // The library cannot detect the effect of a copy that the network sent.
    for (const { call, executed: now, wishes } of of("Arrived").filter(({ isCopy }) => !isCopy)) {
      const isWrite = requestOf(call)?.safety === "write"
      for (const wish of wishes) {
        if (isWrite && executed.has(wish))
          findings.push({ call, detail: `${wish} arrived again after it had been executed` })
      }
      for (const wish of now) executed.add(wish)
    }
    return findings
  }
}

/** An idempotent write is sent again under the same request id only: under another one it would be executed once more. */
export const renamed: Judge = {
  rule: "Renamed",
  find: ({ of, requestOf }) => {
    const ids = new Map<string, string>()
    return of("Arrived").flatMap(({ call, wishes }): ReadonlyArray<Finding> => {
      const [wish = ""] = wishes
      const before = ids.get(call) ?? wish
      ids.set(call, before)
      return requestOf(call)?.safety !== "idempotent" || before === wish
        ? []
        : [{ call, detail: `was sent as ${before}, and then as ${wish}` }]
    })
  }
}

const hasEndedAs = (
  { of }: Journal.Journal,
  call: string,
  isBefore: (end: Journal.Of<"Ended">) => boolean,
  answers: ReadonlyArray<Journal.Of<"Ended">["answer"]>
): boolean => {
  const ended = new Set(
    of("Ended").flatMap((end) =>
      end.call === call && isBefore(end) && answers.includes(end.answer) ? [end.sending] : []
    )
  )
  return of("Sent").every((sent) => sent.call !== call || ended.has(sent.sending))
}

/** No write is reported as unknown whose sendings were all answered or never left, and none as interrupted if nothing was sent. */
export const vague: Judge = {
  rule: "Vague",
  find: (journal) => {
    if (journal.conditions.isClear !== true) return []
    // A client that sends twice can interrupt a sending in the step in which it leaves: the library has passed it on, and the network has not seen it.
    const isRacing = journal.conditions.isRacing === true
    const unknown = journal
      .of("Reported")
      .filter(
        ({ at, call, outcome }) =>
          outcome === "unknown" && !isRacing && hasEndedAs(journal, call, (end) => end.at <= at, ["unsent", "whole"])
      )
      .map(({ call, wish }) => ({
        call,
        detail: `${wish} is reported as unknown, and every sending proves its outcome`
      }))
    const abandoned = journal
      .of("Abandoned")
      .filter(({ at, call }) => hasEndedAs(journal, call, (end) => end.at < at, ["unsent"]))
      .map(({ call }) => ({ call, detail: "is reported as interrupted, and nothing has left" }))
    return [...unknown, ...abandoned]
  }
}
