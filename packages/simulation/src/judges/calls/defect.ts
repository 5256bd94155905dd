import type { Judge } from "../Judge.js"

/** No call and no export dies. */
export const defect: Judge = {
  rule: "Defect",
  find: ({ of }) => [
    ...of("Reported").flatMap(({ call, outcome, tag }) => (outcome === "died" ? [{ call, detail: tag }] : [])),
    ...of("Finished").flatMap(({ call, detail, end }) => (end === "died" ? [{ call, detail }] : []))
  ]
}
