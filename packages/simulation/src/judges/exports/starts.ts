import type { Judge } from "../Judge.js"

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

/** The last start, which nothing disturbs, finishes. */
export const unfinished: Judge = {
  rule: "Unfinished",
  find: ({ of }) =>
    of("Finished")
      .filter(({ end, isLast }) => isLast && end !== "complete")
      .map(({ call, detail, end }) => ({ call, detail: `${end}: ${detail}` }))
}
