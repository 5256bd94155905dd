import type { Judge } from "../Judge.js"

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
