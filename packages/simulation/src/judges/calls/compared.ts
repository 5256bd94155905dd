import type { Judge } from "../Judge.js"

/** The guarantees that the library's results are those of a model. */
export const comparisons = [
  "Model",
  "Verdict",
  "Charge",
  "Observed",
  "Settlement",
  "Renewed",
  "Request",
  "Resent",
  "Emptied",
  "Differs",
  "Identified",
  "Coded",
  "Recalled",
  "Shown"
] as const

export const compared: ReadonlyArray<Judge> = comparisons.map((rule) => ({
  rule,
  find: ({ of }) =>
    of("Compared")
      .filter((fact) => fact.rule === rule && fact.got !== fact.expected)
      .map(({ call, expected, got }) => ({ call, detail: `${got}, expected ${expected}` }))
}))
