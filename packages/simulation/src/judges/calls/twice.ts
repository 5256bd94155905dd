import type { Finding, Judge } from "../../world/Judge.js"

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
