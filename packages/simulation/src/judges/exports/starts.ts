import type { Judge } from "../../world/Judge.js"

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
