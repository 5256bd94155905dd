import type { Judge } from "../../world/Judge.js"

/** A call is reported by its time limit, and at its interruption. */
export const late: Judge = {
  rule: "Late",
  find: ({ of, requestOf }) =>
    of("Reported").flatMap(({ at, call }) => {
      const { deadline = Number.POSITIVE_INFINITY } = requestOf(call) ?? {}
      // Timers have whole milliseconds.
      return at >= deadline + 1 ? [{ call, detail: `reported at ${at}, due at ${deadline}` }] : []
    })
}

/** If nothing goes wrong, a call takes no longer than the service's limits make it. */
export const slow: Judge = {
  rule: "Slow",
  find: ({ of, requestOf }) =>
    of("Reported").flatMap(({ at, call }) => {
      const { doneBy = Number.POSITIVE_INFINITY } = requestOf(call) ?? {}
      return at > doneBy ? [{ call, detail: `reported at ${at}, possible by ${doneBy}` }] : []
    })
}
