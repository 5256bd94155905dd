import type { Judge } from "../../world/Judge.js"

/** Every call ends, unless its process has died. */
export const stuck: Judge = {
  rule: "Stuck",
  find: ({ end, of }) => {
    if (end === "Done") return []
    const ended = new Set([...of("Reported"), ...of("Lost")].map(({ call }) => call))
    const open = of("Requested").filter(({ call }) => !ended.has(call))
    return open.length === 0 ? [{ call: "", detail: end }] : open.map(({ call }) => ({ call, detail: end }))
  }
}

/** No call keeps the processor busy while time stands still. */
export const spinning: Judge = {
  rule: "Spinning",
  find: ({ end }) => (end === "Spinning" ? [{ call: "", detail: "time stands still" }] : [])
}

/** No call and no export dies. */
export const defect: Judge = {
  rule: "Defect",
  find: ({ of }) => [
    ...of("Reported").flatMap(({ call, outcome, tag }) => (outcome === "died" ? [{ call, detail: tag }] : [])),
    ...of("Finished").flatMap(({ call, detail, end }) => (end === "died" ? [{ call, detail }] : []))
  ]
}
