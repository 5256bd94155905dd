import type { Finding, Judge } from "../../world/Judge.js"

/** An export that is finished, or complete, is so for the range that was declared last. */
export const covered: Judge = {
  rule: "Covered",
  find: ({ of }) =>
    of("Covered").flatMap(({ call, covered, declared, isFinished }): ReadonlyArray<Finding> => {
      if (covered === undefined) return isFinished ? [{ call, detail: "is finished, and covers nothing" }] : []
      const isWhole = covered.from <= declared.from && (declared.to === undefined || covered.to >= declared.to)
      const range = `from ${covered.from} to ${covered.to}, of ${declared.from} to ${declared.to ?? "now"}`
      return isWhole ? [] : [{ call, detail: `is complete ${range}` }]
    })
}

/** After the faults every export that is due is done. */
export const forgotten: Judge = {
  rule: "Forgotten",
  find: ({ of }) =>
    of("Covered").flatMap(({ call, due, state }) => {
      if (due === undefined) return []
      const isDone = of("Done").some((done) => done.call === call && done.at >= due.from && done.at <= due.by)
      return isDone ? [] : [{ call, detail: `is not done by ${due.by}; it is ${state}` }]
    })
}
