import { comparisons } from "../../world/Journal.js"
import type { Judge } from "../Judge.js"

export const compared: ReadonlyArray<Judge> = comparisons.map((rule) => ({
  rule,
  find: ({ of }) =>
    of("Compared")
      .filter((fact) => fact.rule === rule && fact.got !== fact.expected)
      .map(({ call, expected, got }) => ({ call, detail: `${got}, expected ${expected}` }))
}))
