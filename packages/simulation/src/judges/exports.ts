import type { Finding, Judge } from "../world/Judge.js"

const few = (all: ReadonlyArray<string>): string => `${all.length}: ${all.slice(0, 3).join(", ")}`

const finding = (call: string, word: string, rows: ReadonlyArray<string>): ReadonlyArray<Finding> =>
  rows.length === 0 ? [] : [{ call, detail: `${word} ${few(rows)}` }]

/** No row is missing from a part that is complete. */
export const short: Judge = {
  rule: "Short",
  find: ({ of }) =>
    of("Exported").flatMap(({ call, expected, isComplete, rows }) => {
      const found = new Set(rows)
      return finding(call, "lacks", isComplete ? expected.filter((row) => !found.has(row)) : [])
    })
}

/** No row is there twice. */
export const doubled: Judge = {
  rule: "Doubled",
  find: ({ of }) =>
    of("Exported").flatMap(({ call, newer = [], rows }) =>
      finding(
        call,
        "twice",
        [...rows, ...newer].filter((row, index, all) => all.indexOf(row) !== index)
      )
    )
}

/** No row is of another account, or none that the exchange has. */
export const mixed: Judge = {
  rule: "Mixed",
  find: ({ of }) =>
    of("Exported").flatMap(({ call, expected, rows }) => {
      const own = new Set(expected)
      return finding(
        call,
        "foreign",
        rows.filter((row) => !own.has(row))
      )
    })
}

/** A process at work that was never frozen keeps its folder. */
export const robbed: Judge = {
  rule: "Robbed",
  find: ({ of }) =>
    of("Finished")
      .filter(
        ({ detail, end, isFrozen, isLast }) =>
          end === "failed" && !isLast && !isFrozen && detail.startsWith("SinkFailure")
      )
      .map(({ call, detail }) => ({ call, detail }))
}

/** A process that has seen that another one has its lock gives no file a name. */
export const trespassed: Judge = {
  rule: "Trespassed",
  find: ({ of }) => {
    const looks = of("Looked")
    return of("Published").flatMap(({ call, file, seq }) =>
      looks.findLast((look) => look.call === call && look.seq < seq)?.isOwn === false
        ? [{ call, detail: `publishes ${file} without its lock` }]
        : []
    )
  }
}

/** The last start, which nothing disturbs, finishes. */
export const unfinished: Judge = {
  rule: "Unfinished",
  find: ({ of }) =>
    of("Finished")
      .filter(({ end, isLast }) => isLast && end !== "complete")
      .map(({ call, detail, end }) => ({ call, detail: `${end}: ${detail}` }))
}
